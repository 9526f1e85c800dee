# Procedures for the tests of "hugetext attach".
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

source $srcdir/$subdir/../hugetext.command/command.tcl

namespace eval attach {
    variable source $srcdir/$subdir
    variable dir [hugetext_workdir attach]
    variable text 0xa00000

    # The program that checks itself, and the library that it opens.
    proc build {} {
        hugetext_variables source dir text
        # Tests with another user may have let all users write to the
        # directory.
        file attributes $dir -permissions 0755
        variable library [hugetext_text_library $dir/liblib.so lib \
                              {text=0x600000}]
        set main [hugetext_text $dir/main.o main [list text=$text] -c -fPIC]
        variable selfcheck [hugetext_program $dir/selfcheck \
                                $source/selfcheck.c $main]
        variable hold [hugetext_compile $dir/hold $source/hold.c $main \
                           -DTEXT_SIZE=$text]
        variable harm [hugetext_compile $dir/harm -pie -fPIE $source/harm.c \
                           $main -DTEXT_SIZE=$text -DLIBRARY_SIZE=0x600000 \
                           -pthread -ldl]
        variable timed [hugetext_compile $dir/own-time $source/own-time.c]
        variable calls [hugetext_compile $dir/calls $source/calls.c $main \
                            -pthread -ldl]
        foreach {name options} {
            fixed -no-pie
            aligned -Wl,-z,max-page-size=0x200000
            static {-static -no-pie}
            static-pie -static-pie
        } {
            variable $name [hugetext_compile $dir/hold-$name \
                                $source/hold.c $main -DTEXT_SIZE=$text \
                                {*}$options]
        }
    }

    # Run SCRIPT as the test TEST (hugetext_test) if the machine has THP and
    # FEATURES, and the caller is root.  At the end, stop all processes that
    # SCRIPT has started.
    proc test {test features script} {
        if {![hugetext_require $test thp root {*}$features]} return
        uplevel 1 [list hugetext_test $test $script]
        stop
    }

    # Whether there is strace; else TEST is UNSUPPORTED.
    proc require_strace {test} {
        if {[auto_execok strace] ne "" && ![catch {exec strace -o /dev/null \
                -e inject=setpriority:delay_enter=1000 true}]} { return 1 }
        unsupported "$test (no strace here)"
        return 0
    }

    # Let the procedure stop end process PID.
    variable started {}
    proc end_later {pid} {
        variable started
        lappend started [hugetext_note_birth $pid]
    }
    proc stop {} {
        variable started
        foreach pid $started { hugetext_kill $pid KILL }
        set started {}
    }

    # Start COMMAND, which runs until stop, and wait until COMMAND has created
    # the file $dir/ready.  Returns its process ID.  If COMMAND ends before it
    # creates the file, run COMMAND once more to find out its exit status.
    proc launch {args} {
        variable dir
        file delete $dir/ready
        set pid [hugetext_launch {*}$args </dev/null >$dir/result 2>$dir/errors]
        end_later $pid
        for {set i 0} {$i < 6000 && ![file exists $dir/ready]
                       && [alive $pid]} {incr i} { after 50 }
        if {[file exists $dir/ready]} { return $pid }
        set run [hugetext_exec $args /dev/null 60]
        file delete $dir/ready
        if {[dict get $run status] == 77} {
            return -code error -errorcode IMPOSSIBLE "not possible here"
        }
        error "no start: [hugetext_read $dir/result][hugetext_read \
            $dir/errors]$run"
    }

    # Run START, a command that launches a program, and set pid in the caller to its
    # result.  If START reports that the machine lacks something the program needs,
    # report TEST as UNSUPPORTED with the reason WHY.
    proc possible {test why start} {
        upvar pid pid
        try {
            set pid [uplevel 1 $start]
        } trap IMPOSSIBLE {} {
            unsupported "$test ($why)"
            return 0
        }
        return 1
    }

    # Start PROGRAM, of hold.c, in STATE behind PREFIX.  Returns the process ID
    # that the program has written to the file "ready".
    proc start {program {state plain} {prefix {}}} {
        variable dir
        launch {*}$prefix $program $state $dir/ready
        return [string trim [hugetext_read $dir/ready]]
    }
    # Wait at most five minutes for FILE.  Return whether FILE exists.
    proc command_wait_for {file} {
        for {set i 0} {$i < 6000 && ![file exists $file]} {incr i} { after 50 }
        return [file exists $file]
    }

    # Start harm in MODE, behind PREFIX.  Returns its process ID.
    proc start_harm {mode {prefix {}}} {
        hugetext_variables dir harm library
        launch {*}$prefix $harm $mode $dir/ready $library
        return [string trim [hugetext_read $dir/ready]]
    }

    # Start selfcheck.  Returns its process ID.
    proc start_selfcheck {} {
        hugetext_variables dir selfcheck library
        return [launch $selfcheck $library $dir/ready]
    }

    # End PID.  Returns problems unless it says "ok", with a number of LEAST or
    # more.
    proc finish {pid {least 0}} {
        variable dir
        # Send the signal again and again, because a process that executes
        # itself may lose the signal.  The process may have to wait for its
        # children, and each of many threads needs a processor to end.
        for {set i 0} {$i < 15000 && [alive $pid]} {incr i} {
            if {$i % 40 == 0} { hugetext_kill $pid }
            after 20
        }
        set result [hugetext_read $dir/result]
        send_log "harm: $result"
        if {[regexp {^ok (\d+)\n$} $result -> number] && $number >= $least} {
            return {}
        }
        return [list "harm: \"$result\", not \"ok\" of $least or more"]
    }

    # Return true if at least one thread of PID is alive.  The first thread may
    # have ended while the process executes its own file again.
    proc alive {pid} {
        foreach file [glob -nocomplain /proc/$pid/task/*/stat] {
            if {![catch {hugetext_read $file} line]
                && [regexp {\) [^ZX] } $line]} { return 1 }
        }
        return 0
    }

    proc attach_command {arguments} {
        global HUGETEXT_CMD
        return [list timeout -s KILL 100 env -u GLIBC_TUNABLES LC_ALL=C \
                    $HUGETEXT_CMD attach {*}$arguments]
    }

    # Run attach with ARGUMENTS behind PREFIX, and note its time for
    # expect_in_time.
    proc attach_timed {arguments {prefix {}}} {
        variable timed
        return [hugetext_exec [list {*}$prefix $timed env -u GLIBC_TUNABLES \
            LC_ALL=C $::HUGETEXT_CMD attach {*}$arguments] /dev/null 600]
    }
    # Problems if RUN, of attach_timed, took longer than SECONDS.  Time in
    # which the command was ready but did not run does not count: the kernel
    # had given the processors to other processes, or the host had given them
    # to other virtual machines.
    proc expect_in_time {run seconds} {
        if {![regexp {took (\S+) waited (\S+) stolen (\S+)\n} \
                 [dict get $run stderr] line took waited stolen]} {
            return [list "no time: $run"]
        }
        send_log $line
        if {$took - $waited - $stolen <= $seconds} { return {} }
        return [list $run]
    }

    # Run SCRIPT, which attaches, and return its result.  SCRIPT is evaluated
    # again, three times at most, if attach reports that it has given up for a
    # temporary reason: a busy machine, threads that cannot be stopped now, no
    # free huge page.
    proc patiently {script} {
        set why [join {
            overloaded {too slow} {stop in time} {too long} {does not run}
            {time limit was reached}
            {be stopped now} {limit for one process} {executing another}
            {it is unknown how much memory}
            {\(rseq\)} {changing the process} {had no huge page}
        } |]
        for {set i 1} {1} {incr i} {
            set run [uplevel 1 $script]
            if {$i == 3 || [dict get $run status] == 0
                || ![regexp $why $run]} { return $run }
            send_log "  the machine was busy, once more: $run\n"
        }
    }
    proc attach_patiently {args} {
        patiently { command_run attach {*}$args }
    }

    # Return what hugetext status says about the object of process PID whose
    # name ends in NAME.
    proc object {pid name} {
        set process [command_status $pid]
        foreach object [dict get $process objects] {
            if {[string match "*$name" [dict get $object name]]} {
                return $object
            }
        }
        hugetext_fault "no $name: $process"
    }

    # Return problems unless the text of PROGRAM in PID is huge by BACKINGS,
    # except at most LESS bytes.
    proc expect_huge {pid program backings {less 0x400000}} {
        variable text
        set object [object $pid /[file tail $program]]
        set huge [dict get $object huge_bytes]
        set problems {}
        problem_if {$huge < $text - $less} \
            "$huge of $text bytes are huge: $object"
        problem_if {[dict get $object backing] ne $backings} \
            "backing [dict get $object backing]"
        return $problems
    }

    # Return problems if any text of PROGRAM in PID is huge.
    proc expect_small {pid program} {
        set object [object $pid /[file tail $program]]
        if {[dict get $object huge_bytes] == 0} { return {} }
        return [list "huge: $object"]
    }

    # The file mappings of PID: address range, protection, offset and name, but
    # not the device and inode, which may change.
    proc mappings {pid} {
        set lines {}
        foreach line [split [hugetext_read /proc/$pid/maps] \n] {
            if {[regexp {^(\S+) (\S+) (\S+) \S+ \d+ +(/\S+)} $line \
                     -> range protection offset name]} {
                lappend lines "$range $protection $offset $name"
            }
        }
        return $lines
    }

    # The priority (nice) that FILE, a stat of procfs, has.
    proc priority {file} {
        regexp {\) (.*)$} [hugetext_read $file] -> rest
        return [lindex $rest 16]
    }

    # The scheduling policy that FILE, a stat of procfs, has.
    proc policy {file} {
        regexp {\) (.*)$} [hugetext_read $file] -> rest
        return [lindex $rest 38]
    }

    # Return problems unless PID runs, nobody traces it, and its threads have
    # the priority and the policy that we have.
    proc expect_running {pid} {
        set status [hugetext_read /proc/$pid/status]
        if {![regexp -line {^State:\t[RSD]} $status]
            || ![regexp -line {^TracerPid:\t0$} $status]} {
            return [list "not running: $status"]
        }
        foreach file [glob -nocomplain /proc/$pid/task/*/stat] {
            if {![catch {priority $file} priority]
                && $priority != [priority /proc/self/stat]} {
                return [list "priority $priority: $file"]
            }
            if {![catch {policy $file} policy]
                && $policy != [policy /proc/self/stat]} {
                return [list "policy $policy: $file"]
            }
        }
        return {}
    }

    # Return problems unless RUN has STATUS and its only output matches
    # PATTERN.
    proc expect_run {run status pattern {channel stderr}} {
        if {[dict get $run status] == $status
            && [regexp $pattern [dict get $run $channel]]
            && ($channel ne "stderr"
                || [llength [split [string trim [dict get $run stderr]] \n]]
                   == 1)} { return {} }
        return [list $run]
    }
}
