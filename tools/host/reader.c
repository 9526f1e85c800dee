/* Readers: unprivileged child processes that read untrusted files on behalf of
   the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An untrusted file, or a directory in its path, may be on a filesystem whose
   server does not answer, so opening the file can block for ever.  Therefore a
   child process looks up the path as well as reading the file, and the command
   waits for the child with a timeout.  */

#include "host/reader.h"
#include "host/stuck.h"
#include "host/unprivileged.h"
#include "trust/trusted.h"
#include "util/clock.h"

#include <unistd.h>

void
reader_give_up (void)
{
  _exit (1);
}

struct reader_subject
reader_subject_of (const char *path)
{
  if (geteuid () != 0)
    return (struct reader_subject){ 0, 0 };
  if (path == NULL)
    return (struct reader_subject){ 0, STUCK_UNKNOWN };
  return (struct reader_subject){ stuck_key (path), trusted_keeper (path) };
}

bool
reader_is_kept (const struct reader_subject *subject)
{
  return stuck_any () && stuck_because_of (subject->key, subject->keeper);
}

void
reader_end (pid_t child, const struct reader_subject *subject)
{
  const struct stuck_facts facts = stuck_user (subject->keeper);
  stuck_end (child, subject->key, &facts);
}

/* A question to a reader.  */
struct question
{
  const char *path; /* The file that the child opens, or NULL.  */
  int fd;           /* A file that the command has opened, or -1.  */
  reader_work *work;
  const void *asked; /* The argument of WORK.  */
  struct reader_subject subject;
  int64_t deadline;
};

/* The outcome of a question that the command has sent to a reader
   (host/reader.h).  */
enum outcome
{
  ANSWERED,
  VANISHED, /* The child has ended without giving an answer.  */
  TOO_LONG, /* The answer is too long.  The cause is the contents of the file,
               not a failure of the child.  */
  FAILED,
};

/* Ask a child QUESTION.  If the child gives no ANSWER, set PROBLEM.  */
static enum outcome
reader_ask_child (const struct question *question, struct message *answer,
                  struct problem *problem)
{
  struct readerchild child;
  struct problem refusal;
  const int64_t begin = clock_milliseconds ();
  if (!readerchild_start (&child, question->path, question->fd, question->work,
                          question->asked, problem))
    return FAILED;
  const bool heard = readerchild_hear (&child, question->deadline, answer);
  const bool late = clock_milliseconds () >= question->deadline;
  if (!heard && late)
    unprivileged_note_wait (clock_milliseconds () - begin);
  reader_end (child.pid, &question->subject);
  if (readerchild_check (heard, answer, &refusal))
    return ANSWERED;
  const size_t size = answer->size;
  message_free (answer);
  if (refusal.text[0] != '\0')
    problem_unknown (problem, "the file cannot be read safely: %s",
                     refusal.text);
  else if (size == 0 && !late)
    problem_unknown (problem, "the file cannot be read, because the process "
                              "that reads it ended too early");
  else
    problem_unknown (problem,
                     "the file cannot be read, or reading it takes too long "
                     "(perhaps a filesystem does not answer)");
  return (size > READERCHILD_MOST ? TOO_LONG
          : size == 0 && !late    ? VANISHED
                                  : FAILED);
}

/* The common part of reader_ask, reader_ask_about and reader_ask_opened.
   ABOUT is the path that the child accesses, or NULL if the path is
   unknown.  */
static bool
reader_ask_reader (const char *path, const char *about, int fd,
                   reader_work *work, const void *asked,
                   struct message *answer, struct problem *problem)
{
  /* If root has opened the file, the file is on a filesystem that root trusts,
     so no user can block the child.  */
  const struct question question
      = { .path = path,
          .fd = fd,
          .work = work,
          .asked = asked,
          .subject = fd >= 0 ? (struct reader_subject){ 0, 0 }
                             : reader_subject_of (about),
          .deadline = clock_milliseconds () + unprivileged_patience () };
  const off_t start = fd >= 0 ? lseek (fd, 0, SEEK_CUR) : 0;
  enum outcome outcome = FAILED;
  *answer = (struct message){ 0 };
  if (reader_is_kept (&question.subject))
    problem_unknown (
        problem,
        "the file was not read: processes of earlier hugetext commands are "
        "still blocked in the kernel, because they read this file or several "
        "other files of the same owner (perhaps a filesystem does not "
        "answer)");
  else
    outcome = reader_ask_child (&question, answer, problem);
  /* If the child has ended without an answer, the kernel may have killed it
     for lack of memory, so ask a second child.  Before the second child reads
     the file, set the file's offset back to where the first child began to
     read.  */
  if (outcome == VANISHED
      && (fd < 0 || (start >= 0 && lseek (fd, start, SEEK_SET) >= 0)))
    outcome = reader_ask_child (&question, answer, problem);
  if (outcome != ANSWERED && outcome != TOO_LONG)
    unprivileged_note_failure ();
  return outcome == ANSWERED;
}

bool
reader_ask (const char *path, reader_work *work, const void *asked,
            struct message *answer, struct problem *problem)
{
  return reader_ask_reader (path, path, -1, work, asked, answer, problem);
}

bool
reader_ask_about (const char *path, reader_work *work, const void *asked,
                  struct message *answer, struct problem *problem)
{
  return reader_ask_reader (NULL, path, -1, work, asked, answer, problem);
}

bool
reader_ask_opened (int fd, reader_work *work, const void *asked,
                   struct message *answer, struct problem *problem)
{
  return reader_ask_reader (NULL, NULL, fd, work, asked, answer, problem);
}

bool
reader_ask_parser (reader_work *work, const void *asked,
                   struct message *answer, struct problem *problem)
{
  /* Neither the file nor ASKED can block the child.  Therefore pass "/" as the
     path for notes about stuck readers (host/stuck.h).  The directory "/"
     belongs to root, so no limit on the stuck readers of a user applies.  */
  return reader_ask_reader (NULL, "/", -1, work, asked, answer, problem);
}

struct truth
reader_says (int fd, const char *path, reader_work *work, const void *asked)
{
  struct problem problem;
  struct message answer;
  if (!reader_ask_reader (NULL, path, fd, work, asked, &answer, &problem))
    return (struct truth){ TRUTH_UNKNOWN };
  struct truth said = truth_of (message_get_bool (&answer));
  if (!message_is_done (&answer))
    said.is = TRUTH_UNKNOWN;
  message_free (&answer);
  return said;
}
