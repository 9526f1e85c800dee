# Run a command until it prints a line, and look at its text.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: share.py [COMMAND...]       this process itself without one
#
# Prints KiB of text in use, on huge pages, of these those of files and copies,
# and the mode of the filter of system calls (2: a list).  The command has to
# wait for input then.
import re
import subprocess
import sys


def text(pid):
    size = {"Rss": 0, "FilePmdMapped": 0, "AnonHugePages": 0,
            "ShmemPmdMapped": 0}
    with open("/proc/%s/smaps" % pid) as file:
        for line in file:
            head = re.match(r"[0-9a-f]+-[0-9a-f]+ (..)(.)", line)
            if head:
                is_text = head[2] == "x" and "[" not in line
                continue
            key, value = line.split(":")
            if is_text and key in size:
                size[key] += int(value.split()[0])
    copies = size["AnonHugePages"] + size["ShmemPmdMapped"]
    return size["Rss"], size["FilePmdMapped"] + copies, \
        size["FilePmdMapped"], copies


def filter_mode():
    with open("/proc/self/status") as file:
        return re.search(r"Seccomp:\s*(\d)", file.read())[1]


if len(sys.argv) == 1:
    print(*text("self"), filter_mode())
else:
    with subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        print(*text(child.pid), filter_mode())
        child.stdin.close()
