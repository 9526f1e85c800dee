# Inference of a small convolution net with tensorflow.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
import tensorflow
from endless import run

tensorflow.config.threading.set_intra_op_parallelism_threads (1)
tensorflow.config.threading.set_inter_op_parallelism_threads (1)
tensorflow.random.set_seed (1)
layers = tensorflow.keras.layers
net = tensorflow.keras.Sequential ([
    layers.Input ((18, 18, 3)), layers.Conv2D (8, 3, activation="relu"),
    layers.MaxPool2D (2), layers.Conv2D (16, 3, activation="relu"),
    layers.Flatten (), layers.Dense (10)])
picture = tensorflow.random.normal ((1, 18, 18, 3))

def infer ():
    for i in range (20):
        net (picture)

run (infer)
