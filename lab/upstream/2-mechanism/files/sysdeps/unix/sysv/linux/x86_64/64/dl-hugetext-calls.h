/* Calls by which the loader puts program text on huge pages.  x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <sysdeps/unix/sysv/linux/dl-hugetext-calls.h>
