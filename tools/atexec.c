/* Put a program's text on huge pages between its execution and its first
   instruction, from outside.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "atexec.h"
#include "advice.h"
#include "convert.h"
#include "filecache.h"
#include "machine.h"
#include "procmaps.h"
#include "tracee-refusal.h"
#include "tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is known of the program before it is executed.  */
struct subject
{
  const char *file;
  int fd;
  struct elf_object elf;
  struct settings settings;
  struct plan plan;
};

/* What the helper says when it has tried to seize us.  */
struct answer
{
  bool seized;
  char problem[256];
};

/* Whether SUBJECT, of which FILE and FD are set, has blocks that are worth it.
   Fills in the rest; the plan must be freed in both cases.  */
static bool
is_worth_it (struct subject *subject)
{
  struct plan *plan = &subject->plan;
  settings_read (&subject->settings, getenv ("GLIBC_TUNABLES"));
  advice_add (&subject->settings, subject->file);
  if (elfobject_read (subject->fd, &subject->elf) != NULL
      || elfobject_problem (&subject->elf) != NULL
      || !plan_static (plan, &subject->elf, &subject->settings,
                       machine_aligns_programs ()))
    return false;
  plan_cut (plan, 1, plan_cap (&subject->settings));
  for (size_t i = 0; i < plan->nblocks; i++)
    if (plan->blocks[i].verdict == HUGETEXT_TAKE)
      return true;
  return false;
}

/* Have the blocks of SUBJECT cached in huge pages where they are not cached as
   a whole, if they are wanted: executing the file reads some of it, in small
   ones.  What is cached others use as it is.  */
static void
fill_cache (const struct subject *subject)
{
  const struct plan *plan = &subject->plan;
  uint64_t backing = settings_value (&subject->settings, SETTING_BACKING);
  struct stat status;
  if (backing == CHOICE_THP || backing == CHOICE_HUGETLB
      || fstat (subject->fd, &status) < 0)
    return;
  for (size_t i = 0; i < plan->nblocks; i++)
    {
      const struct plan_block *block = &plan->blocks[i];
      if (block->verdict == HUGETEXT_TAKE && block->congruent
          && block->offset + procmaps_block () <= (uint64_t)status.st_size
          && !filecache_is_whole (subject->fd, block->offset))
        filecache_fill (subject->fd, block->offset);
    }
}

/* The load bias of process PID, which runs SUBJECT.  */
static uintptr_t
bias_of (pid_t pid, const struct subject *subject)
{
  char path[64];
  ElfW (auxv_t) entry;
  ElfW (Ehdr) header;
  uintptr_t bias = 0;
  if (subject->elf.fixed
      || pread (subject->fd, &header, sizeof header, 0) != sizeof header)
    return 0;
  snprintf (path, sizeof path, "/proc/%d/auxv", (int)pid);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && read (fd, &entry, sizeof entry) == sizeof entry
         && entry.a_type != AT_NULL)
    if (entry.a_type == AT_ENTRY)
      bias = entry.a_un.a_val - header.e_entry;
  if (fd >= 0)
    close (fd);
  return bias;
}

/* Whether process PID runs SUBJECT, and no other file that has got its name
   since.  */
static bool
runs (pid_t pid, const struct subject *subject)
{
  char path[64];
  struct stat ours, theirs;
  snprintf (path, sizeof path, "/proc/%d/exe", (int)pid);
  return (fstat (subject->fd, &ours) == 0 && stat (path, &theirs) == 0
          && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino);
}

/* Let TRACEE go.  Where orphans become its children, as in a container whose
   first process it is, we are one: its program must not wait for us.  */
static void
let_go (struct tracee *tracee)
{
  if (getppid () == tracee->pid)
    tracee_leave (tracee);
  else
    tracee_go (tracee);
}

/* Work on the program that TRACEE has executed, SUBJECT, stopped before its
   first instruction.  Returns NULL, or why it stays as it is.  */
static const char *
work (struct tracee *tracee, const struct subject *subject)
{
  struct conversion conversion;
  const double no_deadline = 1000;
  const char *problem = tracee_stop_at_exec (tracee);
  if (problem != NULL)
    return problem;
  if (!runs (tracee->pid, subject))
    {
      let_go (tracee);
      return "another file has taken its place";
    }
  problem = convert_plan_program (&conversion, tracee->pid, subject->file,
                                  bias_of (tracee->pid, subject),
                                  &subject->settings);
  if (problem == NULL)
    problem = convert_do (&conversion, tracee, no_deadline);
  let_go (tracee);
  convert_free (&conversion);
  return problem;
}

/* What a helper needs to know.  */
struct help
{
  pid_t pid;
  int channel;
  const struct subject *subject;
  const char *name;
  void (*say) (const char *format, ...);
};

/* Be the helper that CALL describes.  */
static void __attribute__ ((noreturn))
help (const struct help *call)
{
  struct tracee tracee;
  const int channel = call->channel;
  struct answer answer = { 0 };
  char byte;
  const pid_t self = getpid ();
  /* Nobody waits for us at the end of its pipe.  What we say goes to standard
     error; nothing else is ours.  */
  for (int fd = 0; fd < channel; fd++)
    if (fd != STDERR_FILENO && fd != call->subject->fd)
      close (fd);
  close_range (channel + 1, ~0U, 0);
  if (send (channel, &self, sizeof self, MSG_NOSIGNAL) < 0
      || recv (channel, &byte, 1, 0) != 1)
    _exit (1);
  const char *problem = tracee_open (&tracee, call->pid);
  if (problem == NULL)
    problem = tracee_seize (&tracee);
  answer.seized = problem == NULL;
  if (problem != NULL)
    snprintf (answer.problem, sizeof answer.problem, "%s", problem);
  if (send (channel, &answer, sizeof answer, MSG_NOSIGNAL) < 0
      || !answer.seized)
    _exit (1);
  close (channel);
  problem = work (&tracee, call->subject);
  if (problem != NULL && problem[0] != '\0')
    call->say ("%s runs on small pages: %s", call->name, problem);
  _exit (0);
}

/* Start the helper and end, which makes it nobody's child.  */
static int
start_helper (void *closure)
{
  const struct help *call = closure;
  pid_t pid = fork ();
  if (pid == 0)
    help (call);
  _exit (pid < 0);
}

/* Make a helper.  The process in between uses our memory while we wait: it is
   made for one call.  It sends no signal when it ends: one that is blocked
   would wait for the program.  */
static bool
make_helper (struct help *call)
{
  static _Alignas (16) char stack[65536];
  int status;
  fflush (NULL);
  pid_t pid = clone (start_helper, stack + sizeof stack,
                     CLONE_VM | CLONE_VFORK, call);
  if (pid < 0)
    return false;
  while (waitpid (pid, &status, __WALL) < 0)
    if (errno != EINTR)
      return false;
  return status == 0;
}

/* Let the helper at the other end of CHANNEL seize us.  */
static const char *
be_seized (int channel)
{
  static struct answer answer;
  pid_t helper;
  static const char ended[] = "its helper has ended";
  if (recv (channel, &helper, sizeof helper, 0) != sizeof helper)
    return ended;
  /* Where there is Yama it takes our permission; it is gone with the helper.
     Where there is none this fails.  */
  prctl (PR_SET_PTRACER, helper, 0, 0, 0);
  if (send (channel, "", 1, MSG_NOSIGNAL) != 1
      || recv (channel, &answer, sizeof answer, 0) != sizeof answer)
    {
      answer.seized = false;
      snprintf (answer.problem, sizeof answer.problem, "%s", ended);
    }
  /* It may have become our child.  */
  while (!answer.seized && waitpid (helper, NULL, __WALL) < 0
         && errno == EINTR)
    continue;
  return answer.seized ? NULL : answer.problem;
}

/* Have CALL's helper made, and wait for us at the other end of CHANNEL.  */
static const char *
arm (struct help *call, int channel)
{
  if (!make_helper (call))
    return strerror (errno);
  close (call->channel);
  call->channel = -1;
  /* Meanwhile the helper gets ready.  */
  fill_cache (call->subject);
  return be_seized (channel);
}

/* The same, but for the case that nothing of the kind may be done here.  */
static const char *
try_to_arm (const struct subject *subject, const char *name,
            void (*say) (const char *format, ...))
{
  int channel[2];
  /* Before anything that a filter might not allow.  */
  if (tracee_is_filtered (getpid (), getpid ()))
    return tracee_refusal (getpid ());
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) < 0)
    return strerror (errno);
  struct help call = { getpid (), channel[1], subject, name, say };
  const char *problem = arm (&call, channel[0]);
  close (channel[0]);
  if (call.channel >= 0)
    close (call.channel);
  return problem;
}

const char *
atexec_arm (const char *file, const char *name,
            void (*say) (const char *format, ...))
{
  struct subject subject
      = { .file = file, .fd = open (file, O_RDONLY | O_CLOEXEC) };
  /* What cannot be read may be executed all the same.  */
  if (subject.fd < 0)
    return "its file cannot be read";
  posix_fadvise (subject.fd, 0, 0, POSIX_FADV_RANDOM);
  const char *problem
      = is_worth_it (&subject) ? try_to_arm (&subject, name, say) : NULL;
  plan_free (&subject.plan);
  close (subject.fd);
  return problem;
}
