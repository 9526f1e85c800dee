/* Test what happens if a reader is killed while it answers, or if an inspector
   does not answer.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/inspector.h"
#include "host/reader.c"
#include "host/readerchild.c"
#include "plan-test.h"

#include <string.h>
#include <sys/wait.h>

/* A reader must not query its alternate signal stack.  When the reader ends,
   AddressSanitizer asks for this stack, and would look up names for its
   report.  If all readers did this, the test would take seconds longer.  */
extern const char *__asan_default_options (void);

const char *
__asan_default_options (void)
{
  return "symbolize=0";
}

/* This test asks about no path.  */
uid_t
trusted_keeper (const char *path)
{
  (void) path;
  return 0;
}

/* The answer of the reader.  Only the first WRITTEN bytes of it are
   written.  */
static const char payload[] = "/lib/one.so";
static size_t written;

/* Write only the first WRITTEN bytes of the answer that serve would write, and
   end.  */
static void
write_part (const struct reader_file *file, const void *none,
            struct message *answer)
{
  struct message whole = { 0 };
  (void) file, (void) none;
  message_put_text (answer, payload);
  message_put_result (&whole, true, NULL);
  message_put_number (&whole, answer->size);
  message_put_bytes (&whole, answer->data, answer->size);
  write_whole (whole.data, written < whole.size ? written : whole.size);
  _exit (0);
}

/* Write the whole answer, as a reader usually does.  */
static void
write_all (const struct reader_file *file, const void *none,
           struct message *answer)
{
  (void) file, (void) none;
  message_put_text (answer, payload);
}

/* How many more readers will end early, and how many readers were asked so
   far.  Both numbers are in memory that the readers share with this
   process.  */
static struct
{
  int early, asked;
} * counts;

/* Read a byte of the file.  Then write the whole answer, or end before it is
   complete.  */
static void
end_early (const struct reader_file *file, const void *none,
           struct message *answer)
{
  char byte;
  const ssize_t n = read (file->fd, &byte, 1);
  ++counts->asked;
  if (counts->early-- > 0)
    _exit (1);
  /* Each reader begins at the same place.  */
  if (n == 1 && byte == 0x7f)
    write_all (file, none, answer);
}

/* Why the last answer was not accepted.  */
static char refused[sizeof ((struct problem *) 0)->text];

/* Return true if the answer of a reader that does WORK is accepted.  */
static bool
accepts (reader_work *work)
{
  struct message answer;
  struct problem problem;
  char text[sizeof payload];
  const int fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const bool good = reader_ask_opened (fd, work, NULL, &answer, &problem);
  close (fd);
  if (!good)
    {
      snprintf (refused, sizeof refused, "%s", problem.text);
      return false;
    }
  message_get_text (&answer, text, sizeof text);
  EXPECT (message_is_done (&answer) && strcmp (text, payload) == 0);
  message_free (&answer);
  return true;
}

/* If a reader ends before it answers, one more reader is asked.  */
static void
test_ends (void)
{
  counts = mmap (NULL, sizeof *counts, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT (counts != MAP_FAILED);
  for (int early = 0; early < 3; ++early)
    {
      const size_t before = unprivileged_failures ();
      counts->early = early;
      counts->asked = 0;
      EXPECT (accepts (end_early) == (early < 2));
      EXPECT_EQUAL (counts->asked, early < 2 ? early + 1 : 2);
      EXPECT_EQUAL (unprivileged_failures () - before, early == 2);
      EXPECT (early < 2 || strstr (refused, "ended too early") != NULL);
    }
  munmap (counts, sizeof *counts);
  group_done ("reader processes that end too early", 3);
}

/* Give no answer.  */
static void
wait_always (struct message *asked, struct message *answer)
{
  (void) asked, (void) answer;
  for (;;)
    sleep (1);
}

/* An inspector that gives no answer is ended, and so is its opener.  No
   zombies may be left, because they count in the limit of tasks of a
   unit.  */
static void
test_silent (void)
{
  static inspector_work *const work[INSPECTOR_KINDS]
      = { [INSPECTOR_TEXT] = wait_always };
  struct message asked = { 0 }, answer = { 0 };
  struct problem problem;
  inspector_begin (work);
  inspector_until (clock_milliseconds () + 100);
  EXPECT (!inspector_ask (INSPECTOR_TEXT, getpid (), 0, &asked, &answer,
                          &problem));
  EXPECT (waitpid (-1, NULL, WNOHANG) < 0 && errno == ECHILD);
  group_done ("no answer", 1);
}

int
main (void)
{
  /* The machine may be too busy for an answer in time.  */
  for (int i = 0; i < 3 && !accepts (write_all); ++i)
    fprintf (stderr, "no answer: %s\n", refused);
  EXPECT (accepts (write_all));
  /* An answer that is cut off at any byte is refused.  */
  for (written = 0; !accepts (write_part); ++written)
    if (written > 1000)
      break;
  const size_t whole = 3 * sizeof (uint64_t) + strlen (payload);
  EXPECT_EQUAL (written, whole);
  group_done ("truncated answers of a reader process", written);
  test_ends ();
  test_silent ();
  return 0;
}
