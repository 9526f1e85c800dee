/* The conversion of code that a running process has made.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel gathers the pages of a block into a huge page in place, as
   khugepaged does, when another process asks for it (process_madvise(2),
   MADV_COLLAPSE, Linux 6.1).  Contents and permissions stay; a thread that
   accesses the block meanwhile waits in a page fault.  */

#include "attach/convert.h"
#include "host/machine.h"
#include "host/procmaps.h"

#include <hugetext-code.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Linux 5.10; the number is the same for all machines.  */
#ifndef SYS_process_madvise
#  define SYS_process_madvise 440
#endif
#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25 /* Linux 6.1.  */
#endif

/* Decide about BLOCK, in the state FOUND.  */
static void
judge (struct convert_block *block, const struct text_block *found)
{
  const uintptr_t size = procmaps_block (), page = getpagesize ();
  const char *reason = "";
  block->huge = found->huge == size;
  block->backing = found->backing;
  if (block->huge)
    return;
  if (found->text != size)
    reason = "it is not all code made at run time";
  else if (found->small < HUGETEXT_CODE_ENOUGH (size / page) * page)
    reason = "less than three quarters of it are in use";
  else
    block->wanted = true;
  snprintf (block->reason, sizeof block->reason, "%s", reason);
}

const char *
convert_code_plan (struct conversion *all)
{
  const struct object_text *made = &all->found.objects.made;
  all->code = calloc (made->nblocks + 1, sizeof *all->code);
  if (all->code == NULL)
    return strerror (ENOMEM);
  for (size_t i = 0; i < made->nblocks; ++i)
    judge (&all->code[i], &made->blocks[i]);
  /* Text and code have one cap, and the blocks that exist count.  */
  size_t left = _dl_hugetext_ledger_blocks (&all->ledger, made->nblocks);
  for (size_t i = 0; i < made->nblocks; ++i)
    if (all->code[i].wanted && left-- == 0)
      {
        left = 0;
        all->code[i].wanted = false;
        snprintf (all->code[i].reason, sizeof all->code[i].reason,
                  "blocks of text and code have used up the cap of %zu",
                  _dl_hugetext_ledger_cap (&all->ledger));
      }
  return NULL;
}

/* Return a clause for ERROR, which is the kernel's.  */
static const char *
refusal (int error)
{
  switch (error)
    {
    case EINVAL:
      return "the kernel gathers nothing there (madvise or prctl against huge"
             " pages; or it is older than 6.1)";
    case ENOMEM:
      return "no huge page was free";
    case EAGAIN:
    case EBUSY:
      return "pages of it are held by the kernel or another process";
    default:
      return strerror (error);
    }
}

/* Have the kernel gather the block at START of the process PIDFD.  Returns 0
   or its error.  */
static int
gather (int pidfd, uintptr_t start)
{
  enum
  {
    TRIES = 4, /* The kernel holds pages for moments while they are written
                  to.  */
  };
  const struct iovec vector = { (void *) start, procmaps_block () };
  for (int i = 0; i < TRIES; ++i)
    {
      if (syscall (SYS_process_madvise, pidfd, &vector, 1UL, MADV_COLLAPSE, 0)
          >= 0)
        return 0;
      if (errno != EAGAIN && errno != EBUSY)
        break;
      nanosleep (&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
  return errno;
}

/* Have the kernel gather the wanted blocks of ALL.  Return NULL, or why none
   can be gathered.  */
static const char *
gather_all (struct conversion *all, int pidfd)
{
  const struct object_text *made = &all->found.objects.made;
  struct hugetext_charge charge = { 0, 0 };
  for (size_t i = 0; i < made->nblocks; ++i)
    {
      struct convert_block *block = &all->code[i];
      const char *reason = "";
      int error = 0;
      if (!block->wanted)
        continue;
      if (convert_room (all) == 0)
        reason = "memory, a limit of it or the CPU's TLB leaves no room for"
                 " more";
      else
        error = gather (pidfd, made->blocks[i].start);
      if (error == EPERM)
        return "the kernel does not let us ask for that (it takes CAP_SYS_NICE"
               " and the right to trace it): try as root";
      if (error == ESRCH)
        return "it has ended";
      if (error != 0)
        reason = refusal (error);
      else if (reason[0] == '\0')
        _dl_hugetext_ledger_take (&all->ledger, &charge, true);
      snprintf (block->reason, sizeof block->reason, "%s", reason);
    }
  return NULL;
}

/* Ask the kernel which blocks of ALL are huge now.  */
static void
look_again (struct conversion *all)
{
  const struct object_text *made = &all->found.objects.made;
  struct object_list now;
  if (objtext_read (all->pid, 0, &now) < 0)
    return;
  for (size_t i = 0, k = 0; i < made->nblocks; ++i)
    {
      struct convert_block *block = &all->code[i];
      while (k < now.made.nblocks
             && now.made.blocks[k].start < made->blocks[i].start)
        ++k;
      if (!block->wanted || block->reason[0] != '\0')
        continue;
      block->done = (k < now.made.nblocks
                     && now.made.blocks[k].start == made->blocks[i].start
                     && now.made.blocks[k].huge == procmaps_block ());
      block->wanted = !block->done;
      if (block->done)
        block->backing = now.made.blocks[k].backing;
      else
        snprintf (block->reason, sizeof block->reason,
                  "it has changed since, and its huge page is gone");
    }
  objtext_free (&now);
}

const char *
convert_code (struct conversion *all)
{
  int pidfd = syscall (__NR_pidfd_open, all->pid, 0);
  if (pidfd < 0)
    return process_problem (&all->found.process, errno);
  const char *problem = gather_all (all, pidfd);
  close (pidfd);
  if (problem == NULL)
    look_again (all);
  return problem;
}
