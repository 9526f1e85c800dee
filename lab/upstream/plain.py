# Files of ld-hugetext as they would be in glibc.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import re

# Preprocessor conditions that have a fixed value in glibc, because glibc is
# the newest release and has only the core.
DECIDED = {
    r"#\s*if\s+__GLIBC_PREREQ\s*\(\d+, \d+\)": True,
    r"#\s*if\s+!__GLIBC_PREREQ\s*\(\d+, \d+\)": False,
    r"#\s*ifdef\s+HUGETEXT_CORE": True,
    r"#\s*ifndef\s+HUGETEXT_CORE": False,
}

# Words that change.  The tunables are in the namespace glibc.elf, beside
# glibc.elf.thp.
WORDS = [
    (r"\bglibc\.mem\.(hugetext)", r"glibc.elf.\1"),
    (r"\bglibc, mem, name\b", "glibc, elf, name"),
    (r"\bplan-(test|check|reference)\.h", r"tst-hugetext-plan-\1.h"),
    (r'"\.\./\.\./sysdeps/', '"sysdeps/'),
]


def decided(line):
    """What the condition LINE is there, None if it is not decided."""
    return next((value for form, value in DECIDED.items()
                 if re.match(form + r"\s*$", line)), None)


def decide(text):
    """TEXT without the conditions that are decided."""
    kept = []
    # For each open condition of the preprocessor: None if the condition remains
    # in the output, otherwise whether the lines of its present branch are kept.
    conditions = []
    # True if a branch of this condition was kept.
    done = []
    for line in text.splitlines(keepends=True):
        word = re.match(r"#\s*(if|ifdef|ifndef|elif|else|endif)\b", line)
        word = word.group(1) if word else ""
        state = conditions[-1] if conditions else None
        if word.startswith("if"):
            conditions.append(decided(line))
            done.append(conditions[-1] is True)
            if conditions[-1] is not None:
                continue
        elif word in ("elif", "else") and state is not None:
            # When one part has been kept, all other parts are removed.
            line = line.replace("elif", "if", 1)
            value = True if word == "else" else decided(line)
            conditions[-1] = False if done[-1] else value
            done[-1] = done[-1] or value is True
            # The first branch whose condition has no fixed value becomes the
            # #if of the remaining condition.
            if conditions[-1] is not None:
                continue
        elif word == "endif":
            conditions.pop()
            done.pop()
            if state is not None:
                continue
        if False not in conditions:
            kept.append(line)
    if conditions:
        raise ValueError("an #if has no #endif")
    return "".join(kept)


def first_arguments(text, macro, count):
    """TEXT, where each use of MACRO has only its first COUNT arguments."""
    done, at = "", 0
    for use in re.finditer(rf"(?m)^{macro} \(", text):
        end = use.end()
        commas = []
        for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[(),]', text[end:]):
            if token.group() == "," and len(commas) < count:
                commas.append(end + token.start())
            elif token.group() == ")":
                stop = end + token.start()
                break
        cut = commas[count - 1] if len(commas) == count else stop
        done += text[at:cut]
        at = stop
    return done + text[at:]


def without_lists_of_programs(text):
    """TEXT without the rows that only the module index uses."""
    text = re.sub(r"(?ms)^HUGETEXT_TUNABLE_LIST \(.*?\.\"\)\n\n", "", text)
    text = re.sub(r"(?m)^#ifndef HUGETEXT_TUNABLE_LIST\n.*\n#endif\n", "", text)
    return text.replace("#undef HUGETEXT_TUNABLE_LIST\n", "")


def plain(name, text):
    """TEXT of the file NAME as it would be in glibc."""
    text = decide(text)
    for form, word in WORDS:
        text = re.sub(form, word, text)
    if name == "dl-hugetext-settings.def":
        # The other fields are for settings files, options and the manual.
        text = first_arguments(text, "HUGETEXT_SETTING", 6)
        text = first_arguments(text, "HUGETEXT_SETTING_LIST", 2)
        text = without_lists_of_programs(text)
        text = re.sub(r"(?s)\A/\*.*?\*/\n", SETTINGS_HEAD, text)
    return text


SETTINGS_HEAD = """\
/* The settings of a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   HUGETEXT_SETTING (ID, TUNABLE, WORD, KIND, MOST, DEFAULT): the tunable
   glibc.elf.TUNABLE, which is an INT_32 (MODE), a STRING (BACKING) or a SIZE_T
   (BYTES, COUNT), its largest value and the one without the tunable.
   HUGETEXT_SETTING_LIST: a list of words, for which there is no tunable.  */
"""
