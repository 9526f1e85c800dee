/* A program for observers: it loops or dumps core in a function that another
   function has called.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   loop loop|crash [MAPPINGS]

   Maps its own first page MAPPINGS times.  Prints the address of its ELF
   header, and the address and 16 bytes of some text that is in another
   block.  */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char __ehdr_start[];
extern int big_text (void);

/* From the beginning of big_text, this distance leads to the second or third
   block of the text, which has three blocks.  */
#define DISTANCE 0x300000

volatile int stop;

__attribute__ ((noinline)) int
inner_frame (int crash)
{
  if (crash)
    abort ();
  while (!stop)
    continue;
  return crash + 1;
}

__attribute__ ((noinline)) int
outer_frame (int crash)
{
  return inner_frame (crash) + 1;
}

/* Map the first page of this program COUNT times.  */
static void
map (int count)
{
  const int fd = open ("/proc/self/exe", O_RDONLY);
  for (int i = 0; i < count; ++i)
    if (mmap (NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
      exit (2);
}

int
main (int argc, char **argv)
{
  int crash = argc > 1 && strcmp (argv[1], "crash") == 0;
  map (argc > 2 ? atoi (argv[2]) : 0);
  const unsigned char *text = (const unsigned char *) big_text + DISTANCE;

  printf ("header %lx text %lx bytes ", (unsigned long) __ehdr_start,
          (unsigned long) text);
  for (int i = 0; i < 16; ++i)
    printf ("%02x", text[i]);
  printf ("\n");
  fflush (stdout);
  alarm (60);
  return outer_frame (crash + big_text ());
}
