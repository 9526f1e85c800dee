/* The looker: a child of the command that looks at processes for it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process can have the kernel wait for ever for whoever reads its memory,
   its mappings or its files: for a page or a file whose server (FUSE) does not
   answer, or for a lock that is held while it does not.  Often no signal ends
   that.  So a child looks: the command waits for it with a limit, and leaves
   it behind if need be.  Only what the kernel has at hand in any case is
   asked for by the command itself: status, comm and cgroup, but not stat and
   exe, in /proc/PID.  */

#ifndef LOOKER_H
#define LOOKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What the looker has found, on its way to the command.  */
struct parcel;

typedef void looker_look (void *closure);
typedef void looker_pass (struct parcel *parcel, void *closure);

/* The problem with a process that does not let itself be looked at.  */
#define LOOKER_SILENT                                                     \
  "it takes too long: the kernel waits for its memory or a file of it (a" \
  " file system that does not answer?)"

/* Have the looker call LOOK, which looks at process PID, with a copy of the
   SIZE bytes at CLOSURE, without pointers to what the command has allocated,
   and set CLOSURE to what that is after the call.  PASS is called by the
   looker, and then by the command, for what CLOSURE points to then; it frees
   that if parcel_is_sent; NULL if it points to nothing.  Pointers to constants
   are the same in both.  Return NULL, or why that is not possible: then
   CLOSURE is as before.  */
extern const char *looker_ask (pid_t pid, looker_look *look, looker_pass *pass,
                               void *closure, size_t size);

/* Ask for the COUNT processes PIDS at once, with as many CLOSURES.  Return for
   how many of the first that has been possible: for the others looker_ask
   finds out which of them it is not.  */
extern size_t looker_ask_many (const pid_t *pids, looker_look *look,
                               looker_pass *pass, void *closures, size_t size,
                               size_t count);

/* Pass SIZE bytes at *LIST on: they are sent, or *LIST is set to an allocated
   copy of what was sent, NULL if SIZE is 0.  */
extern void parcel_list (struct parcel *parcel, void *list, size_t size);

/* The same for the text *TEXT.  */
extern void parcel_text (struct parcel *parcel, char **text);

extern bool parcel_is_sent (const struct parcel *parcel);

/* Whether PID is the looker.  */
extern bool looker_is (pid_t pid);

#endif
