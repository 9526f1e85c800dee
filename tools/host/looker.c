/* The looker: a child of the command that looks at processes for it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/looker.h"
#include "util/allocate.h"
#include "util/budget.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum
{
  LIMIT = 5000, /* Milliseconds for one answer,  */
  LEAST = 200,  /* or so many once PATIENCE has been used up in vain.  */
  PATIENCE = 30000,
  ENOUGH = 1 << 20, /* Bytes of an answer.  */
  /* How often the command looks whether the looker runs meanwhile, and the
     part of the time for which the looker is on the CPU, unless it waits.  */
  TIMES = 10,
  WORK = 50,
};

/* What the lookers of the command and of its children share.  */
struct shared
{
  size_t at;    /* Which of several processes is looked at.  */
  int patience; /* Milliseconds that may still be waited for in vain.  */
};

static struct
{
  pid_t pid;       /* 0 if there is none.  */
  int fd;          /* The command's end of a socket.  */
  pid_t parent;    /* The command, of which other children have no looker.  */
  bool us;         /* This process is the looker.  */
  clockid_t clock; /* Its time on the CPU.  */
  volatile struct shared *shared;
} looker;

struct parcel
{
  FILE *to;         /* The looker's stream, NULL in the command.  */
  const char *next; /* The rest, in the command.  */
};

struct request
{
  looker_look *look;
  looker_pass *pass;
  size_t size, count; /* Of the closures, which follow.  */
};

/* The head of an answer.  */
struct answer
{
  size_t size, count; /* Bytes, and the number of closures in them.  */
};

bool
looker_is (pid_t pid)
{
  return pid > 0 && pid == looker.pid;
}

bool
parcel_is_sent (const struct parcel *parcel)
{
  return parcel->to != NULL;
}

void
parcel_list (struct parcel *parcel, void *list, size_t size)
{
  void **bytes = list;
  if (parcel_is_sent (parcel))
    fwrite (*bytes, 1, size, parcel->to);
  else
    {
      *bytes = size > 0 ? memcpy (allocate (size), parcel->next, size) : NULL;
      parcel->next += size;
    }
}

void
parcel_text (struct parcel *parcel, char **text)
{
  const char *from = parcel_is_sent (parcel) ? *text : parcel->next;
  parcel_list (parcel, text, strlen (from) + 1);
}

/* Send SIZE bytes at DATA by FD, or receive them.  False if the other end is
   gone.  */
static bool
move (int fd, bool sent, void *data, size_t size)
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

/* Be the looker: answer what comes by FD.  */
static void __attribute__ ((noreturn)) serve (int fd)
{
  struct request request;
  /* The terminal's signals are for the command.  */
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  /* Nobody is to wait for a file, or a lock, that the looker has.  */
  if (getppid () != looker.parent || dup2 (fd, STDIN_FILENO) < 0)
    _exit (1);
  if (syscall (__NR_close_range, STDIN_FILENO + 1, ~0U, 0) != 0)
    for (fd = STDIN_FILENO + 1; fd < 1024; ++fd)
      close (fd);
  looker.us = true;
  while (move (STDIN_FILENO, false, &request, sizeof request))
    {
      struct answer head = { 0, 0 };
      char *answer = NULL, *closures = allocate (request.count * request.size);
      struct parcel parcel = { .to = open_memstream (&answer, &head.size) };
      if (parcel.to == NULL
          || !move (STDIN_FILENO, false, closures,
                    request.count * request.size))
        break;
      /* The rest will be asked for again if there is too much.  */
      while (head.count < request.count && head.size <= ENOUGH)
        {
          void *closure = closures + head.count * request.size;
          looker.shared->at = head.count++;
          request.look (closure);
          fwrite (closure, 1, request.size, parcel.to);
          if (request.pass != NULL)
            request.pass (&parcel, closure);
          fflush (parcel.to);
        }
      if (fclose (parcel.to) != 0
          || !move (STDIN_FILENO, true, &head, sizeof head)
          || !move (STDIN_FILENO, true, answer, head.size))
        break;
      free (answer);
      free (closures);
    }
  _exit (0);
}

/* Start the looker.  */
static bool
start (void)
{
  int ends[2];
  looker.parent = getpid ();
  budget_share ();
  if (looker.shared == NULL)
    {
      looker.shared
          = mmap (NULL, sizeof *looker.shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (looker.shared != MAP_FAILED)
        looker.shared->patience = PATIENCE;
    }
  if (looker.shared == MAP_FAILED
      || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return false;
  looker.pid = fork ();
  if (looker.pid == 0)
    serve (ends[1]);
  close (ends[1]);
  looker.fd = ends[0];
  if (looker.pid > 0 && clock_getcpuclockid (looker.pid, &looker.clock) == 0)
    return true;
  looker.pid = 0;
  close (ends[0]);
  return false;
}

/* End the looker, or leave it to the kernel to do so.  */
static void
leave (void)
{
  kill (looker.pid, SIGKILL);
  close (looker.fd);
  looker.pid = 0;
}

/* Return the milliseconds for which the looker has been on the CPU.  */
static int64_t
worked (void)
{
  struct timespec time = { 0, 0 };
  clock_gettime (looker.clock, &time);
  return time.tv_sec * INT64_C (1000) + time.tv_nsec / 1000000;
}

/* Whether the looker is on the CPU, or would be if there were less to do.  */
static bool
is_runnable (void)
{
  char path[64], state = '?';
  snprintf (path, sizeof path, "/proc/%d/stat", (int) looker.pid);
  FILE *file = fopen (path, "re");
  if (file == NULL || fscanf (file, "%*d (%*[^)]) %c", &state) != 1)
    state = '?';
  if (file != NULL)
    fclose (file);
  return state == 'R';
}

/* Wait for an answer for LIMIT milliseconds.  Return whether there is one, or
   else set BUSY to whether the looker goes on with its work, which is limited
   by the budget (budget.h): the kernel does not keep it waiting, though the
   machine may.  */
static bool
wait_a_time (int limit, bool *busy)
{
  struct pollfd event = { .fd = looker.fd, .events = POLLIN };
  const int64_t before = worked ();
  const size_t at = looker.shared->at;
  int runs = 0;
  for (int i = 0; i < TIMES; ++i)
    {
      int n;
      while ((n = poll (&event, 1, limit / TIMES)) < 0 && errno == EINTR)
        continue;
      if (n != 0)
        return n > 0;
      runs += is_runnable ();
    }
  *busy = (runs > TIMES / 2 || looker.shared->at != at
           || worked () - before >= limit / WORK);
  return false;
}

/* Wait for an answer.  False if there is none in time.  */
static bool
wait_for (void)
{
  const int limit = looker.shared->patience > 0 ? LIMIT : LEAST;
  bool busy = false;
  do
    if (wait_a_time (limit, &busy))
      return true;
  while (busy);
  looker.shared->patience -= limit;
  return false;
}

/* Receive the answer to REQUEST.  Return the number of CLOSURES in it.  */
static size_t
receive (const struct request *request, char *closures)
{
  struct answer head;
  if (!move (looker.fd, false, &head, sizeof head))
    return 0;
  char *answer = allocate (head.size);
  struct parcel parcel = { .next = answer };
  if (!move (looker.fd, false, answer, head.size))
    head.count = 0;
  for (size_t i = 0; i < head.count; ++i)
    {
      void *closure = closures + i * request->size;
      memcpy (closure, parcel.next, request->size);
      parcel.next += request->size;
      if (request->pass != NULL)
        request->pass (&parcel, closure);
    }
  free (answer);
  return head.count;
}

/* The processes that were waited for in vain.  */
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
  return false;
}

size_t
looker_ask_many (const pid_t *pids, looker_look *look, looker_pass *pass,
                 void *closures, size_t size, size_t count)
{
  struct request request = { look, pass, size, count };
  size_t answered = 0;
  if ((looker.pid == 0 || looker.parent != getpid ()) && !start ())
    return 0;
  looker.shared->at = 0;
  if (move (looker.fd, true, &request, sizeof request)
      && move (looker.fd, true, closures, count * size))
    {
      if (wait_for ())
        answered = receive (&request, closures);
      else
        {
          silent.list
              = allocate_more (silent.list, silent.count, sizeof *silent.list);
          silent.list[silent.count++] = pids[looker.shared->at];
        }
    }
  if (answered == 0)
    leave ();
  return answered;
}

const char *
looker_ask (pid_t pid, looker_look *look, looker_pass *pass, void *closure,
            size_t size)
{
  if (looker.us)
    {
      look (closure);
      return NULL;
    }
  if (!is_silent (pid)
      && looker_ask_many (&pid, look, pass, closure, size, 1) == 1)
    return NULL;
  return (is_silent (pid)
              ? LOOKER_SILENT
              : "the child that reads it cannot be started, or was killed");
}
