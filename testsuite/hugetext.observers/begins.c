/* Print how the text of the process's objects is mapped, as libunwind sees it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libunwind computes an object's load bias from the line of /proc/self/maps
   that contains an address of the object's text.  Up to version 1.6 it looks
   for the program header with the file offset of this line.  From version 1.7
   on it takes the first program header of text.  For each page of text in the
   object of main and in the object that the last argument names, the program
   computes both.  The last argument is opened by dlopen, if the first one is
   "dlopen".  Prints a line for each object:

     text OBJECT lines=NUMBER old=BOOLEAN new=BOOLEAN names=NUMBER

   LINES is the number of lines of maps that contain text of the object; OLD
   and NEW say whether the results for all pages are right.  NAMES is the
   number of pages for which this machine's libunwind finds a function, or -1
   without libunwind.  Then waits for the end of its input.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#ifdef UNWIND
#  define UNW_LOCAL_ONLY
#  include <libunwind.h>
#endif

/* The line of maps that contains an address.  */
struct line
{
  unsigned long start, end, offset;
  int named;
};

static struct line
find_line (unsigned long address)
{
  char text[4400];
  struct line line = { 0, 0, 0, 0 };
  FILE *maps = fopen ("/proc/self/./maps", "r");
  while (fgets (text, sizeof text, maps) != NULL)
    if (sscanf (text, "%lx-%lx %*s %lx", &line.start, &line.end, &line.offset)
            == 3
        && line.start <= address && address < line.end)
      {
        line.named = strchr (text, '/') != NULL;
        break;
      }
  fclose (maps);
  return line;
}

static int
is_text (const ElfW (Phdr) * phdr)
{
  return phdr->p_type == PT_LOAD && (phdr->p_flags & PF_X) != 0;
}

/* Return the load bias that libunwind computes for LINE, or -1 if it finds
   none.  */
static unsigned long
bias_of (const struct dl_phdr_info *info, const struct line *line, int new)
{
  for (int i = 0; i < info->dlpi_phnum; ++i)
    {
      const ElfW (Phdr) *phdr = &info->dlpi_phdr[i];
      if (new ? is_text (phdr)
              : phdr->p_type == PT_LOAD
                    && (phdr->p_offset & -4096UL) == line->offset)
        return line->start - (phdr->p_vaddr & -4096UL);
    }
  return -1UL;
}

/* Return true if libunwind finds a function at ADDRESS.  */
static int
has_name (unsigned long address)
{
#ifdef UNWIND
  char name[256];
  unw_word_t offset;
  unw_context_t context;
  unw_cursor_t cursor;
  unw_getcontext (&context);
  unw_init_local (&cursor, &context);
  unw_set_reg (&cursor, UNW_REG_IP, address + 1);
  return (unw_get_proc_name (&cursor, name, sizeof name, &offset) == 0
          && strstr (name, "_text") != NULL);
#else
  (void) address;
  return 0;
#endif
}

static int
say (struct dl_phdr_info *info, size_t size, void *closure)
{
  const char *wanted = closure;
  const char *slash = strrchr (info->dlpi_name, '/');
  const char *name = info->dlpi_name[0] == '\0' ? "main"
                     : slash != NULL            ? slash + 1
                                                : info->dlpi_name;
  int lines = 0, old = 1, new = 1, names = 0;
  unsigned long last = 0;
  (void) size;
  if (strcmp (name, "main") != 0 && strcmp (info->dlpi_name, wanted) != 0)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (is_text (&info->dlpi_phdr[i]))
      {
        const ElfW (Phdr) *phdr = &info->dlpi_phdr[i];
        const unsigned long start = info->dlpi_addr + phdr->p_vaddr;
        for (unsigned long at = start; at < start + phdr->p_memsz;
             at += 0x40000)
          {
            const struct line line = find_line (at);
            lines += line.start != last;
            last = line.start;
            old &= line.named && bias_of (info, &line, 0) == info->dlpi_addr;
            new &= line.named &&bias_of (info, &line, 1) == info->dlpi_addr;
            names += has_name (at);
          }
      }
#ifndef UNWIND
  names = -1;
#endif
  printf ("text %s lines=%d old=%d new=%d names=%d\n", name, lines, old, new,
          names);
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], "dlopen") == 0
      && dlopen (argv[argc - 1], RTLD_NOW) == NULL)
    puts (dlerror ());
  dl_iterate_phdr (say, argv[argc - 1]);
  puts ("end");
  fflush (stdout);
  while (getchar () != EOF)
    ;
  return 0;
}
