/* The step that puts blocks of code on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The step runs in the thread that has just mapped or unmapped memory, which
   does not notice it: errno and the program's memory stay the same.  The
   kernel gathers the pages of a block into a huge page (MADV_COLLAPSE), which
   changes no contents and no permission, and succeeds only if the block is
   huge then.  Advice for future pages (MADV_HUGEPAGE) would be cheaper, but
   splits the program's mappings, and gives memory to blocks that never
   fill.  */

#include "dl-hugetext-sys.h"

#include "make.h"

/* The entry point, by which the loader finds the struct.  The object needs no
   symbol of another object, has no constructor, and does nothing until the
   loader has filled this in.  */
struct hugetext_code hugetext_code = { .number = HUGETEXT_CODE_NUMBER };

struct code_table code_blocks;
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
  uintptr_t maker; /* The thread that makes blocks, or 0.  One thread makes
                      blocks at a time; others do not wait, and a signal
                      handler does not disturb the thread that it has
                      interrupted.  */
  uintptr_t child; /* The thread whose vfork child, which shares our memory,
                      has installed a filter; 0 if there is none.  */
};

static struct code_process *process;

/* Whether the program was started under a filter; known once ASKED is set.  */
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

static bool
begin_work (struct code_process *page)
{
  uintptr_t none = 0;
  if (!__atomic_compare_exchange_n (&page->maker, &none, code_thread (), false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return false;
  if (!asked)
    {
      filtered = code_ask_filtered ();
      asked = true;
    }
  if (page->pid == 0 && !filtered)
    __atomic_store_n (&page->pid, sys_getpid (), __ATOMIC_SEQ_CST);
  /* The block that was being made belongs to the parent process.  */
  code_give (code_abandon (&code_blocks));
  return true;
}

static void
end_work (struct code_process *page)
{
  __atomic_store_n (&page->maker, 0, __ATOMIC_SEQ_CST);
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

/* Count one more block of code in LEDGER.  False if the cap leaves none.  */
static bool
take_place (struct hugetext_ledger *ledger)
{
  size_t code = __atomic_add_fetch (&ledger->code, 1, __ATOMIC_SEQ_CST);
  size_t text = __atomic_load_n (&ledger->text, __ATOMIC_SEQ_CST);
  if (_dl_hugetext_ledger_places (ledger, text + code - 1, 1) == 1)
    return true;
  code_give (1);
  return false;
}

/* Take a place under the cap for block I, at START, and gather the block.  Set
   ERROR to 0, or the kernel's error.  False if the kernel has not been asked,
   or if something has happened to the block meanwhile: then its place is
   free.  */
static bool
gather (size_t i, uintptr_t start, uint64_t now, int *error)
{
  struct hugetext_ledger *ledger = hugetext_code.ledger;
  *error = EAGAIN;
  if (!take_place (ledger))
    {
      say (i, HUGETEXT_CODE_OVER_CAP, 0);
      code_wait (&code_blocks, i, now, CODE_WAIT_LONG);
      return false;
    }
  if (ledger->used.copies + _dl_hugetext_ledger_code (ledger)
      > _dl_hugetext_ledger_room (ledger, hugetext_code.block, scratch.text))
    {
      code_give (1);
      say (i, HUGETEXT_CODE_NO_ROOM, 0);
      code_wait (&code_blocks, i, now, CODE_WAIT_LONG);
      return false;
    }
  if (!code_begin (&code_blocks, i))
    {
      code_give (1);
      return false;
    }
  if (!code_is_still (&code_blocks, i, start))
    {
      /* The block has been unmapped since the look, and another block may have
         its number.  */
      code_give (code_not_made (&code_blocks, i));
      return false;
    }
  *error = -sys_collapse (start, hugetext_code.block);
  if (*error == 0)
    return code_made (&code_blocks, i);
  code_give (code_not_made (&code_blocks, i));
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
  bool asked = gather (i, start, now, &error);
  /* Other threads may have unmapped the block, and mapped something else
     there, just before the kernel was asked: then that is huge now, and has no
     place.  */
  for (int again = 0; !asked && error == 0 && again < 3; ++again)
    asked = gather (i, start, now, &error);
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
   it gets.  If it does not end, a signal handler or a debugger has it, which
   may wait for us; then it makes no call of ours when it goes on.  */
#define WAIT_MAX 10000

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
  if (page == NULL)
    return;
  uint64_t end = get_time () + WAIT_MAX;
  for (uintptr_t maker;
       (maker = __atomic_load_n (&page->maker, __ATOMIC_SEQ_CST)) != 0
       && maker != self && get_time () < end;)
    /* Another filter may kill for this call.  */
    if (first)
      nap ();
}

void
code_make (void)
{
  if (!code_any_waits (&code_blocks))
    return;
  struct code_process *page = get_process ();
  uint64_t now = get_time ();
  if (page == NULL || may_be_child (page) || !code_any_due (&code_blocks, now)
      || !begin_work (page))
    return;
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
  end_work (page);
}
