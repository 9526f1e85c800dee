# Functions that the workloads in Python share.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
import os, sys, time

WARM = 2 # Seconds.

def run (work):
    """Do WORK for ever; once with --check.  Write the process ID to the file
    READY when it is warm."""
    work ()
    if "--check" in sys.argv:
        return
    warm = time.time () + WARM
    while time.time () < warm:
        work ()
    with open (os.environ["READY"], "w") as file:
        file.write (str (os.getpid ()))
    while True:
        work ()
