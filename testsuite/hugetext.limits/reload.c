/* Open and close a plugin many times, in a control group.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   reload FILE NAME COUNT USAGE [LIMIT BYTES|fill BYTES]
   First writes BYTES to the file LIMIT, which contains the group's limit, or
   fills BYTES bytes of memory.  Then opens, uses and closes FILE COUNT times.
   Each time, prints a line "round" with two numbers: how many bytes of FILE's
   text were copies on huge pages, according to the kernel, and the number in
   the file USAGE after FILE was closed.  At the end, touches the program's
   4 MiB of data once more.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts.h"
#include "text.h"

static char data[4 << 20] = { 1 };

static long int
read_number (const char *file)
{
  char text[64] = "";
  int fd = open (file, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || read (fd, text, sizeof text - 1) <= 0)
    exit (2);
  close (fd);
  return atol (text);
}

int
main (int argc, char **argv)
{
  if (argc != 5 && argc != 7)
    return 2;
  memset (data, 2, sizeof data);
  char *filled = NULL;
  if (argc == 7 && strcmp (argv[5], "fill") == 0)
    {
      filled = malloc (strtoul (argv[6], NULL, 0));
      if (filled == NULL)
        return 3;
      memset (filled, 3, strtoul (argv[6], NULL, 0));
    }
  else if (argc == 7)
    {
      int fd = open (argv[5], O_WRONLY | O_CLOEXEC);
      if (fd < 0
          || write (fd, argv[6], strlen (argv[6]))
                 != (ssize_t) strlen (argv[6]))
        return 3;
      close (fd);
    }
  for (int i = 0; i < atoi (argv[3]); ++i)
    {
      void *handle = dlopen (argv[1], RTLD_NOW);
      if (handle == NULL)
        {
          puts (dlerror ());
          return 1;
        }
      if (text_call (handle, argv[2]) != 0)
        return 4;
      size_t copied = hugetext_copied_text (handle, argv[2]);
      if (dlclose (handle) != 0)
        return 5;
      printf ("round %zu %ld\n", copied, read_number (argv[4]));
    }
  for (size_t i = 0; i < sizeof data; i += 4096)
    data[i] += data[i / 2];
  puts ("done");
  free (filled);
  return 0;
}
