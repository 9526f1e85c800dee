/* The reasons why a process cannot be traced, or must not be traced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/refusal.h"
#include "tracee/filter.h"
#include "host/brief.h"
#include "host/inspector.h"
#include "host/machine.h"
#include "host/process.h"
#include "host/procfile.h"
#include "util/fileid.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

/* A ptrace request of Linux 5.13 and later.  PTRACE_GET_RSEQ_CONFIGURATION is
   defined in <linux/ptrace.h>, which cannot be included together with
   <sys/ptrace.h>.  */
#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#  define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif

/* A ptrace request of Linux 6.4 and later, from <linux/ptrace.h>.  */
#ifndef PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG
#  define PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG \
    ((enum __ptrace_request) 0x4211)
#endif

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* Return false if another process already traces PID.  */
static bool
check_tracer (pid_t pid, struct problem *problem)
{
  struct brief tracer;
  struct problem ignored;
  long by = process_number (pid, "TracerPid:");
  if (by <= 0 || by == getpid ())
    return true;
  /* Let the inspector read the name of the tracer, which may belong to any
     user.  No thread of the process is stopped, so the command may wait for
     the inspector.  */
  const bool known = brief_ask (by, &tracer, &ignored);
  inspector_end ();
  return problem_set (problem, "the process is traced already, by %ld%s%s%s",
                      by, known ? " (" : "", known ? tracer.process.name : "",
                      known ? ")" : "");
}

/* Append the SIZE bytes at FROM to FACTS.  Return false if FACTS has no space
   left.  */
static bool
refusal_append_bytes (struct tracee_facts *facts, const void *from,
                      size_t size)
{
  if (size > sizeof facts->bytes - facts->size)
    return false;
  memcpy (facts->bytes + facts->size, from, size);
  facts->size += size;
  return true;
}

/* Read the facts of PID into FACTS, for tracee_remember.  On failure set
   errno, or leave it 0 if the process has ended, so that /proc no longer shows
   the facts.  */
static bool
refusal_read_facts (pid_t pid, struct tracee_facts *facts)
{
  static const char *const fields[]
      = { "\nUid:", "\nGid:", "\nCapPrm:", "\nCapEff:" };
  char path[64], text[8192];
  struct fileid exe;
  const size_t length = process_text (pid, "auxv", text, sizeof text);
  if (length == 0 || !refusal_append_bytes (facts, text, length))
    return false;
  facts->places = facts->size;
  if (process_text (pid, "status", text, sizeof text) == 0)
    return false;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
    {
      const char *line = strstr (text, fields[i]);
      if (line != NULL
          && !refusal_append_bytes (facts, line, 1 + strcspn (line + 1, "\n")))
        return false;
    }
  snprintf (path, sizeof path, "/proc/%d/exe", (int) pid);
  return fileid_of (AT_FDCWD, path, &exe)
         && refusal_append_bytes (facts, &exe, sizeof exe);
}

bool
tracee_remember (pid_t pid, struct tracee_facts *facts)
{
  *facts = (struct tracee_facts){ 0 };
  errno = 0;
  const bool known = refusal_read_facts (pid, facts);
  if (!known)
    facts->error = errno != 0 ? errno : ESRCH;
  return known;
}

bool
tracee_akin (const struct tracee_facts *one, const struct tracee_facts *other)
{
  return (one->places == other->places
          && memcmp (one->bytes, other->bytes, one->places) == 0);
}

bool
tracee_gone (pid_t pid, int error, struct problem *problem)
{
  struct process process;
  if (error != ESRCH && error != ENOENT)
    return problem_system (problem, error);
  return problem_set (problem, process_read (pid, &process) && process.others
                                   ? PROCESS_LEADERLESS
                                   : "the process has ended");
}

bool
tracee_check_facts (pid_t pid, const struct tracee_facts *facts,
                    struct problem *problem)
{
  struct tracee_facts now;
  if (!tracee_remember (pid, &now))
    return tracee_gone (pid, now.error, problem);
  return (now.size == facts->size
          && memcmp (now.bytes, facts->bytes, now.size) == 0)
         || problem_set (
             problem,
             "after hugetext had inspected the process, the process executed "
             "another program, or changed its user, group or capabilities");
}

bool
tracee_runs (pid_t pid, int fd)
{
  char path[64];
  struct fileid exe, file;
  snprintf (path, sizeof path, "/proc/%d/exe", (int) pid);
  return (fileid_of (AT_FDCWD, path, &exe) && fileid_of (fd, "", &file)
          && fileid_is_same (&exe, &file));
}

/* Return true if process PID serves files to other processes (FUSE or
   fanotify) through its descriptor number NAME.  */
static bool
is_server (pid_t pid, const char *name)
{
  char path[NAME_MAX + 32], target[32], info[256];
  unsigned int flags = 0;
  enum
  {
    CLASSES = 0xc, /* FAN_CLASS_CONTENT, FAN_CLASS_PRE_CONTENT */
  };
  snprintf (path, sizeof path, "/proc/%d/fd/%s", (int) pid, name);
  ssize_t length = readlink (path, target, sizeof target - 1);
  target[length > 0 ? length : 0] = '\0';
  if (strcmp (target, "/dev/fuse") == 0)
    return true;
  if (strcmp (target, "anon_inode:[fanotify]") != 0)
    return false;
  snprintf (path, sizeof path, "fdinfo/%s", name);
  process_text (pid, path, info, sizeof info);
  const char *line = strstr (info, "fanotify flags:");
  return (line == NULL || sscanf (line, "fanotify flags:%x", &flags) != 1
          || (flags & CLASSES) != 0);
}

bool
tracee_serves_files (pid_t pid)
{
  char path[64];
  bool serves = false;
  snprintf (path, sizeof path, "/proc/%d/fd", (int) pid);
  DIR *dir = opendir (path);
  const struct dirent *entry;
  while (dir != NULL && !serves && (entry = readdir (dir)) != NULL)
    serves = entry->d_name[0] != '.' && is_server (pid, entry->d_name);
  if (dir != NULL)
    closedir (dir);
  return dir == NULL || serves;
}

bool
tracee_check_dump (pid_t pid, struct problem *problem)
{
  /* A stop would interrupt the kernel while it writes the core dump, at least
     for core dumps to a pipe.  */
  return process_number (pid, "CoreDumping:") <= 0
         || problem_set (problem,
                         "the process is writing a core dump, and will end");
}

bool
tracee_check (pid_t pid, struct problem *problem)
{
  struct process process;
  if (!process_check_ids (problem))
    return false;
  if (!process_read (pid, &process))
    return problem_set (problem, "there is no such process");
  if (process.ended || process.kernel)
    return process_explain (&process, 0, problem);
  if (!tracee_check_dump (pid, problem) || !check_tracer (pid, problem))
    return false;
  return filter_check_mode (pid, problem);
}

bool
tracee_not_permitted (pid_t pid, int error, struct problem *problem)
{
  struct process process;
  if (error == ESRCH || !process_read (pid, &process))
    return tracee_gone (pid, ESRCH, problem);
  if (!check_tracer (pid, problem))
    return false;
  if (error != EPERM && error != EACCES)
    return problem_set (problem, "the process cannot be traced: %s",
                        strerror (error));
  long scope = machine_number (YAMA);
  if (scope == 3)
    return problem_set (
        problem, "tracing of processes is switched off until the machine is "
                 "started again (kernel.yama.ptrace_scope = 3)");
  if (scope == 2)
    return problem_set (
        problem,
        "only root may trace processes (kernel.yama.ptrace_scope = 2)");
  if (geteuid () != 0 && process.uid != geteuid ())
    return process_explain (&process, error, problem);
  if (scope == 1)
    return problem_set (problem,
                        "only the parent of the process and root may trace it "
                        "(kernel.yama.ptrace_scope = 1)");
  return problem_set (
      problem,
      "the kernel does not permit tracing the process (because of a "
      "container, a filter or "
      "a security module, or because the process has changed its user or "
      "group ID)");
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
    POINTER = 8, /* The offset of the member rseq_cs in struct rseq.  */
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
