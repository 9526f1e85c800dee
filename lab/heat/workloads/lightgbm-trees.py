# Training and prediction of small trees with lightgbm.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
import numpy, lightgbm
from endless import run

random = numpy.random.default_rng (1)
x = random.standard_normal ((2000, 20))
y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).astype (int)

def work ():
    model = lightgbm.LGBMClassifier (n_estimators=10, n_jobs=1, verbose=-1)
    model.fit (x, y)
    model.predict (x)

run (work)
