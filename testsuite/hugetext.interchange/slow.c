/* Print the slow instructions that a loader executes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: slow PLACES LOADER [ARG...]

   The program executes LOADER.  Each time LOADER executes an instruction at
   one of PLACES, the program prints a line with the instruction's name and, in
   hexadecimal, the registers EAX and ECX (CPUID's leaf and subleaf).  PLACES
   are words ADDRESS:NAME with blanks between them; ADDRESS is the hexadecimal
   address of an instruction in the file.  The instruction must not have the
   prefix REP, because a single step ends after one repetition.  The exit
   status is 77 if the program may not trace LOADER.

   LOADER is stopped only at these instructions, because single-stepping a
   whole start would take a second or more.  */

#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* The breakpoint instruction, which is one byte long.  */
#define BREAKPOINT 0xcc

#define MOST_PLACES 1000

struct place
{
  unsigned long int address;
  unsigned char byte; /* The first byte of the original instruction.  */
  char name[16];
};

static struct place places[MOST_PLACES];
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

/* Replace the byte at ADDRESS of PID with BYTE.  Return the old byte.  */
static unsigned char
set_byte (pid_t pid, unsigned long int address, unsigned char byte)
{
  const long int code = ptrace (PTRACE_PEEKTEXT, pid, address, NULL);
  if (ptrace (PTRACE_POKETEXT, pid, address, (code & ~0xffL) | byte) != 0)
    err (1, "PTRACE_POKETEXT");
  return code;
}

/* Process PID has just begun to execute FILE.  Put a breakpoint at each of the
   places in WORDS.  */
static void
set_places (pid_t pid, const char *words, const char *file)
{
  struct user_regs_struct regs;
  if (ptrace (PTRACE_GETREGS, pid, NULL, &regs) != 0)
    err (1, "PTRACE_GETREGS");
  const unsigned long int base = regs.rip - entry_of (file);
  int length = 0;
  for (; nplaces < MOST_PLACES; words += length)
    {
      struct place *place = &places[nplaces];
      if (sscanf (words, " %lx:%15s%n", &place->address, place->name, &length)
          != 2)
        break;
      place->address += base;
      place->byte = set_byte (pid, place->address, BREAKPOINT);
      ++nplaces;
    }
  if (nplaces == 0 || words[strspn (words, " ")] != '\0')
    errx (2, "PLACES is not a list of words ADDRESS:NAME: %s", words);
}

/* Return true if PID has stopped at one of the places.  Return true if PID has
   stopped at a slow instruction.  */
static int
has_reached_place (pid_t pid)
{
  struct user_regs_struct regs;
  int status;
  if (ptrace (PTRACE_GETREGS, pid, NULL, &regs) != 0)
    err (1, "PTRACE_GETREGS");
  for (int i = 0; i < nplaces; ++i)
    if (regs.rip == places[i].address + 1)
      {
        printf ("%s %x %x\n", places[i].name, (unsigned int) regs.rax,
                (unsigned int) regs.rcx);
        --regs.rip;
        set_byte (pid, places[i].address, places[i].byte);
        if (ptrace (PTRACE_SETREGS, pid, NULL, &regs) != 0
            || ptrace (PTRACE_SINGLESTEP, pid, NULL, NULL) != 0
            || waitpid (pid, &status, 0) != pid || !WIFSTOPPED (status))
          err (1, "cannot step");
        set_byte (pid, places[i].address, BREAKPOINT);
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
          signal = WSTOPSIG (status) == SIGTRAP && has_reached_place (pid)
                       ? 0
                       : WSTOPSIG (status);
      while (WIFSTOPPED (status));
    }
  return WIFEXITED (status) ? WEXITSTATUS (status) : 1;
}
