/* Print the CPUID leaves that a loader reads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: cpuid PLACES LOADER [ARG...]

   Executes LOADER, and prints a line for each CPUID at one of PLACES: leaf and
   subleaf, in hexadecimal.  PLACES are the addresses of these instructions in
   the file, numbers with blanks between them.  The exit status is 77 if no
   process may trace another.

   The program stops at these instructions only: to step through a whole start
   would take a second or more.  */

#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* The bytes of CPUID, as a number, and that of a breakpoint.  */
#define CPUID 0xa20f
#define BREAKPOINT 0xcc

#define MOST_PLACES 1000

static unsigned long int places[MOST_PLACES];
static int nplaces;

/* Return the address of the entry point of FILE.  */
static unsigned long int
entry_of (const char *file)
{
  Elf64_Ehdr header;
  int fd = open (file, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || read (fd, &header, sizeof header) != sizeof header)
    err (1, "%s", file);
  close (fd);
  return header.e_entry;
}

/* Put a breakpoint at PLACE of PID, or CPUID back.  */
static void
set_place (pid_t pid, unsigned long int place, int stop)
{
  long int code = ptrace (PTRACE_PEEKTEXT, pid, place, NULL);
  if (((code ^ CPUID) & 0xff00) != 0
      || (code & 0xff) != (stop ? CPUID & 0xff : BREAKPOINT))
    errx (1, "%#lx: there is no CPUID", place);
  code = (code & ~0xffL) | (stop ? BREAKPOINT : CPUID & 0xff);
  if (ptrace (PTRACE_POKETEXT, pid, place, code) != 0)
    err (1, "PTRACE_POKETEXT");
}

/* Read WORDS, for PID, which has just begun to execute FILE.  */
static void
set_places (pid_t pid, const char *words, const char *file)
{
  struct user_regs_struct regs;
  if (ptrace (PTRACE_GETREGS, pid, NULL, &regs) != 0)
    err (1, "PTRACE_GETREGS");
  const unsigned long int base = regs.rip - entry_of (file);
  char *end;
  for (; nplaces < MOST_PLACES; words = end)
    {
      unsigned long int place = strtoul (words, &end, 16);
      if (end == words)
        break;
      places[nplaces++] = base + place;
      set_place (pid, base + place, 1);
    }
  if (nplaces == 0 || *end != '\0')
    errx (2, "not a list of numbers: %s", words);
}

/* Whether PID has stopped at one of the places.  Then print its question, and
   let it ask.  */
static int
asked (pid_t pid)
{
  struct user_regs_struct regs;
  int status;
  if (ptrace (PTRACE_GETREGS, pid, NULL, &regs) != 0)
    err (1, "PTRACE_GETREGS");
  for (int i = 0; i < nplaces; ++i)
    if (regs.rip == places[i] + 1)
      {
        printf ("%x %x\n", (unsigned int) regs.rax, (unsigned int) regs.rcx);
        --regs.rip;
        set_place (pid, places[i], 0);
        if (ptrace (PTRACE_SETREGS, pid, NULL, &regs) != 0
            || ptrace (PTRACE_SINGLESTEP, pid, NULL, NULL) != 0
            || waitpid (pid, &status, 0) != pid || !WIFSTOPPED (status))
          err (1, "cannot step");
        set_place (pid, places[i], 1);
        return 1;
      }
  return 0;
}

int
main (int argc, char **argv)
{
  pid_t pid = argc > 2 ? fork () : -1;
  int status;
  if (pid == 0)
    {
      if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
      execv (argv[2], argv + 2);
      err (127, "%s", argv[2]);
    }
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    err (1, "cannot start a program");
  if (WIFSTOPPED (status))
    {
      int signal = 0;
      set_places (pid, argv[1], argv[2]);
      do
        if (ptrace (PTRACE_CONT, pid, NULL, signal) != 0
            || waitpid (pid, &status, 0) != pid)
          err (1, "PTRACE_CONT");
        else if (WIFSTOPPED (status))
          signal = WSTOPSIG (status) == SIGTRAP && asked (pid)
                       ? 0
                       : WSTOPSIG (status);
      while (WIFSTOPPED (status));
    }
  return WIFEXITED (status) ? WEXITSTATUS (status) : 1;
}
