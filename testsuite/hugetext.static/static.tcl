# The programs for the tests of static programs.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

source [file join $HUGETEXT_SRCDIR testsuite hugetext.command command.tcl]

namespace eval static {
    variable dir [hugetext_workdir static]
    variable source [file dirname [file normalize [info script]]]
    variable size 0xb00000

    # Compilers by kind of program, and what they are told.
    variable kinds {
        fixed {"" {-static -no-pie -fno-pie}}
        position-independent {"" {-static-pie -fPIE}}
        musl {musl-gcc {-static -no-pie -fno-pie}}
        rust {rustc {}}
    }

    # The program of KIND; an error if it cannot be linked.
    proc program {kind} {
        global CC_FOR_TARGET HOST_CPU
        hugetext_variables dir source size kinds
        lassign [dict get $kinds $kind] compiler options
        set file $dir/$kind
        set words [list -DNAME=big {*}[hugetext_noise] \
                       -DTEXT=$size -DBIG_TEXT=$size]
        if {$kind eq "rust"} { return [rust $file $words] }
        if {$compiler eq ""} {
            return [hugetext_compile $file {*}$options {*}$words \
                        $source/program.c text.S]
        }
        if {$HOST_CPU ne "x86_64"} { error "$compiler: for another machine" }
        set stock $CC_FOR_TARGET
        set CC_FOR_TARGET $compiler
        set code [catch {hugetext_compile $file {*}$options {*}$words \
                             $source/program.c text.S} result]
        set CC_FOR_TARGET $stock
        return -code $code $result
    }

    # Build a program in Rust, which has its own main function, with musl if it
    # is installed.
    proc rust {file words} {
        global CC_FOR_TARGET HOST_CPU
        variable source
        set stock $CC_FOR_TARGET
        set flags {-O -C target-feature=+crt-static}
        set musl $HOST_CPU-unknown-linux-musl
        if {![catch {exec rustc --print sysroot} root]
            && [file isdirectory $root/lib/rustlib/$musl]
            && [auto_execok musl-gcc] ne ""} {
            lappend flags --target $musl
            set CC_FOR_TARGET musl-gcc
        }
        set code [catch {
            hugetext_compile $file.o -c -fPIC {*}$words \
                -Dmain=hugetext_main $source/program.c
        } object]
        set CC_FOR_TARGET $stock
        if {$code != 0} { error $object }
        set text [hugetext_compile $file-text.o -c {*}$words text.S]
        # rustc tells the linker to use shared libraries again.  From 1.90 on,
        # rustc uses lld by default, which chooses file offsets with which the
        # file cannot be mapped huge; therefore use bfd.
        return [hugetext_make $file [list $source/main.rs $object $text] \
                    [concat rustc $flags -C link-arg=$object \
                         -C link-arg=$text -C link-arg=-Wl,-Bstatic \
                         -C link-arg=-lc -C link-arg=-fuse-ld=bfd \
                         $source/main.rs -o $file]]
    }

    # Return how many bytes of the text that begins at FROM in a program FILE
    # can be huge: all bytes, except those in a block that also has writable
    # data.  FROM contains the load bias, which is a multiple of a block.
    proc possible {file from} {
        global READELF_FOR_TARGET HUGETEXT_BLOCK
        variable size
        set first ""
        foreach line [split [exec $READELF_FOR_TARGET -lW $file] \n] {
            if {[regexp {^ +LOAD +0x\w+ 0x(\w+) .* RW } $line -> address]
                && $first eq ""} {
                scan $address %llx first
            } elseif {[regexp {^ +LOAD +0x\w+ 0x(\w+) .* R E } $line -> text]} {
                scan $text %llx text
            }
        }
        scan $from %llx from
        set bias [expr {($from - $text) / $HUGETEXT_BLOCK * $HUGETEXT_BLOCK}]
        if {$from < $HUGETEXT_BLOCK * 1024} { set bias 0 }
        set end [expr {($first + $bias) / $HUGETEXT_BLOCK * $HUGETEXT_BLOCK}]
        return [expr {min ($from + $size, $end) - $from}]
    }
}
