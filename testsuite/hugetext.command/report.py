# Compare a page of "hugetext report" with the JSON of "hugetext status" and
# "hugetext explain": each number that a reader sees is one of theirs, in the same
# order; tags are closed, and there is no markup but ours.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: report.py PAGE STATUS EXPLAIN

import html.parser
import json
import re
import socket
import sys

VOID = {"meta", "br"}
TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p",
    "ul", "li", "i", "b", "br", "div", "span", "data", "code", "details",
    "summary", "table", "tbody", "tr", "th", "td", "footer",
}
ATTRIBUTES = {
    "lang", "charset", "name", "content", "http-equiv", "class", "style",
    "title", "value", "open",
}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.problems = []
        self.figures = []
        self.text = ""
        self.plain = ""  # The text outside of figures.
        self.shown = []  # What a reader sees of each figure.
        self.bars = []   # The parts of each bar.

    def handle_starttag(self, tag, attrs):
        if tag not in TAGS:
            self.problems.append(f"tag {tag}")
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.problems.append(f"attribute {name} of {tag}")
            if name == "style" and not (
                    value.startswith(("flex:", "width:"))
                    and value.split(":")[1].rstrip("%").isdigit()):
                self.problems.append(f"style {value}")
        if tag == "data":
            values = dict(attrs)
            self.figures.append((values["class"], values["value"]))
            self.shown.append("")
        if tag == "div" and ("class", "bar") in attrs:
            self.bars.append([])
        if tag == "i" and "title" in dict(attrs):
            self.bars[-1].append((dict(attrs)["title"],
                                  dict(attrs)["style"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"/{tag} at {self.getpos()}")

    def handle_data(self, data):
        self.text += data
        if "style" in self.open:
            return
        if "data" in self.open:
            self.shown[-1] += data
        else:
            self.plain += data + "\n"

    def handle_comment(self, data):
        self.problems.append(f"comment {data}")


def figures(sums):
    """The figures of SUMS, as an object has them."""
    return [(key, sums[key]) for key in
            ("share_percent", "huge_bytes", "small_bytes", "text_bytes")
            if sums[key] is not None]


def row(process):
    """The figures of PROCESS in the table of several processes."""
    return figures(process) + [("copies_bytes",
                                process["memory"]["copies_bytes"])]


def wanted(process):
    """The figures of PROCESS in the order of the page."""
    want = figures(process)
    memory = process["memory"]
    want += [(key, memory[key])
             for key in ("copies_bytes", "copies_primed_bytes", "images_bytes")
             if key != "copies_primed_bytes" or memory["copies_bytes"] > 0]
    for part in process["objects"]:
        want += figures(part)
    made = process["made_at_run_time"]
    if made["text_bytes"] > 0:
        want += [(key, made[key]) for key in ("text_bytes", "huge_bytes")]
    return want


KINDS = {"F": "huge: file", "S": "huge: store", "T": "huge: thp",
         "M": "huge: memfd", "H": "huge: hugetlb", ".": "small pages",
         "_": "not touched yet", "?": "not known"}


def bar(part, explained):
    """The blocks of an object as a bar has them: how many, of which kind."""
    letters = "".join(run["blocks"] for run in part["maps"])
    runs = []
    for letter, block in zip(letters, explained["blocks"], strict=True):
        kind = KINDS[letter]
        if letter == "." and block["verdict"] == "cold":
            kind = "small pages: too few samples of the block in the profile"
        if not runs or runs[-1][1] != kind:
            runs.append([0, kind, 0])
        runs[-1][0] += 1
        runs[-1][2] += block["text_bytes"]
    return [(f"{count} block{'' if count == 1 else 's'}, {kind}",
             f"flex:{text}") for count, kind, text in runs]


def causes(explained):
    """How many blocks are small for each reason."""
    counts = {}
    for part in explained["objects"]:
        for block in part["blocks"]:
            if not block["huge"] and block["reason"] is not None:
                counts[block["reason"]] = counts.get(block["reason"], 0) + 1
    return counts


def words(key, value):
    """What a reader sees of the figure KEY with VALUE."""
    if key == "share_percent":
        return f"{value}\xa0%"
    value = int(value)
    return (f"{value // 1024} KiB" if value < 1 << 20
            else f"{value / 1048576:.1f} MiB")


page = Page()
with open(sys.argv[1], encoding="utf-8") as stream:
    text = stream.read()
page.feed(text)
page.close()
for problem in page.problems:
    print(problem)
if page.open:
    print("left open:", page.open)
if "<!DOCTYPE html>" not in text[:20]:
    print("no DOCTYPE")
for word in ("http:", "https:", "url(", "@import", "<script"):
    if word in text:
        print("the page has", word)
with open(sys.argv[2], encoding="utf-8") as stream:
    processes = json.load(stream)["processes"]
with open(sys.argv[3], encoding="utf-8") as stream:
    explanations = json.load(stream)["processes"]
# The processes with most text on small pages come first.
processes.sort(key=lambda one: (-one["small_bytes"], one["pid"]))
pids = [one["pid"] for one in processes]
explanations.sort(key=lambda one: pids.index(one["pid"]))
want = [(key, float(value)) for key, value in
        [figure for process in processes for figure in row(process)
         if len(processes) > 1]
        + [figure for process in processes for figure in wanted(process)]]
got = [(key, float(value)) for key, value in page.figures]
if got != want:
    print("figures", got, "not", want)
for process in processes:
    for name in [process["name"], process["exe"]] + [
            part["name"] for part in process["objects"]]:
        if name not in page.text:
            print("no name", name)
for (key, value), shown in zip(page.figures, page.shown):
    if shown != words(key, value):
        print(f"{key} {value} is shown as {shown}")
bars = [bar(*both) for process, explained in zip(processes, explanations)
        for both in zip(process["objects"], explained["objects"], strict=True)]
if page.bars != bars:
    print("bars", page.bars, "not", bars)
# Texts that contain digits but are not figures, such as names and settings.
known = []
for process, explained in zip(processes, explanations):
    known += [f"{process['pid']} {process['name']}", process["exe"],
              process["name"],
              str(process["pid"])]
    known += [part["name"] for part in process["objects"]]
    for key, setting in process["settings"].items():
        known += [f"{key} = {setting['value']}", setting["source"]]
    # If huge text was off, no block has a reason of its own.
    off = process["text_left_alone"] is not None
    for reason, count in ({} if off else causes(explained)).items():
        line = f"{count} block{'' if count == 1 else 's'}: {reason}"
        if line not in page.text:
            print("no cause", line)
        known.append(line)
    known += [block[key] for part in explained["objects"]
              for block in part["blocks"] for key in ("remedy", "reason")
              if block[key]]
    known += [explained["problem"] or "", process["code_left_alone"] or ""]
plain = page.plain
for text in sorted(set(known), key=len, reverse=True):
    if text:
        plain = plain.replace(text, "")
plain = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "", plain)
plain = re.sub(r"hugetext \d[.\d]* \(ld-hugetext\)", "", plain)
plain = plain.replace(socket.gethostname(), "")
for line in plain.splitlines():
    if re.search(r"\d", line):
        print("a number without a source:", line)
