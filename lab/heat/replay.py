#!/usr/bin/python3
"""Replay recorded starts against policies without a profile.

usage: lab/heat/replay.py RECORD...

A RECORD is what lab/heat/record writes.  Prints, for caps of 8 to 128 blocks
and each policy, the share of the samples that is on huge pages once the
program is warm, in per cent, and how many blocks have been taken back, or made
huge by a later call.

This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
"""
import collections
import os
import sys

PAGES = 512        # Of a full block.
LEAST = 16         # Pages of text in a block that may be huge (pad).
CAPS = 8, 16, 32, 64, 128


class Call:
    """A call of dlopen: its objects, and the blocks that have run since the
    call before."""

    def __init__(self, objects, run):
        self.objects = objects
        self.run = run


def read(path):
    """The parts of the record PATH, by call, and its samples by block."""
    parts, samples = collections.OrderedDict(), collections.Counter()
    for line in open(path):
        kind, rest = line.split(None, 1)
        if kind == "S":
            number, when = rest.split()[:2]
            part = parts.setdefault(int(number), {})[when] = {}
        elif kind == "B":
            block, count, present, name = rest.rstrip("\n").split(None, 3)
            part.setdefault(int(block, 16), []).append(
                (int(count), int(present), name))
        else:
            samples[int(rest, 16)] += 1
    return parts, samples


def objects_of(part, seen):
    """The objects of PART that are not in SEEN, with their blocks and pages of
    text.  A block belongs to the object with most of its text."""
    objects = collections.OrderedDict()
    for block, entries in sorted(part.items()):
        name = max(entries)[2]
        if name not in seen and "ld-linux" not in name:
            objects.setdefault(name, []).append(
                (block, sum(count for count, _, _ in entries)))
    seen.update(name for entries in part.values() for _, _, name in entries)
    return list(objects.values())


def load(path):
    """The calls of the record PATH, and its samples in text."""
    parts, samples = read(path)
    calls, seen, before = [], set(), set()

    def run(part):
        return {block for block, entries in part.items()
                if any(present for _, present, _ in entries)}
    for part in parts.values():
        after = part.get("after") or part.get("start")
        if after is not None:
            calls.append(Call(objects_of(after, seen),
                              before | run(part.get("before", {}))))
            before = run(after)
        last = part
    text = last.get("end", {})
    return calls, {b: n for b, n in samples.items() if b in text}


def candidates(objects, least):
    """The full blocks of each of OBJECTS, and the others with LEAST pages, the
    fullest first: the order of elf/policy/dl-hugetext-plan.c."""
    full = [[b for b, n in blocks if n >= PAGES] for blocks in objects]
    others = sorted((-n, b) for blocks in objects for b, n in blocks
                    if max(least, LEAST) <= n < PAGES)
    return full, [b for _, b in others]


def choose(objects, least, places, share, each=None):
    """The blocks of OBJECTS that get PLACES, at most SHARE if not all do, and at
    most EACH full blocks of an object."""
    full, others = candidates(objects, least)
    full = [blocks[:each] for blocks in full]
    if sum(map(len, full)) + len(others) <= places:
        return [b for blocks in full for b in blocks] + others
    places, chosen = min(places, share), []
    for i in range(max(map(len, full), default=0)):
        chosen += [blocks[i] for blocks in full if i < len(blocks)]
    return (chosen + others)[:places]


def replay(calls, cap, times, knows):
    """Return the blocks that are huge in the end, and how many blocks became
    small again.  A call that wants TIMES as many blocks as CAP takes the huge
    pages of libraries that have not run according to KNOWS."""
    huge, runs, moved = {}, {}, 0
    for number, call in enumerate(calls):
        for block in huge:
            runs[block].append(block in call.run)
        least = 3 * PAGES * len(huge) / (4 * cap) if number else 0
        full, others = candidates(call.objects, least)
        wanted = sum(map(len, full)) + len(others)
        if number and times and wanted > cap - len(huge) \
                and wanted >= times * cap:
            back = [b for b, opened in huge.items()
                    if opened and knows(runs[b])]
            for block in back[:max(0, wanted - (cap - len(huge)))]:
                del huge[block], runs[block]
                moved += 1
            least = 3 * PAGES * len(huge) / (4 * cap)
        left = cap - len(huge)
        share = left - left // 8 if number else left
        for block in choose(call.objects, least, left, share):
            huge[block], runs[block] = number, []
    return huge, moved


def reserve(calls, cap, part_of_left, part_of_cap):
    """The blocks that are huge in the end if a call takes at most PART_OF_LEFT of
    the places that are left, and an object PART_OF_CAP of the cap."""
    huge = set()
    for number, call in enumerate(calls):
        left = cap - len(huge)
        least = 3 * PAGES * len(huge) / (4 * cap) if number else 0
        places = int(left * part_of_left) if number else left
        share = places - places // 8 if number and part_of_left == 1 else places
        each = max(1, int(cap * part_of_cap)) if number else None
        huge.update(choose(call.objects, least, places, share, each))
    return huge


def defer(calls, cap, knows):
    """The blocks that are huge in the end if opened libraries get no huge blocks
    at once, but at each later call those of their blocks that have run according
    to KNOWS; and how many blocks these are."""
    huge, runs, late = set(), {}, 0
    for number, call in enumerate(calls):
        for block in runs:
            runs[block].append(block in call.run)
        left = cap - len(huge)
        ran = [b for b in runs if b not in huge and knows(runs[b])]
        ran.sort(key=lambda block: -sum(runs[block]))
        huge.update(ran[:left])
        late += len(ran[:left])
        full, others = candidates(call.objects, 0)
        if number == 0:
            huge.update(choose(call.objects, 0, left, left))
        else:
            runs.update((b, []) for blocks in full + [others] for b in blocks)
    return huge, late


# What a policy knows about a huge block: whether it was executed in each
# interval between calls since the block became huge.
KNOWLEDGE = {
    "never": lambda runs: not any(runs),
    # Leave out the constructors, which run before the next call.
    "but-first": lambda runs: not any(runs[1:]) and (len(runs) > 1
                                                     or not any(runs)),
    "any": lambda runs: True,
}
POLICIES = [("now", 0, None)] + [
    (f"{name}>={times:g}", times, knows)
    for times in (0.01, 1, 1.5, 2, 3) for name, knows in KNOWLEDGE.items()]

# Limits: the share of the remaining places that one call may take, and the share
# of the cap that one object may take.
RESERVES = [(f"call<=1/{n}", 1 / n, 1) for n in (2, 4, 8)] + [
    (f"object<=1/{n}", 1, 1 / n) for n in (8, 16, 32)]

# Return true if a block has executed code other than constructors.
RAN = [("ran", any), ("ran-later", lambda runs: any(runs[1:]))]


def main():
    """Print a table for each record."""
    for path in sys.argv[1:]:
        calls, samples = load(path)
        total = sum(samples.values())
        print(f"{os.path.basename(path)}: {total} samples")
        if total == 0:
            continue
        for cap in CAPS:
            best = sum(sorted(samples.values(), reverse=True)[:cap])
            row = [f"  cap {cap}: best {100 * best / total:.1f}"]
            for name, times, knows in POLICIES:
                huge, moved = replay(calls, cap, times, knows)
                hit = sum(samples.get(block, 0) for block in huge)
                row.append(f"{name} {100 * hit / total:.1f} ({moved})")
            for name, part_of_left, part_of_cap in RESERVES:
                huge = reserve(calls, cap, part_of_left, part_of_cap)
                hit = sum(samples.get(block, 0) for block in huge)
                row.append(f"{name} {100 * hit / total:.1f}")
            for name, knows in RAN:
                huge, late = defer(calls, cap, knows)
                hit = sum(samples.get(block, 0) for block in huge)
                row.append(f"{name} {100 * hit / total:.1f} ({late})")
            print(", ".join(row))


if __name__ == "__main__":
    main()
