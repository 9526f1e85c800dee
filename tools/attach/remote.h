/* The system calls of a conversion, which a thread of the process makes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stop lasts from remote_stop to remote_go.  If hugetext is killed, the
   thread itself removes the mappings and descriptors of the stop.  */

#ifndef REMOTE_H
#define REMOTE_H

#include "attach/convert.h"
#include "host/procmaps.h"

struct remote
{
  struct tracee *tracee;
  pid_t pid;
  struct pages pages;   /* With /proc/PID/pagemap.  */
  struct procmaps maps; /* For PAGES, on kernels without PAGEMAP_SCAN.  */
  unsigned int tried;   /* The number of rounds so far, see remote_stop.  */
  const char *late;     /* Why threads were not stopped in this round.  */
  uintptr_t room;       /* An address with much free space around it.  */
  bool held;           /* The tracee was stopped before, and stays stopped.  */
  bool switched;       /* The process has huge pages switched off, and the
                          command has switched them on.  */
  bool serves;         /* The process serves files, so it must not open
                          any.  */
  double since, pause; /* In milliseconds.  */
  size_t stops;
  double longest;
};

/* Open TRACEE's process.  Return NULL, or why that is not possible; then there
   is nothing to close.  */
extern const char *remote_open_process (struct remote *remote,
                                        struct tracee *tracee);

/* Close REMOTE, and note in ALL how long the process was stopped.  */
extern void remote_close (struct remote *remote, struct conversion *all);

/* Stop all threads, to have one make system calls.  Return NULL or why they do
   not stop; LATE is set if that is temporary.  They have the longer, the more
   often that was TRIED before: on a machine so busy that they do not run for
   some milliseconds, no shorter time works.  */
#define REMOTE_TRIES 6
extern const char *remote_stop (struct remote *remote);

/* Let the others run on, and stop them again.  */
extern void remote_thaw (struct remote *remote);
extern const char *remote_freeze (struct remote *remote);

/* Return for how long the thread has been stopped, in milliseconds.  */
extern double remote_time (const struct remote *remote);

/* Return NULL if the block at START of OBJECT, which is ELF, may be replaced
   although some threads are not stopped, or if all are: only the program
   itself is never unmapped, and nothing else may come into its holes.  */
extern const char *remote_obstacle (struct remote *remote,
                                    const struct convert_object *object,
                                    const struct hugetext_object *elf,
                                    uintptr_t start);

/* Let all threads go.  */
extern void remote_go (struct remote *remote);

/* Return why the work cannot go on, NULL if it can.  */
extern const char *remote_problem (const struct remote *remote);

/* Have the thread make a system call, as tracee_call; arguments that are not
   given are 0.  */
#define remote_call(remote, ...) \
  remote_make (remote, (const long[7]){ __VA_ARGS__ })
extern long remote_make (struct remote *remote, const long call[7]);

/* Map LENGTH bytes of zeros, which can be written, at a block boundary in free
   address space, or of the file NAME, open here as FD, from OFFSET on, which
   are text and get PROT.  Children do not get the mapping, if all threads are
   stopped.  Return 0 if that fails.  */
extern uintptr_t remote_map (struct remote *remote, size_t length);
extern uintptr_t remote_map_file (struct remote *remote, const char *name,
                                  int fd, size_t length, int prot,
                                  uint64_t offset);

/* Move the mapping of LENGTH bytes at FROM, which was mapped for OBJECT, over
   the text at TO, and have children get it.  Return NULL or why not.  */
extern const char *remote_move (struct remote *remote,
                                const struct convert_object *object,
                                uintptr_t from, size_t length, uintptr_t to);

/* Keep the latest mapping from now on even if hugetext is killed: it has been
   moved over the text, or is about to be unmapped.  Call this after the move,
   so that nothing is left behind; if hugetext is killed between the two, the
   thread unmaps that address once more, where the kernel maps nothing by
   itself.  */
extern void remote_keep (struct remote *remote);

/* Fault in the block at ADDRESS.  */
extern bool remote_touch (const struct remote *remote, uintptr_t address);

/* Whether the block at ADDRESS is a huge page.  */
extern bool remote_is_huge (struct remote *remote, uintptr_t address);

/* Map OBJECT's file from OFFSET on at [START, END), with PROT, over any
   mapping there, while all threads are stopped.  False if that fails.  */
extern bool remote_restore (struct remote *remote,
                            const struct convert_object *object,
                            uintptr_t start, uintptr_t end, int prot,
                            uint64_t offset);

#endif
