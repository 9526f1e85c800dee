# The calls of the victim's loader: run the victim under inject.c, and
# distinguish our calls from the stock loader's.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

# Build and run

proc faults_build {} {
    global faults_dir faults_source LOADER
    set pages [list -I$faults_source]
    hugetext_compile $faults_dir/libvictim-linked.so -O1 -fPIC -shared \
        {*}$pages -DPAGES_COUNT=64 -DPART_NAME=linked_part \
        $faults_source/part.c
    hugetext_compile $faults_dir/libvictim-opened.so -O1 -fPIC -shared \
        {*}$pages -DPAGES_COUNT=512 -DPART_NAME=opened_part \
        $faults_source/part.c
    hugetext_compile $faults_dir/victim -O1 -fPIE -pie {*}$pages \
        -DPAGES_COUNT=768 $faults_source/victim.c \
        $faults_dir/libvictim-linked.so -Wl,--dynamic-linker=$LOADER
}

# The victim's files, whose state in the page cache decides which calls are
# made.
proc faults_files {} {
    global faults_dir
    return [list $faults_dir/victim $faults_dir/libvictim-linked.so \
                $faults_dir/libvictim-opened.so]
}

# Evaluate SCRIPT with a store of images of the victim's files, and with an
# inject process that finds this store.  WAY "apart" uses a store in memory,
# see below.
proc faults_with_store {way script} {
    global faults_server faults_inject faults_spoilt
    if {$way eq "apart"} {
        uplevel 1 [list faults_with_store_apart $script]
        return
    }
    foreach file [faults_files] { exec chmod 755 $file }
    store::clear
    store::succeed [list add {*}[faults_files]]
    # Those of libraries that the files need are among them.
    set images [store::images]
    set plain $faults_server
    set faults_server [open [list | {*}[store::prefix] $faults_inject serve] \
                           r+]
    set code [catch {
        if {$way eq "spoilt"} {
            set faults_spoilt $images
            uplevel 1 $script
        } else {
            hugetext_with_cache huge $images { uplevel 1 $script }
        }
    } result options]
    set faults_spoilt {}
    close $faults_server
    set faults_server $plain
    return -options $options $result
}

# Evaluate SCRIPT with a store in memory, and with a root directory on a
# filesystem of its own.  Because the store and the victim's files are then on
# different filesystems, the loader asks how the filesystem of the victim's
# files is mounted.
proc faults_with_store_apart {script} {
    global faults_server faults_inject HUGETEXT_CMD
    foreach file [faults_files] { exec chmod 755 $file }
    store::clear
    set plain $faults_server
    set faults_server [open [list | {*}[store::prefix "
        mkdir -p store
        mount -t tmpfs -o mode=755,huge=always hugetext store
        $HUGETEXT_CMD store add [faults_files] >&2
        root=\$(dirname \"\$over\")/root
        mkdir \"\$root\"
        mount -t tmpfs -o mode=755 none \"\$root\"
        for name in \$(ls -A /); do
          if test -L /\$name; then
            cp -P /\$name \"\$root\"
          elif test -d /\$name; then
            mkdir \"\$root/\$name\"
            mount --rbind /\$name \"\$root/\$name\"
          fi
        done
        set -- \"\$1\" \"\$2\" \"\$3\" \"\$4\" chroot \"\$root\" \"\$5\" \"\$6\""] \
        $faults_inject serve 2>@stderr] r+]
    set code [catch { uplevel 1 $script } result options]
    close $faults_server
    set faults_server $plain
    return -options $options $result
}

# Let inject execute the command WORDS, with the program's output and errors in
# files of faults_dir, and return its status.  One process serves all runs: starting
# it for each would cost more than the run.
proc faults_inject_once {words} {
    global faults_dir faults_server
    foreach word [list $faults_dir/stdout $faults_dir/stderr {*}$words ""] {
        puts $faults_server $word
    }
    flush $faults_server
    if {[gets $faults_server line] < 0 || ![regexp {^exit (\d+)$} $line -> \
                                                status]} {
        error "inject serve: $line"
    }
    return $status
}

# Run the victim in MODE with TUNABLES and RULES; ENVIRONMENT is a list of
# NAME=VALUE.  The files are put into their state of the page cache before.
# Returns a dictionary: output, said (standard error), log (the log of inject, see
# faults_calls), faults (the calls that failed), none (address ranges that were
# left without access), sites, and the values from the log's last line.
proc faults_run {mode tunables rules {environment {}}} {
    global faults_dir LOADER faults_nruns faults_filtered faults_spoilt
    global faults_given
    hugetext_cache_again
    if {[llength $faults_spoilt] > 0} {
        hugetext_cache_cold {*}$faults_spoilt
        exec cat {*}$faults_spoilt >/dev/null
    }
    set words [list -l $LOADER -o $faults_dir/log \
                   -e GLIBC_TUNABLES=[hugetext_tunables $tunables]]
    if {$faults_filtered} { lappend words -f }
    foreach word $environment { lappend words -e $word }
    foreach rule $rules { lappend words -r $rule }
    if {$mode eq "explicit"} { lappend words $LOADER }
    lappend words $faults_dir/victim $faults_dir/victim \
        $faults_dir/libvictim-opened.so
    incr faults_nruns
    file delete $faults_dir/log
    set status [faults_inject_once $words]
    set said [hugetext_read $faults_dir/stderr]
    set printed [hugetext_read $faults_dir/stdout]
    if {$faults_given} {
        regsub -line -all {^ERROR: ld.so: object '\S*/hugetext-code.so' from\
                           LD_PRELOAD cannot be preloaded .*\n} $said {} said
        regsub -all {\d+ objects intact} $printed {objects intact} printed
    }
    if {$status in {2 77} && [string match "inject: *" $said]} {
        error [string trim $said]
    }
    set result [dict create output $printed \
                    said $said how "" status "" vsize 0 fds 0 wx 0 protwx 0]
    if {[llength $environment] == 0} {
        dict append result output "\n" $said
    }
    # Parsing all of the log would cost more than the run.
    set log "\n[hugetext_read $faults_dir/log]"
    dict set result log $log
    dict set result faults [faults_failed $log]
    dict set result none [lmap line [faults_lines $log none] {
        lrange $line 1 2
    }]
    dict set result sites [lrange [lindex [faults_lines $log sites] 0] 1 end]
    foreach line [faults_lines $log end] {
        lassign $line - how status
        dict set result how $how
        dict set result status $status
        set result [dict merge $result [hugetext_pairs [lrange $line 3 end]]]
    }
    return $result
}

# Return the lines of LOG that begin with WORD.  LOG must begin with an empty
# line.
proc faults_lines {log word} {
    set lines {}
    for {set at 0} {[set at [string first "\n$word " $log $at]] >= 0} {incr at} {
        lappend lines [string range $log $at+1 [string first \n $log $at+1]-1]
    }
    return $lines
}

# Return the calls in LOG that have failed, in the format of faults_calls.
proc faults_failed {log} {
    set failed {}
    for {set at 0} {[set at [string first "\nfault " $log $at]] >= 0} {incr at} {
        set end [string first \n $log $at+1]
        set line [string range $log $at+1 $end-1]
        set site [lindex $line 3]
        set before [string range $log 0 $end]
        set others [string map [list " $site " ""] $before]
        set n [expr {([string length $before] - [string length $others])
                     / ([string length $site] + 2)}]
        lappend failed [lreplace $line 0 1 $site#$n]
    }
    return $failed
}

# Return the calls of RUN, each a list as in the log of inject with a name for
# the call as its first word, and the word "running" where the program's code
# begins.
proc faults_calls {run} {
    set calls {}
    foreach line [split [dict get $run log] \n] {
        switch [lindex $line 0] {
            call - fault {
                set site [lindex $line 3]
                lappend calls [lreplace $line 0 1 $site#[incr count($site)]]
            }
            running { lappend calls running }
        }
    }
    return $calls
}


# Call sites

# Find the offsets in the loader from which a system call may be made.  For
# each offset, set the array faults_function to the name of the function with
# the instruction before the offset, and set the array faults_ours to the same
# for those in our own source files.
proc faults_read_sites {} {
    global LOADER faults_function faults_ours faults_dir
    array unset faults_function
    array unset faults_ours
    set after {}
    set sites {}
    exec objdump -d --no-show-raw-insn $LOADER >$faults_dir/disassembly
    set stream [open $faults_dir/disassembly]
    while {[gets $stream line] >= 0} {
        if {![regexp {^\s*([0-9a-f]+):\s+(\w+)} $line -> address insn]} {
            continue
        }
        if {$after ne ""} {
            lappend sites $after [format "0x%x" 0x$address]
            set after ""
        }
        if {$insn in {syscall svc}} { set after 0x$address }
    }
    close $stream
    set addresses {}
    foreach {address next} $sites { lappend addresses $address }
    set text [exec addr2line -a -i -f -e $LOADER << [join $addresses \n]]
    # For each address, addr2line prints a line with the address, then pairs of
    # lines (function and place), from the innermost inlined function outwards.
    set next ""
    array set following $sites
    foreach line [split $text \n] {
        if {[regexp {^0x0*([0-9a-f]+)$} $line -> address]} {
            set next $following(0x$address)
            set function ""
        } elseif {$function eq ""} {
            set function $line
        } else {
            if {![string match "sys_*" $function]
                && ![info exists faults_function($next)]} {
                set faults_function($next) $function
            }
            if {[string match "*/dl-hugetext-*.c:*" $line]} {
                set faults_ours($next) 1
            }
            set function ""
        }
    }
}

# A name for the site of CALL, which is made in PHASE: start or dlopen.
# Several sites in one function that make the same call are numbered.
proc faults_site_name {call phase} {
    global faults_function faults_ordinal
    lassign $call number name offset
    set offset [string trimleft $offset @]
    set function ?
    if {[info exists faults_function($offset)]} {
        set function [string trimleft $faults_function($offset) _]
        regsub {^GI_+} $function {} function
    }
    set key [list $function $name]
    if {![info exists faults_ordinal($key)]
        || $offset ni $faults_ordinal($key)} {
        lappend faults_ordinal($key) $offset
    }
    set n [lsearch $faults_ordinal($key) $offset]
    set site "$function $name"
    if {$n > 0} { append site " #[expr {$n + 1}]" }
    return "$site, $phase"
}

# Return how similar call A of one run and call B of another run are: 0 if they
# are not from the same site; if they are, more if they also map or protect as
# much, since glibc makes all of its mappings from one site, and protects all
# objects' RELRO from another, or open the same file.
proc faults_match {a b} {
    if {[lindex $a 2] ne [lindex $b 2]} { return 0 }
    if {[lindex $a 1] eq "openat"} {
        # The same file name counts more than the same size of a mapping: glibc
        # may allocate memory while it maps another file.
        return [expr {[lindex $a end] eq [lindex $b end] ? 3000 : 1000}]
    }
    if {[lindex $a 1] ni {mmap mprotect}} { return 1000 }
    foreach call [list $a $b] {
        lassign $call - name - - length prot flags
        if {$name eq "mprotect"} { set flags 0 }
        lappend what [list $length $prot [expr {$flags & 0x20}]]
    }
    return [expr {[lindex $what 0] eq [lindex $what 1] ? 1001 : 1000}]
}

# CALLS and BASE are lists of calls.  Find their longest common subsequence (if
# there are several, the one in which most mappings are alike).  Return the
# indices of the calls in CALLS that are not in the subsequence, and for each
# call in the subsequence its index in CALLS and its index in BASE.
proc faults_classify {calls base} {
    set na [llength $calls]
    set nb [llength $base]
    for {set j 0} {$j <= $nb} {incr j} { set score($na,$j) 0 }
    for {set i [expr {$na - 1}]} {$i >= 0} {incr i -1} {
        set score($i,$nb) 0
        set a [lindex $calls $i]
        set below [expr {$i + 1}]
        for {set j [expr {$nb - 1}]} {$j >= 0} {incr j -1} {
            set right [expr {$j + 1}]
            set best [expr {max ($score($below,$j), $score($i,$right))}]
            set match [faults_match $a [lindex $base $j]]
            if {$match > 0 && $match + $score($below,$right) > $best} {
                set best [expr {$match + $score($below,$right)}]
            }
            set score($i,$j) $best
        }
    }
    set ours {}
    set stock {}
    set i 0
    set j 0
    while {$i < $na} {
        set a [lindex $calls $i]
        set below [expr {$i + 1}]
        set right [expr {$j + 1}]
        # If several calls of BASE match equally well, take the first.
        set match 0
        if {$j < $nb} { set match [faults_match $a [lindex $base $j]] }
        if {$match > 0 && $score($i,$j) == $match + $score($below,$right)} {
            if {$a ne "running"} {
                lappend stock [lindex $a 0] [lindex $base $j 0]
            }
            incr i
            incr j
        } elseif {$j < $nb && $score($i,$j) == $score($i,$right)} {
            incr j
        } else {
            lappend ours [lindex $a 0]
            incr i
        }
    }
    return [list $ours $stock]
}

# Return true if the rule RULE was applied to CALL in RUN.  If RULE is about a
# call site, any call from this site counts.
proc faults_hit {run call rule} {
    regexp {^([^:]*):(.*)$} $rule -> which fault
    foreach hit [dict get $run faults] {
        if {[lindex $hit 2] eq [lindex $call 2] && [lindex $hit end] eq $fault
            && $which in [list [lindex $hit 0] [lindex $hit 2]]} {
            return 1
        }
    }
    return 0
}
