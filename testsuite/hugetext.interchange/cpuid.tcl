# Which CPUID leaves a loader reads, by cpuid.c.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

# The words that LOADER and its arguments follow: a program that prints each CPUID
# that LOADER executes.
proc cpuid_words {loader} {
    global cpuid_places
    if {![info exists cpuid_places($loader)]} {
        set cpuid_places($loader) [split [exec objdump -d --no-show-raw-insn \
            $loader | sed -n {s/^ *\([0-9a-f]*\):\tcpuid *$/\1/p}] \n]
    }
    return [list [hugetext_compile [hugetext_workdir interchange]/cpuid \
        $::HUGETEXT_SRCDIR/testsuite/hugetext.interchange/cpuid.c] \
        $cpuid_places($loader)]
}

# A list of the leaves in SAID, what that program has printed: "LEAF SUBLEAF", or
# only the leaf where it has no subleaves.
proc cpuid_leaves {said} {
    set divided {4 7 b d 14 18 19 1d 1e 1f 20 24 8000001d 80000026}
    return [lmap {leaf subleaf} $said {
        expr {$leaf in $divided ? "$leaf $subleaf" : $leaf}
    }]
}
