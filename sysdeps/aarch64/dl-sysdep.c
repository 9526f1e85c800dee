/* Operating system support for run-time dynamic linker.  AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file includes the stock file by its path, because #include_next would
   find this file again.  */

#include <dl-environment.h>

#define _dl_sysdep_start _dl_sysdep_start_stock
#include <sysdeps/unix/sysv/linux/dl-sysdep.c>
#undef _dl_sysdep_start

#include <dl-sysdep-hugetext.h>
