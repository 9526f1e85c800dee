/* The conversion of a running process: moves its text to huge pages, and back
   to small ones.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: how text is changed while the process runs.

   One thread is stopped, and makes the command's system calls (tracee.h).  The
   other threads continue to run, even in the text that is being replaced.
   They do not notice the replacement, because a single mremap replaces a
   block: under the lock of the address space the kernel removes the old
   mapping and inserts the new one.  A thread that accesses the block meanwhile
   waits in its page fault, and then finds the same bytes.  All steps before
   mremap happen outside of the text.  The command makes the steps in
   parentheses, and the thread makes the other steps:

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
   threads stay stopped until the replacement is mapped, for some tens of
   microseconds (freeze.h).  The command stops no other threads only if the
   program has not begun and so has none.

   A record in the process lists each replaced block (changes.h); --undo uses
   the record to restore the blocks.  If hugetext is killed, the thread itself
   removes the staging area.  */

#ifndef CONVERT_H
#define CONVERT_H

#include "util/problem.h"
#include "attach/children.h"
#include "tracee/tracee.h"
#include "object/plan.h"
#include "text/inspect.h"

#include <dl-hugetext-index.h>
#include <dl-hugetext-ledger.h>

struct attach_heats;

/* One block of an object in a conversion.  */
struct convert_block
{
  bool wanted;   /* The block should move to huge pages, or back to small
                    ones.  */
  bool done;     /* The block has been moved.  */
  bool huge;     /* The block was on a huge page when it was examined.  */
  bool small;    /* Huge pages are switched off for a part of the block, or
                    the loader had switched them off: they stay off when the
                    block moves back.  */
  bool locked;   /* The block's text is locked in memory.  */
  bool movable;  /* The block is huge and can move back to small pages.  */
  bool reserved; /* The loader has reserved all holes of the block
                    (textmap.h).  */
  bool back;     /* The block should move back, so that a hotter block can be
                    huge.  */
  enum hugetext_reason refusal; /* The reason why the block cannot move
                                   back.  */
  unsigned int backing;         /* The block's backing (objtext.h).  */
  enum hugetext_reason reason;  /* The reason why the block does not
                                   change.  */
};

/* One object in a conversion.  */
struct convert_object
{
  const struct object_text *text;    /* The object as the inspector found
                                        it.  */
  int fd;                            /* The descriptor of the object's file, or
                                        -1.  */
  bool program;                      /* The object is the program itself.  */
  bool needs_path;                   /* No block of the object may be a copy
                                        (struct plan).  */
  bool locked;                       /* A part of the object is locked in
                                        memory.  */
  bool kept_small;                   /* Huge pages are switched off for a part
                                        of the object.  */
  uintptr_t start, end;              /* The addresses of all its segments.  */
  int prot;                          /* Protection of the text: PROT_READ,
                                        PROT_EXEC, more.  */
  struct hugetext_index_image image; /* The record of the object's image in the
                                        store.  */
  int image_fd;                      /* The descriptor of the image, or -1.  */
  struct convert_block *blocks; /* An array with an element for each block of
                                   the plan, in memory shared with children of
                                   the command.  */
  size_t room;                  /* The size of the array BLOCKS, in bytes.  */
};

/* The number of stops of a process, and their milliseconds.  */
struct convert_stops
{
  size_t count;
  double longest, whole;
};

/* The conversion of one process.  */
struct conversion
{
  pid_t pid;
  struct tracee_facts facts; /* The facts at the time of the inspection.  */
  struct inspection found;
  struct settings settings;
  struct plan *plans; /* The plans of OBJECTS, in the same order.  */
  struct convert_object *objects;
  size_t count;
  const struct attach_heats *heats; /* The heats by which to choose blocks, or
                                       NULL.  */
  bool fresh; /* The process has not executed an instruction yet, and its file
                 is cached.  */
  struct hugetext_ledger ledger;
  long end;                   /* The time at which the worker is killed, in
                                 nanoseconds of thread_now.  */
  struct traces *traces;      /* The traces that remote.c records.  */
  struct convert_stops stops; /* How often and how long the conversion has
                                 stopped the process so far.  */
};

/* Plan the conversion of process PID, with time limit END.  OPTIONS override
   the process's own settings.  If UNDO, plan the undoing.  If HEATS is not
   NULL, choose blocks by HEATS.  False if nothing can be done.  ALL is never
   freed: this process ends after the work.  */
extern bool convert_plan (struct conversion *all, pid_t pid, long end,
                          const struct settings *options, bool undo,
                          const struct attach_heats *heats,
                          struct problem *problem);

/* Plan the conversion of process PID before its first instruction.  The
   process's only object is its static program FILE, described by ELF, open as
   FD, at load bias BIAS.  Use SETTINGS and HEAT.  FD stays open.  */
extern bool convert_plan_program (struct conversion *all, pid_t pid,
                                  const char *file, int fd,
                                  const struct elf_object *elf, uintptr_t bias,
                                  const struct settings *settings,
                                  const struct plan_heat *heat,
                                  struct problem *problem);

/* Carry out the plan of ALL by TRACEE, which is open; each stop lasts at most
   DEADLINE milliseconds, as far as the command can predict it.  If TRACEE is
   already stopped, it stays stopped.  False if the work could not be
   completed.  */
extern bool convert_do (struct conversion *all, struct tracee *tracee,
                        double deadline, struct problem *problem);

/* Whether the time for the process is almost over, so that no new step should
   begin.  */
extern bool convert_is_late (const struct conversion *all);

/* Undo the changes of attach, one block in each stop.  */
extern bool convert_undo (struct conversion *all, struct tracee *tracee,
                          struct problem *problem);

/* Return the number of further copies that the process of ALL may have.  */
extern size_t convert_room (struct conversion *all);

#endif
