/* Print what a start has cost, by the kernel's account.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: budget-count TIMES PROGRAM [ARG...]

   Starts PROGRAM, which is budget-program.c under some loader, TIMES times,
   waits until it has written a byte, and prints lines "NAME NUMBER", the least
   that was seen, since how addresses are chosen costs a few faults:

     faults     minor faults
     reads      bytes that it has read
     size       KiB of address space
     anonymous  KiB of memory of its own
     copied     KiB of that, executable huge pages
     mapped     KiB of executable huge pages of files
     images     mappings of images of the store  */

#include <err.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum
{
  FAULTS,
  READS,
  SIZE,
  ANONYMOUS,
  COPIED,
  MAPPED,
  IMAGES,
  COUNTS
};

static const char *const names[COUNTS]
    = { "faults", "reads", "size", "anonymous", "copied", "mapped", "images" };

static FILE *
open_file (pid_t pid, const char *name)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/%s", (int) pid, name);
  FILE *file = fopen (path, "r");
  if (file == NULL)
    err (1, "%s", path);
  return file;
}

/* The number behind WORD in the file NAME of PID.  */
static unsigned long int
read_number (pid_t pid, const char *name, const char *word)
{
  char line[256];
  unsigned long int number = 0;
  FILE *file = open_file (pid, name);
  while (fgets (line, sizeof line, file) != NULL)
    if (strncmp (line, word, strlen (word)) == 0)
      number = strtoul (line + strlen (word), NULL, 10);
  fclose (file);
  return number;
}

static unsigned long int
read_faults (pid_t pid)
{
  unsigned long int faults;
  FILE *file = open_file (pid, "stat");
  if (fscanf (file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %lu", &faults)
      != 1)
    errx (1, "no faults in stat");
  fclose (file);
  return faults;
}

/* Add what is executable in PID to COUNT.  */
static void
read_text (pid_t pid, unsigned long int count[])
{
  char line[4200], mode[8] = "";
  unsigned long int kib;
  FILE *file = open_file (pid, "smaps");
  while (fgets (line, sizeof line, file) != NULL)
    if (sscanf (line, "%*x-%*x %7s", mode) == 1)
      count[IMAGES] += mode[2] == 'x' && strstr (line, "/store/") != NULL;
    else if (mode[2] != 'x')
      continue;
    else if (sscanf (line, "AnonHugePages: %lu", &kib) == 1)
      count[COPIED] += kib;
    else if (sscanf (line, "FilePmdMapped: %lu", &kib) == 1
             || sscanf (line, "ShmemPmdMapped: %lu", &kib) == 1)
      count[MAPPED] += kib;
  fclose (file);
}

/* Start the program ARGV once and set COUNT.  */
static void
measure (char **argv, unsigned long int count[])
{
  int to[2], from[2], status;
  pid_t pid;
  char byte;
  posix_spawn_file_actions_t actions;
  if (pipe (to) != 0 || pipe (from) != 0)
    err (1, "pipe");
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_adddup2 (&actions, to[0], 0);
  posix_spawn_file_actions_adddup2 (&actions, from[1], 1);
  for (int i = 0; i < 2; ++i)
    {
      posix_spawn_file_actions_addclose (&actions, to[i]);
      posix_spawn_file_actions_addclose (&actions, from[i]);
    }
  if (posix_spawn (&pid, argv[0], &actions, NULL, argv, environ) != 0)
    errx (1, "cannot start %s", argv[0]);
  posix_spawn_file_actions_destroy (&actions);
  close (from[1]);
  close (to[0]);
  if (read (from[0], &byte, 1) != 1)
    errx (1, "%s has not started", argv[0]);
  count[FAULTS] = read_faults (pid);
  count[READS] = read_number (pid, "io", "rchar: ");
  count[SIZE] = read_number (pid, "status", "VmSize:");
  count[ANONYMOUS] = read_number (pid, "status", "RssAnon:");
  count[COPIED] = count[MAPPED] = count[IMAGES] = 0;
  read_text (pid, count);
  close (to[1]);
  close (from[0]);
  if (waitpid (pid, &status, 0) != pid || status != 0)
    errx (1, "%s ended with status %#x", argv[0], status);
}

int
main (int argc, char **argv)
{
  unsigned long int least[COUNTS], count[COUNTS];
  if (argc < 3)
    errx (1, "usage: budget-count TIMES PROGRAM [ARG...]");
  measure (argv + 2, least);
  for (int i = atoi (argv[1]); i > 1; --i)
    {
      measure (argv + 2, count);
      for (int k = 0; k < COUNTS; ++k)
        if (count[k] < least[k])
          least[k] = count[k];
    }
  for (int k = 0; k < COUNTS; ++k)
    printf ("%s %lu\n", names[k], least[k]);
  return 0;
}
