/* Tests of the function that finds out how much memory is left for copies.  A
   child process answers as the loader's policy would; if it gives no answer,
   the memory is unknown.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/reader.h"

/* Whether the child gives no answer, and whether its answer has one number too
   many.  */
static struct
{
  bool silent, longer;
} made_up;

static bool
ask_made_up (int fd, reader_work *work, const void *asked,
             struct message *answer, struct problem *problem)
{
  if (made_up.silent)
    return problem_set (problem, "the reader process gave no answer");
  const bool heard = reader_ask_opened (fd, work, asked, answer, problem);
  if (heard && made_up.longer)
    message_put_number (answer, 1);
  return heard;
}

#define reader_ask_opened ask_made_up
#include "host/memory.c"
#undef reader_ask_opened
#include "plan-test.h"
#include "policy/dl-hugetext-sys.h"
#include "trust.h"

#include "dl-hugetext-procfile.c"
#include "dl-hugetext-memory.c"

/* Replaces the policy, which reserves most of the memory for programs.  */
size_t
_dl_hugetext_ledger_room (const struct hugetext_ledger *ledger, size_t block,
                          char scratch[4096])
{
  return (_dl_hugetext_memory_left (scratch, 4096, true) / block
          + ledger->used.copies);
}

/* Return true if A and B, two numbers of free bytes, differ only by what other
   processes may have used in the meantime.  */
static bool
is_near (size_t a, size_t b)
{
  const size_t most = a > b ? a : b, least = a > b ? b : a;
  return most - least <= most / 4;
}

int
main (void)
{
  char scratch[4096];
  struct memory_room room = { .copies = 1 };
  struct problem problem = { 0 };
  const size_t left = _dl_hugetext_memory_left (scratch, sizeof scratch, true);
  EXPECT (memory_ask (0, 0, &room, &problem));
  EXPECT (is_near (room.left, left));
  EXPECT (room.free > room.left);
  EXPECT (is_near (room.copies, left / procmaps_block ()));
  EXPECT (memory_ask (getpid (), 1 << 20, &room, &problem));
  EXPECT (is_near (room.left, left) && room.copies >= 1 << 20);
  /* A process that does not exist must not count as a process without control
     groups.  */
  if (access ("/proc/self/cgroup", F_OK) == 0)
    EXPECT (!memory_ask (INT_MAX, 0, &room, &problem));
  for (int i = 0; i < 2; ++i)
    {
      made_up.silent = i == 0;
      made_up.longer = i == 1;
      problem = (struct problem){ 0 };
      EXPECT (!memory_ask (0, 0, &room, &problem) && problem_is (&problem));
      EXPECT (room.left == 0 && room.copies == 0);
    }
  group_done ("memory left", 5);
  return 0;
}
