# A libc of another release: this machine's libc with a false release number.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

namespace eval libc {
    variable false 2.01

    # The libc that PROGRAM gets, and its build ID.
    proc find {program} {
        variable path
        variable id
        regexp -line {/.*/libc\.so\.6} [exec ldd $program] path
        regexp {Build ID: (\S+)} [exec $::READELF_FOR_TARGET -n $path] -> id
        set id [binary format H* $id]
    }

    # Return DATA, the contents of a libc, with the build ID replaced, as if it
    # were another libc.
    proc without_id {data} {
        variable id
        return [string map [list $id [string repeat ? [string length $id]]] \
                    $data]
    }

    # A libc.so.6 with DATA in DIRECTORY, which is made.
    proc write {directory data} {
        file mkdir $directory
        hugetext_write $directory/libc.so.6 $data
        # libc.so.6 is also a program.
        exec chmod 755 $directory/libc.so.6
    }

    # Write a libc that claims to be release $false.
    proc write_false {directory} {
        variable path
        variable false
        # The linker merges strings with the same end, so this replaces the
        # number in all of them.
        write $directory [string map \
            [list " $::GLIBC_VERSION\0" " $false\0"] \
            [without_id [hugetext_read $path]]]
    }
}
