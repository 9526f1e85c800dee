/* Processes: their lists and facts, and the reasons why one cannot be read.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/process.h"
#include "host/looker.h"
#include "host/machine.h"
#include "util/allocate.h"
#include "util/budget.h"
#include "util/printable.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

size_t
process_text (pid_t pid, const char *name, char *text, size_t size)
{
  char path[NAME_MAX + 32];
  snprintf (path, sizeof path, "/proc/%d/%s", (int) pid, name);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? 0 : read (fd, text, size - 1);
  if (fd >= 0)
    close (fd);
  length = length > 0 ? length : 0;
  text[length] = '\0';
  return length;
}

/* Set PROCESS to no more than the owner of PID.  */
static bool
read_owner (pid_t pid, struct process *process)
{
  char path[64];
  struct stat status;
  /* Ask for the owner of the folder: the files in it may be root's even if the
     process is not.  */
  snprintf (path, sizeof path, "/proc/%d", (int) pid);
  if (stat (path, &status) < 0)
    return false;
  *process = (struct process){ .pid = pid, .uid = status.st_uid };
  return true;
}

bool
process_brief (pid_t pid, struct process *process)
{
  if (!read_owner (pid, process))
    return false;
  /* A newline follows the name.  */
  const size_t length
      = process_text (pid, "comm", process->name, sizeof process->name);
  process->name[length > 0 ? length - 1 : 0] = '\0';
  printable_string (process->name);
  return true;
}

bool
process_read (pid_t pid, struct process *process)
{
  char line[512];
  if (!read_owner (pid, process)
      || process_text (pid, "stat", line, sizeof line) == 0)
    return false;

  /* The name is in parentheses, and may have any characters, newlines too.  */
  char *name = strchr (line, '('), *end = strrchr (line, ')');
  char state = 'X';
  unsigned int flags = 0;
  if (name == NULL || end == NULL
      || sscanf (end + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2)
    return false;
  *end = '\0';
  snprintf (process->name, sizeof process->name, "%s", name + 1);
  printable_string (process->name);
  process->state = state;
  process->ended = state == 'Z' || state == 'X' || state == 'x';
  /* PF_KTHREAD, PF_IO_WORKER and PF_USER_WORKER (Linux,
     include/linux/sched.h); doc/experiments/attach says what they do.  */
  process->kernel = (flags & 0x00200000) != 0;
  process->worker = (flags & 0x00004010) != 0;
  return state != 'X' && state != 'x';
}

/* A look at a process.  */
struct reading
{
  struct process process;
  bool good;
  char exe[PATH_MAX]; /* The file that it runs, "" if unknown.  */
};

static void
look_at_state (void *closure)
{
  struct reading *reading = closure;
  reading->good = process_read (reading->process.pid, &reading->process);
}

static void
look_at_exe (void *closure)
{
  struct reading *reading = closure;
  char link[64];
  snprintf (link, sizeof link, "/proc/%d/exe", (int) reading->process.pid);
  ssize_t length = readlink (link, reading->exe, sizeof reading->exe - 1);
  reading->exe[length > 0 ? length : 0] = '\0';
  printable_string (reading->exe);
}

const char *
process_ask (pid_t pid, struct process *process)
{
  struct reading reading = { .process.pid = pid };
  const char *problem
      = looker_ask (pid, look_at_state, NULL, &reading, sizeof reading);
  *process = reading.process;
  if (problem == NULL && !reading.good)
    problem = "there is no such process";
  return problem;
}

void
process_exe (pid_t pid, char *path, size_t size)
{
  struct reading reading = { .process.pid = pid };
  looker_ask (pid, look_at_exe, NULL, &reading, sizeof reading);
  snprintf (path, size, "%s", reading.exe);
}

void
process_cut_deleted (char *path)
{
  static const char deleted[] = " (deleted)";
  size_t length = strlen (path), cut = strlen (deleted);
  if (length > cut && strcmp (path + length - cut, deleted) == 0)
    path[length - cut] = '\0';
}

/* The kernel's limit for one word of an environment (MAX_ARG_STRLEN).  */
#define WORD_MAX (128 * 1024)

/* Read the next word of ENVIRONMENT, up to a null byte, to WORD, which has
   WORD_MAX bytes; what is longer is cut.  A process may say that its
   environment lies anywhere (PR_SET_MM), so each byte is charged.  False if
   there is no more.  */
static bool
read_word (FILE *environment, char *word)
{
  enum
  {
    CHARGED = 4096, /* Bytes that are charged at once.  */
  };
  size_t all = 0, length = 0;
  int c;
  while ((c = getc (environment)) != EOF && c != '\0')
    {
      if (length + 1 < WORD_MAX)
        word[length++] = c;
      if (++all % CHARGED == 0 && !budget_spend (CHARGED))
        return false;
    }
  word[length] = '\0';
  return (c != EOF || all > 0) && budget_spend (all % CHARGED + 1);
}

char *
process_tunables (pid_t pid)
{
  static const char name[] = "GLIBC_TUNABLES=", more[] = "glibc.";
  char path[64], *word = allocate (WORD_MAX), *value = NULL;
  size_t length;
  bool found = false;
  snprintf (path, sizeof path, "/proc/%d/environ", (int) pid);
  FILE *environment = fopen (path, "re");
  FILE *stream = environment != NULL ? open_memstream (&value, &length) : NULL;
  while (stream != NULL && read_word (environment, word))
    if (!found && strncmp (word, name, strlen (name)) == 0)
      {
        fputs (word + strlen (name), stream);
        found = true;
      }
    else if (found && strncmp (word, more, strlen (more)) == 0)
      /* Until 2.38 the loader puts a zero byte at the end of each value.  */
      fprintf (stream, ":%s", word);
    else if (found)
      break;
  if (stream != NULL)
    fclose (stream);
  free (word);
  if (environment != NULL)
    fclose (environment);
  if (found)
    return value;
  free (value);
  return NULL;
}

long
process_number (pid_t pid, const char *field)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/status", (int) pid);
  return machine_field (path, field);
}

const char *
process_misnamed (void)
{
  const long id = machine_field ("/proc/self/status", "Pid:");
  return (id == getpid () ? NULL
          : id < 0        ? "/proc/self/status cannot be read"
                   : "/proc has the processes of another PID namespace, whose"
                     " IDs are others' here");
}

uintptr_t
process_auxiliary (pid_t pid, unsigned long type)
{
  ElfW (auxv_t) vector[64];
  size_t size = process_text (pid, "auxv", (char *) vector, sizeof vector);
  for (size_t i = 0; i < size / sizeof vector[0]; ++i)
    if (vector[i].a_type == type)
      return vector[i].a_un.a_val;
  return 0;
}

bool
process_is_secure (pid_t pid)
{
  return process_auxiliary (pid, AT_SECURE) != 0;
}

static bool
is_named (pid_t pid, const char *name)
{
  struct process process;
  char exe[PATH_MAX];
  if (!process_brief (pid, &process))
    return false;
  if (strcmp (process.name, name) == 0)
    return true;
  process_exe (pid, exe, sizeof exe);
  const char *slash = strrchr (exe, '/');
  return slash != NULL && strcmp (slash + 1, name) == 0;
}

ssize_t
process_list (const char *name, pid_t **list)
{
  size_t count = 0;
  *list = NULL;
  DIR *dir = opendir ("/proc");
  if (dir == NULL)
    return -1;
  const struct dirent *entry;
  while ((entry = readdir (dir)) != NULL)
    {
      pid_t pid = atoi (entry->d_name);
      if (!isdigit ((unsigned char) entry->d_name[0])
          || (name != NULL && !is_named (pid, name)))
        continue;
      *list = allocate_more (*list, count, sizeof **list);
      (*list)[count++] = pid;
    }
  closedir (dir);
  return count;
}

const char *
process_problem (const struct process *process, int error)
{
  static char text[256];
  struct process now;
  if (process_ask (process->pid, &now) != NULL)
    return "it ended while it was being read";
  if (now.ended)
    return process_number (process->pid, "Threads:") > 1
               ? "its first thread has ended, by which its memory is looked at"
               : "it has ended and is a zombie: it has no text any more";
  if (now.kernel)
    return "it is a thread of the kernel: it has no text of its own";
  if (error == EDQUOT && budget_problem () != NULL)
    return budget_problem ();
  if (error == ESRCH || error == ENOENT)
    return "it has no memory (any more)";
  if (error != EACCES && error != EPERM)
    return strerror (error);
  if (geteuid () == 0 || now.uid == geteuid ())
    return "the kernel does not let us look at it (it has changed its"
           " identity, or is protected)";
  const struct passwd *owner = getpwuid (now.uid);
  char number[32];
  snprintf (number, sizeof number, "user %u", (unsigned int) now.uid);
  snprintf (text, sizeof text, "it belongs to %s: try as root",
            owner != NULL ? owner->pw_name : number);
  return text;
}
