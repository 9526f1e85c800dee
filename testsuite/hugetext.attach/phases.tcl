# Procedures for the tests of "hugetext adapt": a program that changes what is hot.
# They work in the directory adapt::dir.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

namespace eval adapt {
    # Compile the library phase-NAME with the hot functions of LETTER.
    proc build_part {name letter args} {
        hugetext_variables dir
        return [hugetext_compile $dir/libphase-$name.so \
                    $::attach::source/phases-part.c -shared -fPIC \
                    -DFIRST=${letter}_0 -DSECOND=${letter}_1 {*}$args]
    }

    # PROGRAM is linked with two libraries, and each has two hot blocks.  The
    # hot functions of PROGRAM_SLACK's first library are in one block.
    proc build {} {
        hugetext_variables dir
        # Profiles of earlier builds would count, too.
        file delete -force $dir/profiles
        set source $::attach::source
        set a [build_part a a]
        set b [build_part b b]
        set one [build_part one a -DONE_BLOCK]
        variable program [hugetext_compile $dir/phases $source/phases.c \
                              $a $b -Wl,-rpath,$dir]
        variable program_slack [hugetext_compile $dir/phases-slack \
            $source/phases.c $one $b -Wl,-rpath,$dir]
    }

    # Whether samples can be taken; otherwise TEST is UNSUPPORTED.
    proc need {test} {
        variable dir
        variable can
        if {![hugetext_require $test thp root]} { return 0 }
        if {![info exists can]} {
            set run [command_run profile --output=$dir/can -- true]
            set can [expr {![string match "*nothing can be sampled*" \
                                 [dict get $run stderr]]}]
        }
        if {$can} { return 1 }
        unsupported "$test (nothing can be sampled here)"
        return 0
    }

    # Start WHICH, the program by default, behind PREFIX.  Returns its process
    # ID, and sets PLACES to the addresses of a_0, a_1, b_0 and b_1.  The files
    # HUGE are cached in huge pages.
    proc begin {places {prefix {}} {which program} {huge {}}} {
        hugetext_variables dir
        variable $which
        upvar 1 $places list
        file delete $dir/ready
        # What was just written may be cached in huge pages, which the kernel
        # maps by itself.
        foreach name {a b one} { hugetext_cache_small $dir/libphase-$name.so }
        if {$huge ne ""} { hugetext_cache huge $huge }
        set pid [hugetext_launch {*}$prefix [set $which] $dir/ready </dev/null \
                     >$dir/result 2>/dev/null]
        attach::end_later $pid
        if {![command_wait {[file exists $dir/ready]}]} { error "no start" }
        set list [string trim [hugetext_read $dir/ready]]
        return $pid
    }

    # Run adapt with the arguments ARGS and a cap of two copies.  ARGS end with
    # a process ID or a command.  The list RUNS gets what each call has said.
    proc run {args} {
        hugetext_variables dir
        variable runs {}
        # On a busy machine it takes longer to have enough samples.
        foreach seconds {1.5 5 15 45} {
            set run [attach::patiently {
                lappend runs [command_run adapt --output=$dir/profiles \
                    --backing=thp --max=2 --seconds=$seconds --cpu=100 {*}$args]
                lindex $runs end
            }]
            if {![string match "*too few*" $run]} break
        }
        return $run
    }

    # The number of blocks that the last call of run has put on huge pages, and
    # the number that it has put back.  If adapt gave up on a busy machine after
    # a part of the changes, the procedure "run" has called adapt again for the
    # rest.
    proc moved {} {
        variable runs
        set on 0
        set back 0
        foreach {-> more less} [regexp -all -inline \
                {(\d+) blocks? put on huge pages, (\d+) moved back} $runs] {
            incr on $more
            incr back $less
        }
        return [list $on $back]
    }

    # Return problems unless the last round of RUN had LEAST per cent of the
    # samples on huge pages, and status 0.
    proc expect_share {run least} {
        set problems {}
        set shares [regexp -inline -all {on huge pages: ([\d.]+) %, before} \
                        [dict get $run stdout]]
        problem_if {[dict get $run status] != 0 || $shares eq ""
            || [lindex $shares end] < $least} $run
        return $problems
    }
}
