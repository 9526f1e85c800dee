# Procedures for the tests of containers: root directories as images have them,
# and runtimes.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# A root directory consists of unpacked Debian packages, without running any of
# their scripts.  Two runtimes, with one command line: podman, and namespaces,
# where it cannot run.

set CONTAINERS_SOURCE $HUGETEXT_SRCDIR/testsuite/hugetext.containers
set CONTAINERS_OVER /lib64/ld-linux-x86-64.so.2

# The suite and the packages of each root.
set CONTAINERS_ROOTS {
    debian12 {bookworm dash coreutils python3-minimal perl-base}
    debian13 {trixie dash coreutils python3-minimal perl-base}
    musl {trixie musl busybox-static}
}

# Unpack the packages WORDS of SUITE in the directory NAME, and return the
# directory, or "" if the packages cannot be fetched.  After a failure, no other
# packages are fetched.  Packages of one suite share its lists, which take
# seconds to read, until containers_forget.
set containers_unreachable 0
proc containers_unpack {name suite words} {
    global containers_unreachable
    set dir [hugetext_workdir containers]/$name
    file mkdir [hugetext_workdir containers]/$suite.lists
    file delete -force $dir.apt
    file link -symbolic $dir.apt [hugetext_workdir containers]/$suite.lists
    if {$containers_unreachable || [catch {
        exec timeout -k 5 600 $::HUGETEXT_SRCDIR/scripts/debian-tree $dir \
            $suite amd64 {*}$words >$dir.log 2>@1
    }]} {
        set containers_unreachable 1
        verbose -log "no $name: [hugetext_excerpt [hugetext_read $dir.log]]"
        return ""
    }
    return $dir
}

# Nobody needs the lists of packages again, nor the packages.
proc containers_forget {} {
    file delete -force {*}[glob -nocomplain \
        [hugetext_workdir containers]/*.apt [hugetext_workdir containers]/*.lists]
}

proc containers_root {name} {
    global containers_root
    if {![info exists containers_root($name)]} {
        set words [lassign [dict get $::CONTAINERS_ROOTS $name] suite]
        set containers_root($name) [containers_unpack $name $suite $words]
    }
    return $containers_root($name)
}

# Run COMMAND in a container of RUNTIME with the root directory ROOT.  OPTIONS
# have the syntax of podman's options.
proc containers_run {runtime root options command} {
    return [hugetext_exec [concat [list $::CONTAINERS_SOURCE/$runtime run \
        --rm] $options [list --rootfs $root:O] $command] /dev/null 300]
}

# Return whether RUNTIME can run containers here.  If it cannot, and TEST is
# not "", report TEST as UNSUPPORTED.
proc containers_supports {runtime {test ""}} {
    global containers_runtime
    if {![info exists containers_runtime($runtime)]} {
        set root [containers_root musl]
        set containers_runtime($runtime) \
            "[expr {$root eq "" ? "no packages" : "cannot run here"}]"
        if {$root ne ""} {
            set run [containers_run $runtime $root {} {/bin/busybox true}]
            if {[dict get $run status] == 0} {
                set containers_runtime($runtime) ""
            }
            verbose -log "$runtime: $run"
        }
    }
    if {$containers_runtime($runtime) eq ""} { return 1 }
    if {$test ne ""} {
        unsupported "$test ($runtime: $containers_runtime($runtime))"
    }
    return 0
}

# Run share.py in a container with COMMAND, or about itself if COMMAND is
# empty.  Return its output as a dictionary, or raise an error.
proc containers_share {runtime root options command} {
    set script $::CONTAINERS_SOURCE/share.py
    set run [containers_run $runtime $root \
                 [concat [list -v $script:/share.py:ro] $options] \
                 [concat {/usr/bin/python3 /share.py} $command]]
    if {[dict get $run status] != 0 || [dict get $run stderr] ne ""} {
        error "share.py: $run"
    }
    lassign [dict get $run stdout] text huge file copies filter
    return [list text $text huge $huge file $file copies $copies \
                filter $filter]
}
