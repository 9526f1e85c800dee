/* A user's library that reveals whether root runs it: however root loads it,
   it creates the file "owned" in its own directory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* With this function, the library can also be loaded as an auditor.  */
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
