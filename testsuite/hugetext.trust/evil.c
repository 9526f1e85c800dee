/* A library of a user's that says whether root runs it: loaded in any way, it
   makes "owned" beside itself.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* This function makes it a library for audits.  */
unsigned int
la_version (unsigned int version)
{
  return version;
}

static void __attribute__ ((constructor)) own (void)
{
  Dl_info info;
  char path[PATH_MAX + 8];
  if (geteuid () != 0 || dladdr ((void *) own, &info) == 0)
    return;
  snprintf (path, sizeof path, "%.*s/owned",
            (int) (strrchr (info.dli_fname, '/') - info.dli_fname),
            info.dli_fname);
  close (open (path, O_WRONLY | O_CREAT, 0644));
}
