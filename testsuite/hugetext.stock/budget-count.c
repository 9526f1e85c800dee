/* Print what the start of a process costs, and what the process has
   afterwards, according to the kernel.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: budget-count TIMES PROGRAM [ARG...]

   Starts PROGRAM, which is budget-program.c under some loader, TIMES times,
   and each time waits until it has written a byte.  Prints lines "NAME
   NUMBER", where NUMBER is the minimum of all starts, except for the faults:

     faults     minor faults: the mean of the middle half of the starts.  The
                random choice of addresses costs up to four faults, so the
                minimum of a few starts would depend on chance.
     reads      bytes that the process has read
     size       KiB of address space
     anonymous  KiB of anonymous memory
     files      open descriptors
     copied     KiB of executable anonymous huge pages
     mapped     KiB of executable huge pages of files
     images     executable mappings of images in the store  */

#include <dirent.h>
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
  FILES,
  COPIED,
  MAPPED,
  IMAGES,
  COUNTS
};

static const char *const names[COUNTS]
    = { "faults", "reads",  "size",   "anonymous",
        "files",  "copied", "mapped", "images" };

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

/* Return the number behind WORD in the file /proc/PID/NAME.  */
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

/* Return the number of open descriptors of PID.  */
static unsigned long int
count_files (pid_t pid)
{
  char path[64];
  unsigned long int count = 0;
  snprintf (path, sizeof path, "/proc/%d/fd", (int) pid);
  DIR *directory = opendir (path);
  if (directory == NULL)
    err (1, "%s", path);
  for (struct dirent *entry; (entry = readdir (directory)) != NULL;)
    count += entry->d_name[0] != '.';
  closedir (directory);
  return count;
}

/* Add the executable mappings of PID to COUNT.  */
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

/* Start the program ARGV once, and set COUNT to what the start has cost.  */
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
  count[FILES] = count_files (pid);
  count[COPIED] = count[MAPPED] = count[IMAGES] = 0;
  read_text (pid, count);
  close (to[1]);
  close (from[0]);
  if (waitpid (pid, &status, 0) != pid || status != 0)
    errx (1, "%s ended with status %#x", argv[0], status);
}

static int
compare_numbers (const void *one, const void *other)
{
  const unsigned long int a = *(const unsigned long int *) one;
  const unsigned long int b = *(const unsigned long int *) other;
  return (a > b) - (a < b);
}

/* Sort the N numbers at LIST, and return the mean of their middle half.  */
static double
average_middle (unsigned long int *list, int n)
{
  double sum = 0;
  const int left_out = n / 4;
  qsort (list, n, sizeof *list, compare_numbers);
  for (int i = left_out; i < n - left_out; ++i)
    sum += list[i];
  return sum / (n - 2 * left_out);
}

int
main (int argc, char **argv)
{
  unsigned long int least[COUNTS], count[COUNTS];
  const int times = argc < 3 ? 0 : atoi (argv[1]);
  if (times < 1)
    errx (1, "usage: budget-count TIMES PROGRAM [ARG...]");
  unsigned long int *faults = calloc (times, sizeof *faults);
  if (faults == NULL)
    err (1, "no memory");
  for (int i = 0; i < times; ++i)
    {
      measure (argv + 2, count);
      faults[i] = count[FAULTS];
      for (int k = 0; k < COUNTS; ++k)
        if (i == 0 || count[k] < least[k])
          least[k] = count[k];
    }
  printf ("%s %.1f\n", names[FAULTS], average_middle (faults, times));
  for (int k = FAULTS + 1; k < COUNTS; ++k)
    printf ("%s %lu\n", names[k], least[k]);
  free (faults);
  return 0;
}
