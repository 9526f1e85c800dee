/* Move the text of a running process to huge pages, or back to small pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: how text is changed while the process runs.

   The command stops one thread, and makes it execute the command's system
   calls (tracee.h).  During these system calls the other threads continue to
   run, even in the text that is being replaced.  The running threads do not
   notice the replacement, because a single mremap replaces a block: while the
   kernel holds the lock of the address space, it removes the old mapping and
   inserts the new one.  If a thread accesses the block at this moment, it
   waits in its page fault, and then finds the same bytes.  All steps before
   mremap happen at addresses outside of the text.  The command makes the steps
   in parentheses; the thread makes the other steps:

     mmap, madvise          map a staging area at a free address
     (write)                copy the file's bytes there while it is writable;
                            or the area maps the file or its image
     mprotect               make the area executable and not writable
     (ask the kernel)       check that it is a huge page; if not, unmap it
     (check the text)       it still agrees with the file, and no page of it is
                            private to the process
     mremap                 move the area over the text

   Between this check and mremap, another thread could close a library with
   dlclose and map something else at its address, or make the text writable and
   patch it. mremap would then destroy the new mapping or the patch.  So before
   the command replaces a block, by a huge page or by small pages, it stops all
   other threads and checks each mapping of the block again.  The threads stay
   stopped until the replacement is mapped, for some tens of microseconds
   (freeze.h).  A program that has not executed an instruction yet has no other
   threads.

   A record in the process lists each replaced block (changes.h); --undo
   restores the blocks in this record.  If hugetext is killed, the stopped
   thread itself removes the staging area.  */

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

/* One block of an object whose text is put on huge pages.  */
struct convert_block
{
  bool wanted;   /* True if the block should move, to huge pages or back to
                    small pages.  */
  bool done;     /* True if the command has moved the block to huge pages, or
                    back to small pages.  */
  bool huge;     /* True if the block was on a huge page when the plan was
                    made.  */
  bool small;    /* True if the command must switch huge pages off
                    (MADV_NOHUGEPAGE) when the block moves back to small pages.
                    SMALL is true if huge pages are now switched off for a part
                    of the block, or if the loader had switched huge pages off
                    for the block before attach made it huge.  */
  bool locked;   /* True if the block's text is locked in memory.  */
  bool copied;   /* True if the block is not mapped from the object's file.  */
  bool movable;  /* True if the block is huge and can move back to small
                    pages.  */
  bool reserved; /* True if the loader has reserved all holes of the block
                    (textmap.h).  */
  bool back;     /* True if the block should move back to small pages to make
                    room for a hotter block.  */
  enum hugetext_reason refusal; /* The reason why the block cannot move back to
                                   small pages.  */
  unsigned int backing;         /* The block's backing (objtext.h).  */
  unsigned int reached; /* The bit 1 << WAY is set if the command has tried the
                           method WAY (convert-way.h) for the block, or has
                           found it impossible.  */
  enum hugetext_reason reason; /* The reason why the block does not
                                  change.  */
};

/* One object of the process whose text the command moves.  */
struct convert_object
{
  const struct object_text *text;    /* The inspector's facts about the
                                        object.  */
  int fd;                            /* The descriptor of the object's file, or
                                        -1.  */
  bool needs_path;                   /* True if the object needs its path in
                                        /proc/PID/maps, so that no block of the
                                        object may be a copy (struct plan).  */
  bool locked;                       /* True if a part of the object is locked
                                        in memory.  */
  bool watched;                      /* True if userfaultfd watches a part of
                                        the object.  */
  bool kept_small;                   /* True if huge pages are switched off for
                                        a part of the object.  */
  uintptr_t start, end;              /* The addresses of the object's first
                                        byte and of the end of its last
                                        segment.  */
  int prot;                          /* The protection of the text: PROT_READ
                                        and PROT_EXEC, possibly with further
                                        flags.  */
  struct hugetext_index_image image; /* The record of the object's image in the
                                        store.  */
  int image_fd;                      /* The descriptor of the image, or -1.  */
  /* Whether all changes of the file, or of the image, are on the disk, so that
     the kernel can collapse its small pages.  */
  struct truth file_settled, image_settled;
  /* The reason why the process could not map the file or the image, or
     HUGETEXT_NONE.  */
  enum hugetext_reason file_failed, image_failed;
  struct convert_block *blocks; /* An array with an element for each block of
                                   the plan.  Children of the command can write
                                   to this array.  */
  size_t room;                  /* The size of the array BLOCKS, in bytes.  */
};

/* The number of stops of a process, and their duration in milliseconds.  */
struct convert_stops
{
  size_t count;
  double longest, whole;
};

/* The plan for moving the text of one process to huge pages or back, and the
   progress of this work.  */
struct conversion
{
  pid_t pid;
  struct tracee_facts facts; /* The facts about the process when it was
                                inspected.  */
  struct inspection found;
  struct settings settings;
  struct plan *plans; /* The plans of the objects, in the order of
                         OBJECTS.  */
  struct convert_object *objects;
  size_t count;
  /* "hugetext attach" leaves some objects unchanged as a whole.  For each
     possible reason, the number of small blocks in the objects that are left
     unchanged for this reason.  */
  size_t alone[HUGETEXT_REASONS];
  const struct attach_heats *heats; /* The heats by which to choose blocks, or
                                       NULL.  */
  bool fresh; /* True if the process has not executed an instruction of its
                 program yet, and the program's file is cached.  */
  struct hugetext_ledger ledger;
  size_t places; /* The number of further blocks that the cap allows on huge
                    pages, or the cap itself if blocks are chosen by heat.  */
  struct problem room;   /* The reason why the command could not find out how
                            much more memory the process may use; empty if the
                            command has found it out.  */
  long end;              /* The time, in nanoseconds on the clock of
                            thread_now, at which the command kills the
                            worker.  */
  struct traces *traces; /* Mappings and descriptors that children of the
                            process may have inherited, as remote.c
                            records them.  */
  struct convert_stops stops; /* The number and the duration of the stops of
                                 the process so far.  */
};

/* Plan which blocks of process PID to move to huge pages.  If UNDO is true,
   plan instead which blocks to restore, for "hugetext attach --undo".  END is
   the time limit.  OPTIONS override the process's own settings.  If HEATS is
   not NULL, choose the hottest blocks by the heat in HEATS.  Return false if
   the command can change nothing in the process.  Nothing frees ALL, because
   the calling process ends when the plan has been carried out.  */
extern bool convert_plan (struct conversion *all, pid_t pid, long end,
                          const struct settings *options, bool undo,
                          const struct attach_heats *heats,
                          struct problem *problem);

/* Plan which blocks of process PID to put on huge pages before its first
   instruction.  The only object of the process is the static program FILE at
   the load bias BIAS; ELF describes the program, and FD is the open file.
   SETTINGS and HEAT decide which blocks to choose.  FD stays open.  */
extern bool convert_plan_program (struct conversion *all, pid_t pid,
                                  const char *file, int fd,
                                  const struct elf_object *elf, uintptr_t bias,
                                  const struct settings *settings,
                                  const struct plan_heat *heat,
                                  struct problem *problem);

/* Carry out the plan in ALL for TRACEE, a process that tracee_open has opened.
   Choose the number of blocks for each stop of all threads so that the
   estimated duration of the stop is at most DEADLINE milliseconds.  If the
   process is stopped before this call, it stays stopped.  Return false if the
   command had to end before it had carried out the plan, because the process
   could not be changed any further.  */
extern bool convert_do (struct conversion *all, struct tracee *tracee,
                        double deadline, struct problem *problem);

/* Return true if the time limit ALL->end is so near that the command should
   begin no further step.  */
extern bool convert_is_late (const struct conversion *all);

/* Undo the changes that "hugetext attach" has made.  Each stop of the
   process's threads restores one block.  */
extern bool convert_undo (struct conversion *all, struct tracee *tracee,
                          struct problem *problem);

/* Return how many more copies the process that ALL describes may have now.  If
   it is unknown how much memory is left, note this in ALL, and return 0.  Do
   not call this function while threads of a running process are stopped,
   because the function waits for the answer of a child process.  */
extern size_t convert_room (struct conversion *all);

#endif
