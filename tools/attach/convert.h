/* The conversion of a running process: moves its text to huge pages, and back
   to small ones.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: how text is changed while the process runs.

   One thread is stopped, and makes the command's system calls (tracee.h).  The
   other threads run on, even in the text that is being replaced.  They do not
   notice, because a single mremap replaces a block: under the lock of the
   address space the kernel removes the old mapping and inserts the new one.  A
   thread that accesses the block meanwhile waits in its page fault, and then
   finds the same bytes.  All earlier steps happen outside of the text; the
   command makes those in parentheses, the thread the others:

     mmap, madvise          map a staging area at a free address
     (write)                copy the file's bytes there while it is writable;
                            or the area maps the file or its image
     mprotect               make the area executable and not writable
     (ask the kernel)       check that it is a huge page; if not, unmap it
     (check the text)       it still agrees with the file, and no page of it is
                            private to the process
     mremap                 move the area over the text

   Another thread may change the text after the check: it may dlclose a library
   and map something else there, or patch the text after making it writable.
   So before the command replaces a block in either direction, it stops all
   other threads and checks each mapping of the block, from start to end.  The
   threads stay stopped until the replacement is in place, some tens of
   microseconds (freeze.h).  The only exception is a program that has not begun
   and has no other threads.

   The record in the process notes each replaced block (changes.h); --undo uses
   it to restore them.  If hugetext is killed, the thread itself removes the
   staging area.  */

#ifndef CONVERT_H
#define CONVERT_H

#include "attach/children.h"
#include "tracee/tracee.h"
#include "object/plan.h"
#include "text/inspect.h"

#include <dl-hugetext-index.h>
#include <dl-hugetext-ledger.h>

struct attach_heats;

/* One block of an object.  */
struct convert_block
{
  bool wanted;  /* The block should move to huge pages, or back to small
                   ones.  */
  bool done;    /* The block was moved.  */
  bool huge;    /* The block was on a huge page when it was examined.  */
  bool small;   /* Huge pages were switched off for a part of it.  */
  bool movable; /* The block is huge and can move back to small pages.  */
  bool back;    /* The block should move back, to make a place for a hotter
                   one.  */
  enum hugetext_reason refusal; /* Why it cannot move back.  */
  unsigned int backing;         /* Its backing, see objtext.h.  */
  enum hugetext_reason reason;  /* Why the block stays as it is.  */
};

/* One object.  */
struct convert_object
{
  const struct object_text *text;    /* The object as it was found.  */
  int fd;                            /* Descriptor of its file, or -1.  */
  bool program;                      /* The object is the program itself.  */
  bool locked;                       /* The text is locked in memory.  */
  uintptr_t start, end;              /* The addresses of all its segments.  */
  int prot;                          /* Protection of the text: PROT_READ,
                                        PROT_EXEC, more.  */
  struct hugetext_index_image image; /* The record of the object's image in the
                                        store.  */
  int image_fd;                      /* The descriptor of the image, or -1.  */
  struct convert_block *blocks; /* An array with the plan's number of blocks,
                                   in memory shared with children of the
                                   command.  */
  size_t room;                  /* The size of this array in bytes.  */
};

/* The stops of a process: their number, and milliseconds.  */
struct convert_stops
{
  size_t count;
  double longest, whole;
};

/* One process.  */
struct conversion
{
  pid_t pid;
  struct tracee_facts facts; /* The facts at the time of the inspection.  */
  struct inspection found;
  struct settings settings;
  struct plan *plans; /* The plans of OBJECTS, in the same order.  */
  struct convert_object *objects;
  size_t count;
  const struct attach_heats *heats; /* Samples by which to choose, or NULL.  */
  bool fresh; /* The process has not executed an instruction yet, and its file
                 is cached.  */
  struct hugetext_ledger ledger;
  long end;                   /* The time at which its worker is killed, in
                                 nanoseconds of thread_now.  */
  struct traces *traces;      /* The traces that remote.c records.  */
  struct convert_stops stops; /* The result.  */
};

/* Plan the conversion of process PID, with OPTIONS before its own settings,
   and END; or plan its UNDO; or choose blocks by HEATS, if that is not NULL.
   Return NULL, or why nothing can be done, in static memory. ALL is never
   freed: this process ends when the work has been done.  */
extern const char *convert_plan (struct conversion *all, pid_t pid, long end,
                                 const struct settings *options, bool undo,
                                 const struct attach_heats *heats);

/* Plan the conversion of process PID before its first instruction.  Its only
   object is its program FILE, which is ELF, static, open on FD and at load
   bias BIAS, with SETTINGS and HEAT.  FD stays open.  */
extern const char *convert_plan_program (struct conversion *all, pid_t pid,
                                         const char *file, int fd,
                                         const struct elf_object *elf,
                                         uintptr_t bias,
                                         const struct settings *settings,
                                         const struct plan_heat *heat);

/* Carry out the plan by TRACEE, which is open; each stop lasts at most
   DEADLINE milliseconds, as far as that can be foreseen.  A tracee that is
   stopped already stays stopped.  Return NULL, or why the work could not be
   finished, in static memory or TRACEE's.  */
extern const char *convert_do (struct conversion *all, struct tracee *tracee,
                               double deadline);

/* Whether the time for the process is almost over, so that no new step should
   begin.  */
extern bool convert_is_late (const struct conversion *all);

/* Undo the changes, one block in each stop.  */
extern const char *convert_undo (struct conversion *all,
                                 struct tracee *tracee);

/* Return how many more copies the process of ALL may have.  */
extern size_t convert_room (struct conversion *all);

#endif
