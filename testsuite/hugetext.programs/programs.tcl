# What the tests of real programs share: find a program, compare what it does
# with what it does under the stock loader, see how much of its text is huge.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# A program runs "explicit", as LOADER PROGRAM, and "bound", in a private
# mount namespace where our loader is mounted over the system's, for the program
# and all its children; each with huge text off or on some backing.

load_lib hugetext.exp

set PROGRAMS_DIR [hugetext_workdir programs]
set PROGRAMS_SOURCE [file join $HUGETEXT_SRCDIR testsuite hugetext.programs]

# The number of free pages in the hugetlb pool while programs run with the
# backing hugetlb.
set PROGRAMS_POOL 128

# Environment variables on which the output of programs may depend.
set PROGRAMS_ENV [list LC_ALL=C TZ=UTC HOME=$PROGRAMS_DIR \
                      TMPDIR=$PROGRAMS_DIR]

# Mode, name and tunables of each way to run a program.
set PROGRAMS_WAYS {
    explicit off {hugetext=0}
    explicit thp {hugetext=1 hugetext_names=0 hugetext_backing=2 hugetext_max=100000}
    bound thp {hugetext=1 hugetext_names=0 hugetext_backing=2 hugetext_max=100000}
    bound hugetlb {hugetext=1 hugetext_names=0 hugetext_backing=3 hugetext_max=100000}
}

# The user who runs programs that refuse to run as root.
set PROGRAMS_USER 65534


# Find programs

# The directory into which PACKAGES and what they need beyond what is
# installed are unpacked, "" if they cannot be downloaded.
proc programs_unpack {packages} {
    set root [hugetext_workdir packages]/[join $packages +]
    if {[file exists $root.unpacked]} { return $root }
    if {[catch {
        set needed {}
        foreach line [split [exec apt-get -s --no-install-recommends install \
                                 {*}$packages 2>/dev/null] \n] {
            if {[regexp {^Inst (\S+)} $line -> package]} {
                lappend needed $package
            }
        }
        if {[llength $needed] == 0} { set needed $packages }
        file delete -force $root
        file mkdir $root
        exec sh -c {cd "$1" && shift && apt-get download "$@"} sh $root \
            {*}$needed >$root.log 2>@1
        foreach archive [glob $root/*.deb] {
            exec dpkg -x $archive $root
            file delete $archive
        }
        # Make absolute links lead to the same files inside of the root
        # directory.
        foreach link [split [exec find $root -type l -lname /*] \n] {
            set target $root[file readlink $link]
            if {[file exists $target]} {
                file delete $link
                file link -symbolic $link $target
            }
        }
        hugetext_write $root.unpacked ""
    } message]} {
        verbose -log "cannot unpack $packages: $message" 1
        return ""
    }
    return $root
}

# Return the program at PATH, a pattern, or at this path in the unpacked
# PACKAGES.  If there is no such program, report NAME as UNSUPPORTED and return
# "".
proc programs_find {name path {packages {}}} {
    global PROGRAMS_ENV
    set root ""
    set found [lindex [lsort [glob -nocomplain $path]] end]
    if {$found eq "" && $packages ne ""} {
        set root [programs_unpack $packages]
        set found [lindex [glob -nocomplain $root$path] 0]
    }
    if {$found eq "" || ![file executable $found]} {
        unsupported "$name ($path not found)"
        return ""
    }
    if {$root ne ""} {
        lappend PROGRAMS_ENV LD_LIBRARY_PATH=[join [glob -nocomplain \
                $root/usr/lib/*-linux-gnu $root/lib/*-linux-gnu] :]
    }
    return [exec readlink -f $found]
}

# Compile Torture.java into DIR with the compiler that JAVA has; if it has none,
# the test NAME is UNSUPPORTED.
proc java_compile {java dir name} {
    global PROGRAMS_SOURCE
    if {[catch {exec [file dirname $java]/javac -nowarn -d $dir \
                    $PROGRAMS_SOURCE/Torture.java 2>@1} said]
        && ![file exists $dir/Torture.class]} {
        unsupported "$name (no javac: $said)"
        return 0
    }
    return 1
}


# Run

# A prefix that runs a command as a user who is not root.
proc programs_as_user {} {
    global PROGRAMS_USER
    if {![hugetext_supports root]} { return {} }
    return [list setpriv --reuid=$PROGRAMS_USER --regid=$PROGRAMS_USER \
                --clear-groups]
}

# Return a new directory that this user may write to, or "" if the user may not
# even read the files in the build directory.
proc programs_user_dir {name} {
    global PROGRAMS_DIR PROGRAMS_USER LOADER
    set dir $PROGRAMS_DIR/$name
    file delete -force $dir
    file mkdir $dir
    if {[hugetext_supports root]} { exec chown $PROGRAMS_USER $dir }
    if {[catch {exec {*}[programs_as_user] sh -c \
                    {test -w "$1" && test -x "$2"} sh $dir $LOADER}]} {
        return ""
    }
    return $dir
}

# Run COMMAND in MODE under LOADER; OPTIONS are -prefix and -input of
# hugetext_run.
proc programs_run {mode loader tunables options command} {
    global PROGRAMS_ENV STOCK_LOADER
    # In the mode "bound", the stock loader is already at the path of the
    # system's loader.
    if {$mode eq "bound" && $loader eq $STOCK_LOADER} { set mode interp }
    return [hugetext_run -mode $mode -loader $loader -tunables $tunables \
                -env $PROGRAMS_ENV {*}$options {*}$command]
}

# Compare COMMAND, run in MODES with OPTIONS, with itself under the stock
# loader.  SETUP is evaluated in the caller before each run.
proc programs_compare {name modes options command {setup {}}} {
    global LOADER STOCK_LOADER PROGRAMS_WAYS PROGRAMS_POOL
    foreach {mode setting tunables} $PROGRAMS_WAYS {
        set test "$name: $mode, $setting"
        set pool [expr {$setting eq "hugetlb"}]
        if {$mode ni $modes || ![hugetext_require $test $mode \
                                     {*}[expr {$pool ? "hugetlb" : ""}]]} {
            continue
        }
        hugetext_test $test {
            if {![info exists stock($mode)]} {
                uplevel 1 $setup
                set stock($mode) [programs_run $mode $STOCK_LOADER {} \
                                      $options $command]
            }
            if {[dict get $stock($mode) status] ne "0"} {
                error "under the stock loader: $stock($mode)"
            }
            uplevel 1 $setup
            hugetext_with_pool [expr {$pool ? $PROGRAMS_POOL : 0}] {
                set ours [programs_run $mode $LOADER $tunables $options \
                              $command]
            }
            lappend problems {*}[programs_same $ours $stock($mode)]
        }
    }
}

# As hugetext_same, but says where long outputs begin to differ.
proc programs_same {ours stock {want ""}} {
    set problems [hugetext_expect_stock $stock $want]
    foreach key {status stdout stderr} {
        set a [split [dict get $ours $key] \n]
        set b [split [dict get $stock $key] \n]
        if {$a eq $b} continue
        set n 0
        while {[lindex $a $n] eq [lindex $b $n] && $n < [llength $a]} {
            incr n
        }
        lappend problems "$key differs from line [expr {$n + 1}] of\
            [llength $a]: {[join [lrange $a $n $n+3] \n]} instead of\
            {[join [lrange $b $n $n+3] \n]}"
    }
    return $problems
}

# Run COMMAND under our loader with thp and without a cap, in MODE.  WANTED is
# a list of patterns of object names and of amounts, as hugetext_expect_huge
# understands them.  Each object must have at least this amount of huge text in
# the process PROGRAM, in copies or in huge pages of the file.
proc programs_coverage {name mode program wanted options command} {
    global HUGETEXT_ON PROGRAMS_DIR
    set test "$name: coverage, $mode"
    if {![hugetext_require $test thp $mode]} return
    # Any user may write to it.
    set records $PROGRAMS_DIR/facts
    set environment [list HUGETEXT_FACTS=$records \
                         LD_PRELOAD=[hugetext_facts_library]]
    hugetext_test $test {
        # The kernel may be short of huge pages for a moment.
        for {set i 0} {$i < 3} {incr i} {
            hugetext_write $records ""
            file attributes $records -permissions 0666
            set run [hugetext_run -mode $mode -tunables $HUGETEXT_ON \
                         -env $environment {*}$options {*}$command]
            dict set run facts [hugetext_parse [hugetext_read $records]]
            set problems [programs_coverage_problems $run $program $wanted]
            if {$problems eq ""} break
        }
    }
}

proc programs_coverage_problems {run program wanted} {
    # Take the process with the most objects, because helper processes of the
    # program have fewer.
    set record ""
    set most 0
    foreach one [dict get $run facts] {
        set n [dict size [dict get $one objects]]
        if {[dict get $one program] eq $program && $n > $most} {
            set record $one
            set most $n
        }
    }
    if {$record eq "" || [dict get $run status] ne "0"} { return [list $run] }
    set problems {}
    foreach {pattern want} $wanted {
        set object [lindex [dict keys [dict get $record objects] $pattern] 0]
        lappend problems {*}[hugetext_expect_huge $record $object $want huge]
    }
    # JIT compilers have mappings of their own that are writable.
    dict for {name facts} [dict get $record objects] {
        problem_if {[string match "*w*" [dict get $facts perms]]} \
            "text of $name is [dict get $facts perms]"
    }
    return $problems
}
