# A workload with a small neural network in jax, which is compiled again in
# each round and then run.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
import jax, jax.numpy as np
from endless import run

count = 0

def work ():
    global count
    count = count % 50 + 1
    w = np.ones ((count + 10, 8))
    step = jax.jit (jax.grad (lambda w: np.tanh (w @ w.T).sum ()))
    for i in range (20):
        w = w - 0.01 * step (w)
    w.block_until_ready ()

run (work)
