/* The child process of a reader (host/reader.h): an unprivileged process that
   answers one question.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/readerchild.h"
#include "host/unprivileged.h"
#include "util/clock.h"
#include "util/regular.h"
#include "util/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum
{
  WORK = 10,  /* The limit of the reader's CPU time, in seconds.  */
  ANSWER = 3, /* The descriptor, in the child, of the pipe to the
                 command.  */
  OPENED = 4, /* The descriptor, in the child, of a file that the
                 command has opened.  */
};

/* Open the regular file PATH in the child, which still has the command's
   rights.  */
static void
open_regular (const char *path, struct reader_file *file)
{
  char link[64];
  const int fd = open (path, O_PATH | O_CLOEXEC);
  file->fd = fd >= 0 ? regular_reopen_stored (fd, 0) : -1;
  file->error = file->fd >= 0 ? 0 : errno;
  snprintf (link, sizeof link, "/proc/self/fd/%d", file->fd);
  if (file->fd < 0 || realpath (link, file->real) == NULL)
    file->real[0] = '\0';
}

/* In the reader: close all descriptors except the pipe TO and, if FILE is not
   negative, FILE.  */
static bool
keep_descriptors (int to, int file, struct problem *problem)
{
  int fds[] = { to, file };
  return unprivileged_keep (fds, file >= 0 ? 2 : 1, ANSWER, problem);
}

/* In the reader (a child of process COMMAND): drop all of the reader's
   rights.  */
static bool
readerchild_give_up_rights (pid_t command, struct problem *problem)
{
  unprivileged_isolate ();
  if (!unprivileged_become (problem))
    return false;
  unprivileged_limit (RLIMIT_CORE, 0);
  unprivileged_limit (RLIMIT_FSIZE, 0);
  unprivileged_limit (RLIMIT_CPU, WORK);
  return (wait_end_with (command, SIGKILL)
          || problem_set (
              problem, "the hugetext command that reads the file has ended"));
}

/* The system calls that a reader may make.  A reader may look up paths, read
   files, and write to one pipe.  */
static const int calls[] = {
  __NR_read,       __NR_pread64,
  __NR_lseek,      __NR_write,
  __NR_openat,     __NR_close,
  __NR_dup,        __NR_fstat,
  __NR_newfstatat, __NR_readlinkat,
  __NR_faccessat,
#ifdef __NR_faccessat2
  __NR_faccessat2,
#endif
#ifdef __x86_64__
  __NR_access,     __NR_readlink,
  __NR_stat,       __NR_lstat,
#endif
  __NR_getdents64, __NR_fstatfs,
  __NR_statx,      __NR_fcntl,
  __NR_getcwd,     __NR_getxattr,
  __NR_fadvise64,  __NR_getgid,
  __NR_getegid,    UNPRIVILEGED_LIBC_CALLS,
};

/* Conditions on the allowed system calls: a reader may open files only for
   reading, and may not make memory executable.  */
static const struct unprivileged_condition conditions[] = {
  { __NR_openat, 2, UNPRIVILEGED_OPEN_CHANGES, { O_RDONLY, O_RDONLY } },
  { __NR_fcntl, 1, UINT32_MAX, { F_GETFL, F_GETFD } },
  { __NR_mmap, 2, PROT_EXEC, { 0, 0 } },
  { __NR_mprotect, 2, PROT_EXEC, { 0, 0 } },
};

/* In the reader: install a seccomp filter that allows only the system calls in
   the list above.  */
static bool
readerchild_filter_calls (struct problem *problem)
{
  return (
      unprivileged_filter_arguments (
          conditions, sizeof conditions / sizeof conditions[0], problem)
      && unprivileged_filter (calls, sizeof calls / sizeof calls[0], problem));
}

/* Write the SIZE bytes at DATA to the command.  */
static void
write_whole (const void *data, size_t size)
{
  const char *at = data;
  while (size > 0)
    {
      const ssize_t n = write (ANSWER, at, size);
      if (n <= 0)
        _exit (1);
      at += n;
      size -= n;
    }
}

/* The main function of a reader, an unprivileged child of the process COMMAND
   that reads a file.  */
static void __attribute__ ((noreturn))
readerchild_serve_question (int to, pid_t command, const char *path, int fd,
                            reader_work *work, const void *asked)
{
  struct problem problem = { 0 };
  struct message refusal = { 0 }, answer = { 0 };
  static struct reader_file file = { .fd = -1 };
  bool safe = false;
  if (keep_descriptors (to, fd, &problem))
    {
      if (fd >= 0)
        file.fd = OPENED;
      if (path != NULL)
        open_regular (path, &file);
      safe = readerchild_give_up_rights (command, &problem)
             && readerchild_filter_calls (&problem);
      if (safe)
        work (&file, asked, &answer);
    }
  message_put_result (&refusal, safe, &problem);
  /* Send the size first, so that the command sees whether the answer is
     complete.  The kernel may kill this process while it writes, because
     memory is short.  In a user namespace without UNPRIVILEGED_REAL_ID,
     another process of the user nobody may kill this process.  */
  message_put_number (&refusal, answer.size);
  write_whole (refusal.data, refusal.size);
  write_whole (answer.data, answer.size);
  _exit (0);
}

/* Read FD to its end into ANSWER.  Return false if the end of FD is not
   reached before DEADLINE, or if the answer is longer than
   READERCHILD_MOST.  */
static bool
readerchild_read_to_end (int fd, int64_t deadline, struct message *answer)
{
  static char buffer[1 << 16];
  while (answer->size <= READERCHILD_MOST)
    {
      struct pollfd event = { .fd = fd, .events = POLLIN };
      const int64_t left = deadline - clock_milliseconds ();
      const int ready = poll (&event, 1, left > 0 ? left : 0);
      if (ready < 0 && errno == EINTR)
        continue;
      const ssize_t n = ready == 1 ? read (fd, buffer, sizeof buffer) : -1;
      if (n <= 0)
        return n == 0;
      message_put_bytes (answer, buffer, n);
    }
  return false;
}

bool
readerchild_start (struct readerchild *child, const char *path, int fd,
                   reader_work *work, const void *asked,
                   struct problem *problem)
{
  const pid_t command = getpid ();
  int ends[2];
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return problem_unknown (problem,
                            "the file cannot be read, because hugetext cannot "
                            "create a pipe to its helper process");
  child->fd = ends[0];
  child->pid = fork ();
  if (child->pid == 0)
    readerchild_serve_question (ends[1], command, path, fd, work, asked);
  close (ends[1]);
  if (child->pid > 0)
    return true;
  close (ends[0]);
  return problem_unknown (problem, "the file cannot be read, because hugetext "
                                   "cannot start its helper process");
}

bool
readerchild_hear (struct readerchild *child, int64_t deadline,
                  struct message *answer)
{
  *answer = (struct message){ 0 };
  const bool heard = readerchild_read_to_end (child->fd, deadline, answer);
  close (child->fd);
  return heard;
}

bool
readerchild_check (bool heard, struct message *answer, struct problem *refusal)
{
  *refusal = (struct problem){ 0 };
  const bool safe = message_get_result (answer, refusal);
  const uint64_t size = message_get_number (answer, READERCHILD_MOST);
  return (heard && !answer->bad && size == answer->size - answer->at && safe);
}
