# The table of results, and what machine they are of.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import csv
import os
import platform
import statistics
import subprocess
import time

from places import COMMAND, RESULTS, read, run, write
from watch import EVENTS


def ratio(pairs):
    """The median ratio of PAIRS (value, base) with its extremes."""
    ratios = sorted(a / b for a, b in pairs if a is not None and b)
    if not ratios:
        return ""
    return (f"{statistics.median(ratios):.3f}"
            f" ({ratios[0]:.3f}...{ratios[-1]:.3f})")


def lines(session):
    """Rows of the table: a workload and a variant, ratios to stock in the same
    round, and the share of text on huge pages."""
    by_key = {(r["workload"], r["variant"], r["round"]): r
              for r in session.runs}
    for workload, variant in session.order:
        mine = [r for r in session.runs if r["round"] >= 0
                and (r["workload"], r["variant"]) == (workload, variant)]
        if not mine:
            continue
        first = by_key.get((workload, variant, -1), {})
        pairs = [(r, by_key.get((workload, "stock", r["round"])))
                 for r in mine]
        pairs = [(a, b) for a, b in pairs if b]

        def of(key):
            return ratio([(a[key], b[key]) for a, b in pairs])
        seen = first.get("huge_percent")
        yield {"workload": workload, "variant": variant, "rounds": len(mine),
               "seconds":
                   f"{statistics.median(r['seconds'] for r in mine):.4g}",
               "huge %": "" if seen is None else f"{seen:.0f}",
               "time": of("seconds"), "p99": of("p99_ms"),
               **{event: ratio([(a["counts"].get(event),
                                 b["counts"].get(event)) for a, b in pairs])
                  for event in session.events}}


def machine(session, started):
    """What the machine is, in lines."""
    yield f"date: {time.strftime('%F %T')}"
    yield f"minutes: {(time.monotonic() - started) / 60:.0f}"
    yield "kernel: " + " ".join(platform.uname())
    for name in ("enabled", "defrag", "shmem_enabled"):
        path = f"/sys/kernel/mm/transparent_hugepage/{name}"
        if os.path.exists(path):
            yield f"transparent huge pages, {name}: {read(path)}"
    yield "counted: " + (", ".join(session.events)
                         or "no counters: perf counts none of "
                         + ", ".join(EVENTS))
    if "hypervisor" in read("/proc/cpuinfo"):
        yield ("nested paging: a virtual machine, whose host may back huge"
               " pages with small ones")
    yield run(["lscpu"])
    yield subprocess.run([COMMAND, "doctor"], capture_output=True, text=True,
                         check=False).stdout


def report(session, started):
    table = list(lines(session))
    if not table:
        return
    with open(RESULTS + "/table.csv", "w", encoding="utf-8",
              newline="") as file:
        writer = csv.DictWriter(file, table[0].keys())
        writer.writeheader()
        writer.writerows(table)
    widths = [max(len(str(row[key])) for row in [dict(zip(table[0],
                                                          table[0])), *table])
              for key in table[0]]
    with open(RESULTS + "/table.txt", "w", encoding="utf-8") as file:
        file.write("Ratios to stock in the same round: median (least...most)."
                   "  Less is better.\n")
        for row in [dict(zip(table[0], table[0])), *table]:
            file.write("  ".join(str(value).ljust(width) for value, width
                                 in zip(row.values(), widths)).rstrip() + "\n")
    write(RESULTS + "/machine.txt", "\n".join(machine(session, started)))
