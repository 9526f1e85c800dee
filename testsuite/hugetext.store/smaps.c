/* A library that copies /proc/self/smaps when the process exits.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The environment variable HUGETEXT_SMAPS names the copy.  */

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
