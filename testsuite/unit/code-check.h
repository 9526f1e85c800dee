/* A simple model of the blocks of code.  The policy of the code object must
   agree with this model.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_CHECK_H
#define CODE_CHECK_H 1

#include <string.h>

#include "plan-test.h"

#include "blocks.h"

/* The model has a few small blocks at the beginning of its address space.  */
#define MODEL_PARTS (6 * CODE_PARTS)
#define PART 4096UL
#define BASE (UINT64_C (1) << 40)
#define BLOCK (CODE_PARTS * PART)

struct model
{
  uint8_t executable[MODEL_PARTS]; /* For each part, 0 or 1.  These are bytes,
                                      so that memset and memchr can be used:
                                      with loops over parts, the fuzzer would
                                      spend nearly all its time there.  */
  enum code_state state[MODEL_PARTS / CODE_PARTS];
  size_t places; /* How many blocks count towards the cap.  */
};

static struct code_table model_table;
static struct model model;

static bool
model_full (size_t block)
{
  return memchr (&model.executable[block * CODE_PARTS], 0, CODE_PARTS) == NULL;
}

/* Return the index of the block in the table, or CODE_BLOCKS if it is not
   there.  */
static size_t
model_number (size_t block)
{
  for (size_t i = 0; i < model_table.used; ++i)
    if (model_table.start[i] == BASE + block * BLOCK)
      return i;
  return CODE_BLOCKS;
}

/* Check that the table agrees with the model.  */
static void
check_model (void)
{
  for (size_t b = 0; b < MODEL_PARTS / CODE_PARTS; ++b)
    {
      size_t i = model_number (b);
      enum code_state state
          = i < CODE_BLOCKS ? model_table.at[i].state : CODE_SMALL;
      EXPECT_EQUAL (state, model.state[b]);
      EXPECT_EQUAL (
          code_covers (&model_table, BASE + b * BLOCK, BASE + (b + 1) * BLOCK),
          model_full (b));
    }
  EXPECT_EQUAL (code_count (&model_table), model.places);
}

/* EVENT happens to parts [FIRST, LAST) of the model.  */
static void
model_forget (size_t first, size_t last, enum code_event event)
{
  size_t free = 0;
  if (event != CODE_EMPTIED)
    memset (&model.executable[first], 0, last - first);
  for (size_t b = first / CODE_PARTS; b * CODE_PARTS < last; ++b)
    {
      size_t low = b * CODE_PARTS, high = low + CODE_PARTS;
      bool whole = first <= low && high <= last;
      if (model.state[b] == CODE_SMALL
          || (model.state[b] == CODE_HUGE && event == CODE_NOT_EXECUTABLE
              && whole))
        continue;
      model.state[b] = CODE_SMALL;
      ++free;
    }
  EXPECT_EQUAL (code_forget (&model_table, BASE + first * PART,
                             BASE + last * PART, event),
                free);
  model.places -= free;
}

/* Make some of the due blocks huge.  Check that only full small blocks are
   due.  */
static void
model_make (uint64_t now, unsigned int luck)
{
  for (size_t i = 0; (i = code_next_due (&model_table, i, now)) < CODE_BLOCKS;
       ++i)
    {
      size_t b = (model_table.start[i] - BASE) / BLOCK;
      EXPECT (b < MODEL_PARTS / CODE_PARTS);
      EXPECT (model_full (b));
      EXPECT_EQUAL (model.state[b], CODE_SMALL);
      if (!code_is_worth (&model_table, i, luck % 513, 512, now))
        continue;
      EXPECT (code_begin (&model_table, i));
      EXPECT (!code_begin (&model_table, i));
      model.state[b] = CODE_BEING_MADE;
      ++model.places;
      if (luck % 3 == 0)
        /* In some cases, an event comes in between, or no thread continues
           the work.  */
        continue;
      if (luck % 3 == 1)
        {
          EXPECT (code_made (&model_table, i));
          model.state[b] = CODE_HUGE;
          continue;
        }
      EXPECT (code_not_made (&model_table, i));
      code_wait (&model_table, i, now, 0);
      model.state[b] = CODE_SMALL;
      --model.places;
    }
}

/* Carry out the events that the SIZE bytes at DATA describe, with four bytes
   for each event.  */
static inline void
check_steps (const uint8_t *data, size_t size)
{
  uint64_t now = 1000;
  memset (&model_table, 0, sizeof model_table);
  model_table.block = BLOCK;
  memset (&model, 0, sizeof model);
  for (; size >= 4; data += 4, size -= 4)
    {
      size_t first = data[1] * (MODEL_PARTS / 256);
      size_t last = first + 1 + data[2] * (MODEL_PARTS / 256);
      if (data[1] % 3 == 0)
        {
          /* The event is for whole blocks.  */
          first -= first % CODE_PARTS;
          last = first + CODE_PARTS * (1 + data[2] % 3);
        }
      if (last > MODEL_PARTS)
        last = MODEL_PARTS;
      switch (data[0] % 8)
        {
        case 0:
        case 1:
        case 2:
          code_note (&model_table, BASE + first * PART, BASE + last * PART,
                     data[3] % 2);
          memset (&model.executable[first], 1, last - first);
          break;
        case 3:
          model_forget (first, last, CODE_UNMAPPED);
          break;
        case 4:
          model_forget (first, last, CODE_NOT_EXECUTABLE);
          break;
        case 5:
          model_forget (first, last, CODE_EMPTIED);
          break;
        case 6:
          if (data[3] % 16 == 0)
            {
              size_t left = 0;
              for (size_t b = 0; b < MODEL_PARTS / CODE_PARTS; ++b)
                if (model.state[b] == CODE_BEING_MADE)
                  {
                    model.state[b] = CODE_SMALL;
                    ++left;
                  }
              EXPECT_EQUAL (code_abandon (&model_table), left);
              model.places -= left;
            }
          break;
        default:
          now += data[1];
          if (code_any_waits (&model_table)
              && code_any_due (&model_table, now))
            model_make (now, data[2] * 256 + data[3]);
          break;
        }
      check_model ();
    }
  /* No block may be forgotten: in the end, the policy must choose all full
     blocks on small pages.  */
  now += UINT64_C (1) << 40;
  size_t small = 0, due = 0;
  for (size_t b = 0; b < MODEL_PARTS / CODE_PARTS; ++b)
    small += model.state[b] == CODE_SMALL && model_full (b);
  for (int round = 0; round < 2; ++round, now *= 2)
    {
      EXPECT_EQUAL (small > 0, code_any_waits (&model_table) && small > 0);
      due = 0;
      for (size_t i = 0;
           (i = code_next_due (&model_table, i, now)) < CODE_BLOCKS; ++i)
        ++due;
      code_left_over (&model_table);
    }
  EXPECT_EQUAL (due, small);
  size_t left = 0;
  for (size_t b = 0; b < MODEL_PARTS / CODE_PARTS; ++b)
    left += model.state[b] != CODE_SMALL;
  EXPECT_EQUAL (left, model.places);
}

#endif /* code-check.h */
