# What the tests of programs that make code at run time share.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

source [file join $srcdir $subdir programs.tcl]

# Name and tunables of each setting.  Text goes first, and takes all that some
# processors hold.
set CODE_SETTINGS {
    code {hugetext=2}
    {text and code} {hugetext=3 hugetext_max=64}
}

# A prefix that runs a command where the object that follows code is in the
# place in which the loader looks for it, should that be bound over the
# system's.  Under the stock loader, too.
proc code_prefix {} {
    global LOADER LOADER_FOLDER
    set unshare [list unshare -m]
    if {[exec id -u] != 0} { set unshare [list unshare -Urm] }
    return [concat $unshare [list sh -c {
        object=$1 folder=$2 over=$2
        shift 2
        test -d "$folder" || over=$(dirname "$folder")
        mount -t tmpfs none "$over" && mkdir -p "$folder" \
            && cp "$object" "$folder" && exec "$@"
    } sh [file dirname $LOADER]/hugetext-code.so $LOADER_FOLDER]]
}

# Whether that can be done here; if not, the test NAME is UNSUPPORTED.
proc code_require {name} {
    global LOADER_FOLDER
    if {![hugetext_require $name bound collapse]} { return 0 }
    if {![file isdirectory $LOADER_FOLDER]
        && [file dirname $LOADER_FOLDER] in {/lib /usr/lib}} {
        unsupported "$name ($LOADER_FOLDER is not there)"
        return 0
    }
    return 1
}

# Run COMMAND under LOADER with TUNABLES, none under the stock loader.  OPTIONS
# are those of hugetext_run.
proc code_run {loader tunables options command} {
    global STOCK_LOADER PROGRAMS_ENV
    set mode [expr {$loader eq $STOCK_LOADER ? "interp" : "bound"}]
    return [hugetext_run -mode $mode -loader $loader -tunables $tunables \
                -prefix [code_prefix] {*}$options -env $PROGRAMS_ENV \
                {*}$command]
}

# The bytes that FILE, a copy of smaps, has on huge pages in executable memory
# of no file, outside of copies of text: in mappings that match PATTERN, of
# their protection and name.
proc code_huge {file pattern} {
    return [expr {[hugetext_huge_text [hugetext_read $file] $pattern] * 1024}]
}
