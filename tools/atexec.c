/* Put a program's text on huge pages between its execution and its first
   instruction, from outside.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "atexec.h"
#include "advice.h"
#include "convert.h"
#include "filecache.h"
#include "procmaps.h"
#include "tracee-refusal.h"
#include "tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the helper says when it has tried to seize us.  */
struct answer
{
  bool seized;
  char problem[256];
};

/* Whether FILE has blocks that are worth it.  PLAN gets those, and must be
   freed in both cases.  FILE's own pages are wanted if *OWN.  */
static bool
is_worth_it (int fd, const char *file, struct plan *plan, bool *own)
{
  struct elf_object elf;
  struct settings settings;
  *plan = (struct plan){ 0 };
  settings_read (&settings, getenv ("GLIBC_TUNABLES"));
  advice_add (&settings, file);
  uint64_t backing = settings_value (&settings, SETTING_BACKING);
  *own = (backing == CHOICE_AUTO || backing == CHOICE_FILE
          || backing == CHOICE_STORE);
  if (elfobject_read (fd, &elf) != NULL || elfobject_problem (&elf) != NULL
      || !plan_static (plan, &elf, &settings))
    return false;
  plan_cut (plan, 1, plan_cap (&settings));
  for (size_t i = 0; i < plan->nblocks; i++)
    if (plan->blocks[i].verdict == HUGETEXT_TAKE)
      return true;
  return false;
}

/* Have the blocks of PLAN, whose file is FD, cached in huge pages where they
   are not cached as a whole: executing the file reads some of it, in small
   ones.  What is cached others use as it is.  */
static void
fill_cache (int fd, const struct plan *plan)
{
  const size_t page = getpagesize ();
  const size_t each = procmaps_block () / page;
  size_t pages = 0;
  unsigned char *cached = filecache_note (fd, &pages);
  for (size_t i = 0; cached != NULL && i < plan->nblocks; i++)
    {
      const struct plan_block *block = &plan->blocks[i];
      size_t first = block->offset / page, n = 0;
      if (block->verdict != HUGETEXT_TAKE || !block->congruent
          || first + each > pages)
        continue;
      while (n < each && (cached[first + n] & 1) != 0)
        n++;
      if (n < each)
        filecache_fill (fd, block->offset);
    }
  free (cached);
}

/* Work on the program that TRACEE has executed, stopped before its first
   instruction.  Returns NULL, or why it stays as it is.  */
static const char *
work (struct tracee *tracee)
{
  struct conversion conversion;
  const struct settings none = { 0 };
  const double no_deadline = 1000;
  const char *problem = tracee_stop_at_exec (tracee);
  if (problem != NULL)
    return problem;
  problem = convert_plan (&conversion, tracee->pid, &none, false);
  if (problem == NULL)
    problem = convert_do (&conversion, tracee, no_deadline);
  tracee_go (tracee);
  convert_free (&conversion);
  return problem;
}

/* What a helper needs to know.  */
struct help
{
  pid_t pid;
  int channel;
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
    if (fd != STDERR_FILENO)
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
  problem = work (&tracee);
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
    return ended;
  return answer.seized ? NULL : answer.problem;
}

/* Have CALL's helper made and wait for us, of which PLAN, if it is not NULL, is
   for the file FD.  */
static const char *
arm (struct help *call, int channel, int fd, const struct plan *plan)
{
  if (!make_helper (call))
    return strerror (errno);
  close (call->channel);
  call->channel = -1;
  /* Meanwhile the helper gets ready.  */
  if (plan != NULL)
    fill_cache (fd, plan);
  return be_seized (channel);
}

const char *
atexec_arm (const char *file, const char *name,
            void (*say) (const char *format, ...))
{
  int channel[2];
  struct plan plan;
  bool own;
  const char *problem = NULL;
  int fd = open (file, O_RDONLY | O_CLOEXEC);
  /* What cannot be read may be executed all the same.  */
  if (fd < 0)
    return "its file cannot be read";
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  if (is_worth_it (fd, file, &plan, &own))
    {
      /* Before anything that a filter might not allow.  */
      if (tracee_is_filtered (getpid (), getpid ()))
        problem = tracee_refusal (getpid ());
      else if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel)
               < 0)
        problem = strerror (errno);
      else
        {
          struct help call = { getpid (), channel[1], name, say };
          problem = arm (&call, channel[0], fd, own ? &plan : NULL);
          close (channel[0]);
          if (call.channel >= 0)
            close (call.channel);
        }
    }
  plan_free (&plan);
  close (fd);
  return problem;
}
