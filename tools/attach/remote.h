/* The system calls of a conversion, which a thread of the process makes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stop lasts from remote_stop to remote_go.  If hugetext is killed, the
   thread itself removes the mappings and descriptors of the stop.  Children
   that are forked meanwhile do not get the mappings, except in short moments;
   the worker's parent has those looked for (children.h).  */

#ifndef REMOTE_H
#define REMOTE_H

#include "attach/convert.h"
#include "attach/freeze.h"
#include "attach/changes.h"
#include "host/procmaps.h"

struct remote
{
  struct tracee *tracee;
  pid_t pid;
  struct pages pages;   /* With /proc/PID/pagemap.  */
  struct procmaps maps; /* For PAGES, on kernels without PAGEMAP_SCAN.  */
  struct freeze freeze;
  uintptr_t room;        /* An address with much free space around it.  */
  bool switched;         /* The process has huge pages switched off, and the
                            command has switched them on.  */
  struct changes record; /* The record of replaced blocks.  */
  bool asked, serves;    /* For remote_serves.  */
  struct traces *traces; /* The traces that children may have.  */
  double since, pause;   /* In milliseconds.  */
  struct convert_stops stops;
};

/* What the thread undoes by itself if hugetext is killed: slots of
   tracee_cleanup.  */
enum
{
  REMOTE_MAP,
  REMOTE_FILE,
  REMOTE_SWITCH,
};

/* Open TRACEE's process, and begin TRACES.  Return NULL, or why that is not
   possible; then there is nothing to close.  */
extern const char *remote_open_process (struct remote *remote,
                                        struct tracee *tracee,
                                        struct traces *traces);
extern void remote_close (struct remote *remote);

/* Whether the process serves files, so that it must not open any.  */
extern bool remote_serves (struct remote *remote);

/* Stop a thread.  Return NULL or why none can be stopped.  */
extern const char *remote_stop (struct remote *remote);

/* Let the thread go.  Return how long it was stopped, in milliseconds.  */
extern double remote_go (struct remote *remote);

/* Return why the work cannot go on, NULL if it can.  */
extern const char *remote_problem (const struct remote *remote);

/* Have the thread make a system call, as tracee_call.  */
extern long remote_call (struct remote *remote, long number, uintptr_t a,
                         uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
                         uintptr_t f);

/* Have the thread make COUNT CALLS, all at once if possible.  Their results
   are not returned.  */
extern void remote_calls (struct remote *remote,
                          const struct trampoline_call calls[], size_t count);

/* Have LENGTH bytes of a file at ADDRESS read in huge pages.  */
extern void remote_advise (struct remote *remote, uintptr_t address,
                           size_t length);

/* Map LENGTH bytes of FILE at LEAD bytes behind a block boundary, in free
   address space; the thread unmaps them by itself if hugetext is killed before
   they are kept.  Return the address or 0.  */
extern uintptr_t remote_map_at (struct remote *remote, uintptr_t lead,
                                size_t length, int prot, int flags, long file,
                                uint64_t offset);

/* Map LENGTH bytes of the file NAME, open here as FD, from OFFSET on in the
   same way.  */
extern uintptr_t remote_map_file (struct remote *remote, const char *name,
                                  int fd, size_t length, int prot,
                                  uint64_t offset);

/* Map LENGTH bytes of OBJECT's file in the same way: by the process's present
   mapping of it if possible, so that the process need not open the file, which
   may be gone.  */
extern uintptr_t remote_map_object (struct remote *remote,
                                    const struct convert_object *object,
                                    size_t length, int prot, uint64_t offset);

/* Have forked children get the mapping at ADDRESS, too, because it is about to
   become text.  False if that fails.  */
extern bool remote_share (struct remote *remote, uintptr_t address,
                          size_t length);

/* Return why the block at START is needed to restore other blocks of OBJECT,
   whose file cannot be opened again; HUGETEXT_NONE if it is not needed.  */
extern enum hugetext_reason remote_needed (struct remote *remote,
                                           const struct convert_object *object,
                                           uintptr_t start);

/* Note that the block at START, of ELF and with holes as in MAPS, is about to
   be replaced.  Return HUGETEXT_NONE or why that is not possible.  */
extern enum hugetext_reason remote_note (struct remote *remote,
                                         const struct procmaps *maps,
                                         const struct hugetext_object *elf,
                                         uintptr_t start);

/* Remove block I from the record, and the record itself after its last
   block.  */
extern void remote_forget (struct remote *remote, size_t i);

/* Keep the latest mapping from now on even if hugetext is killed: it has been
   moved over the text, or is about to be unmapped.  Call this after the move,
   so that nothing is left behind; if hugetext is killed between the two, the
   thread unmaps that address once more, where the kernel maps nothing by
   itself.  */
extern void remote_keep (struct remote *remote);

/* Whether the block at ADDRESS is a huge page.  */
extern bool remote_is_huge (struct remote *remote, uintptr_t address);

/* Fault in COUNT blocks from START on, and set HUGE to whether each is a huge
   page.  */
extern void remote_look (struct remote *remote, uintptr_t start, size_t count,
                         bool huge[]);

/* Stop the other threads, too.  Return HUGETEXT_NONE, or why they do not stop.
   They have the longer, the more often that was TRIED before: on a machine so
   busy that they do not run for some milliseconds, no shorter time works.  */
#define REMOTE_TRIES 6
extern enum hugetext_reason remote_freeze (struct remote *remote,
                                           unsigned int tried);

/* Map OBJECT's file from OFFSET on at [START, END), with PROT, over any
   mapping there.  Return HUGETEXT_NONE or why that fails.  */
extern enum hugetext_reason
remote_restore (struct remote *remote, const struct convert_object *object,
                uintptr_t start, uintptr_t end, int prot, uint64_t offset);

#endif
