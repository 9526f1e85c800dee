# The table of results, and a description of the measured machine.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import csv
import os
import platform
import shutil
import statistics
import subprocess
import time

from places import COMMAND, RESULTS, read, run, write
from watch import EVENTS


def median(values):
    values = [value for value in values if value is not None]
    return f"{statistics.median(values):.4g}" if values else ""


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
        first = by_key.get((workload, variant, -1), {})
        pairs = [(r, by_key.get((workload, "stock", r["round"])))
                 for r in mine]
        pairs = [(a, b) for a, b in pairs if b]

        def of(key):
            return ratio([(a.get(key), b.get(key)) for a, b in pairs])
        seen = first.get("huge_percent")
        yield {"workload": workload, "variant": variant, "rounds": len(mine),
               "seconds": median(r["seconds"] for r in mine),
               "per second": median(r.get("per_second") for r in mine),
               "huge %": "" if seen is None else f"{seen:.0f}",
               "time": of("seconds"), "cpu": of("cpu"), "p99": of("p99_ms"),
               **{event: ratio([(a["counts"].get(event),
                                 b["counts"].get(event)) for a, b in pairs])
                  for event in session.events},
               "left out": session.broken.get((workload, variant), "")}


def conditions(session):
    """What a reader of the table has to know."""
    yield ("counted: " + ", ".join(session.events) if session.events
           else "no counters")
    if "hypervisor" in read("/proc/cpuinfo"):
        yield ("nested paging: a virtual machine, whose host may back huge"
               " pages with small ones")


def machine(session, started):
    """What the machine is, in lines."""
    yield f"date: {time.strftime('%F %T')}"
    yield f"minutes: {(time.monotonic() - started) / 60:.0f}"
    yield "kernel: " + " ".join(platform.uname())
    for name in ("enabled", "defrag", "shmem_enabled"):
        path = f"/sys/kernel/mm/transparent_hugepage/{name}"
        if os.path.exists(path):
            yield f"transparent huge pages, {name}: {read(path)}"
    yield "asked of perf: " + ", ".join(EVENTS)
    yield from conditions(session)
    yield run(["lscpu"])
    yield subprocess.run([COMMAND, "doctor"], capture_output=True, text=True,
                         check=False).stdout


def report_machine(session, started):
    write(RESULTS + "/machine.txt", "\n".join(machine(session, started)))
    # Describe the TLBs of the machine, so that one can compare its misses with
    # those simulated for lab/tlbsim/cpus.
    if shutil.which("cpuid"):
        write(RESULTS + "/cpuid.txt", run(["cpuid", "-1", "-r"]))


def report(session):
    table = list(lines(session))
    with open(RESULTS + "/table.csv", "w", encoding="utf-8",
              newline="") as file:
        writer = csv.DictWriter(file, table[0].keys())
        writer.writeheader()
        writer.writerows(table)
    headed = [dict(zip(table[0], table[0])), *table]
    widths = [max(len(str(row[key])) for row in headed) for key in table[0]]
    with open(RESULTS + "/table.txt", "w", encoding="utf-8") as file:
        file.write("Ratios to stock in the same round: median (least...most)."
                   "  Less is better.\n")
        file.write("; ".join(conditions(session)) + "\n")
        for row in headed:
            file.write("  ".join(str(value).ljust(width) for value, width
                                 in zip(row.values(), widths)).rstrip() + "\n")
