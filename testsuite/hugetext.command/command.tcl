# Procedures for the tests of the command hugetext.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

# An ordinary user, as a command prefix; empty if we are one ourselves.
proc command_user {} {
    if {[exec id -u] != 0} { return {} }
    return [list setpriv --reuid=65534 --regid=65534 --clear-groups]
}

# True if WHO, root or user, can be tested here; otherwise the test NAME is
# UNSUPPORTED.
proc command_require {name who} {
    global HUGETEXT_CMD LOADER
    if {$who eq "root"} { return [hugetext_require $name root] }
    if {![catch {exec {*}[command_user] test -x $HUGETEXT_CMD \
                     -a -x $LOADER}]} {
        return 1
    }
    unsupported "$name (an ordinary user cannot reach the build directory)"
    return 0
}

# A copy of our loader at PATH whose note says that it is for glibc 9.99.
proc command_other_release {path} {
    set n [regsub {(ld-hugetext\0)\d\.\d\d(?=\0)} \
               [hugetext_read $::LOADER] {\19.99} data]
    if {$n == 0} { error "$::LOADER does not say which release it is for" }
    hugetext_write $path $data
    file attributes $path -permissions 0755
}

# A command prefix that becomes WHO.
proc command_become {who} {
    if {$who eq "root"} { return {} }
    return [command_user]
}

# A new directory that anyone may write to.
proc command_directory {name} {
    set dir [hugetext_workdir command]/$name
    file delete -force $dir
    file mkdir $dir
    file attributes $dir -permissions 01777
    return $dir
}

# Run hugetext with ARGS, without tunables in the environment.
proc command_run {args} {
    global HUGETEXT_CMD
    return [hugetext_exec [concat [list env -u GLIBC_TUNABLES LC_ALL=C \
                                       $HUGETEXT_CMD] $args]]
}

# The same for "hugetext run", which gets our loader.
proc command_run_run {args} {
    global LOADER
    return [command_run run --loader=$LOADER {*}$args]
}

# Start COMMAND, a list, in the background and return its process ID when its
# file READY exists (or at once if READY is empty).
proc command_start {command {ready ""}} {
    if {$ready ne ""} { file delete $ready }
    set pid [hugetext_launch {*}$command </dev/null >/dev/null 2>/dev/null]
    for {set i 0} {$ready ne "" && ![file exists $ready]} {incr i} {
        if {$i == 6000} { error "$command does not start" }
        after 50
    }
    return $pid
}
proc command_stop {pid {signal TERM}} {
    hugetext_kill $pid $signal
}

# The path of the C library, as processes map it.
proc command_c_library {} {
    set pid [command_start {sleep 600}]
    command_wait {[regexp -line {/\S*/libc\.so\.6$} \
                       [hugetext_read /proc/$pid/maps] path]}
    command_stop $pid KILL
    return $path
}

# Wait until EXPRESSION is true, two minutes at most.
proc command_wait {expression} {
    for {set i 0} {$i < 12000} {incr i} {
        if {[uplevel 1 [list expr $expression]]} { return 1 }
        after 10
    }
    return 0
}

# Evaluate SCRIPT in the caller, with the variable PREFIX set to a command
# prefix that runs a command in a control group with a limit of MIB MiB.  If
# there can be no such group, report TEST as UNSUPPORTED.
proc command_with_group {test mib prefix script} {
    upvar $prefix words
    foreach {root limit} {
        /sys/fs/cgroup/memory memory.limit_in_bytes
        /sys/fs/cgroup memory.max
        /sys/fs/cgroup/unified memory.max
    } {
        set group $root/hugetext-test.[pid]
        if {![file exists $root/cgroup.procs]
            || [catch {file mkdir $group}]} {
            continue
        }
        if {[catch {exec sh -c \
                "echo [expr {$mib << 20}] > $group/$limit"}]} {
            catch {exec rmdir $group}
            continue
        }
        set words [list sh -c \
            "echo \$\$ > $group/cgroup.procs && exec \"\$@\"" sh]
        set code [catch {uplevel 1 $script} result options]
        # Processes that have ended leave the group a moment later.
        command_wait {![catch {exec rmdir $group 2>/dev/null}]}
        break
    }
    if {![info exists code]} {
        unsupported "$test (no memory controller here)"
    } else {
        return -options $options $result
    }
}

# What TEXT, in JSON, means: objects are dictionaries, arrays lists, null is
# the empty string.
proc command_json {text} {
    set at 0
    set value [command_json_value $text at]
    if {[regexp -start $at {\S} $text]} { hugetext_fault "more than one JSON value" }
    return $value
}
proc command_json_value {text at_name} {
    upvar $at_name at
    regexp -start $at -indices {\s*} $text space
    set at [expr {[lindex $space 1] + 1}]
    switch -- [string index $text $at] {
        "\{" { return [command_json_group $text at "\}" 1] }
        "\[" { return [command_json_group $text at "\]" 0] }
    }
    if {[regexp -start $at -indices {\A"((?:[^"\\]|\\.)*)"} $text all inner]} {
        set at [expr {[lindex $all 1] + 1}]
        return [subst -nocommands -novariables [string range $text {*}$inner]]
    }
    if {![regexp -start $at -indices {\A[-+.\w]+} $text all]} {
        hugetext_fault "no JSON at [string range $text $at $at+20]"
    }
    set at [expr {[lindex $all 1] + 1}]
    set word [string range $text {*}$all]
    return [expr {$word eq "null" ? "" : $word}]
}
proc command_json_group {text at_name close keys} {
    upvar $at_name at
    set list {}
    incr at
    while {1} {
        regexp -start $at -indices {[\s,]*} $text space
        set at [expr {[lindex $space 1] + 1}]
        if {[string index $text $at] eq $close} {
            incr at
            return $list
        }
        lappend list [command_json_value $text at]
        if {$keys} {
            regexp -start $at -indices {\A\s*:} $text space
            set at [expr {[lindex $space 1] + 1}]
            lappend list [command_json_value $text at]
        }
    }
}

# What "hugetext status --json" says of PID.
proc command_status {pid} {
    set run [command_run status --json $pid]
    if {[dict get $run status] != 0} { hugetext_fault $run }
    return [lindex [command_processes [dict get $run stdout]] 0]
}

# Return problems unless the sizes of PROCESS are the sums over its objects.
proc command_sums {process} {
    set problems {}
    foreach word {text_bytes huge_bytes small_bytes} {
        set sum 0
        foreach object [dict get $process objects] {
            incr sum [dict get $object $word]
        }
        problem_if {$sum != [dict get $process $word]} \
            "$word: $sum, not [dict get $process $word]"
    }
    return $problems
}

# The processes in what "hugetext status --json" printed.
proc command_processes {text} {
    return [dict get [command_json $text] processes]
}

# Environment words that make hugetext inspect each process when the process
# ends; command_seen returns the results in the form of command_processes.
proc command_watch {{explain ""}} {
    global HUGETEXT_CMD srcdir
    return [list {*}[expr {$explain ne "" ? "HUGETEXT_EXPLAIN=1" : ""}] \
        HUGETEXT_STATUS=[command_directory seen] \
        HUGETEXT_COMMAND=$HUGETEXT_CMD LD_PRELOAD=[hugetext_compile \
            [hugetext_workdir command]/at-exit.so -shared -fPIC \
            $srcdir/hugetext.command/at-exit.c]]
}
proc command_seen {} {
    set processes {}
    set seen [hugetext_workdir command]/seen
    # If the test has used a file to wait for a daemon's end, hugetext may
    # still be inspecting the daemon.
    for {set i 0} {$i < 30} {incr i} {
        if {[command_wait {[glob -nocomplain $seen/*.new] eq {}}]} { break }
    }
    foreach file [glob -nocomplain $seen/*\[0-9\]] {
        lappend processes {*}[command_processes [hugetext_read $file]]
    }
    return $processes
}

# How much text of FILE the loader would copy to huge pages, bytes.
proc command_possible {file} {
    global command_planned
    if {![info exists command_planned($file)]} {
        set run [command_run explain --json --backing=thp --max=100000 $file]
        set sum 0
        foreach explained [dict get [command_json [dict get $run stdout]] \
                               files] {
            # Leave out the file that a launcher opens at run time, and the
            # libraries that a small program needs.
            if {[dict get $explained opened_late]
                || [dict get $explained needed]} { continue }
            foreach block [dict get $explained blocks] {
                if {[dict get $block huge]} {
                    incr sum [dict get $block text_bytes]
                }
            }
        }
        set command_planned($file) $sum
    }
    return $command_planned($file)
}

# Return problems unless all text that PROCESS (of status --json) uses, and
# that can be on huge pages, is on huge pages.
proc command_expect_huge {process} {
    set problems {}
    set pid [dict get $process pid]
    set name [dict get $process name]
    problem_if {[dict get $process loader] ne "ld-hugetext"} \
        "$pid $name: loader [dict get $process loader]"
    problem_if {[dict get $process huge_bytes] == 0} \
        "$pid $name: nothing on huge pages"
    foreach object [dict get $process objects] {
        set text [dict get $object text_bytes]
        set file [dict get $object name]
        set small [dict get $object small_bytes]
        problem_if {$small > $text - [command_possible $file]} \
            "$pid $name: $file: $small of $text bytes on\
                small pages, [dict get $object huge_bytes] on huge ones;\
                [command_possible $file] could be"
    }
    return $problems
}
