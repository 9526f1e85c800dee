/* A static program with much text: it calls the text, prints facts about
   itself, and prints what the kernel says about the text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   program WORD...
   call    call every function of the text
   self    print what must be the same as without hugetext
   huge    print, from smaps, how much of the text is in mappings with huge
           pages, and where in the text
   exit N  end with status N
   signal  end by SIGUSR1
   sleep N sleep for N seconds  */

#define _GNU_SOURCE 1
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text-step.h"

extern char big_text[];

static int
call (void)
{
  int wrong = 0, number = 0;
  for (size_t i = 0; i + FUNCTION <= BIG_TEXT; i += STEP, ++number)
    {
      int (*function) (void) = (int (*) (void)) (uintptr_t) (big_text + i);
      wrong += function () != number;
    }
  printf ("%d functions, %d wrong\n", number, wrong);
  return wrong;
}

/* Print the auxiliary vector.  For entries that contain addresses, print only
   whether the address is 0, because the addresses differ from start to
   start.  */
static void
print_vector (char **environment)
{
  while (*environment != NULL)
    ++environment;
  for (const Elf64_auxv_t *v = (const Elf64_auxv_t *) (environment + 1);
       v->a_type != AT_NULL; ++v)
    {
      int address = (v->a_type == AT_RANDOM || v->a_type == AT_SYSINFO_EHDR
                     || v->a_type == AT_EXECFN || v->a_type == AT_PLATFORM
                     || v->a_type == AT_PHDR || v->a_type == AT_ENTRY);
      printf ("auxv %lu %lx\n", (unsigned long) v->a_type,
              address ? v->a_un.a_val != 0 : (unsigned long) v->a_un.a_val);
    }
}

static void
print_lines (const char *file, const char *const names[])
{
  char line[4096];
  FILE *stream = fopen (file, "r");
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL)
    for (const char *const *name = names; *name != NULL; ++name)
      if (strncmp (line, *name, strlen (*name)) == 0)
        fputs (line, stdout);
  if (stream != NULL)
    fclose (stream);
}

static void
print_self (char **argv, char **environment)
{
  static const char *const names[]
      = { "Name:",       "Umask:",   "TracerPid:", "Uid:",    "SigPnd:",
          "ShdPnd:",     "SigBlk:",  "SigIgn:",    "SigCgt:", "CapEff:",
          "NoNewPrivs:", "Seccomp:", "Threads:",   NULL };
  char path[4096];
  struct rusage usage;
  for (char **word = argv; *word != NULL; ++word)
    printf ("argument %s\n", *word);
  for (char **word = environment; *word != NULL; ++word)
    if (strncmp (*word, "GLIBC_TUNABLES=", 15) != 0)
      printf ("environment %s\n", *word);
  print_vector (environment);
  ssize_t length = readlink ("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  printf ("exe %s\n", path);
  print_lines ("/proc/self/status", names);
  errno = 0;
  int child = waitpid (-1, NULL, WNOHANG | __WALL);
  printf ("children %d %d\n", child > 0 ? 1 : child, errno);
  getrusage (RUSAGE_CHILDREN, &usage);
  printf ("children used %ld KiB, %ld us, %ld faults\n", usage.ru_maxrss,
          (long) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
          usage.ru_minflt);
  int death = 0;
  prctl (PR_GET_PDEATHSIG, &death);
  printf ("death %d leader %d %d\n", death, getpgrp () == getpid (),
          getsid (0) == getpid ());
  for (int fd = 0; fd < 64; ++fd)
    {
      snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
      if (access (path, F_OK) == 0)
        printf ("descriptor %d\n", fd);
    }
}

/* Print how many bytes of the text are in mappings that are huge as a whole,
   how many of these are on huge pages of a file and how many on anonymous
   ones, and where in the text these mappings are.  */
static void
print_huge (void)
{
  unsigned long start = 0, end = 0, text = 0, file = 0, copy = 0;
  unsigned long first, last, size, value;
  unsigned long from = (unsigned long) big_text, to = from + BIG_TEXT;
  char line[4096], name[64], where[1024] = "";
  size_t at = 0;
  const unsigned long half = 1UL << 19; /* Half a MiB, to round to MiB.  */
  FILE *stream = fopen ("/proc/self/smaps", "r");
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL)
    {
      if (sscanf (line, "%lx-%lx ", &first, &last) == 2)
        {
          start = first;
          end = last;
        }
      else if (sscanf (line, "%63[A-Za-z]: %lu kB", name, &value) == 2
               && value * 1024 == end - start && start < to && end > from)
        {
          size = ((end < to ? end : to) - (start > from ? start : from));
          if (strcmp (name, "FilePmdMapped") == 0
              || strcmp (name, "ShmemPmdMapped") == 0)
            file += size;
          else if (strcmp (name, "AnonHugePages") == 0)
            copy += size;
          else
            continue;
          text += size;
          at += snprintf (
              where + at, at < sizeof where ? sizeof where - at : 0,
              " %lu+%lu", start > from ? (start - from + half) >> 20 : 0,
              (size + half) >> 20);
        }
    }
  if (stream != NULL)
    fclose (stream);
  printf ("huge %lu file %lu copy %lu from %lx\n", text, file, copy, from);
  printf ("MiB%s\n", where);
}

int
main (int argc, char **argv)
{
  int wrong = 0;
  /* Use environ to find the environment.  If main of Rust calls this function,
     ARGV is an array made by Rust, and the environment does not follow it in
     memory.  */
  char **environment = environ;
  for (int i = 1; i < argc; ++i)
    if (strcmp (argv[i], "call") == 0)
      wrong += call ();
    else if (strcmp (argv[i], "self") == 0)
      print_self (argv, environment);
    else if (strcmp (argv[i], "huge") == 0)
      print_huge ();
    else if (strcmp (argv[i], "signal") == 0)
      raise (SIGUSR1);
    else if (strcmp (argv[i], "sleep") == 0 && i + 1 < argc)
      {
        fflush (stdout);
        sleep (atoi (argv[++i]));
      }
    else if (strcmp (argv[i], "exit") == 0 && i + 1 < argc)
      {
        fflush (stdout);
        return wrong != 0 ? 99 : atoi (argv[i + 1]);
      }
  return wrong != 0 ? 99 : 0;
}
