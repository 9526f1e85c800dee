# All that a file has beside its contents and its number.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# attributes.py set FILE    give it some of each, and print them
# attributes.py show FILE   print them

import array
import fcntl
import os
import struct
import sys

GETFLAGS, SETFLAGS = 0x80086601, 0x40086602
NODUMP, NOATIME = 0x40, 0x80


def flags(file):
    value = array.array("i", [0, 0])
    fd = os.open(file, os.O_RDONLY)
    fcntl.ioctl(fd, GETFLAGS, value)
    os.close(fd)
    return value[0]


def acl(*entries):
    return struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", *entry) for entry in entries)


def give(file):
    none = 0xFFFFFFFF
    os.chown(file, 1234, 2345)
    os.chmod(file, 0o6750)
    os.setxattr(file, "user.note", b"\0some\xff")
    os.setxattr(file, "user.empty", b"")
    os.setxattr(file, "trusted.note", b"x" * 300)
    # Version 2, effective: CAP_NET_BIND_SERVICE.
    os.setxattr(file, "security.capability",
                struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0))
    os.setxattr(file, "system.posix_acl_access",
                acl((1, 7, none), (2, 5, 4321), (4, 5, none), (16, 5, none),
                    (32, 0, none)))
    fd = os.open(file, os.O_RDONLY)
    fcntl.ioctl(fd, SETFLAGS, array.array("i", [flags(file) | NODUMP, 0]))
    os.close(fd)
    os.utime(file, ns=(1111111111123456789, 1222222222987654321))
    show(file)


def show(file):
    st = os.lstat(file)
    print("owner", st.st_uid, st.st_gid, "mode", oct(st.st_mode), "mtime",
          st.st_mtime_ns, "size", st.st_size, "links", st.st_nlink)
    print("flags", hex(flags(file)))
    for name in sorted(os.listxattr(file)):
        print(name, os.getxattr(file, name).hex())


{"set": give, "show": show}[sys.argv[1]](sys.argv[2])
