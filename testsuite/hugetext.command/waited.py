"""Let "hugetext profile" wait for its command, then give the command's ID to
another process, and end hugetext by SIGTERM.  Print what happens.

usage: waited.py HUGETEXT DIRECTORY, in a PID namespace with its own /proc

This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
"""

import fcntl
import os
import subprocess
import sys
import time

hugetext, directory = sys.argv[1:]

# hugetext blocks when it writes to this pipe, after the command has ended.
_, full = os.pipe()
fcntl.fcntl(full, fcntl.F_SETFL, os.O_NONBLOCK)
try:
    while True:
        os.write(full, bytes(4096))
except BlockingIOError:
    fcntl.fcntl(full, fcntl.F_SETFL, 0)

told = os.path.join(directory, "command")
profile = subprocess.Popen(
    [hugetext, "profile", "--output=" + directory, "--",
     "sh", "-c", f"echo $$ >{told}"], stderr=full)


def command():
    """Return the ID of the command, or None if it has not started."""
    try:
        with open(told) as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


end = time.monotonic() + 30
while ((pid := command()) is None or os.path.exists(f"/proc/{pid}")
       ) and time.monotonic() < end:
    time.sleep(0.01)
with open("/proc/sys/kernel/ns_last_pid", "w") as file:
    file.write(str(pid - 1))
other = subprocess.Popen(["sleep", "300"])
print("same ID" if other.pid == pid else f"{other.pid}, not {pid}")
profile.terminate()
try:
    print("hugetext:", profile.wait(10))
except subprocess.TimeoutExpired:
    print("hugetext: runs")
    profile.kill()
time.sleep(0.2)
print("other:", other.poll())
other.kill()
