# Observations of a process: events that the CPU counts, and where its text is.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import glob
import json
import os
import re
import resource
import signal
import subprocess
import threading

from places import COMMAND

# Events by perf's names; those that a CPU lacks are left out.  The events count
# misses that walk the page table and, if the CPU counts them, cycles of these
# walks.  Intel, AMD and Arm have different names for these events.
EVENTS = ["instructions:u", "cycles:u", "iTLB-load-misses:u",
          "itlb_misses.walk_completed:u", "itlb_misses.walk_active:u",
          "bp_l1_tlb_miss_l2_tlb_miss:u", "bp_l1_tlb_miss_l2_tlb_hit:u",
          "itlb_walk:u", "l1i_tlb_refill:u"]


def events_here():
    """Those of EVENTS that this machine counts."""
    def counts(event):
        done = subprocess.run(["perf", "stat", "-x,", "-e", event, "true"],
                              capture_output=True, text=True, check=False)
        return (done.returncode == 0
                and re.match(r"[1-9]", done.stderr.strip()) is not None)
    return [event for event in EVENTS if counts(event)]


def read_counts(path, units):
    """Events by what perf has written to PATH, for one of UNITS."""
    counts = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = line.split(",")
            if len(fields) > 2 and re.match(r"\d", fields[0]):
                counts[fields[2]] = float(fields[0]) / units
    return counts


def processes():
    """By number, the fields of each process's stat behind its name: of these 1
    is the parent, 11 to 14 are ticks, its own and those of children that it has
    waited for."""
    found = {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat, encoding="utf-8", errors="replace") as file:
                words = file.read()
        except OSError:
            continue
        found[int(words.split(" ", 1)[0])] \
            = words[words.rindex(")") + 2:].split()
    return found


def descendants(pid, of=None):
    """PID and all that it and they have started, OF these processes."""
    children = {}
    for child, fields in (of or processes()).items():
        children.setdefault(int(fields[1]), []).append(child)
    found = [pid]
    for parent in found:
        found += children.get(parent, [])
    return found


def end_tree(pid):
    """Kill PID and all that it has started."""
    for child in descendants(pid):
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass


def tree_seconds(pid):
    """Seconds of processors that PID and all that it has started have used."""
    of = processes()
    ticks = sum(int(tick) for child in descendants(pid, of) if child in of
                for tick in of[child][11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def children_seconds():
    """The same for children of this process that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def share(pid):
    """Percent of the text in use on huge pages, of the one with most text
    of what PID has started; None if there is none."""
    pids = [str(child) for child in descendants(pid)]
    done = subprocess.run([COMMAND, "status", "--json", *pids],
                          capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout)["processes"]
    except ValueError:
        return None
    used = [(p["huge_bytes"] + p["small_bytes"], p["share_percent"])
            for p in found]
    return max(used)[1] if used else None


class Look:
    """Looks at a process until it ends, in a thread of its own: where its
    text is, each half second, in a run that is not timed."""

    def __init__(self):
        self.share = None
        self.thread = None
        self.end = threading.Event()

    def __call__(self, pid):
        self.thread = threading.Thread(target=self.watch, args=(pid,))
        self.thread.start()

    def watch(self, pid):
        while not self.end.wait(0.5):
            seen = share(pid)
            if seen is not None:
                self.share = max(seen, self.share or 0)

    def join(self):
        self.end.set()
        if self.thread:
            self.thread.join()
        return self.share
