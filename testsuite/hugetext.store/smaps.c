/* A library that copies the kernel's account of this process's memory when the
   process exits.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Copies /proc/self/smaps to the file that the environment variable
   HUGETEXT_SMAPS names.  */

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void __attribute__ ((destructor)) leave_smaps (void)
{
  static char buffer[4096];
  const char *name = getenv ("HUGETEXT_SMAPS");
  if (name == NULL)
    return;
  int in = open ("/proc/self/smaps", O_RDONLY);
  int out = open (name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ssize_t n;
  while ((n = read (in, buffer, sizeof buffer)) > 0)
    if (write (out, buffer, n) != n)
      abort ();
  close (in);
  close (out);
}
