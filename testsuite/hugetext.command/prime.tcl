# What the tests of priming share: a fresh file, and what is expected of it.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

source $srcdir/$subdir/command.tcl

namespace eval prime {
    variable source $srcdir/$subdir
    variable dir [hugetext_workdir prime]
    variable holder [hugetext_compile $dir/holder $source/holder.c]
    # The linker option with which an object's own huge pages fit.
    variable fits -Wl,-z,max-page-size=0x200000

    # A library of three blocks of text, of which nothing else is made.
    variable model [hugetext_text_library $dir/libmodel.so one \
                        {text=0x600000 data=0x1000} $fits]

    # A fresh copy of MODEL, in small pages: NAME in our directory.
    proc fresh {{name libfresh.so} {place ""}} {
        variable dir
        variable model
        if {$place eq ""} { set place $dir }
        foreach old [glob -nocomplain -directory $place $name .$name.*] {
            file delete $old
        }
        exec cp --reflink=never $model $place/$name
        hugetext_cache_small $place/$name
        return $place/$name
    }

    # A command prefix: a mount namespace in which SCRIPT was run, and in
    # which no package manager of this machine is at work.
    proc private {{script :}} {
        variable dir
        hugetext_write $dir/lock ""
        hugetext_write $dir/lock-frontend ""
        return [list unshare -m sh -c "
            for lock in lock lock-frontend; do
              test ! -e /var/lib/dpkg/\$lock \
                || mount --bind $dir/\$lock /var/lib/dpkg/\$lock || exit 99
            done
            $script
            exec \"\$@\"" sh]
    }

    # hugetext prime with ARGS, under PREFIX.
    proc run {prefix args} {
        global HUGETEXT_CMD
        return [hugetext_exec [concat $prefix \
            [list env -u GLIBC_TUNABLES LC_ALL=C $HUGETEXT_CMD prime] $args]]
    }

    # Evaluate SCRIPT in the caller while holder does WHAT with FILE, under
    # PREFIX.  Returns what it said in the end.
    proc holding {what file script {prefix {}}} {
        variable holder
        set channel [open [list | {*}$prefix $holder $what $file 2>@1] r+]
        if {[gets $channel line] < 0 || $line ne "held"} {
            close $channel
            error "holder $what $file: $line"
        }
        set code [catch {uplevel 1 $script} result options]
        chan close $channel write
        set said [string trim [read $channel]]
        catch {close $channel}
        if {$code} { return -options $options $result }
        return $said
    }

    # The number of FILE, "none" if there is none.
    proc inode {file} {
        if {[catch {exec stat -c %i $file} inode]} { return none }
        return $inode
    }

    proc blocks {file} {
        return [expr {[file size $file] / $::HUGETEXT_BLOCK}]
    }

    # Problems unless RUN has STATUS and its output, and error output, match
    # the patterns.
    proc expect {run status {output *} {error ""}} {
        set problems {}
        if {[dict get $run status] ne $status} {
            lappend problems "status [dict get $run status], not $status: $run"
        }
        foreach {stream pattern} [list stdout $output stderr $error] {
            if {![string match $pattern \
                      [string trim [dict get $run $stream]]]} {
                lappend problems "$stream is not $pattern: [dict get $run \
                    $stream]"
            }
        }
        return $problems
    }

    # Problems unless FILE is in STATE, and as MODEL.
    proc expect_state {file state} {
        variable model
        set problems {}
        set is [hugetext_cache_state $file]
        if {$is ne $state} { lappend problems "$file is $is, not $state" }
        if {[catch {exec cmp $file $model}]} {
            lappend problems "$file has changed"
        }
        return $problems
    }

    # Whether such files are cached in huge pages here at all.
    proc works {} {
        variable works
        if {![info exists works]} {
            set works [expr {[hugetext_supports pagemap_scan]
                             && [hugetext_cache_can_be_huge [fresh]]}]
        }
        return $works
    }

    proc need {test args} {
        if {![hugetext_require $test {*}$args]} { return 0 }
        if {[works]} { return 1 }
        unsupported "$test (no huge pages of files on this file system)"
        return 0
    }

    proc need_tool {test tool} {
        if {[auto_execok $tool] ne ""} { return 1 }
        unsupported "$test (no $tool here)"
        return 0
    }

    proc attributes {what file} {
        variable source
        return [exec python3 $source/attributes.py $what $file]
    }

    # Problems if there is anything of ours beside FILE.
    proc no_leftover {file} {
        return [lmap other [glob -nocomplain -directory \
                [file dirname $file] .*hugetext*] { set other }]
    }
}
