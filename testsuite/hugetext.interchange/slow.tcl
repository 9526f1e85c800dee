# The slow instructions that a loader executes, counted by slow.c.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# A slow instruction takes twenty cycles or more, so that a count of
# instructions does not show what it costs.  CPUID takes microseconds in a
# virtual machine, PAUSE 140 cycles (Skylake).

# The places of slow instructions in FILE, as words ADDRESS:NAME.  "lock" is an
# instruction with the prefix LOCK, or an XCHG with memory, which locks the bus
# even without the prefix.
proc slow_places {file} {
    set places {}
    foreach {-> address name rest} [regexp -all -inline -line \
            {^ *([0-9a-f]+):\t([a-z]+)(.*)$} \
            [exec objdump -d --no-show-raw-insn $file]] {
        switch -regexp $name {
            ^xchg {
                if {![string match *(* $rest]} continue
                set name lock
            }
            {^(cpuid|pause|lock|rdtscp?|rdrand|rdseed|[lms]fence|xgetbv)$} {}
            {^(serialize|rdpid|rdpmc|clflush(opt)?|clwb|cldemote)$} {}
            {^(tpause|umwait|umonitor|(rd|wr)pkru|(rd|wr)(fs|gs)base)$} {}
            {^i?div[bwlq]?$} { set name div }
            default continue
        }
        lappend places $address:$name
    }
    return $places
}

# Return the command to which LOADER and its arguments are appended: it prints
# each slow instruction that LOADER executes.
proc slow_words {loader} {
    global slow_places
    if {![info exists slow_places($loader)]} {
        set slow_places($loader) [slow_places $loader]
    }
    return [list [hugetext_compile [hugetext_workdir interchange]/slow \
        $::HUGETEXT_SRCDIR/testsuite/hugetext.interchange/slow.c] \
        $slow_places($loader)]
}

# Return the CPUID leaves that are in the output SAID of slow.c: a list of
# "LEAF SUBLEAF", or only the leaf if it has no subleaves.
proc slow_leaves {said} {
    set divided {4 7 b d 14 18 19 1d 1e 1f 20 24 8000001d 80000026}
    set leaves {}
    foreach {name leaf subleaf} $said {
        if {$name ne "cpuid"} continue
        lappend leaves \
            [expr {$leaf in $divided ? "$leaf $subleaf" : $leaf}]
    }
    return $leaves
}

# How often each other slow instruction is in SAID: a dictionary.
proc slow_counts {said} {
    set counts {}
    foreach {name - -} $said {
        if {$name ne "cpuid"} { dict incr counts $name }
    }
    return $counts
}
