/* What convert.h has another process do, by one of its threads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stop lasts from remote_stop to remote_go.  What is mapped or opened in it
   is removed by the thread itself if we are killed.  */

#ifndef REMOTE_H
#define REMOTE_H

#include "convert.h"
#include "freeze.h"
#include "procmaps.h"

struct remote
{
  struct tracee *tracee;
  pid_t pid;
  struct pages pages;   /* With /proc/PID/pagemap.  */
  struct procmaps maps; /* For PAGES, on kernels without PAGEMAP_SCAN.  */
  struct freeze freeze;
  uintptr_t room;       /* Where there is much address space.  */
  bool held;            /* It was stopped before, and stays so.  */
  bool switched;        /* Huge pages are on that it has off.  */
  double since, pause;  /* In milliseconds.  */
  size_t stops;
  double longest, whole;
};

/* Get ready for TRACEE's process.  Returns NULL, or why that cannot be; then
   there is nothing to be closed.  */
extern const char *remote_open_process (struct remote *remote,
                                        struct tracee *tracee);
extern void remote_close (struct remote *remote);

/* Stop a thread.  Returns NULL or why none can be.  */
extern const char *remote_stop (struct remote *remote);

/* Let it go.  Returns how long it was stopped, in milliseconds.  */
extern double remote_go (struct remote *remote);

/* Why nothing more can be done, NULL if it can.  */
extern const char *remote_problem (const struct remote *remote);

/* As tracee_call.  */
extern long remote_call (struct remote *remote, long number, uintptr_t a,
                         uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
                         uintptr_t f);

/* Have COUNT CALLS made, all at once where that can be.  What they return
   nobody sees.  */
extern void remote_calls (struct remote *remote,
                          const struct trampoline_call calls[], size_t count);

/* Give ADVICE about LENGTH bytes at ADDRESS, then MORE.  */
extern void remote_advise (struct remote *remote, uintptr_t address,
                           size_t length, int advice, int more);

/* Open the file NAME there, if it is the one that is open here as FD.
   Returns the descriptor or -1.  */
extern long remote_open (struct remote *remote, const char *name, int fd);

extern void remote_close_file (struct remote *remote, long file);

/* Map LENGTH bytes at a block boundary where nobody has anything.  Returns 0
   if that fails.  */
extern uintptr_t remote_map (struct remote *remote, size_t length, int prot,
                             int flags, long fd, uint64_t offset);

/* Have [START, END) reserved, where nobody has anything.  False if somebody
   has.  */
extern bool remote_claim (struct remote *remote, uintptr_t start,
                          uintptr_t end);

/* From now on what was mapped stays if we are killed: it has been moved away,
   or is about to be unmapped.  Said after that, so that nothing is left; who
   is killed in between has that address unmapped for nothing, where by itself
   the kernel puts nothing.  */
extern void remote_keep (struct remote *remote);

/* Have the block at ADDRESS faulted in.  */
extern bool remote_touch (const struct remote *remote, uintptr_t address);

/* Whether the block at ADDRESS is a huge page.  */
extern bool remote_is_huge (struct remote *remote, uintptr_t address);

/* Stop the other threads, too.  Returns NULL, or why they do not: freeze_late
   if that is for not doing so soon; what soon is depends on how often that was TRIED before: on a machine so busy that they
   do not come to it in some milliseconds it is that or nothing.  */
#define REMOTE_TRIES 6
extern const char *remote_freeze (struct remote *remote, unsigned int tried);
extern void remote_thaw (struct remote *remote);

/* Map what the file of OBJECT, which ELF describes, has of the block at START
   again: with SMALL on small pages over whatever is there, else where there is
   nothing.  False if that fails.  */
extern bool remote_restore (struct remote *remote,
                            const struct convert_object *object,
                            const struct hugetext_object *elf,
                            uintptr_t start, bool small);

#endif
