/* Sample a command until it ends, or running processes for some time, with the
   kernel's performance events.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   An event that new threads and processes inherit needs a buffer for each
   processor (perf_mmap in kernel/events/core.c of Linux).  Because of the
   buffers, hugetext opens an event for each pair of a thread and a processor,
   and all events of one processor write to the same ring buffer.  Because the
   records in a ring buffer are in the order of time, hugetext gets all records
   in the order of time by always taking the oldest record of all ring buffers.
   At each reading of the ring buffers, hugetext takes only records that are
   older than the previous reading, because a newer record may not have arrived
   in its buffer yet.

   The sampling period is fixed, so that each sample represents the same amount
   of time.  With a fixed sampling frequency, the kernel would adapt the period
   only gradually, and the first samples of each process would represent much
   less time than later samples.  */

#include "sample/sample.h"
#include "host/perf.h"
#include "host/process.h"
#include "host/selection.h"
#include "run/held.h"
#include "run/launch.h"
#include "run/supervise.h"
#include "util/allocate.h"
#include "util/clock.h"
#include "util/signals.h"

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The periods of the events, which give some 2000 samples a second for each
   busy processor.  The periods are prime numbers, to avoid resonance with
   periodic programs.  */
#define PERIOD_NS 500009
#define PERIOD_CYCLES 1500007

/* The size of a buffer in bytes, and the minimum size.  If the user must not
   lock RING_SIZE bytes of memory (kernel.perf_event_mlock_kb, 516 for each
   processor), the size is halved until the kernel allows it.  */
#define RING_SIZE (1024 * 1024)
#define RING_SIZE_LEAST (16 * 1024)

struct ring
{
  int cpu, fd; /* The processor's number, and the descriptor of the event that
                  has the buffer; the processor's other events also write to
                  this buffer.  */
  struct perf_event_mmap_page *page;
  size_t size;   /* The size of the buffer in bytes, without its first
                    page.  */
  uint64_t head; /* The position in the buffer at which its records end.  */
  uint64_t time; /* The time of the oldest record, or UINT64_MAX if there is
                    none.  */
};

struct events
{
  struct perf_event_attr attr;
  int *fds; /* All events.  */
  size_t nfds;
  struct ring *rings; /* The buffers, one for each processor.  */
  size_t nrings;
  uint64_t looked; /* The time at which the last reading of the buffers began,
                      in nanoseconds of CLOCK_MONOTONIC.  */
};

/* The fields of a sample, in the kernel's order.  Records that are not samples
   end with the fields for thread and time (sample_id_all).  */
#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

union record
{
  struct perf_event_header header;
  struct
  {
    struct perf_event_header header;
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t time;
  } sample;
  struct
  {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t address, length, offset;
    uint32_t major, minor;
    uint64_t inode, generation;
    uint32_t protection, flags;
    char name[];
  } map;
  struct
  {
    struct perf_event_header header;
    uint32_t pid, parent, tid, ptid;
  } task;
  struct
  {
    struct perf_event_header header;
    uint32_t pid, tid;
    char name[];
  } name;
  struct
  {
    struct perf_event_header header;
    uint64_t id, lost;
  } lost;
  char bytes[UINT16_MAX + 1];
};

/* Return true if the kernel supports the event ATTR.  If the kernel permits
   only samples in user mode, exclude the kernel in ATTR.  */
static bool
try_event (struct perf_event_attr *attr)
{
  int fd = perf_open (attr, 0, -1);
  if (fd < 0 && (errno == EACCES || errno == EPERM))
    {
      attr->exclude_kernel = 1;
      fd = perf_open (attr, 0, -1);
    }
  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

/* Choose the best event that the kernel supports, and store it.  Return the
   name of this event, "cycles" or "cpu-clock".  If the kernel supports no
   event, set errno and return NULL.  */
static const char *
events_begin (struct events *events)
{
  struct rlimit limit;
  const struct perf_event_attr attr = {
    .type = PERF_TYPE_HARDWARE,
    .size = sizeof attr,
    .config = PERF_COUNT_HW_CPU_CYCLES,
    .sample_period = PERIOD_CYCLES,
    .sample_type = SAMPLE_TYPE,
    .disabled = 1,
    .inherit = 1,
    .exclude_hv = 1,
    .mmap = 1,
    .mmap2 = 1,
    .comm = 1,
    .comm_exec = 1,
    .task = 1,
    .sample_id_all = 1,
    .use_clockid = 1,
    .clockid = CLOCK_MONOTONIC,
  };
  *events = (struct events){ .nfds = 0 };
  /* Raise the limit of open files, because each pair of a thread and a
     processor needs a descriptor.  */
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0)
    {
      limit.rlim_cur = limit.rlim_max;
      setrlimit (RLIMIT_NOFILE, &limit);
    }
  events->attr = attr;
  if (try_event (&events->attr))
    return "cycles";
  events->attr = attr;
  events->attr.type = PERF_TYPE_SOFTWARE;
  events->attr.config = PERF_COUNT_SW_CPU_CLOCK;
  events->attr.sample_period = PERIOD_NS;
  return try_event (&events->attr) ? "cpu-clock" : NULL;
}

bool
sample_check (struct problem *problem)
{
  struct events events;
  return events_begin (&events) != NULL || perf_explain (errno, problem);
}

/* Make FD, an event on processor CPU, write to the buffer of this processor.
   Create the buffer if this processor has none yet.  */
static bool
connect_ring (struct events *events, int fd, int cpu)
{
  struct ring ring = { .cpu = cpu, .fd = fd, .size = RING_SIZE };
  for (size_t i = 0; i < events->nrings; ++i)
    if (events->rings[i].cpu == cpu)
      return ioctl (fd, PERF_EVENT_IOC_SET_OUTPUT, events->rings[i].fd) == 0;
  while ((ring.page = mmap (NULL, getpagesize () + ring.size,
                            PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0))
         == MAP_FAILED)
    if ((errno != EPERM && errno != ENOMEM)
        || (ring.size /= 2) < RING_SIZE_LEAST)
      return false;
  events->rings = allocate_more (events->rings, events->nrings, sizeof ring);
  events->rings[events->nrings++] = ring;
  return true;
}

/* Sample thread TID, or all threads if TID is -1, on all processors.  On
   failure set errno and return false.  */
static bool
add_thread (struct events *events, struct perf_event_attr *attr, pid_t tid)
{
  const long cpus = sysconf (_SC_NPROCESSORS_CONF);
  for (int cpu = 0; cpu < cpus; ++cpu)
    {
      int fd = perf_open (attr, tid, cpu);
      if (fd < 0 && errno == ENODEV)
        continue; /* Opening an event may fail because the processor is
                     offline.  */
      if (fd < 0)
        return false;
      events->fds = allocate_more (events->fds, events->nfds, sizeof fd);
      events->fds[events->nfds++] = fd;
      if (!connect_ring (events, fd, cpu))
        return false;
      if (!attr->enable_on_exec)
        ioctl (fd, PERF_EVENT_IOC_ENABLE, 0);
    }
  return true;
}

/* A signal handler that does nothing, so that a system call fails with
   EINTR.  */
static void
fail (int signal)
{
  (void) signal;
}

/* Sample process PID with all its threads, and all processes that it will
   start.  If ON_EXEC is true, begin to sample when PID executes a program,
   otherwise immediately.  */
static bool
events_add (struct events *events, pid_t pid, bool on_exec,
            struct problem *problem)
{
  enum
  {
    ENOUGH = 60, /* The number of seconds that suffices for opening the events
                    on any machine.  */
  };
  char path[64];
  struct process process = { .pid = pid };
  struct perf_event_attr attr = events->attr;
  glob_t tasks = { .gl_pathc = 0 };
  bool any = false;
  attr.enable_on_exec = on_exec;
  if (!process_check_ids (problem) || !process_ask (pid, &process, problem))
    return false;
  if (process.ended || process.kernel)
    return process_explain (&process, ESRCH, problem);
  snprintf (path, sizeof path, "/proc/%d/task/*", (int) pid);
  /* While the process PID is in execve, the kernel blocks this process.  Set
     an alarm, so that the blocked system call fails with EINTR.  Save the
     handler and the alarm of the caller.  */
  const struct sigaction action = { .sa_handler = fail };
  struct sigaction before;
  sigaction (SIGALRM, &action, &before);
  const unsigned int callers = alarm (ENOUGH);
  int error = glob (path, 0, NULL, &tasks) != 0 ? ESRCH : 0;
  for (size_t i = 0; i < tasks.gl_pathc && error == 0; ++i)
    if (add_thread (events, &attr,
                    atoi (strrchr (tasks.gl_pathv[i], '/') + 1)))
      any = true;
    else if (errno != ESRCH)
      error = errno;
  alarm (0);
  sigaction (SIGALRM, &before, NULL);
  alarm (callers);
  globfree (&tasks);
  return (error == 0 && any)
         || (error == 0 || error == ESRCH || process.uid != geteuid ()
                 ? process_explain (&process, error != 0 ? error : ESRCH,
                                    problem)
                 : perf_explain (error, problem));
}

/* Sample all processes.  Usually only root is permitted to sample all
   processes.  */
static bool
events_add_all (struct events *events, struct problem *problem)
{
  struct perf_event_attr attr = events->attr;
  if (!process_check_ids (problem))
    return false;
  /* An event for all threads on a processor need not be inherited.  */
  attr.inherit = 0;
  attr.exclude_idle = 1;
  return add_thread (events, &attr, -1) || perf_explain (errno, problem);
}

/* Copy SIZE bytes of RING to TO, beginning AT bytes after the ring's tail.  */
static void
sample_copy_bytes (const struct ring *ring, size_t at, void *to, size_t size)
{
  const char *data = (char *) ring->page + getpagesize ();
  size_t first = (ring->page->data_tail + at) & (ring->size - 1);
  size_t part = ring->size - first < size ? ring->size - first : size;
  memcpy (to, data + first, part);
  memcpy ((char *) to + part, data, size - part);
}

/* Find the time of RING's oldest record.  */
static void
find_time (struct ring *ring)
{
  struct perf_event_header header;
  const uint64_t left = ring->head - ring->page->data_tail;
  ring->time = UINT64_MAX;
  if (left < sizeof header)
    return;
  sample_copy_bytes (ring, 0, &header, sizeof header);
  if (header.size < sizeof header + sizeof ring->time || header.size > left)
    return; /* The kernel never writes a record with this size, so the buffer
               is damaged.  */
  size_t at = (header.type == PERF_RECORD_SAMPLE
                   ? offsetof (union record, sample.time)
                   : header.size - sizeof ring->time);
  sample_copy_bytes (ring, at, &ring->time, sizeof ring->time);
}

/* If the oldest record in the buffers is older than BEFORE, remove it and copy
   it to RECORD.  */
static bool
sample_take_record (struct events *events, uint64_t before,
                    union record *record)
{
  struct ring *oldest = NULL;
  for (size_t i = 0; i < events->nrings; ++i)
    if (oldest == NULL || events->rings[i].time < oldest->time)
      oldest = &events->rings[i];
  if (oldest == NULL || oldest->time >= before)
    return false;
  sample_copy_bytes (oldest, 0, &record->header, sizeof record->header);
  sample_copy_bytes (oldest, 0, record, record->header.size);
  /* Only the kernel writes the head of the ring, and only this process writes
     the tail (perf_event_open(2)).  */
  __atomic_store_n (&oldest->page->data_tail,
                    oldest->page->data_tail + record->header.size,
                    __ATOMIC_RELEASE);
  find_time (oldest);
  return true;
}

/* Let SAMPLING count RECORD, a record of the kernel.  */
static void
sample_count_record (struct sampling *sampling, const union record *record)
{
  const uint16_t misc = record->header.misc;
  switch (record->header.type)
    {
    case PERF_RECORD_SAMPLE:
      count_sample (sampling, record->sample.pid, record->sample.ip,
                    (misc & PERF_RECORD_MISC_CPUMODE_MASK)
                        == PERF_RECORD_MISC_USER);
      break;
    case PERF_RECORD_MMAP2:
      count_map (sampling, record->map.pid,
                 &(struct mapping){
                     .start = record->map.address,
                     .end = record->map.address + record->map.length,
                     .offset = record->map.offset,
                     .device = makedev (record->map.major, record->map.minor),
                     .inode = record->map.inode,
                     .name = (char *) record->map.name });
      break;
    case PERF_RECORD_COMM:
      if ((misc & PERF_RECORD_MISC_COMM_EXEC) != 0)
        count_exec (sampling, record->name.pid, record->name.name);
      break;
    case PERF_RECORD_FORK:
      if (record->task.pid != record->task.parent)
        count_fork (sampling, record->task.pid, record->task.parent);
      break;
    case PERF_RECORD_EXIT:
      /* Count the process as ended when its first thread ends, because the
         other threads have usually ended earlier.  */
      if (record->task.tid == record->task.pid)
        count_exit (sampling, record->task.pid);
      break;
    case PERF_RECORD_LOST:
      sampling->lost += record->lost.lost;
      break;
    }
}

/* Pass all records older than BEFORE to SAMPLING.  */
static void
pass_on (struct events *events, uint64_t before, struct sampling *sampling)
{
  union record record;
  for (size_t i = 0; i < events->nrings; ++i)
    {
      struct ring *ring = &events->rings[i];
      ring->head = __atomic_load_n (&ring->page->data_head, __ATOMIC_ACQUIRE);
      find_time (ring);
    }
  while (sample_take_record (events, before, &record))
    sample_count_record (sampling, &record);
}

/* Pass new records to SAMPLING.  Leave the newest records in the buffers,
   because older records may still arrive.  */
static void
events_look (struct events *events, struct sampling *sampling)
{
  const uint64_t before = events->looked;
  events->looked = clock_nanoseconds ();
  pass_on (events, before, sampling);
}

/* Stop sampling, pass all remaining records to SAMPLING, and close EVENTS.  */
static void
events_end (struct events *events, struct sampling *sampling)
{
  for (size_t i = 0; i < events->nfds; ++i)
    ioctl (events->fds[i], PERF_EVENT_IOC_DISABLE, 0);
  pass_on (events, UINT64_MAX, sampling);
  for (size_t i = 0; i < events->nrings; ++i)
    munmap (events->rings[i].page, getpagesize () + events->rings[i].size);
  for (size_t i = 0; i < events->nfds; ++i)
    close (events->fds[i]);
  free (events->rings);
  free (events->fds);
}

static volatile sig_atomic_t interrupted;

static void
sample_handle_signal (int signal, siginfo_t *info, void *context)
{
  (void) signal;
  (void) info;
  (void) context;
  interrupted = 1;
}

/* Start SAMPLING's command after EVENTS are open for it.  */
static bool
start_command (struct sampling *sampling, struct events *events,
               struct problem *problem)
{
  int fd = held_fork (&sampling->child);
  if (fd < 0)
    return problem_system (problem, errno);
  if (sampling->child == 0)
    _exit (held_wait (fd) ? launch_execute (sampling->command) : 0);
  const bool good = events_add (events, sampling->child, true, problem);
  supervise_signals (sampling->child);
  if (good)
    held_tell (fd);
  close (fd);
  return good;
}

/* Open EVENTS for SAMPLING's processes, and read their mappings.  If SAMPLING
   is for all processes, but this user may not sample all of them, sample all
   processes of this user instead.  If no process can be sampled, set PROBLEM
   and return false.  If SAY has already reported the reason, the text of
   PROBLEM is "".  */
static bool
sample_open_events (struct sampling *sampling, struct events *events,
                    struct problem *problem)
{
  if (sampling->all)
    {
      const bool all = events_add_all (events, problem);
      if (all || geteuid () == 0)
        return all;
      ssize_t n = process_list (&sampling->selected.pids);
      selected_unheld (&sampling->selected, n > 0 ? n : 0);
      sampling->own = true;
    }
  size_t good = 0;
  const struct selected *selected = &sampling->selected;
  for (size_t i = 0; i < selected->count; ++i)
    {
      char name[16];
      const pid_t pid = selected->pids[i];
      if (pid == 0)
        continue;
      if (events_add (events, pid, false, problem)
          && count_look (sampling, pid, problem)
          && (!selected_has_ended (selected, i)
              || problem_set (problem, "the process has ended")))
        {
          ++good;
          continue;
        }
      snprintf (name, sizeof name, "%d", (int) pid);
      if (!sampling->own && !selected_held_has_gone (selected, i))
        sampling->say (name, problem);
      selected->pids[i] = 0;
    }
  if (good > 0)
    return true;
  if (sampling->own)
    return problem_set (problem, "only root can sample the processes of other "
                                 "users, and no process of yours is running");
  *problem = (struct problem){ 0 };
  return false;
}

/* Return true if SAMPLING still has a process to sample.  */
static bool
sample_has_process (struct sampling *sampling)
{
  if (sampling->all)
    return true;
  if (sampling->command != NULL)
    {
      sampling->ended
          = waitpid (sampling->child, &sampling->status, WNOHANG) != 0;
      return !sampling->ended;
    }
  for (size_t i = 0; i < sampling->selected.count; ++i)
    if (sampling->selected.pids[i] != 0
        && !selected_has_ended (&sampling->selected, i))
      return true;
  return false;
}

/* Sample until the end of SAMPLING.  */
static void
sample_read_until_end (struct sampling *sampling, struct events *events)
{
  /* Read the kernel's buffers of records 20 times a second.  */
  const struct timespec step = { .tv_nsec = 50000000 };
  const uint64_t start = clock_nanoseconds ();
  bool more = true;
  while (more && !(sampling->command == NULL && interrupted))
    {
      nanosleep (&step, NULL);
      more = sample_has_process (sampling);
      events_look (events, sampling);
      sampling->time = (clock_nanoseconds () - start) * 1e-9;
      more = more
             && (sampling->seconds == 0 || sampling->time < sampling->seconds);
    }
}

bool
sample (struct sampling *sampling, struct problem *problem)
{
  struct events events;
  bool good;
  sampling->event = events_begin (&events);
  if (sampling->event == NULL)
    good = perf_explain (errno, problem);
  else if (sampling->command != NULL)
    good = start_command (sampling, &events, problem);
  else
    {
      static const int numbers[] = { SIGINT, SIGTERM };
      signals_catch (numbers, sizeof numbers / sizeof *numbers,
                     sample_handle_signal);
      good = sample_open_events (sampling, &events, problem);
    }
  if (good)
    sample_read_until_end (sampling, &events);
  events_end (&events, sampling);
  count_end (sampling);
  if (!good && problem_is (problem))
    problem_from (problem, problem, "nothing can be sampled: %s",
                  problem->text);
  return good;
}

void
sample_wait (struct sampling *sampling)
{
  while (sampling->child > 0 && !sampling->ended)
    sampling->ended = (waitpid (sampling->child, &sampling->status, 0) >= 0
                       || errno != EINTR);
}
