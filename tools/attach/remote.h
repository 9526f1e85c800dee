/* The system calls that a stopped thread of the process makes on behalf of
   "hugetext attach".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stop lasts from remote_stop to remote_go.  If hugetext is killed during a
   stop, the stopped thread itself unmaps and closes what hugetext has
   temporarily mapped and opened in its process.  Children that the process
   forks during a stop do not inherit hugetext's temporary mappings
   (MADV_DONTFORK), except children forked between mmap and madvise.  The
   parent of the worker searches the children for inherited mappings
   (children.h).  */

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
  const struct inspection *found; /* The result of the inspection of the
                                     process.  */
  struct pages pages;   /* The pages of the process that are present or huge,
                           according to /proc/PID/pagemap.  */
  struct procmaps maps; /* The process's mappings, which PAGES uses on kernels
                           without PAGEMAP_SCAN.  */
  struct freeze freeze;
  uintptr_t room;        /* An address in the middle of a large range of free
                            addresses.  */
  bool switched;         /* The process had switched huge pages off, and the
                            command has switched them on.  */
  struct changes record; /* The record of replaced blocks.  */
  bool asked, serves;    /* ASKED is true if remote_serves has been called;
                            SERVES is the result of this function.  */
  long failed; /* The result of the last call of mmap that failed.  */
  struct traces *traces; /* The mappings and the descriptor that children may
                            have inherited from the process while the command
                            worked on it.  */
  double since, pause;   /* The time at which the stop of the thread began, and
                            the number of milliseconds for which the thread
                            must run after this stop.  */
  struct convert_stops stops;
};

/* The slots of the cleanup calls (tracee_cleanup): system calls that the
   stopped thread makes if hugetext is killed.  */
enum
{
  REMOTE_MAP,
  REMOTE_FILE,
  REMOTE_SWITCH,
};

/* Open the process that TRACEE and ALL describe.  Also initialise ALL->traces,
   in which the command records the mappings and descriptors that children of
   the process may inherit.  Return false on failure; the caller then need not
   close anything.  */
extern bool remote_open_process (struct remote *remote, struct tracee *tracee,
                                 struct conversion *all,
                                 struct problem *problem);
extern void remote_close (struct remote *remote);

/* Return true if the process serves a filesystem, so that it must not open
   files.  */
extern bool remote_serves (struct remote *remote);

/* Stop a thread.  Return false if no thread can be stopped.  */
extern bool remote_stop (struct remote *remote, struct problem *problem);

/* Let the thread continue.  Return the number of milliseconds for which the
   thread was stopped.  */
extern double remote_go (struct remote *remote);

/* Return false and set PROBLEM if the process cannot be changed any
   further.  */
extern bool remote_check (const struct remote *remote,
                          struct problem *problem);

/* Make the stopped thread execute system call NUMBER, and return the result of
   tracee_call.  */
extern long remote_call (struct remote *remote, long number, uintptr_t a,
                         uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
                         uintptr_t f);

/* Return the reason why system call NUMBER of the thread, with the third
   argument ADVICE, has failed: HUGETEXT_NO_MADVISE or REASON_REFUSED if a
   seccomp filter refuses the system call, otherwise REASON.  */
extern enum hugetext_reason remote_why (const struct remote *remote,
                                        long number, uint64_t advice,
                                        enum hugetext_reason reason);

/* Make the thread execute the COUNT system calls in CALLS, if possible without
   a stop after each call.  Ignore the results of the system calls.  */
extern void remote_calls (struct remote *remote,
                          const struct trampoline_call calls[], size_t count);

/* Advise the kernel to use huge pages when it reads LENGTH bytes of the file
   that is mapped at ADDRESS.  */
extern void remote_advise (struct remote *remote, uintptr_t address,
                           size_t length);

/* Write CAP to the loader's record in the process, so that "hugetext status"
   and "hugetext explain" know the cap that keeps blocks on small pages.  CAP
   is 0 if the command has restored all blocks that it had changed.  Call this
   function while the thread is stopped.  If the process has no record of the
   loader, do nothing.  */
extern void remote_note_cap (const struct remote *remote, size_t cap);

/* Lock LENGTH bytes at ADDRESS in memory.  Return HUGETEXT_NONE, or the reason
   why the pages cannot be locked.  */
extern enum hugetext_reason remote_lock (struct remote *remote,
                                         uintptr_t address, size_t length);

/* If the kernel locks all new memory of the process (mlockall with
   MCL_FUTURE), unlock (munlock) the LENGTH bytes at ADDRESS, which the process
   has just mapped for the command.  If the text that the mapping will replace
   is locked, the command locks the mapping again later.  If a seccomp filter
   refuses the system call, the mapping stays locked.  */
extern void remote_unlock (struct remote *remote, uintptr_t address,
                           size_t length);

/* Map LENGTH bytes of FILE in free address space, so that the mapping begins
   LEAD bytes after a block boundary.  If hugetext is killed before it calls
   remote_keep, the thread unmaps the new mapping.  Return the address of the
   new mapping, or 0 on failure.  */
extern uintptr_t remote_map_at (struct remote *remote, uintptr_t lead,
                                size_t length, int prot, int flags, long file,
                                uint64_t offset);

/* Map LENGTH bytes of the file NAME, from OFFSET on, in free address space of
   the process.  FD is this process's own descriptor of the same file.  IMAGE
   is true if the file is an image in the store.  On failure set *WHY to the
   reason, and return 0.  */
extern uintptr_t remote_map_file (struct remote *remote, const char *name,
                                  int fd, size_t length, int prot,
                                  uint64_t offset, bool image,
                                  enum hugetext_reason *why);

/* Map LENGTH bytes of OBJECT's file, from OFFSET on, in free address space of
   the process.  If possible, duplicate a present mapping of the file, so that
   the process need not open the file, which may have been deleted.  */
extern uintptr_t remote_map_object (struct remote *remote,
                                    const struct convert_object *object,
                                    size_t length, int prot, uint64_t offset,
                                    enum hugetext_reason *why);

/* Let children of the process inherit the mapping at ADDRESS, because this
   mapping is going to be text.  Return HUGETEXT_NONE, or the reason why
   children cannot inherit the mapping.  */
extern enum hugetext_reason remote_share (struct remote *remote,
                                          uintptr_t address, size_t length);

/* If the process cannot open OBJECT's file again, for example because the file
   was deleted, --undo restores blocks by duplicating a mapping of the file
   that is still in the process.  The block at START must not be replaced if it
   contains the mapping that --undo would duplicate.  Return REASON_NEEDED in
   this case.  Return HUGETEXT_NONE if the block may be replaced, or the reason
   why the mappings are unknown.  */
extern enum hugetext_reason remote_needed (struct remote *remote,
                                           const struct convert_object *object,
                                           uintptr_t start);

/* Return true if a mapping in [START, END) is locked in memory.  If a seccomp
   filter forbids the system call that finds locks, return true if the process
   has any locked memory.  Call this function while the other threads are
   stopped, because they may lock and unlock memory.  */
extern bool remote_may_be_locked (struct remote *remote, uintptr_t start,
                                  uintptr_t end);

/* Find out whether the mappings in the address range [START, END) are locked
   in memory.  MAPS contains these mappings.  Mappings with PROT_NONE do not
   count.  Set *LOCKED to true if the mappings are locked, or to false if they
   are not.  If a seccomp filter forbids the system call that finds locks, and
   the process has locked memory, the answer is unknown: leave *LOCKED
   unchanged.  Return HUGETEXT_NONE, or the reason if some mappings are locked
   and others are not.  */
extern enum hugetext_reason
remote_look_for_locks (struct remote *remote, const struct procmaps *maps,
                       uintptr_t start, uintptr_t end, bool *locked);

/* Add the block at START, before it is replaced, to the record.  Also record
   the states of the block's holes, according to MAPS.  ELF describes the
   block's object.  Return HUGETEXT_NONE, or the reason why the block cannot be
   added.  */
extern enum hugetext_reason remote_note (struct remote *remote,
                                         const struct procmaps *maps,
                                         const struct hugetext_object *elf,
                                         uintptr_t start);

/* Remove block I from the record.  If the record then has no block, remove the
   whole record.  */
extern void remote_forget (struct remote *remote, size_t i);

/* If hugetext is killed, the thread unmaps the latest mapping by a cleanup
   call.  Remove this cleanup call, because the mapping has been moved over the
   text, or is going to be unmapped.  Call this function only after mremap has
   moved the mapping, so that no mapping is left if hugetext is killed earlier.
   If hugetext is killed after mremap but before remote_keep, the thread calls
   munmap for the address from which mremap has moved the mapping.  The
   thread's munmap is harmless, because nothing is mapped at the address: the
   kernel does not choose this address for other mappings.  */
extern void remote_keep (struct remote *remote);

/* Return true if the block at ADDRESS is a huge page.  */
extern bool remote_is_huge (struct remote *remote, uintptr_t address);

/* Fault in the COUNT blocks from START on, and set each element of HUGE to
   true if its block is a huge page, otherwise to false.  */
extern void remote_look (struct remote *remote, uintptr_t start, size_t count,
                         bool huge[]);

/* Stop all threads of the process other than the thread that is already
   stopped.  Return HUGETEXT_NONE, or the reason why the other threads do not
   stop.  TRIED is the number of earlier attempts to stop the other threads.
   Later attempts wait longer, because on a busy machine a thread may have to
   wait a few milliseconds for a processor.  */
#define REMOTE_TRIES 6
extern enum hugetext_reason remote_freeze (struct remote *remote,
                                           unsigned int tried);

/* Find out, without changing [START, END), whether remote_restore with the
   same arguments can map OBJECT's file and move the mapping.  Return
   HUGETEXT_NONE if the mapping and the move are possible, otherwise the reason
   why they are not.  */
extern enum hugetext_reason
remote_rehearse (struct remote *remote, const struct convert_object *object,
                 uintptr_t start, uintptr_t end, int prot, uint64_t offset,
                 bool locked);

/* Map OBJECT's file from OFFSET on at [START, END) with the protection PROT,
   replacing the present mappings.  If LOCKED is true, lock the new mapping in
   memory.  Return HUGETEXT_NONE, or the reason why the file cannot be
   mapped.  */
extern enum hugetext_reason
remote_restore (struct remote *remote, const struct convert_object *object,
                uintptr_t start, uintptr_t end, int prot, uint64_t offset,
                bool locked);

#endif
