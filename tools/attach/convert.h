/* The conversion of a running process: its text is put on huge pages, and back
   on small ones.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: text is changed while the process runs.

   One thread is stopped, and makes our system calls (tracee.h).  The others
   run on, also in the text that is being replaced.  That is right because a
   block changes from one backing to the other by a single mremap, in which
   the kernel removes the old mapping and puts the new one in its place under
   the lock of the address space: who accesses the block meanwhile waits in
   its page fault, and then finds the same bytes.  All that comes before
   happens beside the text:

     mmap, madvise          room at an address that is free
     (we) write             the bytes, from the file, while it is writable; or
                            it is a mapping of the file, or of its image
     mprotect               not writable any more, executable
     (we) ask the kernel    whether it is a huge page; if not, it goes
     (we) look at the text  whether it still is what the file says, and no
                            page of it is the process's own
     mremap                 over the text

   Another thread may dlclose a library and map something else at its place
   after we have looked: so for all but the program itself, and where holes in
   the address space are taken, all other threads are frozen from the look to
   the mremap, some tens of microseconds (freeze.h).

   What is replaced is noted in the process (record.h), and put back by that.
   If we are killed the thread removes by itself what is beside the text.  */

#ifndef CONVERT_H
#define CONVERT_H

#include "attach/children.h"
#include "tracee/tracee.h"
#include "object/plan.h"
#include "text/inspect.h"

#include <dl-hugetext-index.h>
#include <dl-hugetext-ledger.h>
#include <time.h>

/* One block of an object.  */
struct convert_block
{
  bool wanted;          /* To be put on huge pages, or on small ones.  */
  bool done;            /* That has been done.  */
  bool huge;            /* It was on huge pages when it was looked at.  */
  unsigned int backing; /* By which, as in objtext.h.  */
  char reason[128];     /* Why it stays as it is.  */
};

/* One object.  */
struct convert_object
{
  const struct object_text *text; /* As it was found.  */
  int fd;                         /* Its file, or -1.  */
  bool program;                   /* It is the program itself.  */
  bool locked;                    /* Its text is, in memory.  */
  int prot;                       /* Of text: PROT_READ, PROT_EXEC, more.  */
  bool stored;                    /* The store has IMAGE of it, */
  union hugetext_index_buffer image;
  int image_fd;                 /* open here.  */
  struct convert_block *blocks; /* As many as the plan has: shared with
                                   children of ours, */
  size_t room;                  /* of so many bytes.  */
};

/* One process.  */
struct conversion
{
  pid_t pid;
  struct tracee_facts facts; /* The facts when the process was looked at.  */
  struct inspection found;
  struct settings settings;
  struct plan *plans; /* Of OBJECTS, in their order.  */
  struct convert_object *objects;
  size_t count;
  bool fresh; /* It runs nothing yet, and its file was seen
                 to before.  */
  struct hugetext_ledger ledger;
  struct convert_block *code; /* Of code made at run time, NULL if that
                                 was not asked for; as many blocks as
                                 FOUND has of it.  */
  long end;                   /* When the time for it is over: nanoseconds
                                 of thread_now.  */
  struct traces *traces;      /* Where remote.h notes them.  */
  /* How it went.  */
  size_t stops;
  double longest, whole; /* Milliseconds.  */
};

/* Look at process PID, and find out what is to be done to have its text on
   huge pages, with OPTIONS in front of its own settings; or, to UNDO that.
   Returns NULL, or why nothing can be done, in static memory.  To be freed in
   both cases.  */
extern const char *convert_plan (struct conversion *all, pid_t pid,
                                 const struct settings *options, bool undo);

/* The same for process PID before its first instruction, when all that there
   is to be done is its program, FILE, which is ELF, static, open as FD and at
   load bias BIAS, by SETTINGS and its HEAT.  FD is closed with ALL.  */
extern const char *convert_plan_program (struct conversion *all, pid_t pid,
                                         const char *file, int fd,
                                         const struct elf_object *elf,
                                         uintptr_t bias,
                                         const struct settings *settings,
                                         const struct plan_heat *heat);

extern void convert_free (struct conversion *all);

/* Do what is to be done by TRACEE, which is open, stopping it for at most
   DEADLINE milliseconds at a time, as far as that can be foreseen; if it is
   stopped already it stays so.  Returns NULL, or why it could not be
   finished, in static memory or TRACEE's.  */
extern const char *convert_do (struct conversion *all, struct tracee *tracee,
                               double deadline);

/* Whether nothing more is to be begun: soon the time for it is over.  */
extern bool convert_is_late (const struct conversion *all);

/* Put back what is to be put back; one block in each stop.  */
extern const char *convert_undo (struct conversion *all,
                                 struct tracee *tracee);

/* The same for code made at run time instead, of ALL, which has been planned:
   nothing is stopped, since the kernel gathers pages without that.  Find out
   what is to be done.  Returns NULL or why that cannot be.  */
extern const char *convert_code_plan (struct conversion *all);

/* Do it.  Returns NULL, or why nothing can be done.  */
extern const char *convert_code (struct conversion *all);

/* How many more blocks, that take memory, the process of ALL may have.  */
extern size_t convert_room (struct conversion *all);

#endif
