/* The attach at the exec stop: a program's text is put on huge pages before
   its first instruction.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/attach.h"
#include "attach/convert.h"
#include "tracee/refusal.h"
#include "tracee/tracee.h"
#include "index/file.h"
#include "store/stored.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "host/process.h"
#include "host/procmaps.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program before it is executed, and the facts about it.  */
struct subject
{
  const char *file;
  int fd;
  struct elf_object elf;
  struct settings settings;
  struct heat heat;
  struct plan plan;
};

/* Whether huge text is on for SUBJECT, whose FILE is set.  Fills in the
   settings.  */
static bool
is_on (struct subject *subject)
{
  settings_read (&subject->settings, getenv ("GLIBC_TUNABLES"));
  advice_add (&subject->settings, subject->file);
  return (settings_value (&subject->settings, SETTING_MODE) & SETTINGS_TEXT)
         != 0;
}

/* Whether SUBJECT, whose FD is set, too, has blocks that are worth it.  Fills
   in the other facts, which stay until this process becomes another
   program.  */
static bool
is_worth_it (struct subject *subject)
{
  struct plan *plan = &subject->plan;
  if (elfobject_read (subject->fd, &subject->elf) != NULL
      || elfobject_problem (&subject->elf) != NULL)
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

/* Have the kernel cache the wanted blocks of SUBJECT in huge pages, where they
   are not cached as a whole: executing the file reads some of it in small
   pages.  Other processes use what is cached as it is.  */
static void
fill_cache (const struct subject *subject)
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
        filecache_fill (subject->fd, block->offset);
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

/* Let TRACEE go.  Where orphans become TRACEE's children, as in a container
   whose first process it is, this process is one: the program must not wait
   for it.  */
static void
let_go (struct tracee *tracee)
{
  if (getppid () == tracee->pid)
    tracee_leave (tracee);
  else
    tracee_go (tracee);
}

/* Put the text of SUBJECT on huge pages: TRACEE has executed it and is stopped
   before its first instruction.  Return NULL, or why the program stays as it
   is.  */
static const char *
work (struct tracee *tracee, const struct subject *subject)
{
  struct conversion conversion;
  struct traces traces;
  const double no_deadline = 1000;
  const char *problem = tracee_stop_at_exec (tracee);
  if (problem != NULL)
    return problem;
  if (!tracee_runs (tracee->pid, subject->fd))
    {
      let_go (tracee);
      return "another file has taken its place";
    }
  problem = convert_plan_program (
      &conversion, tracee->pid, subject->file, subject->fd, &subject->elf,
      bias_of (tracee->pid, subject), &subject->settings, &subject->heat.plan);
  conversion.traces = &traces;
  if (problem == NULL)
    problem = convert_do (&conversion, tracee, no_deadline);
  /* This process ends now, and its memory with it.  */
  let_go (tracee);
  return problem;
}

/* The memory that this process and the helper share.  The two share all
   memory, so that none need be copied, until the program is executed: so one
   waits while the other works.  */
struct help
{
  pid_t pid;
  const struct subject *subject;
  const char *name;
  void (*say) (const char *format, ...);
  int begin;           /* Set when the helper may begin.  */
  int helper;          /* The helper's process ID, ANSWERED, or 0 once the
                          helper has ended.  */
  const char *problem; /* The helper's answer.  */
};

/* A value that is no process ID.  */
#define ANSWERED (-1)

/* Set *WORD to VALUE, and wake the thread that waits for it.  */
static void
tell (int *word, int value)
{
  __atomic_store_n (word, value, __ATOMIC_SEQ_CST);
  syscall (SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Wait until *WORD differs from VALUE.  False if process PID has ended before;
   PID 0 is not looked at.  */
static bool
wait_while (int *word, int value, pid_t pid)
{
  const struct timespec patience = { .tv_nsec = 50000000 };
  while (__atomic_load_n (word, __ATOMIC_SEQ_CST) == value)
    if (syscall (SYS_futex, word, FUTEX_WAIT, value,
                 pid != 0 ? &patience : NULL, NULL, 0)
            != 0
        && pid != 0 && kill (pid, 0) != 0)
      return false;
  return true;
}

/* Do the helper's work for CLOSURE.  */
static int
help (void *closure)
{
  static struct tracee tracee;
  struct help *call = closure;
  if (!wait_while (&call->begin, 0, call->pid))
    _exit (1);
  /* Close all descriptors but the program's file and standard error, where
     messages go: no process must wait for the helper at the end of a pipe.  */
  for (int fd = 0; fd < call->subject->fd; ++fd)
    if (fd != STDERR_FILENO)
      close (fd);
  syscall (__NR_close_range, call->subject->fd + 1, ~0U, 0);
  /* The caller has looked for obstacles, except for a tracer of this
     process.  */
  tracee_begin (&tracee, call->pid);
  call->problem = tracee_seize (&tracee);
  if (call->problem != NULL)
    _exit (1);
  tell (&call->helper, ANSWERED);
  const char *problem = work (&tracee, call->subject);
  if (problem != NULL && problem[0] != '\0')
    call->say ("%s runs on small pages: %s", call->name, problem);
  _exit (0);
}

/* Start the helper and end, so that the helper is no child of the program.  */
static int
start_helper (void *closure)
{
  static _Alignas(16) char stack[262144];
  struct help *call = closure;
  if (clone (help, stack + sizeof stack,
             CLONE_VM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID, call,
             &call->helper, NULL, &call->helper)
      < 0)
    call->problem = strerror (errno);
  _exit (0);
}

static bool
has_children (void)
{
  siginfo_t info;
  return (waitid (P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0
          || errno != ECHILD);
}

/* Make a helper.  The process in between sends no signal when it ends: a
   blocked one would wait for the program.  If there are no other children
   whose end would be missed, the kernel reaps it by itself, so that the
   program does not find its resources under RUSAGE_CHILDREN.  */
static const char *
make_helper (struct help *call)
{
  static _Alignas(16) char stack[16384];
  struct sigaction before;
  bool alone = !has_children ();
  fflush (NULL);
  if (alone)
    sigaction (SIGCHLD, &(struct sigaction){ .sa_handler = SIG_IGN }, &before);
  pid_t pid = clone (start_helper, stack + sizeof stack,
                     CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS
                         | CLONE_SIGHAND | (alone ? SIGCHLD : 0),
                     call);
  if (pid < 0)
    call->problem = strerror (errno);
  while (pid > 0 && waitpid (pid, NULL, __WALL) < 0 && errno == EINTR)
    continue;
  if (alone)
    sigaction (SIGCHLD, &before, NULL);
  return call->problem;
}

/* Let CALL's helper seize this process.  */
static const char *
be_seized (struct help *call)
{
  const pid_t helper = call->helper;
  /* Yama demands our permission, which ends with the helper.  Without Yama the
     call fails.  */
  prctl (PR_SET_PTRACER, helper, 0, 0, 0);
  tell (&call->begin, 1);
  wait_while (&call->helper, helper, 0);
  if (call->helper == ANSWERED)
    return NULL;
  /* The helper may have become our child.  */
  while (waitpid (helper, NULL, __WALL) < 0 && errno == EINTR)
    continue;
  return call->problem != NULL ? call->problem : "its helper has ended";
}

/* Have a helper wait for SUBJECT, which is NAME, to be executed.  */
static const char *
arm (const struct subject *subject, const char *name,
     void (*say) (const char *format, ...))
{
  /* Static, because the helper needs it when this process is another program
     already.  */
  static struct help call;
  /* Ask this before any call that a filter might not allow.  */
  if (process_misnamed () != NULL || tracee_is_filtered (getpid ()))
    return tracee_refusal (getpid ());
  fill_cache (subject);
  call = (struct help){
    .pid = getpid (), .subject = subject, .name = name, .say = say
  };
  const char *problem = make_helper (&call);
  return problem != NULL ? problem : be_seized (&call);
}

const char *
attach_at_exec (const char *file, const char *name,
                void (*say) (const char *format, ...))
{
  static struct subject subject;
  subject.file = file;
  if (!is_on (&subject))
    return NULL;
  subject.fd = open (file, O_RDONLY | O_CLOEXEC);
  /* A file that cannot be read can still be executed.  */
  if (subject.fd < 0)
    return "its file cannot be read";
  posix_fadvise (subject.fd, 0, 0, POSIX_FADV_RANDOM);
  /* The helper keeps its descriptor until it ends.  */
  const char *problem
      = is_worth_it (&subject) ? arm (&subject, name, say) : NULL;
  close (subject.fd);
  return problem;
}
