/* Map a file in small pages, as processes under the stock loader do.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   hold FILE

   Maps FILE, reads each of its pages, locks the pages in memory if the limit
   allows it, prints "held", and waits until it is killed.  */

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  struct stat st;
  int fd = argc == 2 ? open (argv[1], O_RDONLY) : -1;
  if (fd < 0 || fstat (fd, &st) != 0)
    {
      fputs ("usage: hold FILE\n", stderr);
      return 2;
    }
  volatile char *memory
      = mmap (NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED)
    return 1;
  for (off_t i = 0; i < st.st_size; i += sysconf (_SC_PAGESIZE))
    memory[i];
  mlock ((const void *) memory, st.st_size);
  puts ("held");
  fflush (stdout);
  pause ();
  return 0;
}
