# Wait to be looked at, in a function below another one.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import time


def inner_frame():
    time.sleep(60)


def outer_frame():
    inner_frame()


print("up", flush=True)
outer_frame()
