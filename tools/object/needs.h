/* The libraries, paths and interpreter that an ELF file says it needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef NEEDS_H
#define NEEDS_H

#include "util/filelist.h"

/* The words of a dynamic section that tell which libraries are loaded.
   NULL for what it does not say.  */
struct needs
{
  struct file_list libraries; /* DT_NEEDED, in its order.  */
  char *soname, *rpath, *runpath;
  bool own_folders_only; /* DF_1_NODEFLIB.  */
};

/* Read NEEDS, which is to be freed, from the ELF file FD.  Returns NULL, or
   what is wrong.  */
extern const char *needs_read (int fd, struct needs *needs);

extern void needs_free (struct needs *needs);

#endif
