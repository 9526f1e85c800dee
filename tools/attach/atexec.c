/* The attach at the exec stop: a program's text is put on huge pages before
   its first instruction.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/attach.h"
#include "attach/convert.h"
#include "index/advice.h"
#include "store/stored.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "host/procmaps.h"
#include "tracee/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Have the kernel cache the wanted blocks of PLAN, whose file is FD, in huge
   pages, where they are not cached as a whole: executing the file reads some
   of it in small pages.  Other processes use what is cached as it is.  Return
   whether there are wanted blocks.  */
static bool
fill_cache (const struct plan *plan, int fd, bool may_use_file)
{
  struct stat status;
  bool any = false;
  may_use_file = may_use_file && fstat (fd, &status) == 0;
  for (size_t i = 0; i < plan->nblocks; ++i)
    {
      const struct plan_block *block = &plan->blocks[i];
      if (block->verdict != HUGETEXT_TAKE)
        continue;
      any = true;
      if (may_use_file && block->congruent
          && block->offset + procmaps_block () <= (uint64_t) status.st_size
          && !filecache_is_whole (fd, block->offset))
        filecache_fill (fd, block->offset);
    }
  return any;
}

/* Whether the program open as FD has blocks that are worth it, by SETTINGS.
   Its file is cached for them.  */
static bool
is_worth_it (const struct settings *settings, int fd)
{
  struct elf_object elf;
  struct heat heat;
  struct plan plan;
  if (elfobject_read (fd, &elf) != NULL || elfobject_problem (&elf) != NULL)
    return false;
  heat_read (&heat, NULL, fd, &elf.object);
  bool worth
      = plan_static (&plan, &elf, settings,
                     !elf.fixed && machine_kernel_is (6, 7), &heat.plan);
  if (worth)
    {
      plan_cut (&plan, 1, plan_cap (settings));
      worth = fill_cache (
          &plan, fd,
          hugetext_may_use_file (settings_value (settings, SETTING_BACKING)));
      plan_free (&plan);
    }
  heat_free (&heat);
  return worth;
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

/* Put the text of the program that TRACEE is about to execute on huge pages,
   before its first instruction.  Return NULL, or why it stays as it is.  */
static const char *
work (struct tracee *tracee)
{
  static const struct settings none;
  struct conversion conversion;
  const char *problem = tracee_stop_at_exec (tracee);
  if (problem != NULL)
    return problem;
  problem = convert_plan (&conversion, tracee->pid, &none, false);
  if (problem == NULL)
    problem = convert_do (&conversion, tracee);
  let_go (tracee);
  return problem;
}

/* The helper's answer when it has seized the process, or has failed to.  */
struct answer_of_helper
{
  pid_t helper;
  char problem[200]; /* "" for none.  */
};

/* Be the helper of process PID, and answer on descriptor ANSWER.  */
static void __attribute__ ((noreturn))
be_helper (pid_t pid, int answer, const char *name,
           void (*say) (const char *format, ...))
{
  struct tracee tracee;
  struct answer_of_helper seized = { .helper = getpid () };
  /* Close all descriptors but standard error, where messages go: no process
     must wait for the helper at the end of a pipe.  */
  dup2 (answer, STDIN_FILENO);
  close (STDOUT_FILENO);
  syscall (__NR_close_range, STDERR_FILENO + 1, ~0U, 0);
  const char *problem = tracee_seize (&tracee, pid);
  if (problem != NULL)
    snprintf (seized.problem, sizeof seized.problem, "%s", problem);
  if (write (STDIN_FILENO, &seized, sizeof seized) != sizeof seized)
    _exit (1);
  close (STDIN_FILENO);
  if (problem == NULL)
    problem = work (&tracee);
  else
    problem = "";
  if (problem != NULL && problem[0] != '\0')
    say ("%s runs on small pages: %s", name, problem);
  _exit (0);
}

/* Fork with an exit signal SIGNAL, or none if that is 0.  */
static pid_t
fork_quietly (int signal)
{
  return syscall (SYS_clone, (long) signal, 0L, 0L, 0L, 0L);
}

static bool
has_children (void)
{
  siginfo_t info;
  return (waitid (P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0
          || errno != ECHILD);
}

/* Make a helper, which answers on descriptor ANSWER.  The process in between
   sends no signal when it ends: a blocked one would wait for the program.  If
   there are no other children whose end would be missed, the kernel reaps it
   by itself, so that the program does not find its resources under
   RUSAGE_CHILDREN.  */
static bool
make_helper (int answer, const char *name,
             void (*say) (const char *format, ...))
{
  struct sigaction before;
  const pid_t pid = getpid ();
  const bool alone = !has_children ();
  fflush (NULL);
  if (alone)
    sigaction (SIGCHLD, &(struct sigaction){ .sa_handler = SIG_IGN }, &before);
  const pid_t child = fork_quietly (alone ? SIGCHLD : 0);
  if (child == 0)
    {
      if (fork_quietly (0) == 0)
        be_helper (pid, answer, name, say);
      _exit (0);
    }
  while (child > 0 && waitpid (child, NULL, __WALL) < 0 && errno == EINTR)
    continue;
  if (alone)
    sigaction (SIGCHLD, &before, NULL);
  return child > 0;
}

/* Have a helper seize this process, which is to be the program NAME.  Return
   NULL or why that is not possible.  */
static const char *
be_seized (const char *name, void (*say) (const char *format, ...))
{
  static struct answer_of_helper answer;
  int ends[2];
  if (pipe2 (ends, O_CLOEXEC) != 0)
    return "there is no descriptor for its helper";
  /* Yama demands our permission, which is taken back as soon as it was used.
     Without Yama the call fails.  */
  prctl (PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const bool made = make_helper (ends[1], name, say);
  close (ends[1]);
  ssize_t got = -1;
  while (made && (got = read (ends[0], &answer, sizeof answer)) < 0
         && errno == EINTR)
    continue;
  close (ends[0]);
  prctl (PR_SET_PTRACER, 0, 0, 0, 0);
  if (got != sizeof answer)
    return "its helper has ended";
  if (answer.problem[0] == '\0')
    return NULL;
  /* The helper may have become our child.  */
  while (waitpid (answer.helper, NULL, __WALL) < 0 && errno == EINTR)
    continue;
  return answer.problem;
}

const char *
attach_at_exec (const char *file, const char *name,
                void (*say) (const char *format, ...))
{
  struct settings settings;
  settings_read (&settings, getenv ("GLIBC_TUNABLES"));
  advice_add (&settings, file);
  if ((settings_value (&settings, SETTING_MODE) & SETTINGS_TEXT) == 0)
    return NULL;
  /* Ask this before any call that a filter might not allow.  */
  if (filter_is_on (getpid (), getpid ()))
    return filter_readable () ? NULL : FILTER_UNREADABLE;
  const int fd = open (file, O_RDONLY | O_CLOEXEC);
  /* A file that cannot be read can still be executed.  */
  if (fd < 0)
    return "its file cannot be read";
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  const bool worth = is_worth_it (&settings, fd);
  close (fd);
  return worth ? be_seized (name, say) : NULL;
}
