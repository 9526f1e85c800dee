/* Write to a file in the directory that an inspected process sees as /tmp.  A
   child process with only the rights of the inspected process's user writes
   the file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/userfile.h"
#include "host/reader.h"
#include "host/stuck.h"
#include "host/unprivileged.h"
#include "util/allocate.h"
#include "util/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum
{
  PATIENCE = 10000, /* The time limit for the child, in milliseconds.  */
  MOST = 16 << 20,  /* The maximum size in bytes of an existing file whose
                       lines are compared with TEXT.  */
  /* The limits of the child: memory in bytes, and CPU time in seconds.  The
     memory must suffice even for a file that consists of empty lines, because
     each line needs a pointer.  */
  MEMORY = 1 << 30,
  WORK = 10,
  PIPE = 3,    /* The descriptor of the pipe, in the child.  */
  PROCESS = 4, /* The descriptor of the process (pidfd), in the child.  */
};

/* The user and group of the process for which the file is written, as the
   kernel reports them.  */
struct owner
{
  uid_t user;
  gid_t group;
  int inside; /* The ID that the process has in its own PID namespace.  */
};

/* STATUS is the text of /proc/PID/status.  Return the number in column COLUMN
   after the word FIELD.  If the line of FIELD has fewer columns, return the
   last number of the line.  If STATUS has no number after FIELD, return
   -1.  */
static long int
userfile_parse_number (const char *status, const char *field, int column)
{
  long int number = -1;
  const char *at = strstr (status, field);
  if (at == NULL)
    return -1;
  at += strlen (field);
  for (int i = 0; i <= column; ++i)
    {
      char *end;
      at += strspn (at, "\t ");
      const long int next = strtol (at, &end, 10);
      if (end == at)
        break;
      number = next;
      at = end;
    }
  return number;
}

/* The real, effective and saved IDs of a process are the first three columns
   of the lines "Uid:" and "Gid:" in STATUS.  Set OWNER to the user and the
   group of the process.  The real, effective and saved ID must be equal.  If
   the IDs differ, the program has the rights of another user, and the command
   writes no file for the program.  */
static bool
parse_owner (const char *status, struct owner *owner, struct problem *problem)
{
  const long int user = userfile_parse_number (status, "\nUid:", 0);
  const long int group = userfile_parse_number (status, "\nGid:", 0);
  const long int inside = userfile_parse_number (status, "\nNStgid:", 32);
  if (user < 0 || group < 0 || inside < 0)
    return problem_set (problem,
                        "/proc does not show the user of the process");
  for (int i = 1; i < 3; ++i)
    if (userfile_parse_number (status, "\nUid:", i) != user
        || userfile_parse_number (status, "\nGid:", i) != group)
      return problem_set (problem, "the real, effective and saved user or "
                                   "group IDs of the process differ");
  *owner = (struct owner){ user, group, inside };
  return true;
}

/* In an unprivileged child: FILE is the file "status" of a process.  Put the
   user and the group of the process into ANSWER.  */
static void
answer_owner (const struct reader_file *file, const void *none,
              struct message *answer)
{
  char status[4096];
  struct owner owner = { 0, 0, 0 };
  struct problem problem = { 0 };
  (void) none;
  const ssize_t length = read (file->fd, status, sizeof status - 1);
  status[length > 0 ? length : 0] = '\0';
  const bool good = length > 0
                        ? parse_owner (status, &owner, &problem)
                        : problem_set (&problem, "the process has ended");
  message_put_result (answer, good, &problem);
  message_put_number (answer, owner.user);
  message_put_number (answer, owner.group);
  message_put_number (answer, owner.inside);
}

/* Set OWNER to the user and the group of process PID.  A separate child parses
   the file "status", which never blocks.  The inspector (host/inspector.h)
   must not read the file "status", because another user may have taken control
   of the inspector.  Otherwise a user who controls the inspector could choose
   the user as whom the child writes to /tmp.  */
static bool
find_owner (pid_t pid, struct owner *owner, struct problem *problem)
{
  char path[64];
  struct message answer;
  snprintf (path, sizeof path, "/proc/%d/status", (int) pid);
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return problem_set (problem, "the process has ended");
  bool good = reader_ask_opened (fd, answer_owner, NULL, &answer, problem);
  close (fd);
  if (!good)
    return false;
  good = message_get_result (&answer, problem);
  owner->user = message_get_number (&answer, UINT32_MAX);
  owner->group = message_get_number (&answer, UINT32_MAX);
  owner->inside = message_get_number (&answer, INT_MAX);
  if (!message_is_done (&answer))
    good = problem_unknown (problem, READER_MAKES_NO_SENSE);
  message_free (&answer);
  return good;
}

/* In the child that writes the file: open the directory /tmp below ROOT with
   the user's rights.  Follow symbolic links in the same way as the process
   itself.  */
static int
open_tmp (int root)
{
  const struct open_how how
      = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
          .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
  return syscall (__NR_openat2, root, "tmp", &how, sizeof how);
}

/* In the child that writes the file: open the file NAME in the directory TMP.
   Either the file is new, or the user owns the existing file.  */
static int
userfile_open_file (int tmp, const char *name, struct problem *problem)
{
  struct stat status;
  int fd = openat (tmp, name,
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0)
    return fd;
  if (errno == EEXIST)
    fd = openat (tmp, name,
                 O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
                     | O_CLOEXEC);
  if (fd < 0)
    problem_errno (problem, name);
  else if (fstat (fd, &status) < 0 || !S_ISREG (status.st_mode)
           || status.st_uid != geteuid () || status.st_nlink != 1)
    {
      problem_set (problem,
                   "%s exists already, but is not a regular file that has one "
                   "link and belongs to the process's user",
                   name);
      close (fd);
      fd = -1;
    }
  return fd;
}

/* Set TEXT to the contents of the file FD, whose path is PATH.  The caller
   frees TEXT.  */
static bool
userfile_read_file (int fd, const char *path, char **text,
                    struct problem *problem)
{
  struct stat status;
  if (fstat (fd, &status) < 0)
    return problem_errno (problem, path);
  if (status.st_size > MOST)
    return problem_set (problem,
                        "%s is larger than %d MiB: remove it, and try again",
                        path, MOST >> 20);
  *text = allocate (status.st_size + 1);
  return (status.st_size == 0
          || pread (fd, *text, status.st_size, 0) == status.st_size
          || problem_set (problem, "%s cannot be read", path));
}

static int
userfile_compare_lines (const void *left, const void *right)
{
  return strcmp (*(char *const *) left, *(char *const *) right);
}

/* Split TEXT into lines, and sort the lines.  Set COUNT to the number of
   lines.  */
static char **
sort_lines (char *text, size_t *count)
{
  char **lines = NULL, *rest = NULL;
  *count = 0;
  for (char *line = strtok_r (text, "\n", &rest); line != NULL;
       line = strtok_r (NULL, "\n", &rest))
    {
      lines = allocate_more (lines, *count, sizeof *lines);
      lines[(*count)++] = line;
    }
  if (*count > 0)
    qsort (lines, *count, sizeof *lines, userfile_compare_lines);
  return lines;
}

/* In the child that writes the file: append to the file FD those lines of TEXT
   that the file does not contain yet.  */
static bool
userfile_append_lines (int fd, const char *text, struct userfile *file,
                       struct problem *problem)
{
  char *more = NULL, *there = NULL;
  size_t count, size = 0;
  if (!userfile_read_file (fd, file->path, &there, problem))
    return false;
  char **lines = sort_lines (there, &count);
  FILE *stream = open_memstream (&more, &size);
  while (stream != NULL && *text != '\0')
    {
      const size_t length = strcspn (text, "\n");
      char *line = strndup (text, length);
      if (line != NULL
          && (count == 0
              || bsearch (&line, lines, count, sizeof *lines,
                          userfile_compare_lines)
                     == NULL))
        fprintf (stream, "%s\n", line);
      free (line);
      text += length + (text[length] == '\n');
    }
  if (stream == NULL || fclose (stream) != 0)
    return problem_errno (problem, "the map");
  file->added = size > 0;
  for (const char *at = more; size > 0;)
    {
      const ssize_t n = write (fd, at, size);
      if (n <= 0)
        return problem_errno (problem, file->path);
      at += n;
      size -= n;
    }
  return true;
}

/* In the child that writes the file: return true if the inspected process
   still exists.  As long as a process exists, the kernel does not reuse its
   ID, so all facts that were looked up under this ID were about the inspected
   process.  */
static bool
userfile_is_running (void)
{
  struct pollfd event = { .fd = PROCESS, .events = POLLIN };
  return poll (&event, 1, 0) == 0;
}

/* In the child of COMMAND: drop all rights except those of OWNER, and set
   limits.  */
static bool
take_rights (pid_t command, const struct owner *owner, struct problem *problem)
{
  unprivileged_limit (RLIMIT_CORE, 0);
  unprivileged_limit (RLIMIT_CPU, WORK);
  unprivileged_limit (RLIMIT_DATA, MEMORY);
  if (!unprivileged_become_user (owner->user, owner->group, problem))
    return false;
  /* When the user ID changed, the kernel cleared the parent-death signal of
     this process.  Therefore ask the kernel again for SIGKILL when the command
     ends.  */
  return (wait_end_with (command, SIGKILL)
          || problem_set (
              problem, "the hugetext command that writes the file has ended"));
}

/* In the child of COMMAND: write FILE for OWNER.  */
static bool
userfile_write_file (pid_t command, struct userfile *file,
                     const struct owner *owner, const char *text,
                     struct problem *problem)
{
  char root[64];
  struct owner now;
  snprintf (root, sizeof root, "/proc/%d/root", (int) file->pid);
  const int directory = open (root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0)
    return problem_errno (problem, root);
  if (!find_owner (file->pid, &now, problem))
    return false;
  if (now.user != owner->user || now.group != owner->group
      || !userfile_is_running ())
    return problem_set (problem,
                        "the process has ended, or has changed its user");
  if (!take_rights (command, owner, problem))
    return false;
  umask (077);
  const int tmp = open_tmp (directory);
  if (tmp < 0)
    return problem_errno (problem, "its /tmp");
  const int fd
      = userfile_open_file (tmp, strrchr (file->path, '/') + 1, problem);
  return fd >= 0 && userfile_append_lines (fd, text, file, problem);
}

/* The report of the child.  */
struct said
{
  bool good;
  struct userfile file;
  struct problem problem;
};

/* Wait for the child PID, and for its report on FD.  If the child is blocked
   in the kernel, write a note that the child is stuck because of process OF
   (host/stuck.h).  FACTS are the facts about the process OF.  */
static bool
userfile_wait_for_child (pid_t pid, int fd, struct said *said, pid_t of,
                         const struct stuck_facts *facts)
{
  struct pollfd event = { .fd = fd, .events = POLLIN };
  int ready;
  do
    ready = poll (&event, 1, PATIENCE);
  while (ready < 0 && errno == EINTR);
  const bool good
      = ready == 1 && read (fd, said, sizeof *said) == sizeof *said;
  stuck_end (pid, of, facts);
  return good;
}

bool
userfile_append (struct userfile *file, const char *text,
                 struct problem *problem)
{
  struct owner owner;
  struct said said = { .good = false };
  int ends[2];
  if (file->process < 0)
    return problem_set (problem, "the process has ended");
  if (!find_owner (file->pid, &owner, problem))
    return false;
  if (geteuid () != 0 && geteuid () != owner.user)
    return problem_set (problem, "the process belongs to another user");
  snprintf (file->path, sizeof file->path, "/tmp/perf-%d.map", owner.inside);
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return problem_errno (problem, "a pipe");
  const struct stuck_facts facts = stuck_remember (file->pid);
  const pid_t command = getpid (), pid = fork ();
  if (pid == 0)
    {
      wait_end_with (command, SIGKILL);
      int fds[] = { ends[1], file->process };
      said.file = *file;
      said.good = (unprivileged_keep (fds, 2, PIPE, &said.problem)
                   && userfile_write_file (command, &said.file, &owner, text,
                                           &said.problem));
      _exit (write (PIPE, &said, sizeof said) != sizeof said);
    }
  close (ends[1]);
  const bool heard
      = pid > 0
        && userfile_wait_for_child (pid, ends[0], &said, file->pid, &facts);
  close (ends[0]);
  if (!heard)
    return problem_set (
        problem,
        "the child process that writes %s could not be started, or did not "
        "finish in time (perhaps a filesystem does not answer)",
        file->path);
  file->added = said.file.added;
  if (!said.good)
    {
      said.problem.text[sizeof said.problem.text - 1] = '\0';
      return problem_set (problem, "%s", said.problem.text);
    }
  return true;
}
