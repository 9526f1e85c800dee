# What the tests of observers share: programs to look at, and tables of what
# is seen of them by backing.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# Some observers find an object by the page with its ELF header.  Therefore,
# there are two kinds of test programs.  The header of the program "out" is
# outside of all blocks: the program has read-only data after its text, so its
# blocks can begin after the header.  If the program is "in", its header is in
# the first block, because writable data right behind the text leaves no
# choice.  (The header of libc.so.6 is in the first block, too.)

load_lib hugetext.exp
source [file join $HUGETEXT_SRCDIR testsuite hugetext.backings backings.tcl]
source [file join $HUGETEXT_SRCDIR testsuite hugetext.store store.tcl]

set OBSERVERS_DIR [hugetext_workdir observers]
set OBSERVERS_SOURCE [file dirname [file normalize [info script]]]

# Settings by name: tunables, and which field of smaps tells that text is
# huge.  mdwe is thp where anonymous memory may not become executable.
set OBSERVERS_SETTINGS {
    off {hugetext=0} ""
    file {hugetext=1 hugetext_backing=1} FilePmdMapped
    thp {hugetext=1 hugetext_names=0 hugetext_backing=2 hugetext_max=100000} AnonHugePages
    mdwe {hugetext=1 hugetext_names=0 hugetext_backing=2 hugetext_max=100000} ShmemPmdMapped
    hugetlb {hugetext=1 hugetext_names=0 hugetext_backing=3 hugetext_max=100000} Private_Hugetlb
    store {hugetext=1 hugetext_backing=4 hugetext_max=100000} FilePmdMapped
}

# The number of free pages that the hugetlb pool must have for a test program.
set OBSERVERS_POOL 64

proc observers_tunables {setting} {
    global OBSERVERS_SETTINGS
    set row [lsearch -exact $OBSERVERS_SETTINGS $setting]
    return [lindex $OBSERVERS_SETTINGS $row+1]
}
proc observers_field {setting} {
    global OBSERVERS_SETTINGS
    set row [lsearch -exact $OBSERVERS_SETTINGS $setting]
    return [lindex $OBSERVERS_SETTINGS $row+2]
}

# Return the command prefix that runs the program in SETTING.
proc observers_prefix {setting} {
    if {$setting eq "store"} { return [store::prefix] }
    return [expr {$setting eq "mdwe" ? [hugetext_under mdwe] : ""}]
}

# Return the command prefix that runs an observer, so that it sees the same
# files as the program.
proc observers_beside {setting} {
    return [expr {$setting eq "store" ? [store::prefix] : ""}]
}

# False, and TEST is UNSUPPORTED, unless the machine has SETTING.
proc observers_require {test setting} {
    if {![hugetext_require $test bound]} { return 0 }
    if {$setting eq "file"} { return [backings_require_file $test] }
    if {$setting eq "off"} { return 1 }
    if {$setting eq "store"} { return [store::require $test] }
    if {$setting eq "hugetlb"} { return [hugetext_require $test hugetlb] }
    if {![hugetext_require $test thp]} { return 0 }
    if {$setting eq "thp"} { return 1 }
    return [hugetext_require_under $test mdwe]
}

# Have FILE cached as SETTING needs it.
proc observers_cache {setting file} {
    if {$setting eq "file"} { hugetext_cache_cold $file } \
    else { hugetext_cache_small $file }
    if {$setting eq "store"} {
        exec chmod 755 $file
        store::succeed [list add $file]
    }
}

# Evaluate SCRIPT in the caller, with a hugetlb pool or images if SETTING needs
# them.
proc observers_with {setting script} {
    global OBSERVERS_POOL
    if {$setting eq "hugetlb"} {
        # One level for uplevel, as hugetext_with_setting counts.
        return [uplevel 1 [list hugetext_with_pool $OBSERVERS_POOL $script]]
    }
    return [uplevel 1 $script]
}

# TABLE has lines "setting {outcome}" or "setting {outcome-out outcome-in
# outcome-fixed}".  For each line, evaluate SCRIPT in the caller with "setting" and
# "program" (out, in or fixed) set.  SCRIPT sets "outcome", which must be the outcome in
# the table, and may append to "problems" and "detail".
proc observers_table {test table script} {
    foreach name {setting program outcome problems detail} {
        upvar $name $name
    }
    foreach {setting outcomes} $table {
        foreach program {out in fixed} want $outcomes {
            if {$want eq ""} continue
            set full "$test: $setting"
            if {[llength $outcomes] > 1} { append full ", header $program" }
            if {![observers_require $full $setting]} continue
            hugetext_test $full {
                # The kernel may be short of huge pages for a moment.
                for {set i 0} {$i < 3} {incr i} {
                    set outcome nothing
                    set problems {}
                    set detail ""
                    observers_with $setting {
                        uplevel 1 $script
                    }
                    if {[lsearch $problems "no huge page*"] < 0} break
                }
                send_log "$full: $outcome $detail\n"
                problem_if {![string match $want $outcome]} \
                    "saw $outcome instead of $want: $detail"
            }
        }
    }
}


# Programs

# The text of a program of kind PROGRAM, an object file.  The symbol is "big".
proc observers_text {program} {
    global OBSERVERS_DIR
    # Three blocks, which leave room for 1.5 MiB more.
    set sizes [list text=0x480000 \
                   rodata=[expr {$program eq "out" ? 0x300000 : 0x1000}]]
    return [hugetext_text $OBSERVERS_DIR/text-$program.o big $sizes -c]
}

# SOURCE, one of this directory, as a program of kind PROGRAM.
proc observers_program {source program args} {
    global OBSERVERS_DIR OBSERVERS_SOURCE
    return [hugetext_compile \
                $OBSERVERS_DIR/[file rootname $source]-$program \
                $OBSERVERS_SOURCE/$source [observers_text $program] -g -O1 \
                -fno-optimize-sibling-calls \
                {*}[expr {$program eq "fixed" ? "-fno-pie -no-pie"
                          : "-fpie -pie"}] {*}$args]
}

# Run COMMAND, whose program is FILE, to its end under our loader in SETTING
# and MODE, other options as for hugetext_run.  Adds to the dictionary "huge":
# what the kernel has told the loader of FILE, KiB.
proc observers_run {setting mode options file args} {
    global OBSERVERS_DIR
    observers_cache $setting $file
    array set opt [concat [list -env {} -prefix {}] $options]
    foreach report [glob -nocomplain $OBSERVERS_DIR/report.*] {
        file delete $report
    }
    set prefix [concat $opt(-prefix) [observers_prefix $setting]]
    set run [hugetext_run -mode $mode \
                 -tunables [observers_tunables $setting] -env \
                 [concat LD_DEBUG=files LD_DEBUG_OUTPUT=$OBSERVERS_DIR/report \
                      $opt(-env)] \
                 -prefix $prefix {*}[expr {[llength $args] > 0
                                           ? $args : [list $file]}]]
    dict set run huge 0
    foreach report [glob -nocomplain $OBSERVERS_DIR/report.*] {
        foreach {- name huge} [regexp -all -inline \
            {file=(\S+) \[0\];  hugetext: [^\n]* wanted, (\d+) made} \
            [hugetext_read $report]] {
            if {[file tail $name] eq [file tail $file]} {
                dict set run huge $huge
            }
        }
    }
    return $run
}

# The kernel's figures in RUN must show the effect of SETTING.
proc observers_check_run {setting run} {
    set huge [dict get $run huge]
    if {$setting eq "off" ? $huge == 0 : $huge > 0} { return {} }
    if {$setting eq "off"} { return [list "$huge huge blocks"] }
    return [list "no huge blocks"]
}

# The command that runs PROGRAM bound under our loader in SETTING.
proc observers_bound {setting command} {
    return [backings_bound [observers_tunables $setting] \
                [concat [observers_prefix $setting] $command]]
}

# Start loop.c as PROGRAM in SETTING.  Returns a dictionary: process (for
# backings_stop), pid, file, and the addresses header and text.
proc observers_start {setting program} {
    set file [observers_program loop.c $program]
    observers_cache $setting $file
    set channel [open "|[observers_bound $setting [list $file loop]] 2>@1" r]
    gets $channel line
    if {[scan $line "header %llx text %llx" header text] != 2} {
        catch {close $channel} message
        error "$file says $line $message"
    }
    set pid [pid $channel]
    # Let the process reach its endless loop.
    exec {*}[observers_busy $pid 3]
    return [dict create process [list $channel $pid] pid $pid file $file \
                header $header text $text]
}

# Return the base names of those objects of PID whose KEY (a key of
# tools/text/observers.def) is true in the JSON that VERB prints.
proc observers_told {verb key pid} {
    set script {
import json, os, sys
answer = json.load (sys.stdin)
for process in answer["processes"]:
    for o in process["objects"]:
        if o[sys.argv[1]]:
            print (os.path.basename (o["name"]))
}
    set said [exec $::HUGETEXT_CMD $verb --json $pid | \
                  /usr/bin/python3 -c $script $key]
    return [lsort [split $said \n]]
}

# The command that waits until process PID has used the processor for another
# TICKS, of 10 ms, five minutes at most.
proc observers_busy {pid ticks} {
    return [list timeout 300 sh -c {
        used () { set -- $(sed 's/.*) //' /proc/$1/stat); echo ${12}; }
        end=$(($(used $1) + $2))
        until test $(used $1) -ge $end; do sleep 0.01; done
    } sh $pid $ticks]
}

# What smaps says about ADDRESS in process PID, as of hugetext_smaps.
proc observers_mapping {pid address} {
    foreach mapping [hugetext_smaps [hugetext_read /proc/$pid/smaps]] {
        if {[dict get $mapping start] <= $address
            && $address < [dict get $mapping end]} { return $mapping }
    }
    return {}
}

# Return problems of process P, started by observers_start, as smaps shows
# them: the text must be huge as SETTING requires, and the header must be
# mapped from the file if PROGRAM is "out", or else be in the block.
proc observers_check {setting program p} {
    set problems {}
    set text [observers_mapping [dict get $p pid] [dict get $p text]]
    set header [observers_mapping [dict get $p pid] [dict get $p header]]
    set field [observers_field $setting]
    problem_if {$field ne "" && [dict get $text $field] == 0} \
        "no huge page: $field of $text"
    set own [expr {[dict get $header name] eq [dict get $p file]}]
    problem_if {$own != ($program eq "out" || $setting in {off file})} \
        "the header is in a mapping of\
            {[dict get $header name]}"
    return $problems
}

# Return how many of the program's own functions TEXT names.  A name in a path
# does not count.
proc observers_frames {text} {
    set n 0
    regsub -all {\S*/\S*} $text {} text
    foreach name {inner_frame outer_frame main} {
        if {[regexp "\\m$name\\M" $text]} { incr n }
    }
    return $n
}

# How much of a stack, TEXT, has names: all of it down to _start, the
# program's own part, some or none.
proc observers_stack {text} {
    set frames [observers_frames $text]
    if {$frames == 3} {
        return [expr {[regexp {\m_start\M} $text] ? "all" : "program"}]
    }
    return [expr {$frames > 0 ? "some" : "none"}]
}
