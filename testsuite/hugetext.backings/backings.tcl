# Procedures for the tests of backings: private files, which no other process
# reads, and what is needed to run them.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

set BACKINGS_DIR [hugetext_workdir backings]
set BACKINGS_SOURCE [file dirname [file normalize [info script]]]

# A fresh copy of FILE in our directory.
proc backings_copy {file {name ""}} {
    global BACKINGS_DIR
    if {$name eq ""} { set name [file tail $file] }
    set copy $BACKINGS_DIR/$name
    file delete $copy
    exec cp --reflink=never [file normalize $file] $copy
    return $copy
}

# spin.c as a program, position-independent unless OPTIONS say otherwise.
proc backings_spin {{name spin} {options {-fpie -pie}}} {
    global BACKINGS_DIR BACKINGS_SOURCE
    return [hugetext_compile $BACKINGS_DIR/$name $BACKINGS_SOURCE/spin.c -g \
                -O1 {*}$options]
}

# Return true if the file system of our directory caches files in huge pages.
# Asked once.
proc backings_file_works {} {
    global backings_file_works
    if {![info exists backings_file_works]} {
        set backings_file_works [hugetext_cache_can_be_huge \
            [backings_copy [backings_spin probe {-no-pie}] probed]]
        send_log "file system caches files in huge pages:\
            $backings_file_works\n"
    }
    return $backings_file_works
}

# False, and TEST is UNSUPPORTED, unless that file system caches files in
# huge pages.
proc backings_require_file {test} {
    if {[backings_file_works]} { return 1 }
    unsupported "$test (no huge pages of files on this file system)"
    return 0
}

# False, and TEST is UNSUPPORTED, unless the machine has the TOOLS.
proc backings_require_tools {test args} {
    foreach tool $args {
        if {[auto_execok $tool] eq ""} {
            unsupported "$test (no $tool here)"
            return 0
        }
    }
    return 1
}

# Start COMMAND in the background and return its process ID once it has
# printed a line.
proc backings_start {command} {
    set channel [open "|$command 2>@1" r]
    gets $channel
    return [list $channel [pid $channel]]
}

proc backings_stop {process} {
    lassign $process channel pid
    hugetext_kill $pid KILL
    catch {close $channel}
}

# Return the command that runs COMMAND with TUNABLES, with our loader bound
# over the system's.
proc backings_bound {tunables command} {
    global LOADER
    return [concat [hugetext_bind_command $LOADER] env \
                GLIBC_TUNABLES=[hugetext_tunables $tunables] $command]
}
