/* Have one thread of another process make system calls, by ptrace.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Registers are taken from an event stop, and given back in one: only there
   the kernel looks whether a system call was interrupted and is to start
   again, and only then it sees to signals that have come.  */

#include "tracee.h"
#include "filter.h"
#include "process.h"
#include "tracee-refusal.h"
#include "tracee-thread.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* From Linux 5.13, <linux/ptrace.h>, which cannot be included beside
   <sys/ptrace.h>.  */
#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif

/* From Linux 6.4.  */
#ifndef PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG
#define PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG                               \
  ((enum __ptrace_request)0x4211)
#endif

/* What PTRACE_GETEVENTMSG says at the stop of a system call after it.  */
#define SYSCALL_EXIT 2

/* And before it.  */
#define SYSCALL_ENTRY 1

/* Signals as the kernel has them.  */
#define ALL_SIGNALS UINT64_MAX

/* Whether TID is in a restartable sequence, of which the kernel would forget
   that it has to be begun anew if we led it elsewhere.  */
static bool
in_sequence (const struct tracee *tracee, uintptr_t pc)
{
  struct
  {
    uint64_t address;
    uint32_t size, signature, flags, pad;
  } configuration = { 0 };
  struct
  {
    uint32_t version, flags;
    uint64_t start, length, abort;
  } sequence;
  uint64_t pointer;
  enum
  {
    POINTER = 8, /* Of rseq_cs in struct rseq.  */
  };
  if (ptrace (PTRACE_GET_RSEQ_CONFIGURATION, tracee->tid,
              (void *)sizeof configuration, &configuration)
          < 0
      || configuration.address == 0
      || !tracee_read (tracee, configuration.address + POINTER, &pointer,
                       sizeof pointer)
      || pointer == 0)
    return false;
  return (!tracee_read (tracee, pointer, &sequence, sizeof sequence)
          || pc - sequence.start < sequence.length);
}

/* Have the trampoline make these COUNT CALLS.  */
static bool
write_calls (struct tracee *tracee, const struct trampoline_call calls[],
             size_t count)
{
  return trampoline_write (tracee->memory, tracee->region, tracee->tid,
                           &tracee->saved, tracee->mask, calls, count);
}

/* Whether thread TID gets signals instead of system calls (prctl
   (PR_SET_SYSCALL_USER_DISPATCH)), which would kill it while it has them
   blocked.  Kernels before 6.4 do not tell.  */
static bool
is_dispatched (pid_t tid)
{
  struct
  {
    uint64_t mode, selector, offset, length;
  } configuration = { 0 };
  return (ptrace (PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, tid,
                  (void *)sizeof configuration, &configuration)
              == 0
          && configuration.mode != 0);
}

/* Lead TRACEE's thread, which is stopped, to the trampoline.  */
static const char *
enter (struct tracee *tracee)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/mem", (int)tracee->pid);
  filter_spare (tracee->tid);
  if (!thread_get_registers (tracee->tid, &tracee->saved)
      || !thread_get_mask (tracee->tid, &tracee->mask))
    return "its registers cannot be read";
  uintptr_t pc = tracee_pc (&tracee->saved);
  tracee->again = in_sequence (tracee, pc);
  if (tracee->again)
    return "it is in a restartable sequence (rseq)";
  if (is_dispatched (tracee->tid))
    return "its system calls are dispatched to itself (Wine?)";
  tracee->memory = open (path, O_RDWR | O_CLOEXEC);
  if (tracee->memory < 0)
    return "its memory cannot be written (/proc/PID/mem)";
  const char *problem
      = tracee_look (tracee->tid, tracee->memory, &tracee->saved,
                     tracee->at_exec);
  if (problem == NULL)
    problem = trampoline_find (tracee->pid, tracee->tid, tracee->memory, pc,
                               &tracee->region);
  tracee->again = problem != NULL;
  /* Who is about to execute a program has looked before.  */
  if (problem == NULL && !tracee->at_exec)
    problem = filter_refusal (tracee->pid, tracee->tid, tracee->region);
  if (problem != NULL)
    {
      tracee->region = 0;
      return problem;
    }
  struct tracee_registers registers = tracee->saved;
  tracee_enter (&registers, tracee->region, -1, NULL);
  if (!write_calls (tracee, tracee->cleanup, TRAMPOLINE_CALLS))
    {
      tracee->region = 0;
      return "its vDSO cannot be written";
    }
  /* In this order: the trampoline gives the mask back.  */
  if (!thread_set_registers (tracee->tid, &registers)
      || !thread_set_mask (tracee->tid, ALL_SIGNALS))
    return "its registers cannot be changed";
  return NULL;
}

/* Forget the thread.  */
static void
forget (struct tracee *tracee)
{
  if (tracee->memory >= 0)
    close (tracee->memory);
  tracee->memory = -1;
  tracee->tid = 0;
  tracee->region = 0;
  tracee->scratch = 0;
  tracee->stacked = 0;
  tracee->stale = false;
  tracee->at_exec = false;
  memset (tracee->cleanup, 0, sizeof tracee->cleanup);
}

/* Take what only one of us has at a time for process PID, so that two do not
   stop its threads for each other.  It is given back when we end, however that
   comes about.  Returns a descriptor, -1 if another has it; if there is no
   such process that is none of our business, and 0 is returned.  */
static int
take_lock (pid_t pid)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d", (int)pid);
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  if (flock (fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return fd;
  close (fd);
  return -1;
}

void
tracee_begin (struct tracee *tracee, pid_t pid)
{
  sigset_t child;
  *tracee = (struct tracee){ .pid = pid, .memory = -1 };
  /* What thread_wait waits for.  */
  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  sigprocmask (SIG_BLOCK, &child, NULL);
  signal (SIGCHLD, SIG_DFL);
}

const char *
tracee_open (struct tracee *tracee, pid_t pid)
{
  tracee_begin (tracee, pid);
  tracee->lock = take_lock (pid);
  return tracee->lock < 0 ? "another hugetext is at work on it"
                          : tracee_refusal (pid);
}

/* Let the thread go that did not stop in time, if it has by now.  */
static void
let_late_one_go (struct tracee *tracee)
{
  if (tracee->late == 0)
    return;
  int status = thread_wait (tracee->late, thread_now ());
  if (status > 0)
    {
      filter_spare (tracee->late);
      thread_request (PTRACE_DETACH, tracee->late, thread_to_pass_on (status));
    }
  if (status != 0)
    tracee->late = 0;
}

void
tracee_close (struct tracee *tracee)
{
  if (tracee->tid != 0)
    tracee_go (tracee);
  forget (tracee);
  let_late_one_go (tracee);
  if (tracee->lock > 0)
    close (tracee->lock);
}

/* The state of thread TID, as in /proc/PID/stat; 'X' as well if it never runs
   the program, but is the kernel's own: what we had it do it would never come
   to.  */
static char
state_of (pid_t tid)
{
  struct process process;
  return process_read (tid, &process) && !process.worker ? process.state
                                                         : 'X';
}

/* Stop TRACEE's thread TID until DEADLINE, and lead it to the trampoline.
   Returns NULL or why that cannot be.  */
static const char *
stop_thread (struct tracee *tracee, pid_t tid, long deadline)
{
  tracee->again = false;
  const char *problem = tracee_dumping (tracee->pid);
  if (problem == NULL && tracee_is_filtered (tracee->pid, tid)
      && !filter_readable ())
    problem = FILTER_UNREADABLE;
  if (problem != NULL)
    return problem;
  if (!thread_request (PTRACE_SEIZE, tid, PTRACE_O_TRACESYSGOOD))
    {
      const int error = errno;
      tracee->again = strchr ("XZ", state_of (tid)) != NULL;
      return tracee_not_permitted (tracee->pid, error);
    }
  tracee->tid = tid;
  int status = -1;
  if (thread_request (PTRACE_INTERRUPT, tid, 0))
    {
      status = thread_wait (tid, deadline);
      if (status > 0 && !thread_is_event (status, PTRACE_EVENT_STOP))
        status = thread_go_on_until (tid, PTRACE_CONT, status,
                                     PTRACE_EVENT_STOP, deadline);
    }
  tracee->again = status < 0;
  problem = status == 0  ? "its threads do not stop in time"
            : status < 0 ? "it has ended"
                         : enter (tracee);
  if (problem == NULL)
    return NULL;
  if (status > 0 && tracee->region == 0)
    thread_request (PTRACE_DETACH, tid, 0);
  if (status == 0)
    tracee->late = tid;
  forget (tracee);
  return problem;
}

/* Try the threads of TRACEE whose state is among STATES.  Sets TRACEE's AGAIN
   if it may help to do so later.  */
static const char *
stop_any (struct tracee *tracee, const char *states, long deadline,
          const char *problem)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/task", (int)tracee->pid);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return "it has ended";
  const struct dirent *entry;
  bool again = tracee->again;
  while (problem != NULL && tracee->late == 0
         && (entry = readdir (dir)) != NULL)
    {
      pid_t tid = atoi (entry->d_name);
      if (tid > 0 && strchr (states, state_of (tid)) != NULL)
        {
          problem = stop_thread (tracee, tid, deadline);
          again = again || tracee->again;
        }
    }
  closedir (dir);
  tracee->again = again;
  return problem;
}

const char *
tracee_stop (struct tracee *tracee, unsigned int milliseconds)
{
  const long deadline = thread_now () + milliseconds * 1000000L;
  let_late_one_go (tracee);
  /* Who sleeps stops at once, and is in no restartable sequence.  Who waits
     for a disk, or for a child of vfork, stops when it likes.  */
  static const char none[] = "none of its threads can be stopped now";
  const char *problem;
  for (;;)
    {
      tracee->again = false;
      problem = stop_any (tracee, "S", deadline, none);
      if (problem != NULL)
        problem = stop_any (tracee, "RtT", deadline, problem);
      if (problem == NULL || tracee->late != 0 || thread_now () >= deadline
          || (problem != none && !tracee->again))
        return problem;
      usleep (200);
    }
}

const char *
tracee_seize (struct tracee *tracee)
{
  if (thread_request (PTRACE_SEIZE, tracee->pid,
               PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC))
    return NULL;
  return tracee_not_permitted (tracee->pid, errno);
}

const char *
tracee_stop_at_exec (struct tracee *tracee)
{
  const pid_t pid = tracee->pid;
  int status = thread_wait (pid, 0);
  while (status > 0 && !thread_is_event (status, PTRACE_EVENT_EXEC))
    {
      /* An execve that failed too late.  The first process of a container
         does not die of it, and has it again for ever, while it is traced.  */
      if (thread_to_pass_on (status) == SIGSEGV)
        {
          thread_request (PTRACE_DETACH, pid, SIGSEGV);
          return "";
        }
      /* While it is stopped as its whole group it stays so.  */
      bool group = (thread_is_event (status, PTRACE_EVENT_STOP)
                    && WSTOPSIG (status) != SIGTRAP);
      if (!(group ? thread_request (PTRACE_LISTEN, pid, 0)
                  : thread_request (PTRACE_CONT, pid,
                                    thread_to_pass_on (status))))
        return "";
      status = thread_wait (pid, 0);
    }
  if (status <= 0)
    return "";
  /* The call has still to return: what it returns is put into a register.  */
  do
    if (!thread_request (PTRACE_SYSCALL, pid, 0))
      return "";
  while ((status = thread_wait (pid, 0)) > 0
         && WSTOPSIG (status) != THREAD_SYSCALL_STOP);
  if (status <= 0)
    return "";
  tracee->tid = pid;
  tracee->at_exec = true;
  const char *problem = enter (tracee);
  if (problem != NULL && tracee->region == 0)
    {
      thread_request (PTRACE_DETACH, pid, 0);
      forget (tracee);
    }
  else if (problem != NULL)
    tracee_go (tracee);
  return problem;
}

/* Note that the thread is gone; or if STATUS is 0, that it does not come.  */
static long
lose (struct tracee *tracee, int status)
{
  tracee->gone = true;
  tracee->stuck = status == 0;
  if (status == 0)
    tracee->late = tracee->tid;
  forget (tracee);
  return -ESRCH;
}

/* Until when to wait for what a thread has to do for us.  A control group may
   freeze it (cgroup.freeze) between any two calls, a file be on a disk that
   does not answer.  Then it goes on as if we had been killed.  */
static long
patience (void)
{
  const long seconds = 5;
  return thread_now () + seconds * 1000000000L;
}

/* At which stop of a system call TID is with STATUS, 0 if at none.  */
static unsigned long
stop_of_call (pid_t tid, int status)
{
  unsigned long message;
  return (WSTOPSIG (status) == THREAD_SYSCALL_STOP && status >> 16 == 0
                  && ptrace (PTRACE_GETEVENTMSG, tid, NULL, &message) == 0
              ? message
              : 0);
}

/* Have the trampoline make the cleanup calls that there are.  */
static void
write_cleanup (struct tracee *tracee)
{
  tracee->stale = false;
  /* Where that fails something is left over if we are killed, no more.  */
  write_calls (tracee, tracee->cleanup, TRAMPOLINE_CALLS);
}

/* Have the thread begin where the trampoline does not make the wanted call,
   but those that follow.  */
static bool
skip_call (struct tracee *tracee)
{
  struct tracee_registers registers = tracee->saved;
  tracee_enter (&registers, tracee->region, -1, NULL);
  return thread_set_registers (tracee->tid, &registers);
}

long
tracee_call (struct tracee *tracee, long number, uintptr_t a, uintptr_t b,
             uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)
{
  const uintptr_t argument[] = { a, b, c, d, e, f };
  struct tracee_registers registers = tracee->saved;
  unsigned long stop = 0;
  int status = 0;
  if (tracee->tid == 0)
    return -ESRCH;
  tracee_enter (&registers, tracee->region, number, argument);
  if (!thread_set_registers (tracee->tid, &registers))
    return lose (tracee, -1);
  const long deadline = patience ();
  while (stop != SYSCALL_EXIT)
    {
      if (!thread_request (PTRACE_SYSCALL, tracee->tid,
                           thread_to_pass_on (status)))
        return lose (tracee, -1);
      status = thread_wait (tracee->tid, deadline);
      if (status <= 0)
        return lose (tracee, status);
      stop = stop_of_call (tracee->tid, status);
      /* From here on it makes the call, also if we are killed.  */
      if (stop == SYSCALL_ENTRY && tracee->stale)
        write_cleanup (tracee);
    }
  if (!thread_get_registers (tracee->tid, &registers))
    return lose (tracee, -1);
  return tracee_result (&registers);
}

bool
tracee_calls (struct tracee *tracee, const struct trampoline_call calls[],
              size_t count)
{
  struct trampoline_call all[TRAMPOLINE_MOST + 1 + TRAMPOLINE_CALLS];
  const uint64_t stop = 1UL << (SIGURG - 1);
  int status = 0;
  if (tracee->tid == 0 || !tracee->at_exec || count > TRAMPOLINE_MOST
      || (tracee->mask & stop) != 0)
    return false;
  memcpy (all, calls, count * sizeof calls[0]);
  all[count++] = (struct trampoline_call){ .used = true,
                                           .number = SYS_tgkill,
                                           .a = tracee->pid,
                                           .b = tracee->tid,
                                           .c = SIGURG };
  memcpy (all + count, tracee->cleanup, sizeof tracee->cleanup);
  /* Killed from here on we have it make them by itself.  */
  if (!skip_call (tracee)
      || !write_calls (tracee, all, count + TRAMPOLINE_CALLS)
      || !thread_set_mask (tracee->tid, ALL_SIGNALS & ~stop))
    return false;
  const long deadline = patience ();
  do
    {
      bool runs = thread_request (PTRACE_CONT, tracee->tid,
                                  thread_to_pass_on (status));
      status = runs ? thread_wait (tracee->tid, deadline) : -1;
      if (status <= 0)
        {
          lose (tracee, status);
          return false;
        }
    }
  while (status >> 16 != 0 || WSTOPSIG (status) != SIGURG);
  if (!thread_set_mask (tracee->tid, ALL_SIGNALS) || !skip_call (tracee))
    {
      lose (tracee, -1);
      return false;
    }
  write_cleanup (tracee);
  return true;
}

/* Have SLOT be CALL.  */
static void
set_cleanup (struct tracee *tracee, unsigned int slot,
             struct trampoline_call call)
{
  if (tracee->tid == 0)
    return;
  tracee->cleanup[slot] = call;
  tracee->stale = true;
  if (call.used)
    write_cleanup (tracee);
}

void
tracee_cleanup (struct tracee *tracee, unsigned int slot, long number,
                uintptr_t a, uintptr_t b)
{
  set_cleanup (tracee, slot,
               (struct trampoline_call){
                   .used = number >= 0, .number = number, .a = a, .b = b });
}

void
tracee_cleanup_result (struct tracee *tracee, unsigned int slot, long number,
                       uintptr_t b)
{
  if (tracee->tid == 0)
    return;
  /* What an earlier call has returned must not be taken for it.  */
  if (!skip_call (tracee))
    {
      lose (tracee, -1);
      return;
    }
  set_cleanup (tracee, slot,
               (struct trampoline_call){
                   .used = true, .result = true, .number = number, .b = b });
}

/* Put SIZE bytes of DATA onto the stack of a thread that has just executed its
   program: nobody has been there yet.  Returns the address, 0 if it does not
   reach that far.  */
static uintptr_t
put_on_stack (struct tracee *tracee, const void *data, size_t size)
{
  uintptr_t address
      = tracee_sp (&tracee->saved) - tracee->stacked - ((size + 15) & -16);
  if (!tracee->at_exec || !tracee_write (tracee, address, data, size))
    return 0;
  tracee->stacked = tracee_sp (&tracee->saved) - address;
  return address;
}

/* Leave that stack as it was.  */
static void
clear_stack (struct tracee *tracee)
{
  static const char nothing[256];
  const uintptr_t sp = tracee_sp (&tracee->saved);
  while (tracee->stacked > 0)
    {
      size_t size = (tracee->stacked < sizeof nothing ? tracee->stacked
                                                      : sizeof nothing);
      tracee_write (tracee, sp - tracee->stacked, nothing, size);
      tracee->stacked -= size;
    }
}

uintptr_t
tracee_put (struct tracee *tracee, const void *data, size_t size)
{
  const size_t page = getpagesize (), aligned = (size + 7) & -(size_t)8;
  uintptr_t stack = put_on_stack (tracee, data, size);
  if (stack != 0)
    return stack;
  if (tracee->scratch == 0)
    {
      const unsigned int slot = TRAMPOLINE_CALLS - 1;
      tracee_cleanup_result (tracee, slot, SYS_munmap, page);
      long address
          = tracee_call (tracee, SYS_mmap, 0, page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (address < 0)
        {
          tracee_cleanup (tracee, slot, -1, 0, 0);
          return 0;
        }
      tracee->scratch = address;
      tracee->scratch_used = 0;
      tracee_cleanup (tracee, slot, SYS_munmap, address, page);
    }
  if (aligned > page - tracee->scratch_used)
    return 0;
  uintptr_t address = tracee->scratch + tracee->scratch_used;
  if (!tracee_write (tracee, address, data, size))
    return 0;
  tracee->scratch_used += aligned;
  return address;
}

bool
tracee_read (const struct tracee *tracee, uintptr_t address, void *to,
             size_t size)
{
  struct iovec local = { to, size }, remote = { (void *)address, size };
  return (process_vm_readv (tracee->pid, &local, 1, &remote, 1, 0)
          == (ssize_t)size);
}

bool
tracee_write (const struct tracee *tracee, uintptr_t address,
              const void *from, size_t size)
{
  struct iovec local = { (void *)from, size };
  struct iovec remote = { (void *)address, size };
  return (process_vm_writev (tracee->pid, &local, 1, &remote, 1, 0)
          == (ssize_t)size);
}

/* Forget all cleanup calls, and have the scratch page gone.  */
static void
clear_up (struct tracee *tracee)
{
  /* Never twice: somebody else may have got the addresses in between.  */
  for (unsigned int i = 0; i < TRAMPOLINE_CALLS; i++)
    tracee_cleanup (tracee, i, -1, 0, 0);
  if (tracee->tid != 0 && tracee->scratch != 0)
    tracee_call (tracee, SYS_munmap, tracee->scratch, getpagesize (), 0, 0, 0,
                 0);
  else if (tracee->tid != 0)
    write_cleanup (tracee);
  clear_stack (tracee);
}

void
tracee_leave (struct tracee *tracee)
{
  clear_up (tracee);
  tracee_cleanup (tracee, 0, SYS_wait4, getpid (), 0);
}

bool
tracee_go (struct tracee *tracee)
{
  let_late_one_go (tracee);
  clear_up (tracee);
  const pid_t tid = tracee->tid;
  if (tid == 0)
    return false;
  /* It leaves for the trampoline, and is stopped before it gets there.  After
     execve there is no call to be made again, and all stops will do.  */
  int status = tracee->at_exec ? 1 : -1;
  if (!tracee->at_exec && thread_request (PTRACE_INTERRUPT, tid, 0))
    status = thread_go_on_until (tid, PTRACE_CONT, 0, PTRACE_EVENT_STOP,
                                 patience ());
  if (status <= 0 || !thread_set_mask (tid, tracee->mask)
      || !thread_set_registers (tid, &tracee->saved))
    {
      lose (tracee, status != 0 ? -1 : 0);
      return false;
    }
  trampoline_clear (tracee->memory, tracee->region);
  bool good = thread_request (PTRACE_DETACH, tid, 0);
  forget (tracee);
  return good;
}
