/* Make blocks of code huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In the thread that has just mapped or unmapped something, without its
   noticing: errno and the program's memory stay what they are.  The kernel is
   asked to gather the pages of a block into a huge one (MADV_COLLAPSE), which
   changes no contents and no permission, and says yes only if they are one
   now.  Advice for future pages (MADV_HUGEPAGE) would be cheaper, but splits
   the program's mappings, and gives memory to blocks that are never filled.  */

#include "dl-hugetext-sys.h"

#include "kernel.h"
#include "make.h"

struct code_table code_blocks;
bool code_is_over;

/* How many blocks are made in one call at most: each takes the kernel half a
   millisecond, or several.  */
#define MADE_AT_ONCE 16

/* After this many refusals in a row the kernel is not asked again soon.  */
#define REFUSALS 3

/* For who is busy.  */
static char scratch[4096];
static unsigned int refused;

/* Whether somebody makes blocks: one thread at a time; others do not wait, and
   a signal handler does not disturb the thread that it has interrupted.  In a
   page that the kernel clears in a child, where nobody goes on with it.  */
static uint32_t *busy;

/* Have that page.  */
static uint32_t *
get_busy (void)
{
  uint32_t *page = __atomic_load_n (&busy, __ATOMIC_SEQ_CST);
  if (page != NULL)
    return page;
  long int new = sys_mmap (0, hugetext_code.page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys_failed (new))
    return NULL;
  /* If the kernel does not know that, a child may make none.  */
  sys_madvise (new, hugetext_code.page, MADV_WIPEONFORK);
  if (__atomic_compare_exchange_n (&busy, &page, (uint32_t *) new, false,
                                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return (uint32_t *) new;
  sys_munmap (new, hugetext_code.page);
  return page;
}

static bool
begin_work (void)
{
  uint32_t *page = get_busy ();
  uint32_t nobody = 0;
  if (page == NULL
      || !__atomic_compare_exchange_n (page, &nobody, 1, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return false;
  /* What is being made was so in the process that has forked us.  */
  code_give (code_abandon (&code_blocks));
  return true;
}

static void
end_work (void)
{
  __atomic_store_n (busy, 0, __ATOMIC_SEQ_CST);
}

/* Milliseconds since the machine was started, to a few of them.  */
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

/* How much of block I, which is at START, is in use.  Sets KIND if that has been
   asked.  */
static size_t
in_use (size_t i, uintptr_t start, enum code_kind *kind)
{
  uintptr_t page = hugetext_code.page;
  size_t n = hugetext_code.block / page, use = 0;
  if (code_blocks.at[i].shared != CODE_SHARED)
    use = code_ask_touched (start, n, page);
  if (use >= HUGETEXT_CODE_ENOUGH (n)
      || code_blocks.at[i].shared == CODE_PRIVATE)
    return use;
  if (code_blocks.at[i].shared != CODE_SHARED)
    {
      *kind = code_ask_kind (start, start + hugetext_code.block);
      code_blocks.at[i].shared = *kind;
    }
  /* What is shared others may have filled, by another mapping.  */
  return (code_blocks.at[i].shared == CODE_SHARED
          ? code_ask_resident (start, n, page) : use);
}

/* Have a place for block I, which is at START, and gather it.  Sets ERROR to 0,
   or the kernel's.  False if the kernel has not been asked, or something has
   happened to the block meanwhile: then its place is free.  */
static bool
gather (size_t i, uintptr_t start, uint64_t now, int *error)
{
  struct hugetext_ledger *ledger = hugetext_code.ledger;
  *error = EAGAIN;
  if (!_dl_hugetext_ledger_take_code (ledger))
    {
      say (i, HUGETEXT_CODE_OVER_CAP, 0);
      code_wait (&code_blocks, i, now, CODE_WAIT_LONG);
      return false;
    }
  if (!_dl_hugetext_ledger_code_fits (ledger, hugetext_code.block, scratch))
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
      /* It was unmapped since we have looked, and another may have its
         number.  */
      code_give (code_not_made (&code_blocks, i));
      return false;
    }
  *error = -sys_collapse (start, hugetext_code.block);
  if (*error == 0)
    return code_made (&code_blocks, i);
  code_give (code_not_made (&code_blocks, i));
  return true;
}

/* Make block I, which is due NOW, if it is worth it.  True if the kernel has
   been asked.  */
static bool
make_block (size_t i, uint64_t now)
{
  uintptr_t start = code_blocks.start[i];
  enum code_kind kind = CODE_NONE;

  size_t use = in_use (i, start, &kind);
  if (!code_is_worth (&code_blocks, i, use,
                      hugetext_code.block / hugetext_code.page, now))
    return false;
  if (kind == CODE_NONE)
    kind = code_ask_kind (start, start + hugetext_code.block);
  if (kind == CODE_NONE)
    {
      code_wait (&code_blocks, i, now, CODE_WAIT_LONG);
      return false;
    }
  int error;
  bool asked = gather (i, start, now, &error);
  /* If others have unmapped it, and mapped something else there, just before
     the kernel was asked, that is huge now, and has no place.  */
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
  /* Other errors pass.  */
  if (error == EINVAL)
    code_refuse (&code_blocks, i);
  else
    code_wait (&code_blocks, i, now, ++refused < REFUSALS ? 0
                                                          : CODE_WAIT_LONG);
  return true;
}

void
code_stop (void)
{
  __atomic_store_n (&code_is_over, true, __ATOMIC_SEQ_CST);
  uint32_t *page = __atomic_load_n (&busy, __ATOMIC_SEQ_CST);
  if (page == NULL || hugetext_code.clock == NULL)
    return;
  /* Another thread may be in the middle of a block.  It may also be the one that
     this signal handler has interrupted: then it goes on afterwards.  */
  uint64_t end = get_time () + 50;
  while (__atomic_load_n (page, __ATOMIC_SEQ_CST) != 0 && get_time () < end)
    ;
}

void
code_make (void)
{
  if (!code_any_waits (&code_blocks))
    return;
  uint64_t now = get_time ();
  if (!code_any_due (&code_blocks, now) || !begin_work ())
    return;
  size_t asked = 0;
  for (size_t i = 0;
       (i = code_next_due (&code_blocks, i, now)) < CODE_BLOCKS
       && code_is_on (); ++i)
    {
      if (asked == MADE_AT_ONCE)
        {
          code_left_over (&code_blocks);
          break;
        }
      asked += make_block (i, now);
    }
  end_work ();
}
