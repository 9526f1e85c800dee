/* Attach at the exec stop: put a program's text on huge pages before its
   first instruction.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/attach.h"
#include "attach/convert.h"
#include "tracee/tracee.h"
#include "index/file.h"
#include "store/stored.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "host/process.h"
#include "host/procmaps.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A program that a process is about to execute, with its ELF headers,
   settings, heat and plan.  */
struct subject
{
  const char *file;
  int fd;
  struct elf_object elf;
  struct settings settings;
  struct heat heat;
  struct plan plan;
};

/* Return true if huge text is switched on for the program SUBJECT, whose
   member FILE is set.  Compute the settings from TUNABLES, a value of
   GLIBC_TUNABLES, and from the index, and store them in SUBJECT.  */
static bool
atexec_is_switched_on (struct subject *subject, const char *tunables)
{
  settings_read (&subject->settings, tunables);
  advice_add (&subject->settings, subject->file);
  return (settings_value (&subject->settings, SETTING_MODE) & SETTINGS_TEXT)
         != 0;
}

/* Return true if SUBJECT, whose FILE and FD are set, has blocks with enough
   text for huge pages.  Set the members of SUBJECT other than FILE and FD.
   The memory of these members is never freed, because this process ends
   soon.  */
static bool
is_worth_it (struct subject *subject)
{
  struct problem problem;
  struct plan *plan = &subject->plan;
  if (!elfobject_read (subject->fd, &subject->elf, &problem)
      || !elfobject_check (&subject->elf, &problem))
    return false;
  heat_read (&subject->heat, NULL, subject->fd, &subject->elf.object);
  plan_static (plan, &subject->elf, &subject->settings,
               !subject->elf.fixed && machine_kernel_is (6, 7),
               &subject->heat.plan);
  plan_cut (plan, 1, plan_cap (&subject->settings));
  for (size_t i = 0; i < plan->nblocks; ++i)
    if (plan->blocks[i].verdict == HUGETEXT_TAKE)
      return true;
  return false;
}

/* Make the kernel cache the planned blocks of SUBJECT on huge pages.  Call
   this function before the file is executed, because the execution reads some
   of the file into small pages.  Do not evict blocks that are completely
   cached, because other processes may be using their pages.  */
static void
atexec_fill_cache (const struct subject *subject)
{
  const struct plan *plan = &subject->plan;
  struct stat status;
  if (!hugetext_may_use_file (
          settings_value (&subject->settings, SETTING_BACKING))
      || fstat (subject->fd, &status) < 0)
    return;
  for (size_t i = 0; i < plan->nblocks; ++i)
    {
      const struct plan_block *block = &plan->blocks[i];
      if (block->verdict == HUGETEXT_TAKE && block->congruent
          && block->offset + procmaps_block () <= (uint64_t) status.st_size
          && !filecache_is_whole (subject->fd, block->offset))
        filecache_fill (subject->fd, block->offset, FILECACHE_TRIES);
    }
}

/* Return the load bias of process PID, which runs SUBJECT.  */
static uintptr_t
bias_of (pid_t pid, const struct subject *subject)
{
  ElfW (Ehdr) header;
  if (subject->elf.fixed
      || pread (subject->fd, &header, sizeof header, 0) != sizeof header)
    return 0;
  return process_auxiliary (pid, AT_ENTRY) - header.e_entry;
}

/* Detach from TRACEE.  If TRACEE is the first process of a container, the
   kernel has made TRACEE the parent of the calling process, because the
   original parent has ended.  If TRACEE is the parent, prevent TRACEE's
   program from noticing that the calling process ends.  */
static void
let_go (struct tracee *tracee)
{
  if (getppid () == tracee->pid)
    tracee_leave (tracee);
  else
    tracee_go (tracee);
}

/* Put the text of SUBJECT, the executed program, on huge pages.  TRACEE has
   just executed SUBJECT, and is stopped before its first instruction.  Return
   false if the text stays on small pages.  */
static bool
atexec_change_subject (struct tracee *tracee, const struct subject *subject,
                       struct problem *problem)
{
  struct conversion conversion;
  struct traces traces;
  const double no_deadline = 1000;
  if (!tracee_stop_at_exec (tracee, problem))
    return false;
  if (!tracee_runs (tracee->pid, subject->fd))
    {
      let_go (tracee);
      return problem_set (
          problem,
          "the file was replaced by another file before it was executed");
    }
  bool good = convert_plan_program (
      &conversion, tracee->pid, subject->file, subject->fd, &subject->elf,
      bias_of (tracee->pid, subject), &subject->settings, &subject->heat.plan,
      problem);
  conversion.traces = &traces;
  if (good)
    good = convert_do (&conversion, tracee, no_deadline, problem);
  /* Do not free the memory of the plan, because this process ends now.  */
  let_go (tracee);
  return good;
}

/* Send TEXT, which describes a problem or is empty, as the answer to the
   process that is about to execute the program.  */
static void
atexec_send_answer (int socket, const char *text)
{
  /* Ignore errors: if the write fails, the process that waits for TEXT has
     ended.  */
  (void) !write (socket, text, strlen (text) + 1);
  close (socket);
}

/* Close all descriptors except SOCKET and standard error, which receives
   messages.  If this process kept a pipe of the caller open, a process that
   reads from the pipe would also wait until this process ends.  */
static void
atexec_close_others (int socket)
{
  for (int fd = 0; fd < socket; ++fd)
    if (fd != STDERR_FILENO)
      close (fd);
  syscall (__NR_close_range, socket + 1, ~0U, 0);
}

/* Begin to trace the process with the ID PROGRAM->pid.  Send this process the
   ID of the calling process through SOCKET, and wait until it has permitted
   the caller to trace it.  */
static bool
seize (struct tracee *tracee, const struct attach_program *program, int socket,
       struct problem *problem)
{
  const pid_t self = getpid ();
  char byte;
  if (write (socket, &self, sizeof self) != sizeof self
      || read (socket, &byte, 1) != 1)
    return problem_set (problem, "the process has ended");
  /* Process PROGRAM->pid has itself checked all reasons why it may be
     untraceable, except another tracer.  */
  tracee_begin (tracee, program->pid);
  return tracee_seize (tracee, problem);
}

int
attach_at_exec (const struct attach_program *program, int socket)
{
  static struct subject subject;
  static struct tracee tracee;
  const pid_t nobody = 0;
  atexec_close_others (socket);
  subject.file = program->file;
  subject.fd = (atexec_is_switched_on (&subject, program->tunables)
                    ? open (program->file, O_RDONLY | O_CLOEXEC)
                    : -1);
  if (subject.fd < 0 || !is_worth_it (&subject))
    {
      (void) !write (socket, &nobody, sizeof nobody);
      return 0;
    }
  posix_fadvise (subject.fd, 0, 0, POSIX_FADV_RANDOM);
  atexec_fill_cache (&subject);
  struct problem problem;
  const bool seized = seize (&tracee, program, socket, &problem);
  atexec_send_answer (socket, seized ? "" : problem.text);
  if (!seized)
    return 1;
  if (!atexec_change_subject (&tracee, &subject, &problem))
    fprintf (stderr, "%s: %s runs on small pages: %s\n", program->caller,
             program->name, problem.text);
  return 0;
}
