# What each patch of the series changes.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# The files of this project come from elf/ and sysdeps/, and are converted by
# plain.py.  New files that only glibc needs are in N-NAME/files, beside the
# message of the patch.

import re
import subprocess

from plain import plain
from source import Missing, Source, Tunables

LINUX = "sysdeps/unix/sysv/linux"
X86_64 = LINUX + "/x86_64/64"
AARCH64 = LINUX + "/aarch64"
# Unit tests of the policy that need no other files.
UNIT_TESTS = ("plan-file", "plan-place", "plan-random", "stretch", "ways")
# The files with which these tests are linked; they are compiled again for
# tests.
PURE = ("names", "object", "placement", "plan", "ways")


class Tree:
    """Ours in SRCDIR, glibc's in ROOT."""

    def __init__(self, srcdir, root):
        self.srcdir = srcdir
        self.root = root
        self.directories = [srcdir / "elf" / name
                            for name in ("policy", "core", "optional")]
        self.directories += [srcdir / "elf" / "hooks"]

    def core(self):
        """The names of the core's objects, from the Makefile."""
        listed = subprocess.run(
            ["make", "-s", "-f", "elf/hooks/Makefile", "subdir=elf",
             "HUGETEXT_CORE=yes", "..=elf/",
             "--eval=print: ; @echo $(sysdep-rtld-routines)", "print"],
            cwd=self.srcdir, check=True, stdout=subprocess.PIPE,
            text=True).stdout.split()
        if len(listed) < 10:
            raise Missing("elf/hooks/Makefile lists no objects")
        return sorted(listed)

    def find(self, name):
        """The file NAME of elf/, or None."""
        return next((directory / name for directory in self.directories
                     if (directory / name).is_file()), None)

    def needed(self, names):
        """The files NAMES of elf/ and those of it that they include."""
        found, left = {}, list(names)
        while left:
            name = left.pop()
            path = self.find(name)
            if path is None or name in found:
                continue
            found[name] = plain(name, path.read_text(encoding="utf-8"))
            left += re.findall(r'#\s*include [<"]([^>"]+)[>"]', found[name])
        return found

    def add(self, name, text):
        path = self.root / name
        if path.exists():
            raise Missing(f"glibc has a {name} of its own")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def add_ours(self, path, name):
        """Add our file PATH as NAME of glibc's."""
        self.add(name, plain(path.name, path.read_text(encoding="utf-8")))

    def change(self, name, kind=Source):
        return kind(self.root, name)


def listed(name, words, assign="+="):
    """A list of a Makefile, in the form that glibc's lint asks for."""
    return "".join([f"{name} {assign} \\\n"] + [f"  {word} \\\n" for word in
                                                sorted(words)]
                   + [f"  # {name}\n"])


def in_elf(lines):
    return "\nifeq ($(subdir),elf)\n" + lines + "endif\n"


PURE_FILE = """\
/* dl-hugetext-{0}.c for tests.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <elf/dl-hugetext-{0}.c>
"""


def policy(tree):
    """Decisions, without system calls and state, and their tests."""
    core = tree.core()
    files = tree.needed([f"{name}.c" for name in core])
    for name, text in sorted(files.items()):
        if tree.find(name).parent.name == "policy":
            tree.add(f"elf/{name}", text)
    unit = tree.srcdir / "testsuite" / "unit"
    for name in UNIT_TESTS:
        tree.add_ours(unit / f"tst-{name}.c", f"elf/tst-hugetext-{name}.c")
    for name in ("test", "check", "reference"):
        tree.add_ours(unit / f"plan-{name}.h",
                      f"elf/tst-hugetext-plan-{name}.h")
    for name in PURE:
        tree.add(f"elf/tst-hugetext-pure-{name}.c", PURE_FILE.format(name))
    tests = [f"tst-hugetext-{name}" for name in UNIT_TESTS]
    objects = [f"tst-hugetext-pure-{name}" for name in PURE]
    makefile = tree.change("elf/Makefile")
    makefile.before_line(
        "include ../Rules",
        listed("hugetext-pure", objects, "=")
        + listed("tests-hugetext-pure", tests, "=")
        + "test-extras += $(hugetext-pure)\n"
        + "tests += $(tests-hugetext-pure)\n"
        + "$(addprefix $(objpfx),$(tests-hugetext-pure)): \\\n"
        + "  $(patsubst %,$(objpfx)%.o,$(hugetext-pure))\n\n")
    makefile.save()


def mechanism(tree):
    """All that makes system calls; nothing calls it yet."""
    core = tree.core()
    files = tree.needed([f"{name}.c" for name in core])
    for name, text in sorted(files.items()):
        if tree.find(name).parent.name != "policy":
            tree.add(f"{LINUX}/{name}", text)
    for name in ("hugetext-cpu.h", "hugetext-machine.h"):
        tree.add_ours(tree.srcdir / "sysdeps" / "x86_64" / name,
                      f"{X86_64}/{name}")
    makefile = tree.change(f"{LINUX}/Makefile")
    makefile.append(in_elf(listed("hugetext-routines", core, "=")))
    makefile.save()
    makefile = tree.change(f"{X86_64}/Makefile")
    makefile.append(in_elf("have-hugetext = yes\n"
                           "sysdep-rtld-routines += $(hugetext-routines)\n"))
    makefile.save()
    tunables = tree.change("elf/dl-tunables.list", Tunables)
    tunables.add(rows(tree))
    tunables.save()


def rows(tree):
    """Our tunables.  Where none is set a string is empty: glibc has no
    defaults of strings."""
    text = subprocess.run(
        [tree.srcdir / "scripts" / "tables" / "settings",
         tree.srcdir / "elf" / "policy" / "dl-hugetext-settings.def", "list"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    text = re.search(r"(?ms)^  mem \{\n(.*)^  \}\n", text).group(1)
    return re.sub(r"(type: STRING\n) *default: .*\n", r"\1", text)


CALLS = "dl-hugetext-calls.h"


def calls(tree):
    """The loader's calls."""
    unmap = tree.change("elf/dl-unmap-segments.h")
    unmap.include(CALLS)
    unmap.begin("_dl_unmap_segments",
                "  if (_dl_hugetext_unmap (l))\n    return;\n")
    unmap.save()

    head = tree.change("elf/dl-load.h")
    # The address for which an object was linked, if it was linked for an
    # address.
    head.define("MAP_BASE_ADDR", "(-(l)->l_addr)")
    head.save()

    load(tree)

    rtld = tree.change("elf/rtld.c")
    rtld.include(CALLS)
    rtld.after_call("dl_main", "process_envvars",
                    "\n_dl_hugetext_start (*user_entry == (ElfW(Addr))"
                    " ENTRY_POINT, phdr, phnum,\n" + 20 * " " + "auxv);")
    rtld.after_call("dl_main", "_rtld_main_check",
                    "_dl_hugetext_populate ({0});")
    rtld.save()

    opened = tree.change("elf/dl-open.c")
    opened.include(CALLS)
    opened.after_call("dl_open_worker_begin", "_dl_open_check",
                      "_dl_hugetext_populate ({0});")
    opened.save()


def load(tree):
    source = tree.change("elf/dl-load.c")
    source.include(CALLS)
    function = "_dl_map_object_from_fd"
    source.rename_call(function, "_dl_get_file_id",
                       "_dl_hugetext_get_file_id")
    facts = source.arguments(function, "_dl_map_segments")
    if len(facts) == 9:
        # Up to glibc 2.43, the segments to map are in an array.
        headers, start, align = "phdr", f"{facts[4]}[0].mapstart", \
            "p_align_max"
    elif len(facts) == 8:
        # From 2.44 on, glibc reads the program headers when it needs them, and
        # reads them again here.
        it = facts[4][1:] + "." if facts[4][0] == "&" else facts[4] + "->"
        headers, start, align = "NULL", f"{it}first_mapstart", \
            f"{it}p_align_max"
    else:
        raise Missing(f"_dl_map_segments has {len(facts)} arguments")
    length = facts[-3]
    source.before_call(
        function, "_dl_map_segments",
        "const bool reserved\n"
        f"  = _dl_hugetext_reserve_segments ({{0}}, {{1}}, {{2}}, {headers},\n"
        + 35 * " " + f"{start}, {length},\n"
        + 35 * " " + f"{align});")
    source.set_argument(function, "_dl_map_segments", 3,
                        "reserved ? ET_EXEC : {0}")
    source.after_call(function, "_dl_map_segments",
                      "_dl_hugetext_segments_mapped ({0}, reserved,"
                      " errstring);")
    source.save()


TESTS = ("tst-hugetext", "tst-hugetext-dlopen", "tst-hugetext-max",
         "tst-hugetext-off", "tst-hugetext-program")
MODULES = ("tst-hugetext-mod1", "tst-hugetext-mod2")


def tests(tree):
    """Tests of programs, which ask the kernel what is huge.  Makefiles of
    architectures are read before Linux's, and elf's own before both."""
    makefile = tree.change(f"{LINUX}/Makefile")
    environment = "".join(
        f"{test}-ENV = GLIBC_TUNABLES={tunables}\n" for test, tunables in (
            ("tst-hugetext", "glibc.elf.hugetext=1"),
            ("tst-hugetext-dlopen", "glibc.elf.hugetext=1"),
            ("tst-hugetext-max",
             "glibc.elf.hugetext=1:glibc.elf.hugetext_max=1"),
            ("tst-hugetext-off", "glibc.elf.hugetext=0"),
            ("tst-hugetext-program", "glibc.elf.hugetext=1")))
    linked = "".join(
        f"$(objpfx){test}: $(objpfx)tst-hugetext-mod1.so\n"
        for test in ("tst-hugetext", "tst-hugetext-max", "tst-hugetext-off"))
    makefile.append(in_elf(
        "ifeq ($(have-hugetext),yes)\n"
        + listed("tests", TESTS) + listed("modules-names", MODULES)
        + environment + linked
        + "$(objpfx)tst-hugetext-dlopen.out: "
        + "$(objpfx)tst-hugetext-mod2.so\n"
        + "endif\n"))
    makefile.save()


def manual(tree):
    """Documents.  Debian's source has no manual."""
    if not (tree.root / "manual" / "tunables.texi").is_file():
        return
    text = (tree.srcdir / "lab" / "upstream" / "5-manual")
    tunables = tree.change("manual/tunables.texi")
    tunables.before_line("@node POSIX Thread Tunables",
                         (text / "tunables.texi").read_text())
    tunables.save()


def aarch64(tree):
    ours = tree.srcdir / "sysdeps" / "aarch64"
    for name in ("hugetext-cpu.h", "hugetext-machine.h",
                 "dl-hugetext-bti.c"):
        tree.add_ours(ours / name, f"{AARCH64}/{name}")
    makefile = tree.change(f"{AARCH64}/Makefile")
    makefile.append(in_elf("have-hugetext = yes\n"
                           "sysdep-rtld-routines += dl-hugetext-bti"
                           " $(hugetext-routines)\n"))
    makefile.save()
    prop = tree.change("sysdeps/aarch64/dl-prop.h")
    prop.after_line("#define _DL_PROP_H", "\n#include <dl-hugetext-bti.h>\n")
    prop.rename_call("_dl_process_gnu_property", "_dl_bti_protect",
                     "_dl_hugetext_bti_protect")
    prop.save()


PATCHES = (
    ("1-policy", policy),
    ("2-mechanism", mechanism),
    ("3-calls", calls),
    ("4-tests", tests),
    ("5-manual", manual),
    ("6-aarch64", aarch64),
)
