/* Use a library, open its file for writing, and go on using it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   written FILE

   FILE is libwritten.so.  This program is linked with FILE and uses all of it.
   It appends a byte to FILE; this byte is not part of the ELF object.  The
   program writes records with the names "before", "open" and "exit" (facts.h).
   The output contains no address and no size, so that it is the same each
   time.  */

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "facts.h"
#include "text.h"

int
main (int argc, char **argv)
{
  text_use (NULL, "written", 0);
  hugetext_facts ("before");
  int fd = argc == 2 ? open (argv[1], O_WRONLY | O_APPEND) : -1;
  if (fd < 0)
    {
      perror ("written");
      return 1;
    }
  text_use (NULL, "written", 0);
  hugetext_facts ("open");
  if (write (fd, "w", 1) != 1 || close (fd) != 0)
    {
      perror ("written");
      return 1;
    }
  text_use (NULL, "written", 0);
  return 0;
}
