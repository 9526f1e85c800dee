/* A program whose library is rewritten while its text is mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   rewritten LIBRARY NAME COPY

   The program opens LIBRARY, which is made from text.S with the name NAME.
   Then it does these steps.  After each of the first five, it prints how many
   functions of the library return another number than before the first step:

     1. Open LIBRARY for writing.
     2. Overwrite it with the same bytes.
     3. Overwrite it so that all functions return 0.
     4. Overwrite it with the original bytes.
     5. Rename COPY, a file with the same bytes, to LIBRARY.
     6. Truncate the old file in the middle of the text.  Call a function of
        each half in a child, and print how the child ends: a function of the
        missing half kills it.
     7. Try to open the program's own file for writing, and print the result.

   Before the first step the program writes the record "before" (facts.h).  */

#include "facts.h"
#include "text-step.h"
#include "text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *handle;
static const char *name;

/* The original contents of the library's file.  */
static char *bytes;
static size_t size;

/* If GOOD is false, print an error message about WHAT, and end the
   program.  */
static void
need (int good, const char *what)
{
  if (good)
    return;
  perror (what);
  exit (2);
}

static void
print_step (const char *step)
{
  printf ("%s: %d functions differ\n", step, text_call (handle, name));
  fflush (stdout);
}

static void
overwrite (int file, const char *with)
{
  for (size_t done = 0; done < size;)
    {
      const ssize_t n = pwrite (file, with + done, size - done, done);
      need (n > 0, "pwrite");
      done += n;
    }
}

/* Return the offset of ADDRESS in the library's file.  */
static size_t
offset_of (const char *address)
{
  const struct link_map *map = handle;
  const ElfW (Ehdr) *header = (const void *) bytes;
  const ElfW (Phdr) *segment = (const void *) (bytes + header->e_phoff);
  const uintptr_t at = (uintptr_t) address - map->l_addr;
  for (int i = 0; i < header->e_phnum; ++i, ++segment)
    if (segment->p_type == PT_LOAD && at >= segment->p_vaddr
        && at < segment->p_vaddr + segment->p_filesz)
      return at - segment->p_vaddr + segment->p_offset;
  need (0, "offset");
  return 0;
}

/* Return the library's text, and set LENGTH to its length.  */
static char *
text_of (size_t *length)
{
  char symbol[256];
  Dl_info info;
  const ElfW (Sym) * entry;
  snprintf (symbol, sizeof symbol, "%s_text", name);
  char *text = dlsym (handle, symbol);
  need (text != NULL
            && dladdr1 (text, &info, (void **) &entry, RTLD_DL_SYMENT) != 0,
        symbol);
  *length = entry->st_size;
  return text;
}

/* Print how a child ends that calls the function at ADDRESS.  */
static void
print_child (const char *what, const char *address)
{
  int status;
  const pid_t child = fork ();
  if (child == 0)
    _exit (((int (*) (void)) address) () & 1);
  need (child > 0 && waitpid (child, &status, 0) == child, "child");
  printf ("%s: %s %d\n", what, WIFSIGNALED (status) ? "signal" : "exit",
          WIFSIGNALED (status) ? WTERMSIG (status) : WEXITSTATUS (status));
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  struct stat status;
  size_t length;
  if (argc != 4)
    return 2;
  name = argv[2];
  handle = dlopen (argv[1], RTLD_NOW);
  need (handle != NULL, "dlopen");
  print_step ("opened");
  if (getenv ("HUGETEXT_FACTS") != NULL)
    hugetext_facts ("before");

  const int file = open (argv[1], O_RDWR | O_CLOEXEC);
  need (file >= 0 && fstat (file, &status) == 0, argv[1]);
  print_step ("opened for writing");

  size = status.st_size;
  bytes = malloc (2 * size);
  need (bytes != NULL && pread (file, bytes, size, 0) == (ssize_t) size,
        "pread");
  overwrite (file, bytes);
  print_step ("overwritten with identical bytes");

  char *const text = text_of (&length), *changed = bytes + size;
  const size_t start = offset_of (text);
  memcpy (changed, bytes, size);
  for (size_t i = STEP; i + FUNCTION <= length; i += STEP)
    memcpy (changed + start + i, bytes + start, FUNCTION);
  overwrite (file, changed);
  print_step ("overwritten with other bytes");
  overwrite (file, bytes);
  print_step ("overwritten again");

  need (rename (argv[3], argv[1]) == 0, "rename");
  print_step ("replaced");
  need (ftruncate (file, start + length / 2) == 0, "ftruncate");
  print_child ("shorter, first half", text);
  print_child ("shorter, second half", text + length / STEP * STEP - STEP);

  const int own = open (realpath ("/proc/self/exe", NULL), O_RDWR | O_CLOEXEC);
  printf ("own file: %s\n", own < 0 ? strerror (errno) : "opened");
  fflush (stdout);
  /* Do not run destructors, because parts of the library that they need may
     be gone.  */
  _exit (0);
}
