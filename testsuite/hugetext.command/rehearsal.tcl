# What "hugetext explain" foretells of a file, by a dry run, and what a start makes.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

source $srcdir/hugetext.command/command.tcl

namespace eval rehearsal {
    variable source $srcdir/hugetext.command
    variable dir [hugetext_workdir rehearsal]
    # Arguments of env that unset GLIBC_TUNABLES.  Without tunables, run and
    # explain find out themselves which system calls a filter allows.
    variable mode {-u GLIBC_TUNABLES}

    # The letters of FILE's blocks that explain predicts for a start by the
    # command PREFIX, and explain's JSON of FILE.  Return the letters that
    # explain predicts for the blocks of FILE in a start by the command PREFIX,
    # and explain's JSON about FILE.  The procedure "got" returns the letters
    # that the kernel shows in this start of COMMAND, with "."  for blocks that
    # are small or untouched.
    proc foretold {file prefix args} {
        variable mode
        set run [hugetext_exec [concat $prefix [list env {*}$mode \
            LC_ALL=C $::HUGETEXT_CMD explain --json {*}$args \
            $file]]]
        set explained [lindex [dict get [command_json \
                           [dict get $run stdout]] files] 0]
        set letters ""
        foreach block [dict get $explained blocks] {
            append letters [string map {file F thp T memfd M hugetlb H} \
                                [dict get $block backing]]
            if {[dict get $block backing] eq ""} { append letters . }
        }
        return [list $letters $explained]
    }

    proc got {file prefix command args} {
        variable mode
        hugetext_exec [concat $prefix [list env {*}$mode \
            $::HUGETEXT_CMD run --loader=$::LOADER {*}$args env] \
            [command_watch] $command]
        set letters ""
        foreach process [command_seen] {
            foreach object [dict get $process objects] {
                if {[dict get $object name] eq $file} {
                    foreach map [dict get $object maps] {
                        append letters [string map {_ .} \
                                            [dict get $map blocks]]
                    }
                }
            }
        }
        return $letters
    }

    # A library of eight MiB of text, and a program that uses it.
    proc build {} {
        variable dir
        set library [hugetext_text_library $dir/libcached.so one \
            {text=0x800000 rodata=0x400000} \
            -Wl,-z,max-page-size=0x200000 -Wl,-z,noseparate-code]
        # Older linkers make the library shorter than seven blocks, the length
        # of the states in rehearsal.exp.
        set missing [expr {7 * 0x200000 - [file size $library]}]
        if {$missing > 0} {
            exec head -c $missing /dev/zero >>$library
        }
        set use [hugetext_use_program $dir/use-cached "" \
                     -Wl,--no-as-needed $library]
        return [list $library $use]
    }

    # The test NAME: SETTING sets the machine to VALUE.  With OPTION, both the
    # letters that explain predicts for the library and the letters of a start
    # must match the regular expression WANT.
    proc check_setting {name option features want setting value} {
        set test "explain: block by block: $name"
        if {![hugetext_require $test bound {*}$features]} { return }
        hugetext_guard $test {
            lassign [build] library use
            $setting $value {
                hugetext_cache small [list $library]
                set said [lindex [foretold $library {} $option] 0]
                set made [got $library {} [list $use one] $option]
            }
            # Do not compare the predicted letters with those of the start:
            # without huge pages, the library may be at an unaligned address,
            # where its blocks begin elsewhere.
            hugetext_verdict $test [expr {
                [regexp $want $said] && [regexp $want $made] ? {}
                : [list "foretold $said, made $made"]}]
        }
    }
}
