# The verbs for services, with a simulated systemd (world.sh).  "make
# check-services" tests the same verbs with a real systemd.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

source $srcdir/$subdir/command.tcl

namespace eval enable {
    variable dir [command_directory enable]
    variable world $srcdir/$subdir/world.sh
    # In what follows: %P is a program with two megabytes of text, %B its base name, %H the
    # command, %G hugetext-guard, %A hugetext-attach, %L our loader, %S the
    # system's by the name that programs have for it, %T the source tree.
    variable words [list %P [exec realpath /usr/bin/python3] \
                        %B [file tail [exec realpath /usr/bin/python3]] \
                        %H $HUGETEXT_CMD \
                        %G [file dirname $HUGETEXT_CMD]/hugetext-guard \
                        %A [file dirname $HUGETEXT_CMD]/hugetext-attach \
                        %L $LOADER %T $HUGETEXT_SRCDIR %S [lindex [regexp -inline \
        {Requesting program interpreter: ([^\]]*)} \
        [exec $READELF_FOR_TARGET -lW /usr/bin/python3]] 1]]

    # %Z is the name of a service that no other run of the tests has.  Verbs
    # for the whole machine, such as status --metrics and doctor, also see the
    # services of other runs of the tests.  Tests of these verbs must therefore
    # name their service %Z, or name a process by its ID.
    lappend words %Z a[pid]

    # %V compares JSON with the schema of list.
    lappend words %V "/usr/bin/python3 $srcdir/$subdir/schema.py\
        $::HUGETEXT_BUILDDIR/manual/schema/hugetext-list.json"

    # Run SCRIPT, of a shell, in the world.
    proc run {script} {
        global HUGETEXT_CMD
        hugetext_variables dir world words
        hugetext_write $dir/script [string map $words $script]
        return [hugetext_exec [list env -u GLIBC_TUNABLES LC_ALL=C unshare -m \
            --propagation private sh $world $dir/world $HUGETEXT_CMD \
            $dir/script]]
    }

    # TEXT without empty lines at its ends and the blanks that all lines have.
    proc plain {text} {
        variable words
        set text [string trim [string map $words $text] \n]
        regexp {^ *} $text indent
        regsub -all -line "^$indent" $text "" text
        return [string trimright $text " \n"]
    }

    # True if processes can be put into control groups of our own.
    proc groups {} {
        set mounts [hugetext_read /proc/self/mounts]
        return [expr {([regexp -line {^\S+ (\S+) cgroup \S*name=systemd} \
                            $mounts -> root]
                       || [regexp -line {^\S+ (\S+) cgroup2 } $mounts -> root])
                      && ![catch {file mkdir $root/hugetext-[pid]
                               exec sh -c "echo 0 >$root/hugetext-[pid]/cgroup.procs"
                           }] && ![catch {file delete $root/hugetext-[pid]}]}]
    }

    # Like check, for services that run.
    proc check_running {name args} {
        if {[exec id -u] == 0 && ![groups]} {
            unsupported "enable: $name (no control groups)"
        } else {
            check $name {*}$args
        }
    }

    # Run SCRIPT as the test NAME: it must end with STATUS, print OUT and say
    # ERR.
    proc check {name status script {out ""} {err ""}} {
        set test "enable: $name"
        if {![hugetext_require $test root bound]} { return }
        hugetext_test $test {
            set run [run $script]
            foreach {what want} [list stdout $out stderr $err] {
                set got [string trimright [dict get $run $what] \n]
                problem_if {$got ne [plain $want]} \
                    "$what: $got" "not: [plain $want]"
            }
            problem_if {[dict get $run status] != $status} \
                "status [dict get $run status], not $status"
        }
    }
}
