/* The conversion of a running process: its text is put on huge pages, and back
   on small ones.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: text is changed while the process runs.

   One thread is stopped, and makes our system calls (tracee.h).  The others
   run on, also in the text that is being replaced.  They do not notice,
   because a single mremap replaces a block: under the lock of the address
   space the kernel removes the old mapping and puts the new one in its place,
   and a thread that accesses the block meanwhile waits in its page fault, and
   then finds the same bytes.  All earlier steps happen beside the text:

     mmap, madvise          room at an address that is free
     (we) write             the bytes, from the file, while it is writable; or
                            it is a mapping of the file, or of its image
     mprotect               not writable any more, executable
     (we) ask the kernel    whether it is a huge page; if not, it goes
     (we) look at the text  whether it still is what the file says, and no
                            page of it is the process's own
     mremap                 over the text

   Another thread may dlclose a library and map something else in its place
   after the look.  So all other threads are frozen from the look to the
   mremap, some tens of microseconds (freeze.h); and while room is made, so
   that no child is forked that has it, too.

   If hugetext is killed, the thread itself removes the staging area.  */

#ifndef CONVERT_H
#define CONVERT_H

#include "object/plan.h"
#include "host/procmaps.h"
#include "text/inspect.h"
#include "tracee/tracee.h"

#include <dl-hugetext-index.h>
#include <dl-hugetext-ledger.h>

/* One object.  */
struct convert_object
{
  const struct object_text *text; /* The object as it was found.  */
  struct plan *plan;
  int fd;       /* Descriptor of its file.  */
  bool program; /* The object is the program itself.  */
  bool locked;  /* The text is locked in memory.  */
  int prot;     /* Protection of the text: PROT_READ, PROT_EXEC, more.  */
  bool stored;  /* The store has IMAGE of the object,  */
  union hugetext_index_buffer image;
  int image_fd; /* open on this descriptor.  */
};

/* One block of an object.  */
struct convert_block
{
  struct convert_object *object;
  struct plan_block *planned;
  bool wanted;          /* The block is to change to huge pages, or back to
                           small ones.  */
  bool done;            /* The block has been changed.  */
  bool huge;            /* The block was on huge pages at the look.  */
  unsigned int backing; /* Its backing, see objtext.h.  */
  char reason[128];     /* Why the block stays as it is.  */
};

/* One process.  */
struct conversion
{
  pid_t pid;
  struct tracee_facts facts; /* The facts when the process was looked at.  */
  struct inspection found;
  struct settings settings;
  struct plan *plans; /* The plans of OBJECTS, in the same order.  */
  struct convert_object *objects;
  size_t count;
  struct convert_block *blocks; /* The blocks of all objects.  */
  size_t nblocks;
  struct hugetext_ledger ledger;
  long end; /* The end of its time, in nanoseconds of thread_now.  */
  /* The result: number and length of stops.  */
  size_t stops;
  double longest; /* Milliseconds.  */
};

/* Plan the conversion of process PID, with OPTIONS before its own settings; or
   plan its UNDO.  Return NULL, or why nothing can be done, in static memory.
   Free ALL in both cases.  */
extern const char *convert_plan (struct conversion *all, pid_t pid,
                                 const struct settings *options, bool undo);

extern void convert_free (struct conversion *all);

/* Carry out the plan by TRACEE, which is open; a tracee that is stopped
   already stays stopped.  Return NULL, or why the work could not be finished,
   in static memory or TRACEE's.  */
extern const char *convert_do (struct conversion *all, struct tracee *tracee);

/* Whether the time for the process is nearly over, so that no new step is
   begun.  */
extern bool convert_is_late (const struct conversion *all);

/* Whether the text in BLOCK has been replaced by other memory than its file's,
   in the process with MAPS.  */
extern bool convert_is_replaced (const struct convert_block *block,
                                 const struct procmaps *maps);

/* Note REASON why BLOCK stays as it is.  */
extern void convert_say (struct convert_block *block, const char *reason);

/* Carry out the undoing, one block in each stop.  */
extern const char *convert_undo (struct conversion *all,
                                 struct tracee *tracee);

/* The ways in which a block of a running process can have a huge page.  */
enum way
{
  WAY_FILE,
  WAY_STORE,
  WAY_COPY,
  WAYS,
};

/* Facts that decide about the ways.  */
struct way_facts
{
  const struct conversion *all;
  const char *no_copies; /* Why there can be no copies, or no more copies.  */
  bool serves;           /* The process must open no file.  */
};

/* Return why there can be no copies in the process of ALL, NULL if there
   can.  */
extern const char *way_judge_copies (struct conversion *all);

/* Return how many more copies the process of ALL may have.  */
extern size_t way_copies_left (struct conversion *all);

/* Whether BLOCK can be made by WAY, as far as can be seen from outside the
   process.  Sets *OFFSET to the block's offset in the file or image.  */
extern bool way_can_be_had (const struct way_facts *facts,
                            const struct convert_block *block, enum way way,
                            uint64_t *offset);

/* Return the reason why no way is left for BLOCK; "" if it is not known.  */
extern const char *way_why_left (const struct way_facts *facts,
                                 const struct convert_block *block);

#endif
