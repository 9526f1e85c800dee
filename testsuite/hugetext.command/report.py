# Compare a page of "hugetext report" with the JSON of "hugetext status": the same
# figures in the same order, tags that are closed, and no markup but ours.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: report.py PAGE JSON

import html.parser
import json
import sys

VOID = {"meta", "br"}
TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p",
    "ul", "li", "i", "b", "br", "div", "span", "data", "code", "details",
    "summary", "table", "tr", "th", "td", "footer",
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
        self.titles = []

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
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"/{tag} at {self.getpos()}")

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.problems.append(f"comment {data}")


def figures(sums):
    """The figures of SUMS, as an object has them."""
    return [(key, sums[key]) for key in
            ("share_percent", "huge_bytes", "small_bytes", "text_bytes")
            if sums[key] is not None]


def wanted(process):
    """The figures of PROCESS in the order of the page."""
    want = figures(process)
    want += [(key, process["memory"][key])
             for key in ("copies_bytes", "images_bytes")]
    for part in process["objects"]:
        want += figures(part)
    made = process["made_at_run_time"]
    if made["text_bytes"] > 0:
        want += [(key, made[key]) for key in ("huge_bytes", "text_bytes")]
    return want


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
want = [(key, float(value)) for process in processes
        for key, value in wanted(process)]
got = [(key, float(value)) for key, value in page.figures]
if got != want:
    print("figures", got, "not", want)
for process in processes:
    for name in [process["name"], process["exe"]] + [
            part["name"] for part in process["objects"]]:
        if name not in page.text:
            print("no name", name)
