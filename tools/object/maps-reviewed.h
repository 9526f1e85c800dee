/* Objects that name /proc/PID/maps, and do not look for their own path there.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A line has a pattern of base names and says what the object does with the
   contents.  A reviewer has read each object's source; the dates and places
   are in doc/experiments/maps-readers.  An object that is not here has no
   image, which costs memory; a wrong line costs a program its files.  */

{ "libc.so.6", "the bounds of a stack, and whether memory can be written" },
    { "libc-2.*.so", "as libc.so.6, before glibc 2.34" },
    { "libpthread-2.*.so", "the bounds of a stack" },
    { "libjvm.so", "the bounds of the first stack, and lists for people" },
    { "libnode.so.*",
      "free addresses; text by path, device and inode together" },
    { "node", "as libnode" },
    { "opcache.so", "addresses of code that it moves itself" },
    { "libruby*.so*", "a copy of all lines in a crash report" },
    { "libjemalloc.so*", "a copy of all lines in a heap profile" },
