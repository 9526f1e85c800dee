# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
import sys, torch
from endless import run

torch.manual_seed (1)
torch.set_num_threads (1)
former = torch.nn.TransformerEncoder (
    torch.nn.TransformerEncoderLayer (64, 4, 128, batch_first=True), 2).eval ()
net = torch.nn.Sequential (
    torch.nn.Conv2d (3, 8, 3), torch.nn.ReLU (), torch.nn.MaxPool2d (2),
    torch.nn.Conv2d (8, 16, 3), torch.nn.ReLU (), torch.nn.Flatten (),
    torch.nn.Linear (16 * 6 * 6, 10)).eval ()
words, picture = torch.randn (1, 16, 64), torch.randn (1, 3, 18, 18)

def infer ():
    with torch.inference_mode ():
        former (words)
        net (picture)

run (infer)
