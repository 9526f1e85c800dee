/* Make blocks of code huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   hugetext-code.so has no thread of its own.  When a thread of the program
   maps or unmaps memory, the same thread also makes blocks huge.  The program
   does not notice that its thread has made blocks huge, because errno and the
   contents of the program's memory stay the same.  The kernel collapses the
   pages of a block into a huge page (MADV_COLLAPSE).  MADV_COLLAPSE changes
   neither the contents nor the permissions of the memory.  If MADV_COLLAPSE
   succeeds, the block is on a huge page.  hugetext-code.so does not use
   MADV_HUGEPAGE, which only advises the kernel about future pages.
   MADV_HUGEPAGE would take less time, but would split the program's mappings,
   and use memory for blocks that never become full.

   A signal handler may never return to the call that it has interrupted
   (siglongjmp, an exception, asynchronous cancellation).  If a signal handler
   interrupted a thread that is making blocks huge, and never returned, the
   thread would never release the lock.  Therefore the thread blocks all
   signals while it makes blocks huge.  Then the thread unblocks the signals
   and releases the lock in one system call: the thread passes the address of
   the lock to rt_sigprocmask as the buffer for the old signal mask.  The
   kernel writes this signal mask into the lock before any handler runs.  If
   the lock contains a signal mask instead of a thread pointer, no thread has
   the lock.  */

#include <signal.h>

#include "dl-hugetext-sys.h"

#include "make.h"

/* The entry point of hugetext-code.so: the loader finds this struct at the
   address e_entry in the ELF header.  hugetext-code.so uses no symbol of
   another object, and has no constructor.  hugetext-code.so does nothing until
   the loader has filled in this struct.  */
static size_t count_places (void);
struct hugetext_code hugetext_code
    = { .number = HUGETEXT_CODE_NUMBER, .places = count_places };

struct code_table code_blocks;

/* Return how many blocks count towards the cap.  A block counts or not because
   of its state, and each state changes in one atomic step.  So count_places
   returns the right number even if a signal handler interrupts a thread that
   is making a block huge, and never returns.  */
static size_t
count_places (void)
{
  return code_count (&code_blocks);
}

bool code_is_over;

/* The maximum number of blocks that hugetext-code.so makes huge when the
   program calls an intercepted function once.  The kernel needs half a
   millisecond or more to make one block huge.  */
#define MADE_AT_ONCE 16

/* If the kernel has refused to make REFUSALS successive blocks huge,
   hugetext-code.so waits CODE_WAIT_LONG milliseconds before it tries the last
   of these blocks again.  */
#define REFUSALS 3

/* A buffer for the thread that is making blocks huge.  */
static union
{
  char text[4096];
  uint64_t aligned;
} scratch;
static unsigned int refused;

/* Facts about this process, on a page that the kernel sets to zeros in a
   forked child.  */
struct code_process
{
  long int pid;    /* The ID of this process, or 0 if unknown.  */
  uint64_t lock;   /* The lock.  Only the thread with the lock makes blocks
                      huge.  Other threads do not wait for the lock.  While a
                      thread has the lock, LOCK is the thread pointer of the
                      thread (code_thread) plus CLAIMED or WORKING.  While the
                      lock is free, LOCK is 0 or a signal mask.  */
  uint64_t since;  /* The time at which a thread has claimed the lock.  */
  uintptr_t child; /* CHILD is 0, unless the child of a vfork has installed a
                      seccomp filter.  In this case CHILD is the thread pointer
                      of the thread that called vfork.  (The child shares the
                      parent's memory.)  */
};

static struct code_process *process;

/* FILTERED says whether the process had a filter when the first block was
   examined.  FILTERED is valid only if ASKED is true.  */
static bool filtered, asked;

/* Return the page with the facts about this process, and map this page if
   necessary.  Return NULL on failure.  */
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
      /* If the kernel has no MADV_WIPEONFORK, a forked child makes no blocks
         huge.  */
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

/* The states of the lock.  While a thread has the lock, the member LOCK
   contains the thread pointer of this thread (code_thread), and in its lowest
   two bits the state.  */
enum
{
  CLAIMED = 1, /* This state means that the thread has claimed the lock, and is
                  going to block its signals.  */
  WORKING = 2,
  LOCK_STATES = 3 /* The mask of the state's two bits in LOCK.  When a thread
                     releases the lock, rt_sigprocmask writes the thread's
                     signal mask into LOCK.  In this signal mask all signals
                     are blocked, so both bits are set.  */
};

static bool
code_make_is_below_cap (uint64_t lock)
{
  return lock == 0 || (lock & LOCK_STATES) == LOCK_STATES;
}

/* The number of milliseconds after which the code assumes that a thread that
   has claimed the lock will never release it.  */
#define CLAIM_MAX 1000

/* Return true if LOCK may stay taken because a signal handler interrupts the
   thread that has the lock, and never returns.  If the program was started
   under a seccomp filter, hugetext-code.so does not block signals, because the
   filter may forbid rt_sigprocmask.  */
static bool
may_be_left (uint64_t lock)
{
  return (lock & LOCK_STATES) == CLAIMED || hugetext_code.filtered;
}

static bool
code_make_change_word (uint64_t *word, uint64_t from, uint64_t to)
{
  return __atomic_compare_exchange_n (word, &from, to, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST);
}

static bool
change_lock (struct code_process *page, uint64_t from, uint64_t to)
{
  return code_make_change_word (&page->lock, from, to);
}

/* Block exactly the signals in MASK, a set in the kernel's format, for this
   thread.  Set *OLD to the signals that were blocked before.  Return false if
   rt_sigprocmask fails.  */
static bool
block_signals (uint64_t mask, uint64_t *old)
{
  return code_syscall (SYS_rt_sigprocmask, SIG_SETMASK, (long int) &mask,
                       (long int) old, sizeof mask, 0, 0)
         == 0;
}

/* Try to take the lock.  On success, block all signals, set MASK to the
   signals that were blocked before, and return true.  Return false if another
   thread has the lock.  NOW is the present time.  */
static bool
take_lock (struct code_process *page, uint64_t now, uint64_t *mask)
{
  const uint64_t self = code_thread (), claim = self + CLAIMED;
  uint64_t lock = __atomic_load_n (&page->lock, __ATOMIC_SEQ_CST);
  uint64_t since = __atomic_load_n (&page->since, __ATOMIC_SEQ_CST);
  /* Another thread may have claimed the lock after NOW was read.  */
  bool left = may_be_left (lock) && now >= since + CLAIM_MAX;
  /* If this thread itself has claimed the lock, a signal handler has
     interrupted the claim and is running this code.  */
  if (!code_make_is_below_cap (lock) && lock != claim && !left)
    return false;
  if (now > since && !code_make_change_word (&page->since, since, now))
    return false;
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
  /* A signal handler may have taken and released the lock since this thread
     read the lock; try once more.  */
  lock = __atomic_load_n (&page->lock, __ATOMIC_SEQ_CST);
  if (code_make_is_below_cap (lock)
      && change_lock (page, lock, self + WORKING))
    return true;
  if (!hugetext_code.filtered)
    block_signals (*mask, &lock);
  return false;
}

/* Release the lock, and block exactly the signals in MASK again.  */
static void
release_lock (struct code_process *page, uint64_t mask)
{
  if (hugetext_code.filtered || !block_signals (mask, &page->lock))
    __atomic_store_n (&page->lock, 0, __ATOMIC_SEQ_CST);
}

/* Find out the facts about this process.  Also cancel work that other threads
   will never finish.  */
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
  /* If a block is still marked as being made huge, the parent process was
     making it huge at the fork.  */
  code_abandon (&code_blocks);
}

/* Return true if the caller may be a vfork child that has installed a seccomp
   filter.  A vfork child with such a filter makes no blocks huge.  A vfork
   child shares the memory and the thread pointer of its parent thread.  If the
   parent thread calls this function after the child of vfork has ended, getpid
   shows that the caller is not the child; then the function sets the member
   CHILD to 0.  */
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

/* Return the number of milliseconds since the machine was started, accurate to
   a few milliseconds.  */
static uint64_t
get_time (void)
{
  struct timespec time = { 0, 0 };
  hugetext_code.clock (CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * UINT64_C (1000) + time.tv_nsec / 1000000;
}

static void
code_make_print_trace (size_t i, enum hugetext_code_outcome outcome, int error)
{
  if (hugetext_code.say != NULL)
    hugetext_code.say (code_blocks.start[i], outcome, error);
}

/* Return true if LEDGER allows the block that is being made huge.  LEDGER
   already counts this block.  If LEDGER does not allow the block, store the
   reason in *WHY.  */
static bool
is_allowed (struct hugetext_ledger *ledger, enum hugetext_code_outcome *why)
{
  const size_t code = _dl_hugetext_ledger_code (ledger);
  const size_t text = __atomic_load_n (&ledger->text, __ATOMIC_SEQ_CST);
  *why = HUGETEXT_CODE_OVER_CAP;
  /* Another thread may have cancelled the work on this block.  */
  if (code == 0
      || _dl_hugetext_ledger_places (ledger, text + code - 1, 1) != 1)
    return false;
  *why = HUGETEXT_CODE_NO_ROOM;
  return ledger->used.copies + code <= _dl_hugetext_ledger_room (
             ledger, hugetext_code.block, scratch.text);
}

/* If the cap allows another block, make the kernel collapse block I, which is
   at START.  Set ERROR to 0 or to the kernel's error number.  Return false if
   the function has made no request to the kernel, or if another thread has
   changed the block's state during the collapse.  */
static bool
code_make_collapse_block (size_t i, uintptr_t start, uint64_t now, int *error)
{
  struct hugetext_ledger *ledger = hugetext_code.ledger;
  enum hugetext_code_outcome why;
  *error = EAGAIN;
  if (!code_begin (&code_blocks, i))
    return false;
  if (!is_allowed (ledger, &why))
    {
      /* Another thread may have reused slot I for another block.  */
      if (code_not_made (&code_blocks, i))
        {
          code_make_print_trace (i, why, 0);
          code_wait (&code_blocks, i, now, CODE_WAIT_LONG);
        }
      return false;
    }
  if (!code_is_still (&code_blocks, i, start))
    {
      /* The block was unmapped after it had been examined, so index I may now
         belong to another block.  */
      code_not_made (&code_blocks, i);
      return false;
    }
  *error = -sys_collapse (start, hugetext_code.block);
  if (*error == 0)
    return code_made (&code_blocks, i);
  code_not_made (&code_blocks, i);
  return true;
}

/* Examine block I, which is due at time NOW.  Make the block huge if it is
   worth a huge page.  Return true if this thread has asked the kernel to make
   block I huge.  */
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
  bool asked = code_make_collapse_block (i, start, now, &error);
  /* Just before the collapse, another thread may have unmapped the block and
     mapped new memory at the block's address.  The kernel has then made the
     new memory huge, but the table does not count the new memory towards the
     cap.  So call collapse again, for the memory that is now at the block's
     address.  */
  for (int again = 0; !asked && error == 0 && again < 3; ++again)
    asked = code_make_collapse_block (i, start, now, &error);
  if (!asked)
    return error == 0;
  if (error == 0)
    {
      refused = 0;
      code_make_print_trace (i, HUGETEXT_CODE_MADE, 0);
      return true;
    }
  code_make_print_trace (i, HUGETEXT_CODE_REFUSED, error);
  /* All errors of a collapse except EINVAL may be temporary.  */
  if (error == EINVAL)
    code_refuse (&code_blocks, i);
  else
    code_wait (&code_blocks, i, now,
               ++refused < REFUSALS ? 0 : CODE_WAIT_LONG);
  return true;
}

/* Sleep for a millisecond, so that other threads can run, even threads with a
   lower priority.  */
static void
nap (void)
{
  struct timespec time = { 0, 1000000 };
  code_syscall (SYS_nanosleep, (long int) &time, 0, 0, 0, 0, 0);
}

/* Return the maximum number of milliseconds to wait for the thread that has
   LOCK.  A running thread finishes its call within this number of
   milliseconds, even if it gets little processor time.  If the thread takes
   longer, a debugger has stopped the thread, or the thread will never release
   the lock (may_be_left).  When the time is over, code_stop takes the lock
   away from the thread.  If the thread continues later, it makes no more
   system calls for huge pages.  */
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
  while (!code_make_is_below_cap (
             lock = __atomic_load_n (&page->lock, __ATOMIC_SEQ_CST))
         && (lock & ~(uint64_t) LOCK_STATES) != self)
    if (get_time () - begin >= longest_wait (lock))
      /* Take the lock away from its owner, so that no thread waits for the
         owner.  */
      change_lock (page, lock, 0);
    else if (first)
      /* Sleep only in the first thread that calls this function.  Other
         threads wait without sleeping, because a seccomp filter may already
         apply to them, and may kill the process for the system call
         nanosleep.  */
      nap ();
}

/* Make huge the blocks that are due at time NOW.  */
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
