# What the tests of real programs share: find or unpack a program, compare
# what it does with what it does under the stock loader, see how much of its
# text is huge.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# A program runs "explicit", as LOADER PROGRAM, and "bound", in a private
# mount namespace in which our loader lies over the system's, so that it and
# all its children have it; each with huge text off and on each backing.  Two
# ways need help, and what they are compared with gets the same:
#
#   - A program that runs itself again through /proc/self/exe finds our loader
#     there when run explicitly.
#   - A program that is not on the system is unpacked from its Debian packages
#     under the build directory.

set PROGRAMS_DIR [hugetext_workdir programs]
set PROGRAMS_SOURCE [file join $HUGETEXT_SRCDIR testsuite hugetext.programs]

# Free pages in the hugetlb pool while programs run on it.
set PROGRAMS_POOL 128

# What output must not depend on.
set PROGRAMS_ENV [list LC_ALL=C TZ=UTC HOME=$PROGRAMS_DIR \
                      TMPDIR=$PROGRAMS_DIR]

# Name and tunables of each setting.
set PROGRAMS_SETTINGS {
    off {hugetext=0}
    thp {hugetext=1 hugetext_backing=2 hugetext_max=100000}
    hugetlb {hugetext=1 hugetext_backing=3 hugetext_max=100000}
}

# The user that runs what root may not.
set PROGRAMS_USER 65534

# Whether the program in question had to be unpacked.
set programs_unpacked 0


# Find programs

# The directory into which PACKAGES and what they need beyond what is
# installed are unpacked, "" if they cannot be had.
proc programs_unpack {packages} {
    set dir [hugetext_workdir packages]
    set root $dir/[join $packages +]
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
        programs_relink $root
        hugetext_write $root.unpacked ""
    } message]} {
        verbose -log "cannot unpack $packages: $message" 1
        return ""
    }
    return $root
}

# Make absolute symbolic links under ROOT, to what is there, stay there.
proc programs_relink {root} {
    foreach link [split [exec find $root -type l -lname /*] \n] {
        set target $root[file readlink $link]
        if {[file exists $target]} {
            file delete $link
            file link -symbolic $link $target
        }
    }
}

# The program at PATH, or at that path in the unpacked PACKAGES, or at one
# that ALTERNATIVE, a pattern, matches there; "" and UNSUPPORTED with NAME if
# it cannot be had.
proc programs_find {name path packages {alternative ""}} {
    global PROGRAMS_ENV programs_unpacked
    set programs_unpacked 0
    if {[file executable $path]} { return $path }
    set root [programs_unpack $packages]
    foreach file [concat $root$path \
                      [glob -nocomplain $root$alternative]] {
        if {$root eq "" || ![file executable $file]} continue
        verbose -log "$name: $file" 1
        set programs_unpacked 1
        lappend PROGRAMS_ENV PATH=$root/usr/bin:$::env(PATH) \
            LD_LIBRARY_PATH=[join [glob -nocomplain \
                $root/usr/lib/*-linux-gnu $root/lib/*-linux-gnu] :]
        return $file
    }
    unsupported "$name ($path not found, nor the packages $packages)"
    return ""
}

# The file at the end of a chain of symbolic links.
proc programs_real {path} {
    return [exec readlink -f $path]
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

# A prefix that runs a command as somebody who is not root.
proc programs_as_user {} {
    global PROGRAMS_USER
    if {![hugetext_supports root]} { return {} }
    return [list setpriv --reuid=$PROGRAMS_USER --regid=$PROGRAMS_USER \
                --clear-groups]
}

# A fresh directory that this user may write to, or "" if he may not even
# read what is in the build directory.
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

# Evaluate SCRIPT in the caller with what SETTING needs.
proc programs_with {setting script} {
    global PROGRAMS_POOL
    if {$setting eq "hugetlb"} {
        # One level for uplevel, as hugetext_with_setting counts.
        return [uplevel 1 [list hugetext_with_pool $PROGRAMS_POOL $script]]
    }
    return [uplevel 1 $script]
}

# Compare a program with itself under the stock loader.  Usage:
# programs_compare NAME ?options? COMMAND...
#   -modes LIST      of explicit, bound and user (bound by an ordinary user);
#                    default explicit bound
#   -setup SCRIPT    evaluated in the caller before each run
#   -loader-env NAME the environment variable that is to hold the loader: the
#                    command, a script, runs LOADER PROGRAM itself
# and the options -env, -prefix, -input and -timeout of hugetext_run.
proc programs_compare {name args} {
    global LOADER STOCK_LOADER PROGRAMS_ENV PROGRAMS_SETTINGS
    global programs_unpacked programs_broken
    array set opt {-modes {explicit bound} -setup {} -loader-env {} -env {}
        -prefix {} -input /dev/null -timeout 0}
    while {[string match "-*" [lindex $args 0]]} {
        if {![info exists opt([lindex $args 0])]} {
            error "programs_compare: unknown option [lindex $args 0]"
        }
        set opt([lindex $args 0]) [lindex $args 1]
        set args [lrange $args 2 end]
    }
    set options [list -input $opt(-input) -timeout $opt(-timeout)]

    foreach mode $opt(-modes) {
        if {![programs_require "$name: $mode" $mode]} continue
        uplevel 1 $opt(-setup)
        set stock [programs_run $mode $STOCK_LOADER {} $opt(-loader-env) \
                       $opt(-env) $opt(-prefix) $options $args]
        if {[dict get $stock status] ne "0"} {
            send_log "  [hugetext_excerpt [dict get $stock stderr]]\n"
            set test "$name: $mode (status [dict get $stock status] under the\
                stock loader)"
            # It may need what only an installation makes.
            if {$programs_unpacked} {
                unsupported $test
                set programs_broken($name) 1
            } else {
                unresolved $test
            }
            continue
        }
        foreach {setting tunables} $PROGRAMS_SETTINGS {
            # Where there are two ways, off and hugetlb go one of them each.
            if {[llength $opt(-modes)] > 1
                && [list $mode $setting] in {{bound off} {explicit hugetlb}}} {
                continue
            }
            set test "$name: $mode, $setting"
            if {$setting eq "hugetlb" && ![hugetext_require $test hugetlb]} {
                continue
            }
            uplevel 1 $opt(-setup)
            programs_with $setting {
                set ours [programs_run $mode $LOADER $tunables \
                              $opt(-loader-env) $opt(-env) $opt(-prefix) \
                              $options $args]
            }
            hugetext_verdict $test [programs_same $ours $stock]
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

# As hugetext_require, with the mode "user".
proc programs_require {name mode} {
    global LOADER programs_user
    if {$mode ne "user"} { return [hugetext_require $name $mode] }
    if {![info exists programs_user]} {
        set programs_user [expr {![catch {
            exec {*}[programs_as_user] {*}[programs_bind_as_user $LOADER] true
        }]}]
    }
    if {!$programs_user} {
        unsupported "$name (an ordinary user cannot bind the loader here)"
    }
    return $programs_user
}

# Run COMMAND in MODE under LOADER; no tunables means as it is every day.
proc programs_run {mode loader tunables variable environment prefix options
                   command} {
    global PROGRAMS_ENV STOCK_LOADER
    set environment [concat $PROGRAMS_ENV $environment]
    # The system's loader is where it is.
    set stock [expr {$loader eq $STOCK_LOADER}]
    switch $mode {
        explicit {
            set run_mode explicit
            if {$variable ne ""} {
                lappend environment $variable=$loader
                set run_mode interp
            }
        }
        bound { set run_mode [expr {$stock ? "interp" : "bound"}] }
        user {
            set run_mode interp
            set namespace {unshare -Urm}
            if {!$stock} { set namespace [programs_bind_as_user $loader] }
            set prefix [concat [programs_as_user] $namespace $prefix]
        }
    }
    return [hugetext_run -mode $run_mode -loader $loader \
                -tunables $tunables -env $environment -prefix $prefix \
                {*}$options {*}$command]
}

# As hugetext_bind_command, for a user who is not root.
proc programs_bind_as_user {loader} {
    global STOCK_LOADER
    return [list unshare -Urm sh -c \
                {mount --bind "$1" "$2" && shift 2 && exec "$@"} sh \
                $loader [programs_real $STOCK_LOADER]]
}


# Coverage

# Run a program under our loader with thp and without a cap, in MODE, and
# require of each object in WANTED, a list of names as in facts, or patterns,
# and of what hugetext_expect_huge understands, that much huge text in the process called
# PROGRAM, on copies or, where the kernel has them, on huge pages of the file.
# All objects with a megabyte of text are noted in the log.  ARGS are options
# and command as for programs_facts.
proc programs_coverage {name mode program wanted args} {
    global HUGETEXT_ON programs_broken
    set test "$name: coverage, $mode"
    if {![hugetext_require $test thp $mode]} return
    if {[info exists programs_broken($name)]} {
        unsupported "$test (it does not work under the stock loader)"
        return
    }
    # The kernel may be short of huge pages for a moment.
    for {set i 0} {$i < 3} {incr i} {
        set run [programs_facts $mode $HUGETEXT_ON {*}$args]
        set problems [programs_coverage_problems $run $program $wanted]
        if {[llength $problems] == 0} break
    }
    foreach line [programs_coverage_lines [programs_record $run $program]] {
        send_log "coverage: $name $mode: $line\n"
    }
    hugetext_verdict $test $problems
}

# Run a program under our loader in MODE with TUNABLES and facts.so, which
# writes to a file that any user may write to.  ARGS are the options -env,
# -prefix, -input, -timeout and -loader of hugetext_run, and the command.
proc programs_facts {mode tunables args} {
    global LOADER PROGRAMS_ENV PROGRAMS_DIR
    set records $PROGRAMS_DIR/facts
    hugetext_write $records ""
    file attributes $records -permissions 0666
    array set opt [list -env {} -prefix {} -input /dev/null -timeout 0 \
                       -loader $LOADER]
    while {[string match "-*" [lindex $args 0]]} {
        set opt([lindex $args 0]) [lindex $args 1]
        set args [lrange $args 2 end]
    }
    lappend opt(-env) HUGETEXT_FACTS=$records \
        LD_PRELOAD=[hugetext_facts_library]
    set opt(-env) [concat $PROGRAMS_ENV $opt(-env)]
    set run [hugetext_run -mode $mode -tunables $tunables {*}[array get opt] \
                 {*}$args]
    dict set run facts [hugetext_parse [hugetext_read $records]]
    return $run
}

proc programs_coverage_problems {run program wanted} {
    set problems [programs_never_wx $run $program]
    set record [programs_record $run $program]
    problem_if {[dict get $run status] ne "0"} \
        "status [dict get $run status]: [hugetext_excerpt \
            [dict get $run stderr]]"
    foreach {pattern want} $wanted {
        set object $pattern
        if {$record ne ""} {
            lassign [dict keys [dict get $record objects] $pattern] found
            if {$found ne ""} { set object $found }
        }
        lappend problems {*}[hugetext_expect_huge $record $object $want huge]
    }
    return $problems
}

# The facts of PROGRAM in RUN: of the process with most objects, which is not
# one of the helpers that it has started.
proc programs_record {run program} {
    set best ""
    set most 0
    foreach record [dict get $run facts] {
        set n [dict size [dict get $record objects]]
        if {[dict get $record program] eq $program && $n > $most} {
            set best $record
            set most $n
        }
    }
    return $best
}

# No text that has a file is writable; JIT compilers have mappings of their
# own that are.
proc programs_never_wx {run program} {
    set record [programs_record $run $program]
    if {$record eq ""} { return {} }
    set problems {}
    dict for {name facts} [dict get $record objects] {
        problem_if {[string match "*w*" [dict get $facts perms]]} \
            "text of $name is [dict get $facts perms]"
    }
    return $problems
}

# One line for each object of RECORD with a megabyte of text, and for all.
proc programs_coverage_lines {record} {
    if {$record eq ""} { return {"no facts"} }
    set lines {}
    set text 0
    set huge 0
    set blocks 0
    dict for {name facts} [dict get $record objects] {
        incr blocks [dict get $facts blocks]
        incr text [dict get $facts text]
        incr huge [dict get $facts huge]
        if {[dict get $facts text] < 1 << 20} continue
        lappend lines [programs_coverage_line $name [dict get $facts text] \
                           [dict get $facts huge] [dict get $facts blocks]]
    }
    lappend lines [programs_coverage_line total $text $huge $blocks]
    return $lines
}
proc programs_coverage_line {name text huge blocks} {
    return [format "%-24s text %7d KiB, huge %7d KiB %6.2f %%, %d blocks" \
                $name [expr {$text / 1024}] [expr {$huge / 1024}] \
                [expr {$text > 0 ? 100.0 * $huge / $text : 0.0}] $blocks]
}
