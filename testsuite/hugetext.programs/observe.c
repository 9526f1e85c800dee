/* Run a command, and keep what smaps last had of it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   observe FILE COMMAND [ARGUMENT]...

   FILE gets a copy of the command's smaps, from when the executable memory of
   no file in it was most, FILE.resident how many KiB of that are resident.
   Ends as the command does.  */

#define _GNU_SOURCE 1
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Whether LINE of smaps begins a mapping; then *OURS says whether it is
   executable memory of no file, behind *LAST, where the one before ended: who
   is changed while smaps is read has some mappings twice.  */
static bool
begins_mapping (const char *line, bool *ours, unsigned long int *last)
{
  unsigned long int start, end;
  char mode[8], name[256] = "";
  if (sscanf (line, "%lx-%lx %7s %*s %*s %*s %255[^\n]", &start, &end, mode,
              name)
      < 3)
    return false;
  *ours = (start >= *last && strchr (mode, 'x') != NULL
           && (name[0] == '\0' || strncmp (name, "/memfd:", 7) == 0
               || strncmp (name, "/dev/zero", 9) == 0));
  *last = end > *last ? end : *last;
  return true;
}

/* Read smaps of PID into *TEXT, of *SIZE bytes.  KiB of code, or -1.  */
static long int
look (pid_t pid, char **text, size_t *size)
{
  char path[64], line[4400];
  unsigned long int last = 0;
  long int sum = 0, kib;
  bool ours = false;
  snprintf (path, sizeof path, "/proc/%d/smaps", pid);
  FILE *smaps = fopen (path, "re");
  FILE *copy = open_memstream (text, size);
  if (copy == NULL)
    err (1, "memory");
  while (smaps != NULL && fgets (line, sizeof line, smaps) != NULL)
    {
      fputs (line, copy);
      if (!begins_mapping (line, &ours, &last) && ours
          && sscanf (line, "Rss: %ld kB", &kib) == 1)
        sum += kib;
    }
  if (smaps != NULL)
    fclose (smaps);
  fclose (copy);
  return *size > 0 ? sum : -1;
}

static void
write_file (const char *path, const char *suffix, const char *text)
{
  char name[4096];
  snprintf (name, sizeof name, "%s%s", path, suffix);
  FILE *stream = fopen (name, "we");
  if (stream == NULL || fputs (text, stream) < 0 || fclose (stream) != 0)
    err (1, "%s", name);
}

int
main (int argc, char **argv)
{
  int status;
  char *best = NULL, number[32];
  long int most = -1;
  pid_t pid = argc > 2 ? fork () : -1;
  if (pid < 0)
    err (1, "fork");
  if (pid == 0)
    {
      execvp (argv[2], argv + 2);
      err (127, "%s", argv[2]);
    }
  while (waitpid (pid, &status, WNOHANG) == 0)
    {
      char *text;
      size_t size;
      long int kib = look (pid, &text, &size);
      /* The last of those: blocks become huge later.  */
      if (kib >= most)
        {
          most = kib;
          free (best);
          best = text;
        }
      else
        free (text);
      nanosleep (&(struct timespec){ .tv_nsec = 30000000 }, NULL);
    }
  snprintf (number, sizeof number, "%ld", most);
  write_file (argv[1], "", best != NULL ? best : "");
  write_file (argv[1], ".resident", number);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}
