/* The inspector: an unprivileged process that reads other users' data on
   behalf of the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/inspector.h"
#include "host/procfile.h"
#include "host/procmaps.h"
#include "host/procstat.h"
#include "host/stuck.h"
#include "host/unprivileged.h"
#include "util/allocate.h"
#include "util/budget.h"
#include "util/clock.h"
#include "util/printable.h"
#include "util/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum
{
  LIMIT = 5000, /* The time limit for one answer, in milliseconds.  */
  LEAST = 200,  /* The shorter time limit for one answer, in milliseconds.  The
                   shorter limit applies after the command has waited PATIENCE
                   milliseconds in total for answers that did not arrive in
                   time.  */
  PATIENCE = 30000,
  /* The limit of CPU time for one answer, in milliseconds.  WORK_MOST is above
     the budget of a whole run (util/budget.c), so it ends only an inspector
     that ignores its budget.  */
  WORK_MOST = 120000,
  /* During one wait for an answer, the command checks TIMES times whether the
     inspector process is runnable.  An inspector also counts as working if it
     has used at least 1/WORK of the waiting time as CPU time.  */
  TIMES = 10,
  WORK = 50,
  /* When the total size of the answers to one request has reached ENOUGH
     bytes, the inspector answers no further questions of the request.  The
     command asks the unanswered questions again.  */
  ENOUGH = 1 << 20,
  /* The maximum size of all questions, and of all answers, in bytes.  If the
     inspection of a process stays within its budget (util/budget.c), the
     answer is smaller than MOST.  */
  MOST = 256 << 20,
  DESCRIPTORS = 64, /* The maximum number of file descriptors of the inspector
                       process.  */
  /* The inspector's memory limit, in bytes.  The limit covers the memory that
     the inspector inherits from the command, and two copies of an answer.  An
     answer is copied when its buffer grows, and when it is appended to other
     answers.  If a library allocates too much for a malformed file, the
     allocation fails before the machine runs out of memory.  */
  MEMORY = 1 << 30,
  /* Descriptors of the inspector.  */
  COMMAND = 0,
  OPENER = 1,
};

/* Memory that the command shares with its children.  */
struct shared
{
  int patience; /* The number of milliseconds that the command may still spend
                   waiting for answers that do not arrive in time.  */
};

/* The processes that the command has asked the inspector about.  The command
   writes the IDs of the processes to this shared memory, and the opener reads
   the IDs.  */
struct allowed
{
  unsigned int round; /* The number of the question that the command is asking
                         now, counted from 1.  */
  size_t count;
  pid_t list[INSPECTOR_MANY + 1];
};

/* The progress of the inspector, which the inspector reports to the command in
   this shared memory.  */
struct progress
{
  size_t at; /* The index of the process that the inspector is reading, if the
                question is about several processes.  */
};

static struct
{
  pid_t pid, opener;  /* The process IDs of the inspector and the opener, or 0
                         if they do not run.  */
  int fd;             /* The command's end of the socket to the inspector.  */
  pid_t parent;       /* The process that has started the inspector.  Only this
                         process uses the inspector; each child of this process
                         starts an inspector of its own.  */
  clockid_t clock[2]; /* The CPU clocks of the inspector and the opener.  */
  int64_t end;        /* The time at which the command stops waiting for the
                         inspector (inspector_until), or 0 if there is no such
                         time.  */
  volatile struct shared *shared;
  volatile struct allowed *allowed;
  volatile struct progress *progress;
  inspector_work *const *work;
} inspector;

/* The header of each question and of each answer.  */
struct head
{
  uint32_t kind, count;
  uint64_t size; /* Bytes.  */
};

void
inspector_begin (inspector_work *const work[INSPECTOR_KINDS])
{
  inspector.work = work;
}

bool
inspector_is (pid_t pid)
{
  return pid > 0 && (pid == inspector.pid || pid == inspector.opener);
}

/* If SENT is true, write the SIZE bytes at DATA to the socket FD.  If SENT is
   false, read SIZE bytes from the socket into DATA.  Return false if the other
   end has closed the socket, or takes too long.  */
static bool
inspector_transfer_bytes (int fd, bool sent, void *data, size_t size)
{
  char *at = data;
  while (size > 0)
    {
      ssize_t n
          = sent ? send (fd, at, size, MSG_NOSIGNAL) : recv (fd, at, size, 0);
      if (n == 0 || (n < 0 && errno != EINTR))
        return false;
      at += n > 0 ? n : 0;
      size -= n > 0 ? n : 0;
    }
  return true;
}

/* Append MESSAGE to TO, preceded by its size.  */
static void
put_message (struct message *to, const struct message *message)
{
  message_put_number (to, message->size);
  message_put_bytes (to, message->data, message->size);
}

size_t
inspector_divide (const char *data, size_t size, size_t count,
                  struct message *answers)
{
  struct message all = { .data = (char *) data, .size = size };
  for (size_t i = 0; i < count; ++i)
    {
      const size_t length = message_get_count (&all, 1);
      answers[i]
          = (struct message){ .data = allocate (length + 1), .size = length };
      message_get_bytes (&all, answers[i].data, length);
    }
  if (message_is_done (&all))
    return count;
  for (size_t i = 0; i < count; ++i)
    message_free (&answers[i]);
  return 0;
}

/* If the command has just asked the inspector about process PID, return the
   number of the question (struct allowed), which permits the opener to open
   files of PID.  If the command's question is about other processes, return
   0.  */
static unsigned int
find_round (pid_t pid)
{
  const volatile struct allowed *allowed = inspector.allowed;
  for (size_t i = 0; i < allowed->count; ++i)
    if (allowed->list[i] == pid)
      return allowed->round;
  return 0;
}

/* Make the kernel end this process when the command, whose ID is
   inspector.parent, ends.  */
static void
end_with_command (void)
{
  if (!wait_end_with (inspector.parent, SIGKILL))
    _exit (1);
}

/* Let this process run only on processor CPU, to save time.  The inspector and
   the opener run alternately, so both can share one processor.  Waking a
   process on an idle processor takes longer than answering a question.  Only
   the inspector and the opener call stay_on, so the command and the programs
   that it executes may run on all processors.  Ignore errors: on different
   processors, the inspector and the opener are only slower.  */
static void
stay_on (int cpu)
{
  cpu_set_t set;
  if (cpu < 0 || cpu >= CPU_SETSIZE)
    return;
  CPU_ZERO (&set);
  CPU_SET (cpu, &set);
  sched_setaffinity (0, sizeof set, &set);
}

/* The main function of the opener: serve the inspector at the other end of
   SOCKET.  */
static void __attribute__ ((noreturn)) be_opener (int socket)
{
  /* Leave the command's process group, because signals from the terminal are
     meant only for the command.  */
  setpgid (0, 0);
  end_with_command ();
  if (dup2 (socket, 0) != 0)
    _exit (1);
  /* Close all other descriptors.  If a descriptor stayed open, another process
     might wait for a file or a lock that this process holds.  */
  unprivileged_close (1);
  procfile_serve (0, find_round);
  _exit (0);
}

/* The system calls that the inspector may make.  The inspector may read from
   descriptors that it has received, and exchange messages with the command and
   the opener.  */
static const int calls[] = {
  __NR_read,      __NR_pread64,
  __NR_lseek,     __NR_fstat,
  __NR_fstatfs,   __NR_newfstatat,
  __NR_ioctl,     __NR_close,
  __NR_dup,       __NR_fcntl,
  __NR_fadvise64, __NR_sendto,
  __NR_recvfrom,  __NR_sendmsg,
  __NR_recvmsg,   __NR_clock_nanosleep,
  __NR_nanosleep, UNPRIVILEGED_LIBC_CALLS,
};

/* The seccomp filter of the inspector allows some system calls only with
   certain arguments.  newfstatat must have the flag AT_EMPTY_PATH (some
   releases of glibc call newfstatat for fstat).  ioctl may only query mappings
   and pages (PAGEMAP_SCAN, PROCMAP_QUERY).  fcntl may only read flags or
   duplicate a descriptor.  mmap and mprotect must not have PROT_EXEC.  */
static const struct unprivileged_condition conditions[] = {
  { __NR_newfstatat, 3, UINT32_MAX, { AT_EMPTY_PATH, AT_EMPTY_PATH } },
  { __NR_ioctl, 1, UINT32_MAX, { PROCMAPS_SCAN, PROCMAPS_QUERY } },
  { __NR_fcntl, 1, UINT32_MAX, { F_GETFL, F_DUPFD_CLOEXEC } },
  { __NR_mmap, 2, PROT_EXEC, { 0, 0 } },
  { __NR_mprotect, 2, PROT_EXEC, { 0, 0 } },
};

/* Make this process unprivileged.  */
static bool
inspector_give_up_rights (struct problem *problem)
{
  unprivileged_limit (RLIMIT_CORE, 0);
  unprivileged_limit (RLIMIT_FSIZE, 0);
  unprivileged_limit (RLIMIT_NOFILE, DESCRIPTORS);
  unprivileged_limit (RLIMIT_DATA, MEMORY);
  unprivileged_isolate ();
  if (!unprivileged_become (problem))
    return false;
  unprivileged_limit (RLIMIT_NPROC, 0);
  /* When the user ID changed, the kernel cleared the parent-death signal of
     this process.  Therefore ask the kernel again for SIGKILL when the command
     ends.  */
  end_with_command ();
  return (
      unprivileged_filter_arguments (
          conditions, sizeof conditions / sizeof conditions[0], problem)
      && unprivileged_filter (calls, sizeof calls / sizeof calls[0], problem));
}

/* Answer the COUNT questions of KIND that are in the SIZE bytes at DATA, and
   append the answers to ALL.  Return the number of answers.  */
static size_t
inspector_answer_questions (uint32_t kind, size_t count, const char *data,
                            size_t size, struct message *all)
{
  static struct message asked[INSPECTOR_MANY];
  size_t done = 0;
  if (kind >= INSPECTOR_KINDS || inspector.work[kind] == NULL
      || count > INSPECTOR_MANY
      || inspector_divide (data, size, count, asked) != count)
    return 0;
  while (done < count && all->size <= ENOUGH)
    {
      struct message answer = { 0 };
      inspector.progress->at = done;
      inspector.work[kind](&asked[done++], &answer);
      put_message (all, &answer);
      message_free (&answer);
    }
  for (size_t i = 0; i < count; ++i)
    message_free (&asked[i]);
  return done;
}

/* In the inspector: answer the questions that arrive on the descriptor
   COMMAND.  */
static void __attribute__ ((noreturn)) inspector_serve_questions (void)
{
  struct problem problem = { 0 };
  struct message why = { 0 };
  struct head head = { .count = inspector_give_up_rights (&problem) };
  const bool good = head.count > 0;
  /* Before the inspector reads any data that other users control, it tells the
     command whether it has dropped its rights.  */
  message_put_text (&why, problem.text);
  head.size = why.size;
  if (!inspector_transfer_bytes (COMMAND, true, &head, sizeof head)
      || !inspector_transfer_bytes (COMMAND, true, why.data, why.size)
      || !good)
    _exit (0);
  while (inspector_transfer_bytes (COMMAND, false, &head, sizeof head)
         && head.size <= MOST)
    {
      struct message all = { 0 };
      char *data = allocate (head.size + 1);
      if (!inspector_transfer_bytes (COMMAND, false, data, head.size))
        break;
      head.count = inspector_answer_questions (head.kind, head.count, data,
                                               head.size, &all);
      head.size = all.size;
      if (!inspector_transfer_bytes (COMMAND, true, &head, sizeof head)
          || !inspector_transfer_bytes (COMMAND, true, all.data, all.size))
        break;
      message_free (&all);
      free (data);
    }
  _exit (0);
}

/* The main function of the inspector.  SOCKET is connected to the command, and
   OPEN to the opener.  */
static void __attribute__ ((noreturn)) be_inspector (int socket, int open)
{
  int fds[] = { socket, open };
  struct problem ignored;
  if (!unprivileged_keep (fds, 2, COMMAND, &ignored))
    _exit (1);
  end_with_command ();
  procfile_use (OPENER);
  /* Unmap the memory that the command, the inspector and the opener share: the
     command and the opener trust its contents, so this process must not be
     able to change it.  */
  munmap ((void *) inspector.shared, sizeof *inspector.shared);
  munmap ((void *) inspector.allowed, sizeof *inspector.allowed);
  inspector.shared = NULL;
  inspector.allowed = NULL;
  inspector_serve_questions ();
}

/* Allocate SIZE bytes of zeros, which this process shares with its future
   children.  Return NULL if there is no memory.  */
static void *
share (size_t size)
{
  void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED ? memory : NULL;
}

/* Allocate the memory that the command, the inspector and the opener
   share.  */
static bool
inspector_allocate_shared (void)
{
  budget_share ();
  if (inspector.shared == NULL)
    {
      inspector.shared = share (sizeof *inspector.shared);
      if (inspector.shared != NULL)
        inspector.shared->patience = PATIENCE;
    }
  /* A forked child of the command starts its own opener (host/procfile.h), and
     must share memory with that opener, not with its parent's opener.  */
  if (inspector.parent != getpid ())
    {
      inspector.allowed = share (sizeof *inspector.allowed);
      inspector.progress = share (sizeof *inspector.progress);
    }
  inspector.parent = getpid ();
  return (inspector.shared != NULL && inspector.allowed != NULL
          && inspector.progress != NULL);
}

void
inspector_until (int64_t end)
{
  inspector.end = end;
}

/* Return the number of milliseconds until the time set by inspector_until, but
   at most LIMIT.  */
static int
cut_time (int limit)
{
  const int64_t left = inspector.end - clock_milliseconds ();
  return inspector.end == 0 || left > limit ? limit : left > 0 ? left : 0;
}

static bool
inspector_has_passed (void)
{
  return cut_time (1) == 0;
}

/* Limit how long a read or write of FD waits for the other end.  */
static bool
inspector_limit_time (int fd)
{
  /* Add a millisecond, because a timeout of 0 would mean no time limit.  */
  const int most = cut_time (LIMIT) + 1;
  const struct timeval limit = { most / 1000, most % 1000 * 1000 };
  return (setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0
          && setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit)
                 == 0);
}

/* Kill the inspector and the opener (inspector.h), and wait until they have
   exited.  If the inspector or the opener does not exit, write a note that
   process PID blocks it (stuck_end).  FACTS are the facts about PID that were
   remembered before PID was inspected.  */
static void
inspector_end_all (pid_t pid, const struct stuck_facts *facts)
{
  /* Without CAP_KILL, root cannot kill the inspector.  If the inspector waits
     for a question, it ends when the socket is closed.  */
  close (inspector.fd);
  stuck_end (inspector.pid, pid, facts);
  stuck_end (inspector.opener, pid, facts);
  inspector.pid = inspector.opener = 0;
}

/* Kill the inspector and the opener when they have answered all questions.  If
   the inspector or the opener does not exit, no inspected process is the
   cause, so the note about the stuck process names no cause.  */
static void
leave_nobody (void)
{
  const struct stuck_facts nobody = stuck_user (STUCK_UNKNOWN);
  inspector_end_all (0, &nobody);
}

/* REFUSED is true if an inspector has failed to start.  REFUSAL is the message
   in which the inspector has told why it did not start, or "".  If an
   inspector has failed to start, the command starts no second inspector,
   because a second inspector would fail in the same way.  The failure of an
   inspector that had started says nothing about the next inspector, so it does
   not set REFUSED.  */
static bool refused;
static char refusal[256];

void
inspector_end (void)
{
  if (inspector.pid > 0 && inspector.parent == getpid ())
    leave_nobody ();
}

/* Return how many milliseconds of CPU time the inspector and the opener have
   used.  */
static int64_t
worked (void)
{
  int64_t sum = 0;
  for (int i = 0; i < 2; ++i)
    {
      struct timespec time = { 0, 0 };
      clock_gettime (inspector.clock[i], &time);
      sum += time.tv_sec * INT64_C (1000) + time.tv_nsec / 1000000;
    }
  return sum;
}

/* Return true if CHILD, a child of this process, runs on a CPU or waits for
   one.  */
static bool
is_runnable (pid_t child)
{
  char path[64];
  struct procstat stat = { .state = '?' };
  snprintf (path, sizeof path, "/proc/%d/stat", (int) child);
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  const bool good = procstat_read (fd, &stat);
  close (fd);
  return good && stat.state == 'R';
}

/* Wait for an answer for at most LIMIT milliseconds, and return whether it has
   arrived.  If no answer has arrived, set *BUSY to true if the inspector is
   still working within its budget (budget.h).  An inspector that waits for a
   processor counts as working.  An inspector that sleeps in the kernel, for
   example until a filesystem answers, does not count as working.  */
static bool
wait_a_time (int limit, bool *busy)
{
  struct pollfd event = { .fd = inspector.fd, .events = POLLIN };
  const int64_t before = worked ();
  const size_t at = inspector.progress->at;
  int runs = 0;
  for (int i = 0; i < TIMES; ++i)
    {
      int n;
      while ((n = poll (&event, 1, cut_time (limit / TIMES))) < 0
             && errno == EINTR)
        continue;
      if (n != 0)
        return n > 0;
      runs += is_runnable (inspector.pid) || is_runnable (inspector.opener);
    }
  *busy = (runs > TIMES / 2 || inspector.progress->at != at
           || worked () - before >= limit / WORK);
  return false;
}

/* Wait for an answer.  Return false if the inspector's answer does not arrive
   in time.  */
static bool
inspector_wait_for_answer (void)
{
  const int limit = inspector.shared->patience > 0 ? LIMIT : LEAST;
  const int64_t before = worked ();
  bool busy = false;
  do
    if (wait_a_time (limit, &busy))
      return true;
  while (busy && worked () - before < WORK_MOST && !inspector_has_passed ());
  if (!inspector_has_passed ())
    inspector.shared->patience -= limit;
  return false;
}

/* True if the inspector has not answered the last question in time, or if a
   new inspector has not reported in time that it is ready.  */
static bool timed_out;

/* Wait until the inspector, which was just started, is ready to answer
   questions.  */
static bool
hear_ready (void)
{
  struct head head;
  char text[sizeof refusal + sizeof (uint64_t)];
  timed_out = !inspector_wait_for_answer ();
  const bool heard
      = !timed_out && inspector_limit_time (inspector.fd)
        && inspector_transfer_bytes (inspector.fd, false, &head, sizeof head)
        && head.size <= sizeof text
        && inspector_transfer_bytes (inspector.fd, false, text, head.size);
  if (heard && head.count > 0)
    return true;
  struct message why = { .data = text, .size = heard ? head.size : 0 };
  message_get_printable (&why, refusal, sizeof refusal);
  /* If the inspector has only taken too long to start, an inspector that is
     started later may be in time.  */
  refused = !timed_out;
  return false;
}

/* Start the inspector and the opener.  */
static bool
inspector_start_all (void)
{
  int ends[2], open[2];
  if (!inspector_allocate_shared ()
      || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return false;
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, open) != 0)
    {
      close (ends[0]);
      close (ends[1]);
      return false;
    }
  inspector.fd = ends[0];
  const int cpu = sched_getcpu ();
  inspector.opener = fork ();
  if (inspector.opener == 0)
    {
      stay_on (cpu);
      be_opener (open[1]);
    }
  inspector.pid = fork ();
  if (inspector.pid == 0)
    {
      stay_on (cpu);
      be_inspector (ends[1], open[0]);
    }
  close (ends[1]);
  close (open[0]);
  close (open[1]);
  if (inspector.pid > 0 && inspector.opener > 0
      && clock_getcpuclockid (inspector.pid, &inspector.clock[0]) == 0
      && clock_getcpuclockid (inspector.opener, &inspector.clock[1]) == 0
      && hear_ready ())
    return true;
  leave_nobody ();
  return false;
}

/* Receive ANSWERS to COUNT questions.  Return how many answers have
   arrived.  */
static size_t
inspector_receive_answers (size_t count, struct message *answers)
{
  struct head head;
  if (!inspector_transfer_bytes (inspector.fd, false, &head, sizeof head)
      || head.count > count || head.size > MOST)
    return 0;
  struct message all = { .data = allocate (head.size + 1), .size = head.size };
  size_t done = 0;
  if (!inspector_transfer_bytes (inspector.fd, false, all.data, all.size))
    head.count = 0;
  else
    done = inspector_divide (all.data, all.size, head.count, answers);
  message_free (&all);
  return done;
}

/* The processes about which no answer has arrived in time.  */
static struct
{
  pid_t *list;
  size_t count;
} silent;

static bool
is_silent (pid_t pid)
{
  for (size_t i = 0; i < silent.count; ++i)
    if (silent.list[i] == pid)
      return true;
  return stuck_blocks (pid);
}

/* Return true if process PID can keep the inspector from answering a question
   of the kind KIND, because the kernel may block a reader of the process's
   files.  */
static bool
may_block (enum inspector_kind kind)
{
  return kind != INSPECTOR_BRIEF;
}

/* Add process PID to the list SILENT, because no answer to a question of KIND
   about this process has arrived.  */
static void
add_silent (enum inspector_kind kind, pid_t pid)
{
  /* If the command's own deadline has passed (inspector_until), the missing
     answer does not show that PID blocks its inspection.  */
  if (!may_block (kind) || inspector_has_passed ())
    return;
  silent.list = allocate_more (silent.list, silent.count, sizeof *silent.list);
  silent.list[silent.count++] = pid;
}

/* Ask COUNT questions, each about one of the processes PIDS and about OTHER.
   Return the number of answers.  If there are fewer answers than questions,
   the answers belong to the first questions.  */
static size_t
inspector_ask_questions (enum inspector_kind kind, const pid_t *pids,
                         pid_t other, struct message *asked,
                         struct message *answers, size_t count)
{
  struct stuck_facts facts[INSPECTOR_MANY];
  struct message all = { 0 };
  size_t answered = 0, at = 0;
  for (size_t i = 0; i < count; ++i)
    {
      facts[i] = (may_block (kind) ? stuck_remember (pids[i])
                                   : stuck_user (STUCK_UNKNOWN));
      put_message (&all, &asked[i]);
      message_free (&asked[i]);
    }
  struct head head = { kind, count, all.size };
  if ((inspector.pid == 0 || inspector.parent != getpid ())
      && (refused || !inspector_start_all ()))
    {
      message_free (&all);
      return 0;
    }
  inspector.progress->at = 0;
  for (size_t i = 0; i < count; ++i)
    inspector.allowed->list[i] = pids[i];
  inspector.allowed->list[count] = other;
  inspector.allowed->count = count + (other != 0);
  if (++inspector.allowed->round == 0)
    inspector.allowed->round = 1;
  if (inspector_limit_time (inspector.fd)
      && inspector_transfer_bytes (inspector.fd, true, &head, sizeof head)
      && inspector_transfer_bytes (inspector.fd, true, all.data, all.size))
    {
      const bool said = inspector_wait_for_answer ();
      timed_out = !said;
      const size_t said_at = inspector.progress->at;
      at = said_at < count ? said_at : 0;
      if (said)
        answered = inspector_receive_answers (count, answers);
      else
        add_silent (kind, pids[at]);
    }
  message_free (&all);
  if (answered == 0)
    inspector_end_all (may_block (kind) ? pids[at] : 0, &facts[at]);
  return answered;
}

size_t
inspector_ask_many (enum inspector_kind kind, const pid_t *pids,
                    struct message *asked, struct message *answers,
                    size_t count)
{
  bool any = inspector_has_passed ();
  for (size_t i = 0; may_block (kind) && i < count; ++i)
    any |= is_silent (pids[i]);
  for (size_t i = 0; any && i < count; ++i)
    message_free (&asked[i]);
  return any ? 0
             : inspector_ask_questions (kind, pids, 0, asked, answers, count);
}

bool
inspector_ask (enum inspector_kind kind, pid_t pid, pid_t other,
               struct message *asked, struct message *answer,
               struct problem *problem)
{
  if (inspector_has_passed () || (may_block (kind) && is_silent (pid)))
    {
      message_free (asked);
      return problem_set (problem, "%s",
                          inspector_has_passed () ? INSPECTOR_LATE
                                                  : INSPECTOR_SILENT);
    }
  timed_out = false;
  if (inspector_ask_questions (kind, &pid, other, asked, answer, 1) == 1)
    return true;
  if (may_block (kind) && is_silent (pid))
    return problem_set (problem, INSPECTOR_SILENT);
  if (inspector_has_passed () || timed_out)
    return problem_set (problem, INSPECTOR_LATE);
  return problem_set (problem,
                      "hugetext's child process, which inspects other "
                      "processes, %s%s",
                      refusal[0] != '\0' ? "cannot give up its privileges: "
                                         : "cannot be started, or was killed",
                      refusal);
}
