/* The system calls of a conversion, which a thread of the process makes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stop lasts from remote_stop to remote_go.  If hugetext is killed, the
   thread itself removes the mappings and descriptors of the stop.  Children
   that are forked meanwhile do not get the mappings, except in short moments;
   remote_close looks for those.  */

#ifndef REMOTE_H
#define REMOTE_H

#include "attach/convert.h"
#include "attach/freeze.h"
#include "attach/record.h"
#include "host/procmaps.h"

struct remote
{
  struct tracee *tracee;
  pid_t pid;
  struct pages pages;   /* With /proc/PID/pagemap.  */
  struct procmaps maps; /* For PAGES, on kernels without PAGEMAP_SCAN.  */
  struct freeze freeze;
  uintptr_t room;        /* Where there is much address space.  */
  bool held;             /* It was stopped before, and stays so.  */
  bool switched;         /* Huge pages are on that it has off.  */
  struct record record;  /* Of what was replaced.  */
  bool serves;           /* It serves files: it must not open any.  */
  struct traces *traces; /* Of what children may have got.  */
  double since, pause;   /* In milliseconds.  */
  size_t stops;
  double longest, whole;
};

/* Get ready for TRACEE's process, and begin TRACES.  Returns NULL, or why that
   cannot be; then there is nothing to be closed.  */
extern const char *remote_open_process (struct remote *remote,
                                        struct tracee *tracee,
                                        struct traces *traces);
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
   the caller does not see.  */
extern void remote_calls (struct remote *remote,
                          const struct trampoline_call calls[], size_t count);

/* Give ADVICE about LENGTH bytes at ADDRESS, then MORE.  */
extern void remote_advise (struct remote *remote, uintptr_t address,
                           size_t length, int advice, int more);

/* Map LENGTH bytes of nothing but zeros at a block boundary where nothing is
   anything.  Returns 0 if that fails.  */
extern uintptr_t remote_map (struct remote *remote, size_t length, int prot);

/* The same, of the file NAME, open here as FD, from OFFSET on.  */
extern uintptr_t remote_map_file (struct remote *remote, const char *name,
                                  int fd, size_t length, int prot,
                                  uint64_t offset);

/* The same, of the file of OBJECT: by what it has mapped of it already, if
   that can be, so that the target need not open it, which may be gone by
   now.  */
extern uintptr_t remote_map_object (struct remote *remote,
                                    const struct convert_object *object,
                                    size_t length, int prot, uint64_t offset);

/* Have children that are forked get what is mapped at ADDRESS, too: it is
   about to become text.  False if that cannot be.  */
extern bool remote_share (struct remote *remote, uintptr_t address,
                          size_t length);

/* Why the block at START, as in MAPS, is needed for putting others back, of
   OBJECT whose file cannot be opened again; NULL if it is not.  */
extern const char *remote_needed (const struct remote *remote,
                                  const struct convert_object *object,
                                  const struct procmaps *maps,
                                  uintptr_t start);

/* Note in the record that the block at START is about to be replaced, which is
   as in MAPS and is ELF's.  Returns NULL or why that cannot be.  */
extern const char *remote_note (struct remote *remote,
                                const struct procmaps *maps,
                                const struct hugetext_object *elf,
                                uintptr_t start);

/* Take block I out of the record, of which nothing is left if it was the
   last.  */
extern void remote_forget (struct remote *remote, size_t i);

/* From now on what was mapped stays if we are killed: it has been moved away,
   or is about to be unmapped.  Said after that, so that nothing is left; who
   is killed in between has that address unmapped for nothing, where by itself
   the kernel puts nothing.  */
extern void remote_keep (struct remote *remote);

/* Have the block at ADDRESS faulted in.  */
extern bool remote_touch (const struct remote *remote, uintptr_t address);

/* Whether the block at ADDRESS is a huge page.  */
extern bool remote_is_huge (struct remote *remote, uintptr_t address);

/* Stop the other threads, too.  Returns NULL, or why they do not.  How long
   they may take depends on how often that was TRIED before: on a machine so
   busy that they do not come to it in some milliseconds it is that or
   nothing.  */
#define REMOTE_TRIES 6
extern const char *remote_freeze (struct remote *remote, unsigned int tried);

extern void remote_thaw (struct remote *remote);

/* Map [START, END) as OBJECT's file has it from OFFSET on, with PROT, over
   whatever is there.  False if that fails.  */
extern bool remote_restore (struct remote *remote,
                            const struct convert_object *object,
                            uintptr_t start, uintptr_t end, int prot,
                            uint64_t offset);

#endif
