/* A program that prints the addresses of its parts, and executes itself again.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: aslr LIBRARY COUNT

   Prints a line for each of COUNT starts: the addresses, in hexadecimal, of
   the text of the program, of a library that it is linked with, of libc, of
   LIBRARY, which it opens, of the loader's ELF header, of the vDSO, of an
   anonymous mapping, of the heap and of the stack.  For its next start, the
   program executes itself (execve), so that the kernel chooses new
   addresses.  */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

extern void program_text (void), library_text (void);

int
main (int argc, char **argv)
{
  if (argc != 3)
    return 2;
  long int count = strtol (argv[2], NULL, 10);
  void *opened = dlopen (argv[1], RTLD_NOW);
  void *opened_text = opened != NULL ? dlsym (opened, "opened_text") : NULL;
  void *libc_text = dlsym (RTLD_DEFAULT, "puts");
  void *page
      = mmap (NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (opened_text == NULL || libc_text == NULL || page == MAP_FAILED)
    {
      fprintf (stderr, "aslr: %s cannot be opened, or there is no memory\n",
               argv[1]);
      return 1;
    }
  printf ("%lx %lx %lx %lx %lx %lx %lx %lx %lx\n", (uintptr_t) program_text,
          (uintptr_t) library_text, (uintptr_t) libc_text,
          (uintptr_t) opened_text, getauxval (AT_BASE),
          getauxval (AT_SYSINFO_EHDR), (uintptr_t) page, (uintptr_t) sbrk (0),
          (uintptr_t) &argc);
  fflush (stdout);
  if (count <= 1)
    return 0;
  char left[24];
  snprintf (left, sizeof left, "%ld", count - 1);
  execl ("/proc/self/exe", argv[0], argv[1], left, (char *) NULL);
  perror ("aslr: cannot execute /proc/self/exe again");
  return 1;
}
