/* The step that puts blocks of code on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The step runs in the thread that has just mapped or unmapped memory, which
   does not notice it: errno and the program's memory stay the same.  The
   kernel collapses the pages of a block into a huge page (MADV_COLLAPSE),
   which changes no contents and no permission, and succeeds only if the block
   is huge then.  Advice for future pages (MADV_HUGEPAGE) would be cheaper, but
   splits the program's mappings, and gives memory to blocks that never
   fill.

   A signal handler may leave the call of the program that it has interrupted,
   by siglongjmp, an exception or asynchronous cancellation, and so would leave
   behind whatever the step has begun.  So the thread that makes blocks blocks
   all signals meanwhile, and the kernel releases the lock as it unblocks them:
   rt_sigprocmask writes the old set of blocked signals, which the lock is free
   with, before any handler runs.  */

#include <signal.h>

#include "dl-hugetext-sys.h"

#include "make.h"

/* The entry point, by which the loader finds the struct.  The object needs no
   symbol of another object, has no constructor, and does nothing until the
   loader has filled this in.  */
static size_t count_places (void);
struct hugetext_code hugetext_code
    = { .number = HUGETEXT_CODE_NUMBER, .places = count_places };

struct code_table code_blocks;

/* A block takes a place under the cap by its state alone, which changes in one
   step: a signal handler that leaves a call in which places get free leaves
   nothing to be given back.  */
static size_t
count_places (void)
{
  return code_count (&code_blocks);
}

bool code_is_over;

/* The most blocks that are made in one call: each takes the kernel half a
   millisecond, or several.  */
#define MADE_AT_ONCE 16

/* The number of refusals in a row after which the kernel is not asked again
   soon.  */
#define REFUSALS 3

/* Scratch space of the thread that makes blocks.  */
static union
{
  char text[4096];
  uint64_t aligned;
} scratch;
static unsigned int refused;

/* Facts of a process, in a page that the kernel clears in a forked child.  */
struct code_process
{
  long int pid;    /* 0 if it is not known.  */
  uint64_t lock;   /* A thread with CLAIMED or WORKING added, or anything else
                      if the lock is free.  One thread makes blocks at a time;
                      others do not wait.  */
  uint64_t since;  /* The time when the lock was claimed.  */
  uintptr_t child; /* The thread whose vfork child, which shares our memory,
                      has installed a filter; 0 if there is none.  */
};

static struct code_process *process;

/* Whether there was a filter when the first block was looked at; known once
   ASKED is set.  */
static bool filtered, asked;

/* Return the page of facts, and map it if it is not mapped yet.  */
static struct code_process *
get_process (void)
{
  struct code_process *page = __atomic_load_n (&process, __ATOMIC_SEQ_CST);
  if (page == NULL)
    {
      long int new = sys_mmap (0, hugetext_code.page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (sys_failed (new))
        return NULL;
      /* If the kernel does not have MADV_WIPEONFORK, a child makes no
         blocks.  */
      sys_madvise (new, hugetext_code.page, MADV_WIPEONFORK);
      if (__atomic_compare_exchange_n (&process, &page,
                                       (struct code_process *) new, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        page = (struct code_process *) new;
      else
        sys_munmap (new, hugetext_code.page);
    }
  return page;
}

/* The states of the lock, added to the thread that has it.  */
enum
{
  CLAIMED = 1, /* The thread is about to block its signals.  */
  WORKING = 2,
  LOCK_STATES = 3 /* Free: a set of blocked signals has both bits.  */
};

static bool
is_free (uint64_t lock)
{
  return lock == 0 || (lock & LOCK_STATES) == LOCK_STATES;
}

/* The time, in milliseconds, after which a thread that has claimed the lock is
   taken to have left for good.  */
#define CLAIM_MAX 1000

/* Whether a signal handler may interrupt the thread that has LOCK, and leave
   it behind.  A program that was started under a filter makes only calls that
   each start makes, and does not block signals.  */
static bool
may_be_left (uint64_t lock)
{
  return (lock & LOCK_STATES) == CLAIMED || hugetext_code.filtered;
}

static bool
change_lock (struct code_process *page, uint64_t from, uint64_t to)
{
  return __atomic_compare_exchange_n (&page->lock, &from, to, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Set the calling thread's blocked signals to MASK, a set of the kernel's; set
 *OLD to those that were blocked before.  False if the kernel refuses.  */
static bool
block_signals (uint64_t mask, uint64_t *old)
{
  return code_syscall (SYS_rt_sigprocmask, SIG_SETMASK, (long int) &mask,
                       (long int) old, sizeof mask, 0, 0)
         == 0;
}

/* Take the lock NOW, with all signals blocked, unless another thread has it.
   Set MASK to the signals that were blocked.  */
static bool
take_lock (struct code_process *page, uint64_t now, uint64_t *mask)
{
  const uint64_t self = code_thread (), claim = self + CLAIMED;
  uint64_t lock = __atomic_load_n (&page->lock, __ATOMIC_SEQ_CST);
  uint64_t since = __atomic_load_n (&page->since, __ATOMIC_SEQ_CST);
  bool left = may_be_left (lock) && now - since >= CLAIM_MAX;
  /* A handler that finds a claim of its own thread has interrupted that.  */
  if (!is_free (lock) && lock != claim && !left)
    return false;
  __atomic_store_n (&page->since, now, __ATOMIC_SEQ_CST);
  if (!change_lock (page, lock, claim))
    return false;
  if (!code_is_on ()
      || (!hugetext_code.filtered && !block_signals (UINT64_MAX, mask)))
    {
      change_lock (page, claim, 0);
      return false;
    }
  if (change_lock (page, claim, self + WORKING))
    return true;
  /* A handler has had the lock meanwhile.  */
  lock = __atomic_load_n (&page->lock, __ATOMIC_SEQ_CST);
  if (is_free (lock) && change_lock (page, lock, self + WORKING))
    return true;
  if (!hugetext_code.filtered)
    block_signals (*mask, &lock);
  return false;
}

/* Release the lock, and block the signals of MASK only.  */
static void
release_lock (struct code_process *page, uint64_t mask)
{
  if (hugetext_code.filtered || !block_signals (mask, &page->lock))
    __atomic_store_n (&page->lock, 0, __ATOMIC_SEQ_CST);
}

/* Learn what is to be known before the first block is looked at, and tidy up
   what other threads have left.  */
static void
begin_work (struct code_process *page)
{
  if (!asked)
    {
      filtered = hugetext_code.filtered || code_ask_filtered ();
      asked = true;
    }
  if (page->pid == 0 && !filtered)
    __atomic_store_n (&page->pid, sys_getpid (), __ATOMIC_SEQ_CST);
  /* The block that was being made belongs to the parent process.  */
  code_abandon (&code_blocks);
}

/* Whether the calling thread may be a child of vfork that has installed a
   filter.  The first call after the child's end tells.  */
static bool
may_be_child (struct code_process *page)
{
  if (__atomic_load_n (&page->child, __ATOMIC_SEQ_CST) != code_thread ())
    return false;
  if (sys_getpid () != page->pid)
    return true;
  __atomic_store_n (&page->child, 0, __ATOMIC_SEQ_CST);
  return false;
}

/* Return the milliseconds since the machine was started, to within a few.  */
static uint64_t
get_time (void)
{
  struct timespec time = { 0, 0 };
  hugetext_code.clock (CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * UINT64_C (1000) + time.tv_nsec / 1000000;
}

static void
say (size_t i, enum hugetext_code_outcome outcome, int error)
{
  if (hugetext_code.say != NULL)
    hugetext_code.say (code_blocks.start[i], outcome, error);
}

/* Whether LEDGER allows the block that is being made, which is counted.  Set
   WHY if not.  */
static bool
is_allowed (struct hugetext_ledger *ledger, enum hugetext_code_outcome *why)
{
  const size_t code = _dl_hugetext_ledger_code (ledger);
  const size_t text = __atomic_load_n (&ledger->text, __ATOMIC_SEQ_CST);
  *why = HUGETEXT_CODE_OVER_CAP;
  /* Something may have happened to the block.  */
  if (code == 0
      || _dl_hugetext_ledger_places (ledger, text + code - 1, 1) != 1)
    return false;
  *why = HUGETEXT_CODE_NO_ROOM;
  return ledger->used.copies + code <= _dl_hugetext_ledger_room (
             ledger, hugetext_code.block, scratch.text);
}

/* Collapse block I, at START, if there is a place for it under the cap.  Set
   ERROR to 0, or the kernel's error.  False if the kernel has not been asked,
   or if something has happened to the block meanwhile.  */
static bool
collapse (size_t i, uintptr_t start, uint64_t now, int *error)
{
  struct hugetext_ledger *ledger = hugetext_code.ledger;
  enum hugetext_code_outcome why;
  *error = EAGAIN;
  if (!code_begin (&code_blocks, i))
    return false;
  if (!is_allowed (ledger, &why))
    {
      /* Another block may have its number by now.  */
      if (code_not_made (&code_blocks, i))
        {
          say (i, why, 0);
          code_wait (&code_blocks, i, now, CODE_WAIT_LONG);
        }
      return false;
    }
  if (!code_is_still (&code_blocks, i, start))
    {
      /* The block has been unmapped since the look, and another block may have
         its number.  */
      code_not_made (&code_blocks, i);
      return false;
    }
  *error = -sys_collapse (start, hugetext_code.block);
  if (*error == 0)
    return code_made (&code_blocks, i);
  code_not_made (&code_blocks, i);
  return true;
}

/* Make block I, which is due NOW, if it is worth a huge page.  True if the
   kernel has been asked.  */
static bool
make_block (size_t i, uint64_t now)
{
  uintptr_t start = code_blocks.start[i];
  size_t n = hugetext_code.block / hugetext_code.page;

  size_t use
      = code_ask_used (start, n, hugetext_code.page, filtered, scratch.text);
  if (!code_is_worth (&code_blocks, i, use, n, now))
    return false;
  if (!code_ask_kind (start, start + hugetext_code.block))
    {
      code_wait (&code_blocks, i, now, CODE_WAIT_LONG);
      return false;
    }
  int error;
  bool asked = collapse (i, start, now, &error);
  /* Other threads may have unmapped the block, and mapped something else
     there, just before the kernel was asked: then that is huge now, and has no
     place.  */
  for (int again = 0; !asked && error == 0 && again < 3; ++again)
    asked = collapse (i, start, now, &error);
  if (!asked)
    return error == 0;
  if (error == 0)
    {
      refused = 0;
      say (i, HUGETEXT_CODE_MADE, 0);
      return true;
    }
  say (i, HUGETEXT_CODE_REFUSED, error);
  /* Other errors are temporary.  */
  if (error == EINVAL)
    code_refuse (&code_blocks, i);
  else
    code_wait (&code_blocks, i, now,
               ++refused < REFUSALS ? 0 : CODE_WAIT_LONG);
  return true;
}

/* Let other threads run for a millisecond: the waiting thread may have a
   higher priority.  */
static void
nap (void)
{
  struct timespec time = { 0, 1000000 };
  code_syscall (SYS_nanosleep, (long int) &time, 0, 0, 0, 0, 0);
}

/* The longest wait, in milliseconds, for the thread that makes blocks.  That
   thread ends with the call that it is in, however little time of a processor
   it gets.  If it does not end, a debugger has it, or it may have left
   (may_be_left); then it makes no call of ours when it goes on.  */
static uint64_t
longest_wait (uint64_t lock)
{
  return may_be_left (lock) ? CLAIM_MAX : 10000;
}

void
code_stop (void)
{
  struct code_process *page = __atomic_load_n (&process, __ATOMIC_SEQ_CST);
  uintptr_t self = code_thread ();
  long int pid = page != NULL && page->pid != 0 ? sys_getpid () : -1;
  if (pid > 0 && pid != page->pid)
    {
      __atomic_store_n (&page->child, self, __ATOMIC_SEQ_CST);
      return;
    }
  bool first = !__atomic_exchange_n (&code_is_over, true, __ATOMIC_SEQ_CST);
  if (hugetext_code.left_alone != NULL)
    *hugetext_code.left_alone = HUGETEXT_CODE_FILTERED;
  if (page == NULL)
    return;
  uint64_t begin = get_time (), lock;
  while (!is_free (lock = __atomic_load_n (&page->lock, __ATOMIC_SEQ_CST))
         && (lock & ~(uint64_t) LOCK_STATES) != self)
    if (get_time () - begin >= longest_wait (lock))
      /* Nobody waits for that thread again.  */
      change_lock (page, lock, 0);
    else if (first)
      /* Another filter may kill for this call.  */
      nap ();
}

/* Make the blocks that are due NOW.  */
static void
make_due (uint64_t now)
{
  size_t asked = 0;
  for (size_t i = 0; (i = code_next_due (&code_blocks, i, now)) < CODE_BLOCKS
                     && code_is_on ();
       ++i)
    {
      if (asked == MADE_AT_ONCE)
        {
          code_left_over (&code_blocks);
          break;
        }
      asked += make_block (i, now);
    }
}

void
code_make (void)
{
  if (!code_any_waits (&code_blocks))
    return;
  struct code_process *page = get_process ();
  uint64_t now = get_time ();
  uint64_t mask = 0;
  if (page == NULL || may_be_child (page) || !code_any_due (&code_blocks, now)
      || !take_lock (page, now, &mask))
    return;
  begin_work (page);
  make_due (now);
  release_lock (page, mask);
}
