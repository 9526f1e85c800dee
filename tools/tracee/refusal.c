/* Reasons why a process cannot, or must not, be traced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/refusal.h"
#include "tracee/filter.h"
#include "host/machine.h"
#include "host/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux 5.13, from <linux/ptrace.h>, which cannot be included beside
   <sys/ptrace.h>.  */
#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#  define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif

/* Linux 6.4.  */
#ifndef PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG
#  define PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG \
    ((enum __ptrace_request) 0x4211)
#endif

static char text[320];

/* Return that another process traces PID; NULL if none does.  */
static const char *
traced_already (pid_t pid)
{
  struct process tracer;
  long by = process_number (pid, "TracerPid:");
  if (by <= 0 || by == getpid ())
    return NULL;
  bool known = process_read (by, &tracer);
  snprintf (text, sizeof text, "it is traced already, by %ld%s%s%s", by,
            known ? " (" : "", known ? tracer.name : "", known ? ")" : "");
  return text;
}

/* Read FILE of PID into TEXT, of SIZE bytes, and end it with a null byte.
   Return its length, 0 if it cannot be read.  */
static size_t
read_file (pid_t pid, const char *file, char *text, size_t size)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/%s", (int) pid, file);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? 0 : read (fd, text, size - 1);
  if (fd >= 0)
    close (fd);
  length = length > 0 ? length : 0;
  text[length] = '\0';
  return length;
}

bool
tracee_remember (pid_t pid, struct tracee_facts *facts)
{
  static const char *const fields[]
      = { "\nUid:", "\nGid:", "\nCapPrm:", "\nCapEff:" };
  char path[64], status[8192];
  struct stat exe;
  enum
  {
    VECTOR = 1024, /* The most bytes of an auxiliary vector.  */
  };
  snprintf (path, sizeof path, "/proc/%d/exe", (int) pid);
  *facts = (struct tracee_facts){ 0 };
  facts->size = read_file (pid, "auxv", facts->bytes, VECTOR);
  if (facts->size == 0 || facts->size == VECTOR - 1
      || read_file (pid, "status", status, sizeof status) == 0
      || stat (path, &exe) != 0)
    return false;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
    {
      const char *line = strstr (status, fields[i]);
      const size_t size = line == NULL ? 0 : strcspn (line + 1, "\n");
      if (size >= 128)
        return false;
      memcpy (facts->bytes + facts->size, line != NULL ? line + 1 : "", size);
      facts->size += size;
    }
  memcpy (facts->bytes + facts->size, &exe.st_dev, sizeof exe.st_dev);
  facts->size += sizeof exe.st_dev;
  memcpy (facts->bytes + facts->size, &exe.st_ino, sizeof exe.st_ino);
  facts->size += sizeof exe.st_ino;
  return true;
}

const char *
tracee_changed (pid_t pid, const struct tracee_facts *facts)
{
  struct tracee_facts now;
  if (!tracee_remember (pid, &now))
    return "it has ended";
  return now.size == facts->size
                 && memcmp (now.bytes, facts->bytes, now.size) == 0
             ? NULL
             : "it has executed another program meanwhile, or changed its"
               " rights";
}

bool
tracee_serves_files (pid_t pid)
{
  char path[64], target[32];
  bool serves = false;
  snprintf (path, sizeof path, "/proc/%d/fd", (int) pid);
  DIR *dir = opendir (path);
  const struct dirent *entry;
  while (dir != NULL && !serves && (entry = readdir (dir)) != NULL)
    {
      ssize_t length
          = readlinkat (dirfd (dir), entry->d_name, target, sizeof target - 1);
      target[length > 0 ? length : 0] = '\0';
      serves = (strcmp (target, "/dev/fuse") == 0
                || strcmp (target, "anon_inode:[fanotify]") == 0);
    }
  if (dir != NULL)
    closedir (dir);
  return dir == NULL || serves;
}

const char *
tracee_dumping (pid_t pid)
{
  /* A stop interrupts the writing of a core, at least to a pipe.  */
  return process_number (pid, "CoreDumping:") > 0
             ? "it is dumping core, and ends then"
             : NULL;
}

const char *
tracee_refusal (pid_t pid)
{
  struct process process;
  if (!process_read (pid, &process))
    return "there is no such process";
  if (process.ended || process.kernel)
    return process_problem (&process, 0);
  const char *problem = tracee_dumping (pid);
  if (problem == NULL)
    problem = traced_already (pid);
  if (problem == NULL && filter_is_on (pid, pid) && !filter_readable ())
    problem = FILTER_UNREADABLE;
  return problem;
}

const char *
tracee_not_permitted (pid_t pid, int error)
{
  struct process process;
  if (error == ESRCH || !process_read (pid, &process))
    return "it has ended";
  const char *problem = traced_already (pid);
  if (problem != NULL)
    return problem;
  if (geteuid () != 0 && process.uid != geteuid ())
    return process_problem (&process, error);
  const long scope = machine_number ("/proc/sys/kernel/yama/ptrace_scope");
  if (scope > 0)
    snprintf (text, sizeof text,
              "it may not be traced (kernel.yama.ptrace_scope = %ld)%s", scope,
              scope < 3 ? ": try as root" : "");
  else
    snprintf (text, sizeof text,
              "it cannot be traced (%s): a container, a filter, or a security"
              " module does not permit it",
              strerror (error));
  return text;
}

bool
tracee_in_sequence (pid_t tid, int memory, uintptr_t pc)
{
  struct
  {
    uint64_t address;
    uint32_t size, signature, flags, pad;
  } configuration = { 0 };
  struct
  {
    uint32_t version, flags;
    uint64_t start, length, abort;
  } sequence;
  uint64_t pointer;
  enum
  {
    POINTER = 8, /* Offset of rseq_cs in struct rseq.  */
  };
  if (ptrace (PTRACE_GET_RSEQ_CONFIGURATION, tid,
              (void *) sizeof configuration, &configuration)
          < 0
      || configuration.address == 0
      || pread (memory, &pointer, sizeof pointer,
                configuration.address + POINTER)
             != sizeof pointer
      || pointer == 0)
    return false;
  return (pread (memory, &sequence, sizeof sequence, pointer)
              != sizeof sequence
          || pc - sequence.start < sequence.length);
}

bool
tracee_is_dispatched (pid_t tid)
{
  struct
  {
    uint64_t mode, selector, offset, length;
  } configuration = { 0 };
  return (ptrace (PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, tid,
                  (void *) sizeof configuration, &configuration)
              == 0
          && configuration.mode != 0);
}
