# Procs for the tests that run programs under hugetext.faults/inject.c.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

# Run COMMAND with TUNABLES and RULES under inject.c; ENVIRONMENT is a list of
# NAME=VALUE.  Run COMMAND with TUNABLES and RULES under inject.c; ENVIRONMENT
# is a list of NAME=VALUE.  Return the dictionary of hugetext_exec with five
# more keys: "calls" is a list of calls, each a list of number, name, offset,
# six arguments and what was done with the call; "dlopen" is the number of the
# first call after the program's code began to run; "foreign" is a list of
# pairs; "how" and "end" say how the program ended; "facts" is what the program
# printed.
proc limits_run_inject {tunables rules environment command} {
    global LOADER
    set log [hugetext_workdir limits]/log
    set records [hugetext_workdir limits]/facts
    file delete $log $records
    set inject [hugetext_injector [hugetext_workdir limits]]
    set words [list env -u GLIBC_TUNABLES -u LD_PRELOAD LC_ALL=C \
                   $inject -l $LOADER -o $log \
                   -e GLIBC_TUNABLES=[hugetext_tunables $tunables] \
                   -e HUGETEXT_FACTS=$records]
    foreach word $environment { lappend words -e $word }
    foreach rule $rules { lappend words -r $rule }
    set run [hugetext_exec [concat $words $command]]
    foreach {key value} {calls {} dlopen -1 foreign {} how none end none} {
        dict set run $key $value
    }
    foreach line [split [hugetext_read $log] \n] {
        switch [lindex $line 0] {
            call - fault { dict lappend run calls [lrange $line 1 end] }
            running { dict set run dlopen [llength [dict get $run calls]] }
            foreign { dict lappend run foreign [lrange $line 1 2] }
            end {
                dict set run how [lindex $line 1]
                dict set run end [lindex $line 2]
            }
        }
    }
    dict set run facts [hugetext_parse [hugetext_read $records]]
    return $run
}

# False, and TEST is UNSUPPORTED, if the injector cannot work here.
proc limits_require_inject {test} {
    if {![info exists ::limits_inject_why]} {
        set run [limits_run_inject {hugetext=0} {} {} \
                     [list $::LOADER /bin/true]]
        set ::limits_inject_why \
            [expr {[dict get $run status] == 0 ? "" : [dict get $run stderr]}]
    }
    if {$::limits_inject_why eq ""} { return 1 }
    unsupported "$test ([string trim $::limits_inject_why])"
    return 0
}
