# Procedures for the tests of the store: objects, a private store, and what the
# kernel says about it.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

load_lib hugetext.exp
source [file join $HUGETEXT_SRCDIR testsuite hugetext.backings backings.tcl]

namespace eval store {
    variable dir [hugetext_workdir store]
    variable source [file dirname [file normalize [info script]]]
    # What lies over the directory of the machine's index.
    variable cache $dir/cache
    variable auto {hugetext=1 hugetext_max=1000}
    variable only {hugetext=1 hugetext_max=1000 hugetext_backing=4}

    # Return a command prefix: in a mount namespace of its own, it mounts the
    # test's directory over the directory of the index and the store, evaluates
    # SCRIPT there, and then runs the command.
    proc prefix {{script :}} {
        variable cache
        return [list unshare -m sh -c {
            set -e
            over=$(dirname "$1")
            mount -t tmpfs -o mode=755 none "$(dirname "$over")"
            mkdir "$over"
            mount --bind "$2" "$over"
            cd "$over"
            eval "$3"
            cd "$4"
            shift 4
            exec "$@"
        } sh $::INDEX_PATH $cache $script [pwd]]
    }

    # Whether there can be a store here; otherwise TEST is UNSUPPORTED.
    proc require {test args} {
        variable works
        if {![hugetext_require $test root thp pagemap_scan {*}$args]
            || ![backings_require_file $test]} { return 0 }
        if {![info exists works]} {
            clear
            set works [expr {![catch {exec {*}[prefix] true} message]}]
            if {!$works} { send_log "$message\n" }
        }
        if {$works} { return 1 }
        unsupported "$test (no mount namespace here)"
        return 0
    }

    # Empty the store, and remove the index.
    proc clear {} {
        variable cache
        file delete -force $cache
        file mkdir $cache
        file attributes $cache -permissions 0755
    }

    # Run "hugetext store" with ARGS; returns as hugetext_exec.  SCRIPT is run
    # before.
    proc command {words {script :}} {
        global HUGETEXT_CMD
        return [hugetext_exec [concat [prefix $script] \
            [list $HUGETEXT_CMD store] $words]]
    }

    # Likewise; it must succeed.
    proc succeed {words {script :}} {
        set result [command $words $script]
        if {[dict get $result status] != 0
            || [dict get $result stderr] ne ""} {
            hugetext_fault "hugetext store $words: $result"
        }
        return [dict get $result stdout]
    }

    # Return problems unless RESULT, of "hugetext store", has STATUS, and its
    # two outputs match the regular expressions OUT and ERR.
    proc expect_result {result status out err} {
        set problems {}
        foreach {key pattern} [list status ^$status\$ stdout $out stderr \
                                   $err] {
            problem_if {![regexp $pattern [dict get $result $key]]} \
                "$key: [dict get $result $key]"
        }
        return $problems
    }

    # Our objects: three blocks each, of which none can be a huge page of the
    # file while the file is cached in small pages.
    proc build {} {
        global LOADER
        hugetext_variables dir source
        variable libraries {}
        foreach {name words} {
            one {} two {} late {} placed -Wl,-Ttext-segment=0x10000000
        } {
            set library [hugetext_text_library $dir/lib$name.so $name \
                {text=0x480000 rodata=0x200000 data=0x3000} {*}$words]
            lappend libraries $library
            variable $name $library
        }
        set object [hugetext_text $dir/text.o main \
                        {text=0x480000 rodata=0x200000} -c -fPIC]
        set smaps [hugetext_compile $dir/smaps.o -c -fPIC $source/smaps.c]
        set words [concat $object $smaps -Wl,--no-as-needed $one $two]
        # Programs that the kernel maps at an address of its choice, that it
        # maps at a fixed address, and that a loader maps explicitly.
        variable program
        set program(interp) [hugetext_use_program $dir/use $LOADER -fpie \
                                 -pie {*}$words]
        set program(fixed) [hugetext_use_program $dir/fixed $LOADER -no-pie \
                                {*}$words]
        set program(explicit) [hugetext_use_program $dir/plain "" -fpie -pie \
                                   {*}$words]
        set program(bound) $program(explicit)
        # Only root may be able to write to these files.
        foreach file [list {*}$libraries $program(interp) $program(fixed) \
                          $program(explicit)] {
            exec chmod 755 $file
        }
        variable objects [list {*}$libraries $program(interp) \
                              $program(fixed) $program(explicit)]
    }

    # Write another version of libone.so, with the same sizes and other
    # contents, to FILE.
    proc other {file} {
        variable dir
        hugetext_text_library $dir/other.so one \
            {text=0x480000 rodata=0x200000 data=0x3000} \
            -UNOISE -UNOISE_TEXT {*}[lrange [hugetext_noise 2] 0 1]
        exec sh -c {cat "$1" >"$2"} sh $dir/other.so $file
    }

    # Fill the store with images of all our objects.
    proc fill {} {
        variable objects
        clear
        return [succeed [list add {*}$objects]]
    }

    # Return the path of FILE's image in the test's directory.
    proc image {file} {
        variable cache
        set found [glob -nocomplain -directory $cache/store \
                       [file tail $file].????????????????.[file tail $file]]
        if {[llength $found] != 1} { hugetext_fault "images of $file: $found" }
        return [lindex $found 0]
    }

    # All images in the store.
    proc images {} {
        variable cache
        return [glob -directory $cache/store *.????????????????.*]
    }

    # Run COMMAND with all objects cached in small pages.  The same options as
    # hugetext_run.  Returns the result of hugetext_run with the additional key
    # "smaps".
    proc run {args} {
        hugetext_variables dir objects
        file delete $dir/smaps
        # A test may have removed one of the objects.
        set files [lmap file $objects {
            if {![file exists $file]} continue
            set file
        }]
        hugetext_with_cache small $files {
            set run [hugetext_run -linked -env HUGETEXT_SMAPS=$dir/smaps \
                         -prefix [prefix] {*}$args]
        }
        dict set run smaps [hugetext_smaps [hugetext_read $dir/smaps]]
        return $run
    }

    # With ARGS, options of run, a program does what it does under the stock
    # loader without PREFIX.  Returns problems, and what run returns in the
    # caller's variable RESULT.
    proc both {result prefix args} {
        upvar $result ours
        set stock [hugetext_run {*}[hugetext_stock_options \
                                        [concat -linked $args]]]
        set ours [run -prefix $prefix {*}$args]
        return [hugetext_compare $ours $stock]
    }

    # The mappings of FILE's image in SMAPS.
    proc images_in {smaps file} {
        set pattern */store/[file tail $file].????????????????*
        return [lmap mapping $smaps {
            if {![string match $pattern [dict get $mapping name]]} continue
            set mapping
        }]
    }

    # Return problems unless all text of FILE, object NAME in the facts of RUN, is
    # on huge pages of its image in the store, except the page that keeps its name.
    # FIELD is the field of smaps that counts these huge pages.
    proc expect_stored {run file name {field FilePmdMapped}} {
        set record [hugetext_record $run]
        set problems [concat \
            [hugetext_expect_huge $record $name named huge] \
            [hugetext_expect $record $name {$copied == 0}]]
        set size 0
        foreach mapping [images_in [dict get $run smaps] $file] {
            set kib [dict get $mapping Size]
            incr size $kib
            # In memory the pages of the image itself are dirty.
            problem_if {[dict get $mapping $field] != $kib
                || $field eq "FilePmdMapped"
                   && [dict get $mapping Private_Dirty] != 0
                || [dict get $mapping Anonymous] != 0
                || [dict get $mapping AnonHugePages] != 0} \
                "not huge pages of the image: $mapping"
        }
        problem_if {$size < 3 * 2048} "$size KiB of the image of $name mapped"
        return $problems
    }

    # Return problems unless all text is in copies if COPIES, and on small
    # pages otherwise: no text may come from the store.
    proc expect_not_stored {run file name copies} {
        set record [hugetext_record $run]
        set problems {}
        foreach mapping [images_in [dict get $run smaps] $file] {
            lappend problems "of the image: $mapping"
        }
        problem_if {[dict get $run smaps] eq ""} "no smaps"
        return [concat $problems [hugetext_expect_huge $record $name \
                                      [expr {$copies ? "named" : "none"}]]]
    }

    # A script for prefix: the store is a filesystem TYPE mounted with OPTIONS,
    # with images of all our objects; then SCRIPT.
    proc mounted {type options {script ""}} {
        hugetext_variables dir objects
        return "mkdir -p store
            mount -t $type -o mode=755$options hugetext store
            $::HUGETEXT_CMD store add $objects \
                >$dir/added 2>&1 || echo status \$? >>$dir/added
            du -k store >$dir/size
            $script"
    }

    # On a filesystem without huge pages, the command makes no image, and
    # prints why.
    proc refuse_place {test why script} {
        hugetext_variables auto dir program one
        clear
        set problems [concat [both run [prefix $script] \
                                  -tunables $auto $program(explicit) main one] \
                          [expect_not_stored $run $one libone.so 1]]
        set added [hugetext_read $dir/added]
        set problem "hugetext store: /\\S+/store: no image was made, because $why"
        problem_if {![regexp -line "^$problem\$" $added]
            || [regexp -all -line {^hugetext store: } $added] != 1
            || ![regexp -line {/store: 0 images made} $added]
            || ![regexp -line {^status 1$} $added]} "said: $added"
        hugetext_verdict $test $problems
    }
}
