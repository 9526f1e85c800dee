/* libFuzzer target: answers of the inspector cannot harm the command, which
   has rights that the inspector does not have.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "answers.h"
#include "damage.h"

/* Read the SIZE bytes at DATA as the answers to several questions.  */
static void
divide (const char *data, size_t size)
{
  struct message answers[4];
  size_t sum = 0, count = inspector_divide (data, size, 4, answers);
  EXPECT (count == 0 || count == 4);
  for (size_t i = 0; i < count; ++i)
    {
      sum += answers[i].size;
      message_free (&answers[i]);
    }
  EXPECT (sum <= size);
}

/* Read the SIZE bytes at DATA, or a valid answer with changes, as
   mappings.  */
static void
read_maps (const uint8_t *data, size_t size)
{
  static char bytes[1 << 12];
  static struct message right;
  struct procmaps maps;
  if (right.size == 0)
    {
      answers_make_maps (&maps);
      answer_put_maps (&right, &maps, 0);
    }
  EXPECT (right.size < sizeof bytes);
  struct message message = { .data = bytes };
  message.size
      = damage (bytes, sizeof bytes, right.data, right.size, data, size);
  answer_get_maps (&message, &maps);
  answers_check_maps (&maps, message.size);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static char bytes[1 << 15];
  static struct message right[INSPECT_ALL + 1];
  static struct inspection found;
  const unsigned int flags = size > 0 ? data[size - 1] & INSPECT_ALL : 0;
  if (right[flags].size == 0)
    {
      answers_make (&found, flags);
      answer_put (&right[flags], &found);
    }
  EXPECT (right[flags].size < sizeof bytes);
  struct message message = { .data = bytes };
  message.size = damage (bytes, sizeof bytes, right[flags].data,
                         right[flags].size, data, size);
  found = (struct inspection){ .flags = flags, .process.pid = ANSWERS_PID };
  if (answer_get (&message, &found))
    answers_check (&found);
  else
    inspect_free (&found);
  read_maps (data, size);
  divide (bytes, message.size);
  return 0;
}
