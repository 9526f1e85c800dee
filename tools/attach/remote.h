/* The system calls of a conversion, made by a thread of the process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stop lasts from remote_stop to remote_go.  If hugetext is killed, the
   stopped thread itself unmaps and closes what hugetext had mapped and opened
   in its process for the stop.  Children forked during a stop do not inherit
   the mappings, except in short moments; the worker's parent searches the
   children for such mappings (children.h).  */

#ifndef REMOTE_H
#define REMOTE_H

#include "util/problem.h"
#include "attach/convert.h"
#include "attach/freeze.h"
#include "attach/changes.h"
#include "host/procmaps.h"

struct remote
{
  struct tracee *tracee;
  pid_t pid;
  struct pages pages;   /* The process's pages; with /proc/PID/pagemap
                           open.  */
  struct procmaps maps; /* The process's mappings, which PAGES uses on kernels
                           without PAGEMAP_SCAN.  */
  struct freeze freeze;
  uintptr_t room;        /* An address with much free space around it.  */
  bool switched;         /* The process had huge pages switched off, and the
                            command has switched them on.  */
  struct changes record; /* The record of replaced blocks.  */
  bool asked, serves;    /* The result of remote_serves, if ASKED.  */
  struct traces *traces; /* The traces that children may have.  */
  double since, pause;   /* The time of the stop and the pause after it, in
                            milliseconds.  */
  struct convert_stops stops;
};

/* Slots of tracee_cleanup: the calls by which the thread cleans up if hugetext
   is killed.  */
enum
{
  REMOTE_MAP,
  REMOTE_FILE,
  REMOTE_SWITCH,
};

/* Open TRACEE's process, and begin TRACES.  False if that is not possible;
   after a failure the caller need not close anything.  */
extern bool remote_open_process (struct remote *remote, struct tracee *tracee,
                                 struct traces *traces,
                                 struct problem *problem);
extern void remote_close (struct remote *remote);

/* Whether the process serves files, so that it must not open any.  */
extern bool remote_serves (struct remote *remote);

/* Stop a thread.  False if no thread can be stopped.  */
extern bool remote_stop (struct remote *remote, struct problem *problem);

/* Resume the thread.  Return how long it was stopped, in milliseconds.  */
extern double remote_go (struct remote *remote);

/* False if the work cannot continue.  */
extern bool remote_check (const struct remote *remote,
                          struct problem *problem);

/* Make the thread make system call NUMBER, with the result of tracee_call.  */
extern long remote_call (struct remote *remote, long number, uintptr_t a,
                         uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
                         uintptr_t f);

/* Make the thread make COUNT CALLS, if possible without a stop in between.
   Discard their results.  */
extern void remote_calls (struct remote *remote,
                          const struct trampoline_call calls[], size_t count);

/* Advise the kernel to read LENGTH bytes of a file, mapped at ADDRESS, into
   huge pages.  */
extern void remote_advise (struct remote *remote, uintptr_t address,
                           size_t length);

/* Map LENGTH bytes of FILE in free address space, LEAD bytes after a block
   boundary.  If hugetext is killed before remote_keep, the thread unmaps it.
   Return the address; 0 if that fails.  */
extern uintptr_t remote_map_at (struct remote *remote, uintptr_t lead,
                                size_t length, int prot, int flags, long file,
                                uint64_t offset);

/* Map LENGTH bytes of the file NAME, which this process has open as FD, from
   OFFSET on, as remote_map_at does.  */
extern uintptr_t remote_map_file (struct remote *remote, const char *name,
                                  int fd, size_t length, int prot,
                                  uint64_t offset);

/* Map LENGTH bytes of OBJECT's file as remote_map_at does.  If possible,
   duplicate the process's present mapping of the file, so that the process
   need not open the file, which may be deleted.  */
extern uintptr_t remote_map_object (struct remote *remote,
                                    const struct convert_object *object,
                                    size_t length, int prot, uint64_t offset);

/* Let forked children inherit the mapping at ADDRESS, because it is about to
   become text.  False if that fails.  */
extern bool remote_share (struct remote *remote, uintptr_t address,
                          size_t length);

/* Return the reason why the block at START is needed to restore other blocks
   of OBJECT, whose file cannot be opened again; HUGETEXT_NONE if the block is
   not needed.  */
extern enum hugetext_reason remote_needed (struct remote *remote,
                                           const struct convert_object *object,
                                           uintptr_t start);

/* Whether any mapping in [START, END) is locked in memory, or a filter forbids
   the question.  Ask while the other threads are stopped, because they may
   lock and unlock memory.  */
extern bool remote_may_be_locked (struct remote *remote, uintptr_t start,
                                  uintptr_t end);

/* Set *LOCKED to whether those mappings in MAPS of [START, END) that have
   access are locked in memory.  Leave *LOCKED as it is if a filter forbids the
   question.  Return HUGETEXT_NONE, or the reason if only some are locked.  */
extern enum hugetext_reason
remote_look_for_locks (struct remote *remote, const struct procmaps *maps,
                       uintptr_t start, uintptr_t end, bool *locked);

/* Add the block at START of ELF, which is about to be replaced, to the record,
   with the state of its holes by MAPS.  Return HUGETEXT_NONE, or the reason
   why that is not possible.  */
extern enum hugetext_reason remote_note (struct remote *remote,
                                         const struct procmaps *maps,
                                         const struct hugetext_object *elf,
                                         uintptr_t start);

/* Remove block I from the record, and the record itself after its last
   block.  */
extern void remote_forget (struct remote *remote, size_t i);

/* Remove the cleanup call for the latest mapping, which was moved over the
   text or is about to be unmapped.  Call this after the move, so that a killed
   hugetext leaves no mapping behind.  If hugetext is killed between the move
   and this call, the thread unmaps the mapping's former address again.  This
   does no harm: the kernel does not choose that address for other
   mappings.  */
extern void remote_keep (struct remote *remote);

/* Whether the block at ADDRESS is a huge page.  */
extern bool remote_is_huge (struct remote *remote, uintptr_t address);

/* Fault in COUNT blocks from START on, and set HUGE for each block to whether
   it is a huge page.  */
extern void remote_look (struct remote *remote, uintptr_t start, size_t count,
                         bool huge[]);

/* Also stop the other threads of the process.  Return HUGETEXT_NONE, or the
   reason why they do not stop.  TRIED is the number of earlier attempts: later
   attempts wait longer, because on a busy machine a thread may not run for
   some milliseconds.  */
#define REMOTE_TRIES 6
extern enum hugetext_reason remote_freeze (struct remote *remote,
                                           unsigned int tried);

/* Map OBJECT's file from OFFSET on at [START, END), with PROT, over any
   mapping there, and lock it in memory if LOCKED.  Return HUGETEXT_NONE, or
   the reason why that fails.  */
extern enum hugetext_reason
remote_restore (struct remote *remote, const struct convert_object *object,
                uintptr_t start, uintptr_t end, int prot, uint64_t offset,
                bool locked);

#endif
