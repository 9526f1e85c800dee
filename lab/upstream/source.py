# Changes of files of glibc, at places found by the names of functions.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import re


# Matches a comment, a preprocessor line with its keyword, or another line.
HEAD = r"(?s)/\*.*?\*/|#[ \t]*(\w+)(?:[^\n]|\\\n)*\n|\s+|[^\n]+"


class Missing(Exception):
    """A place is not in the file, or is there more than once."""


class Source:
    """A file whose text is changed at places, and written by save."""

    def __init__(self, root, name):
        self.name = name
        self.path = root / name
        if not self.path.is_file():
            raise Missing(f"there is no {name}")
        self.text = self.path.read_text(encoding="utf-8")

    def save(self):
        self.path.write_text(self.text, encoding="utf-8")

    def _one(self, matches, what):
        matches = list(matches)
        if len(matches) != 1:
            raise Missing(f"{self.name} has {what} {len(matches)} times")
        return matches[0]

    def _insert(self, at, lines):
        self.text = self.text[:at] + lines + self.text[at:]

    # Lines.

    def before_line(self, line, lines):
        """Insert LINES before the one line that is LINE."""
        found = self._one(re.finditer(f"(?m)^{re.escape(line)}$", self.text),
                          f'the line "{line}"')
        self._insert(found.start(), lines)

    def after_line(self, line, lines):
        found = self._one(re.finditer(f"(?m)^{re.escape(line)}\n", self.text),
                          f'the line "{line}"')
        self._insert(found.end(), lines)

    def append(self, lines):
        self.text += lines

    # Code in C in GNU style, in which a function's name and its closing brace
    # begin a line.

    def include(self, header):
        """Include HEADER after the last header that is included at the head,
        outside of conditions."""
        last = depth = 0
        guard = re.search(r"(?m)^#ifndef (\w+_H)\n#\s*define \1\b", self.text)
        for token in re.finditer(HEAD, self.text):
            word = token.group(1)
            if word is None and not token.group().isspace() \
                    and not token.group().startswith("/*"):
                break
            if word == "include" and depth <= (guard is not None):
                last = token.end()
            depth += {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}.get(
                word, 0)
        if last == 0:
            raise Missing(f"{self.name} includes nothing")
        self._insert(last, f"#include <{header}>\n")

    def define(self, macro, value):
        """Change what the one #define of MACRO has."""
        found = self._one(
            re.finditer(rf"(?m)^# *define {macro}\b(?:\([^)]*\))?([^\n]*)$",
                        self.text), f"a definition of {macro}")
        self.text = (self.text[:found.start(1)] + " " + value
                     + self.text[found.end(1):])

    def _function(self, name):
        """The place of the body of function NAME."""
        found = self._one(
            re.finditer(rf"(?ms)^{name} \([^;{{]*\)\n{{\n(.*?)^}}\n",
                        self.text), f"the function {name}")
        return found.start(1), found.end(1)

    def begin(self, function, lines):
        """Insert LINES at the beginning of FUNCTION."""
        self._insert(self._function(function)[0], lines)

    def rename_call(self, function, old, new):
        """Have FUNCTION call NEW where it calls OLD."""
        call = self._call(function, old)
        self.text = (self.text[:call.start] + new
                     + self.text[call.start + len(old):])

    def _call(self, function, name):
        start, end = self._function(function)
        found = self._one(re.compile(rf"(?<![\w.>]){name} \(")
                          .finditer(self.text, start, end),
                          f"a call of {name} in {function}")
        return Call(self.text, found.start(), found.end())

    def arguments(self, function, name):
        """The arguments of the one call of NAME in FUNCTION."""
        return self._call(function, name).arguments

    def set_argument(self, function, name, number, text):
        """Change the argument NUMBER of the call of NAME in FUNCTION; {0} in
        TEXT is what it was."""
        call = self._call(function, name)
        arguments = call.arguments
        arguments[number] = text.format(arguments[number])
        start, end = call.places[0][0], call.places[-1][1]
        line = self.text[self.text.rfind("\n", 0, start) + 1:start]
        self.text = (self.text[:start]
                     + filled(arguments, len(line.expandtabs()))
                     + self.text[end:])

    def before_call(self, function, name, lines):
        """Insert LINES, C, before the statement of FUNCTION that calls NAME,
        as far to the right as this is; {0} is its first argument."""
        call = self._call(function, name)
        self._insert(call.statement[0], call.indented(lines))

    def after_call(self, function, name, lines):
        call = self._call(function, name)
        self._insert(call.statement[1], call.indented(lines))


class Call:
    """A call of a function, in TEXT from START; its arguments are from OPEN
    on."""

    def __init__(self, text, start, open_):
        self.start = start
        self.places = []
        depth, first, at = 1, open_, open_
        while depth > 0:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            if depth == 0 or depth == 1 and text[at] == ",":
                self.places.append(strip(text, first, at))
                first = at + 1
            at += 1
        self.arguments = [" ".join(text[a:b].split()) for a, b in self.places]
        # Return the statement if it consists only of this call, with or
        # without an assignment of its value.
        line = text.rfind("\n", 0, start) + 1
        before = re.fullmatch(r"(\s*)(?:\w+ = )?", text[line:start])
        after = re.compile(r";\n").match(text, at)
        self._place = (line, after.end()) if before and after else None
        self._indent = before.group(1).expandtabs() if before else ""

    @property
    def statement(self):
        """Where it begins and ends."""
        if self._place is None:
            raise Missing("a call is not a statement")
        return self._place

    def indented(self, lines):
        lines = lines.format(*self.arguments)
        return "".join((tabbed(self._indent + line) if line else "") + "\n"
                       for line in lines.splitlines())


def strip(text, start, end):
    """The part of TEXT from START to END without blanks around it."""
    part = text[start:end]
    return (start + len(part) - len(part.lstrip()),
            end - len(part) + len(part.rstrip()))


def filled(arguments, column):
    """The ARGUMENTS of a call, of which the first is at COLUMN, in lines as
    long as glibc's; behind the last is the end of the statement."""
    lines = [" " * column]
    for argument in [one + "," for one in arguments[:-1]] + arguments[-1:]:
        if len(lines[-1] + argument) > 77 and lines[-1].strip():
            lines.append(" " * column)
        lines[-1] += argument + " "
    lines[0] = lines[0][column:]
    return "\n".join(tabbed(line.rstrip()) for line in lines)


def tabbed(line):
    """LINE, with tabs where glibc's own lines have them."""
    blanks = len(line) - len(line.lstrip(" "))
    return "\t" * (blanks // 8) + " " * (blanks % 8) + line[blanks:]


class Tunables(Source):
    """glibc's list of tunables."""

    def add(self, rows):
        """Add ROWS to the tunables of glibc.elf, which may be new."""
        found = re.search(r"(?m)^  elf \{\n", self.text)
        if found:
            self._insert(found.end(), rows)
        else:
            last = self.text.rstrip().rfind("}")
            self._insert(last, "  elf {\n" + rows + "  }\n")
