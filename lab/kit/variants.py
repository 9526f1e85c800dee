# The variants of huge text, and how a program is started with each of them.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import glob
import platform

from places import IMAGES, IMAGES_PLACE, KIT, SYSTEM_LIBRARIES, in_namespace

SYSTEM_LOADER = {"x86_64": "/lib64/ld-linux-x86-64.so.2",
                 "aarch64": "/lib/ld-linux-aarch64.so.1"}[platform.machine()]


class Variant:
    """A way to start programs: what lies over which file, variables, and a
    loader with its options.  COPIES are those of the workload's files: primed
    or rewritten."""

    def __init__(self, tunables="", over=(), variables=None, copies=None,
                 images=False, loader=()):
        self.tunables = tunables
        self.over = list(over)
        self.loader = list(loader)
        self.variables = variables or {}
        self.copies = copies
        self.images = images

    def command(self, workload, words):
        """WORDS, to be started in this way in a mount namespace."""
        over = self.over + workload.copies.get(self.copies, [])
        if self.images:
            over = over + [(IMAGES, IMAGES_PLACE)]
        script = "".join(f"mount --bind '{a}' '{b}' && " for a, b in over)
        variables = [f"{k}={v}" for k, v in self.variables.items()]
        if self.tunables:
            variables.append(f"GLIBC_TUNABLES={self.tunables}")
        loader = self.loader and [*self.loader, "--argv0", words[0]]
        return in_namespace(script, ["env", *variables, *workload.user, *loader,
                                     *words])


def ours(backing=None, what=1, **options):
    """Our loader; without BACKING with the defaults, by which it leaves small
    programs alone."""
    tunables = f"glibc.mem.hugetext={what}"
    if backing:
        tunables += f":glibc.mem.hugetext_backing={backing}"
    return Variant(tunables,
                   [(KIT + "/loader/ld-hugetext.so", SYSTEM_LOADER)],
                   **options)


def peer():
    """The newer glibc's loader.  It is no system loader here: programs that
    the one it starts executes are the system loader's."""
    return glob.glob(KIT + "/peer/usr/lib*/ld-linux-*")


def variants():
    found = {
        "stock": Variant(),
        "file": ours("file", copies="primed"),
        "store": ours("store", images=True),
        "auto": ours(),
        "copies": ours("thp"),
        "rewritten": Variant(copies="rewritten"),
        "glibc.elf.thp": Variant(
            "glibc.elf.thp=1", copies="rewritten",
            loader=[*peer(), "--library-path",
                    f"{KIT}/peer{SYSTEM_LIBRARIES}"]),
        "libhugetlbfs": Variant(variables={"LD_PRELOAD": "libhugetlbfs.so.0",
                                           "HUGETLB_ELFMAP": "RX",
                                           "HUGETLB_VERBOSE": "0"},
                                copies="rewritten"),
        "code": ours(what=3),
        "stock again": Variant(),
    }
    if not peer():
        del found["glibc.elf.thp"]
    return found
