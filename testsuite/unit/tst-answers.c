/* Tests of the messages between the command and the inspector: valid messages
   are read correctly, invalid ones are refused.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "answers.h"
#include "idle.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static void
test_messages (void)
{
  struct message message = { 0 };
  char text[4];
  message_put_number (&message, 5);
  message_put_text (&message, "abc");
  message_put_text (&message, "a\nb");
  message_put_number (&message, 1);
  EXPECT_EQUAL (5, message_get_number (&message, 5));
  message_get_text (&message, text, sizeof text);
  EXPECT (strcmp (text, "abc") == 0);
  message_get_printable (&message, text, sizeof text);
  EXPECT (strcmp (text, "a?b") == 0);
  EXPECT (!message_is_done (&message));
  EXPECT (message_get_bool (&message));
  EXPECT (message_is_done (&message));
  EXPECT_EQUAL (0, message_get_number (&message, 5));
  EXPECT (message.bad && !message_is_done (&message));

  /* Numbers, truth values, texts and counts that are beyond their limits, and
     a null byte in a text.  Everything after an invalid item counts as
     invalid, too.  */
  for (int i = 0; i < 5; ++i)
    {
      char *new = NULL;
      message.at = 0;
      message.bad = false;
      if (i == 0)
        EXPECT_EQUAL (0, message_get_number (&message, 4));
      else if (i == 1)
        EXPECT (!message_get_bool (&message));
      else if (i == 2)
        EXPECT_EQUAL (0, message_get_count (&message, message.size));
      else
        {
          message_get_number (&message, 5);
          if (i == 4)
            message.data[17] = '\0';
          new = message_get_new_text (&message, i == 3 ? 2 : 3);
          EXPECT (new[0] == '\0');
        }
      EXPECT (message.bad);
      message_get_text (&message, text, sizeof text);
      EXPECT (message.bad && text[0] == '\0');
      free (new);
    }
  message_free (&message);
  group_done ("messages", 6);
}

/* For all FLAGS, each part of a valid answer is read correctly.  */
static void
test_right (void)
{
  static struct inspection from, to;
  for (unsigned int flags = 0; flags <= INSPECT_ALL; ++flags)
    {
      struct message message = { 0 };
      answers_make (&from, flags);
      answer_put (&message, &from);
      to = (struct inspection){ .flags = flags, .process.pid = ANSWERS_PID };
      EXPECT (answer_get (&message, &to));
      EXPECT (strcmp (to.process.name, "name") == 0 && to.process.uid == 1000);
      EXPECT (process_is_same (&to.process, &from.process));
      EXPECT (to.objects.count == 2 && to.objects.list[0].nblocks == 2);
      EXPECT (memcmp (&to.objects.list[0].blocks[1],
                      &from.objects.list[0].blocks[1],
                      sizeof (struct text_block))
              == 0);
      EXPECT (strcmp (to.objects.list[0].name, from.objects.list[0].name)
              == 0);
      EXPECT (to.objects.list[1].no_headers);
      if ((flags & INSPECT_DIRECT) == 0)
        EXPECT (to.loader == INSPECTED_OURS && to.cost.copies == 2
                && to.cost.unfit == 1 && to.cost.images == 3
                && settings_value (&to.settings, SETTING_MODE) == 1);
      if ((flags & (INSPECT_DIRECT | INSPECT_RECORD)) == INSPECT_RECORD)
        EXPECT (to.recorded && to.record.count == 2
                && record_reason (&to.record, &to.record.entries[0], 0x7fffff)
                       == HUGETEXT_COLD
                && record_reason (&to.record, &to.record.entries[0], 0x800000)
                       == HUGETEXT_HUGE
                && record_reason (&to.record, &to.record.entries[1], 0x800000)
                       == HUGETEXT_OVER_CAP);
      if ((flags & (INSPECT_DIRECT | INSPECT_FILES)) == INSPECT_FILES)
        EXPECT (to.files[0].fixed
                && strcmp (to.files[1].problem, "the file is the loader")
                       == 0);
      if ((flags & (INSPECT_DIRECT | INSPECT_ELF)) == INSPECT_ELF)
        EXPECT (to.files[1].alone == REASON_IS_LOADER
                && to.files[1].elf == NULL && to.files[0].elf->program
                && to.files[0].elf->object.segment[0].dataend == 0x201000
                && strcmp (to.foreign, "the program is a 32-bit program")
                       == 0);
      answers_check (&to);
      /* Refuse an answer about another process, and an answer that is cut
         off.  */
      message.at = 0;
      to = (struct inspection){ .flags = flags, .process.pid = 8 };
      EXPECT (!answer_get (&message, &to));
      inspect_free (&to);
      message.at = 0;
      message.size -= 1;
      to = (struct inspection){ .flags = flags, .process.pid = ANSWERS_PID };
      EXPECT (!answer_get (&message, &to));
      inspect_free (&to);
      message_free (&message);
    }
  group_done ("answers", 3 * (INSPECT_ALL + 1));
}

/* Mappings are read correctly, but refused if they do not ascend.  */
static void
test_maps (void)
{
  for (int i = 0; i < 3; ++i)
    {
      struct message message = { 0 };
      struct procmaps from, to;
      answers_make_maps (&from);
      struct mapping *second = &from.list[1];
      second->start = i == 1 ? 0x2000 : 0x3000;
      second->end = i == 2 ? 0x3000 : 0x4000;
      answer_put_maps (&message, &from, i == 0 ? EDQUOT : 0);
      EXPECT_EQUAL (i == 0 ? EDQUOT : EBADMSG,
                    answer_get_maps (&message, &to));
      EXPECT (to.count == (i == 0 ? 2 : 0));
      if (i == 0)
        EXPECT (to.detailed && to.list[0].kept_small && to.list[0].readable
                && !to.list[0].writable && to.list[0].part == 0x1000
                && strcmp (to.list[0].name, from.list[0].name) == 0);
      answers_check_maps (&to, message.size);
      message_free (&message);
    }
  group_done ("mappings", 3);
}

/* Numbers that contradict each other.  */
static void
test_wrong (void)
{
  static struct inspection found;
  static struct hugetext_record_run many[HUGETEXT_RECORD_RUNS_MAX + 1];
  for (int i = 0; i < 10; ++i)
    {
      struct message message = { 0 };
      struct text_block block = { .start = 0x200000, .text = 0x1000 };
      struct hugetext_entry entries[]
          = { { .first = 2, .nruns = 1, .nblocks = 1 },
              { .first = 0, .nruns = 2, .nblocks = 4 } };
      answers_make (&found, INSPECT_RECORD);
      found.objects.list[0].blocks = &block;
      found.objects.list[0].nblocks = 1;
      found.record.entries = entries;
      found.record.count = 2;
      if (i == 1)
        block.start += 0x1000;
      else if (i == 2)
        block.huge = block.small = 0x1000;
      else if (i == 3)
        block.backing = 1 << BACKINGS;
      else if (i == 4)
        entries[0].nruns = 2;
      else if (i == 5)
        entries[1].nruns = 3;
      else if (i == 6)
        found.record.block = 0x300000;
      else if (i == 7)
        {
          found.record.runs = many;
          found.record.nruns = HUGETEXT_RECORD_RUNS_MAX + 1;
        }
      else if (i == 8)
        entries[1].nblocks = 5;
      else if (i == 9)
        strcpy (found.group, "a.service/../b");
      answer_put (&message, &found);
      found = (struct inspection){ .flags = INSPECT_RECORD,
                                   .process.pid = ANSWERS_PID };
      EXPECT (answer_get (&message, &found) == (i == 0));
      inspect_free (&found);
      message_free (&message);
    }
  group_done ("wrong answers", 10);
}

/* Impossible settings in a process's record are left out.  */
static void
test_settings (void)
{
  static struct inspection found;
  struct message message = { 0 };
  answers_make (&found, 0);
  found.settings.given[SETTING_BACKING] = true;
  found.settings.value[SETTING_BACKING] = 1000;
  found.settings.advice.given = ~0U;
  found.settings.advice.value[SETTING_PAD] = UINT64_MAX;
  found.settings.limited = true;
  strcpy (found.settings.advice.objects, "\033[1m");
  memset (found.settings.advice.program, 'x',
          sizeof found.settings.advice.program);
  answer_put (&message, &found);
  found = (struct inspection){ .process.pid = ANSWERS_PID };
  EXPECT (answer_get (&message, &found));
  EXPECT (!found.settings.given[SETTING_BACKING]);
  EXPECT (found.settings.limited);
  EXPECT ((found.settings.advice.given & 1U << SETTING_PAD) == 0);
  EXPECT (strcmp (found.settings.advice.objects, "?[1m") == 0);
  answers_check (&found);
  message_free (&message);
  group_done ("settings", 4);
}

static void
test_divide (void)
{
  struct message all = { 0 }, answers[2];
  message_put_text (&all, "ab");
  message_put_text (&all, "");
  EXPECT_EQUAL (2, inspector_divide (all.data, all.size, 2, answers));
  EXPECT (answers[0].size == 2 && memcmp (answers[0].data, "ab", 2) == 0
          && answers[1].size == 0);
  message_free (&answers[0]);
  message_free (&answers[1]);
  EXPECT_EQUAL (0, inspector_divide (all.data, all.size, 1, answers));
  EXPECT_EQUAL (0, inspector_divide (all.data, all.size - 1, 2, answers));
  all.data[0] = 100;
  EXPECT_EQUAL (0, inspector_divide (all.data, all.size, 2, answers));
  message_free (&all);
  group_done ("several answers", 4);
}

/* A process that has the number of an ended process is not the same as that
   process.  */
static void
test_same (void)
{
  const struct timespec ticks = { .tv_nsec = 50000000 };
  struct process first, again, other;
  int status;
  const pid_t pid = begin_idle (0);
  EXPECT (process_read (pid, &first) && process_read (pid, &again));
  EXPECT (first.start != 0 && process_is_same (&first, &again));
  again.start = 0;
  EXPECT (process_is_same (&first, &again));
  EXPECT (process_read (getpid (), &other)
          && !process_is_same (&first, &other));
  EXPECT (kill (pid, SIGKILL) == 0 && waitpid (pid, &status, 0) == pid);
  nanosleep (&ticks, NULL);
  /* Only root may choose the ID of a new process.  */
  if (begin_idle (pid) == pid)
    {
      EXPECT (process_read (pid, &other) && !process_is_same (&first, &other));
      EXPECT (kill (pid, SIGKILL) == 0 && waitpid (pid, &status, 0) == pid);
    }
  group_done ("the same process", 1);
}

int
main (void)
{
  test_messages ();
  test_same ();
  test_right ();
  test_maps ();
  test_wrong ();
  test_settings ();
  test_divide ();
  return 0;
}
