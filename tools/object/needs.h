/* The libraries, paths and interpreter that an ELF file says it needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef NEEDS_H
#define NEEDS_H

#include "util/filelist.h"

/* The entries of a dynamic section that decide which libraries are loaded.
   NULL for a missing entry.  */
struct needs
{
  struct file_list libraries; /* DT_NEEDED, in its order.  */
  char *soname, *rpath, *runpath;
  bool own_folders_only; /* DF_1_NODEFLIB.  */
};

/* Read NEEDS, which the caller frees, from the ELF file FD.  Return NULL, or
   what is wrong.  */
extern const char *needs_read (int fd, struct needs *needs);

extern void needs_free (struct needs *needs);

#endif
