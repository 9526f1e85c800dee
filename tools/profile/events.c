/* Samples of processes by the kernel's performance events.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Events that new threads and processes inherit need a buffer for each
   processor (perf_mmap in the kernel's kernel/events/core.c).  So there is an
   event for each thread and processor, all events of a processor write to one
   buffer, and the records of the buffers are sorted by time: records of the
   time before the last look are complete at this look.

   Periods are fixed, so that each sample stands for the same time; with a
   frequency, samples at the beginning of each process would stand for almost
   none.  */

#include "profile/events.h"
#include "host/process.h"
#include "profile/records.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Some 2000 samples a second of each busy processor.  Prime numbers avoid a
   program's own rhythm.  */
#define PERIOD_NS 500009
#define PERIOD_CYCLES 1500007

/* Bytes of a buffer, and smaller sizes where a user may lock less memory
   (kernel.perf_event_mlock_kb, 516 a processor).  */
#define RING_SIZE (1024 * 1024)
#define RING_SIZE_USER (256 * 1024)
#define RING_SIZE_LEAST (16 * 1024)

/* Set whether ATTR asks for build IDs.  The kernel's headers call the bit
   reserved before Linux 5.12.  */
#ifndef NO_BUILD_ID_BIT
static void
ask_for_build_ids (struct perf_event_attr *attr, bool ask)
{
  attr->build_id = ask;
}
#else
static void
ask_for_build_ids (struct perf_event_attr *attr, bool ask)
{
  attr->__reserved_1 = ask;
}
#endif

static int
event_open (struct perf_event_attr *attr, pid_t tid, int cpu)
{
  return syscall (SYS_perf_event_open, attr, tid, cpu, -1,
                  PERF_FLAG_FD_CLOEXEC);
}

static uint64_t
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * UINT64_C (1000000000) + time.tv_nsec;
}

/* Whether the kernel offers an event like ATTR; changes ATTR to what it
   offers.  */
static bool
try_event (struct perf_event_attr *attr)
{
  int fd = event_open (attr, 0, -1);
  if (fd < 0 && errno == EINVAL)
    {
      /* Build IDs need Linux 5.12.  */
      ask_for_build_ids (attr, false);
      fd = event_open (attr, 0, -1);
    }
  if (fd < 0 && (errno == EACCES || errno == EPERM))
    {
      attr->exclude_kernel = 1;
      fd = event_open (attr, 0, -1);
    }
  if (fd < 0)
    return false;
  close (fd);
  return true;
}

/* Choose the best event for EVENTS.  False with errno set if there is
   none.  */
static bool
choose_event (struct profile_events *events)
{
  struct perf_event_attr attr = {
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
  for (int precise = 3; precise >= 0; --precise)
    {
      events->attr = attr;
      events->attr.precise_ip = precise;
      ask_for_build_ids (&events->attr, true);
      events->name = "cycles";
      if (try_event (&events->attr))
        return true;
    }
  events->attr = attr;
  events->attr.type = PERF_TYPE_SOFTWARE;
  events->attr.config = PERF_COUNT_SW_CPU_CLOCK;
  events->attr.sample_period = PERIOD_NS;
  ask_for_build_ids (&events->attr, true);
  events->name = "cpu-clock";
  return try_event (&events->attr);
}

/* Return why no process can be sampled; ERROR is errno.  */
static const char *
refusal (int error)
{
  static char text[256];
  int level = -2;
  FILE *stream = fopen ("/proc/sys/kernel/perf_event_paranoid", "re");
  if (stream != NULL)
    {
      if (fscanf (stream, "%d", &level) != 1)
        level = -2;
      fclose (stream);
    }
  if (error == ENOSYS || (level == -2 && error != EMFILE))
    return "nothing can be sampled: this kernel has no performance events, or"
           " a filter of system calls (seccomp) hides them";
  if (error == EACCES && level > 2)
    {
      snprintf (text, sizeof text,
                "nothing can be sampled: kernel.perf_event_paranoid is %d; try"
                " as root, or have it 2",
                level);
      return text;
    }
  if (error == EACCES || error == EPERM)
    return "nothing can be sampled: perf_event_open is forbidden here, by a"
           " filter of system calls (seccomp) or a security module; try"
           " outside of the container or service";
  snprintf (text, sizeof text, "nothing can be sampled: perf_event_open: %s",
            strerror (error));
  return text;
}

const char *
profile_events_begin (struct profile_events *events)
{
  struct rlimit limit;
  *events = (struct profile_events){ .nfds = 0 };
  /* Each thread and processor takes a descriptor.  */
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0)
    {
      limit.rlim_cur = limit.rlim_max;
      setrlimit (RLIMIT_NOFILE, &limit);
    }
  if (!choose_event (events))
    return refusal (errno);
  events->queue = records_new ();
  return events->queue != NULL ? NULL : strerror (ENOMEM);
}

/* Map the buffer of RING's event.  */
static bool
map_ring (struct event_ring *ring)
{
  const size_t page = getpagesize ();
  for (size_t size = geteuid () == 0 ? RING_SIZE : RING_SIZE_USER;
       size >= RING_SIZE_LEAST && size >= page; size /= 2)
    {
      void *base = mmap (NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED,
                         ring->fd, 0);
      if (base != MAP_FAILED)
        {
          ring->page = base;
          ring->size = size;
          return true;
        }
      if (errno != EPERM && errno != ENOMEM)
        return false;
    }
  return false;
}

/* Connect FD, an event on CPU, with that CPU's buffer, which is made if there
   is none.  */
static bool
connect_ring (struct profile_events *events, int fd, int cpu)
{
  for (size_t i = 0; i < events->nrings; ++i)
    if (events->rings[i].cpu == cpu)
      return ioctl (fd, PERF_EVENT_IOC_SET_OUTPUT, events->rings[i].fd) == 0;
  struct event_ring *rings
      = reallocarray (events->rings, events->nrings + 1, sizeof *rings);
  if (rings == NULL)
    return false;
  events->rings = rings;
  struct event_ring ring = { .cpu = cpu, .fd = fd };
  if (!map_ring (&ring))
    return false;
  rings[events->nrings++] = ring;
  return true;
}

/* Add FD to EVENTS.  */
static bool
keep (struct profile_events *events, int fd)
{
  int *fds = reallocarray (events->fds, events->nfds + 1, sizeof *fds);
  if (fds == NULL)
    return false;
  events->fds = fds;
  fds[events->nfds++] = fd;
  return true;
}

/* Sample thread TID, or all threads if TID is -1, on all processors.  False
   with errno set.  */
static bool
add_thread (struct profile_events *events, struct perf_event_attr *attr,
            pid_t tid)
{
  const long cpus = sysconf (_SC_NPROCESSORS_CONF);
  for (int cpu = 0; cpu < cpus; ++cpu)
    {
      int fd = event_open (attr, tid, cpu);
      if (fd < 0 && errno == ENODEV)
        continue; /* The processor is switched off.  */
      if (fd < 0)
        return false;
      if (!connect_ring (events, fd, cpu) || !keep (events, fd))
        {
          int error = errno;
          close (fd);
          errno = error;
          return false;
        }
      if (!attr->enable_on_exec)
        ioctl (fd, PERF_EVENT_IOC_ENABLE, 0);
    }
  return true;
}

/* Return why PROCESS, which exists, cannot be sampled; ERROR is errno.  */
static const char *
process_refusal (const struct process *process, int error)
{
  static char text[256];
  if (error == EMFILE || error == ENFILE)
    {
      struct rlimit limit = { 0 };
      getrlimit (RLIMIT_NOFILE, &limit);
      snprintf (text, sizeof text,
                "it has too many threads: each takes a file descriptor for"
                " each processor, and we may have %llu (ulimit -n)",
                (unsigned long long) limit.rlim_cur);
      return text;
    }
  if (error == EPERM && process->uid == geteuid ())
    return "no buffer can be had: others use what users may lock for that"
           " (kernel.perf_event_mlock_kb)";
  return process_problem (process, error);
}

const char *
profile_events_add (struct profile_events *events, pid_t pid, bool on_exec)
{
  char path[64];
  struct process process = { .pid = pid };
  struct perf_event_attr attr = events->attr;
  attr.enable_on_exec = on_exec;
  if (!process_read (pid, &process))
    return "there is no such process";
  if (process.ended || process.kernel)
    return process_problem (&process, ESRCH);
  if (on_exec)
    return (add_thread (events, &attr, pid)
                ? NULL
                : process_refusal (&process, errno));

  snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return process_problem (&process, errno);
  int error = 0;
  bool any = false;
  for (struct dirent *entry; error == 0 && (entry = readdir (dir)) != NULL;)
    if (isdigit ((unsigned char) entry->d_name[0]))
      {
        if (add_thread (events, &attr, atoi (entry->d_name)))
          any = true;
        else if (errno != ESRCH)
          error = errno;
      }
  closedir (dir);
  return (error != 0 ? process_refusal (&process, error)
          : !any     ? process_problem (&process, ESRCH)
                     : NULL);
}

const char *
profile_events_add_all (struct profile_events *events)
{
  struct perf_event_attr attr = events->attr;
  /* An event on a processor needs no inheritance.  */
  attr.inherit = 0;
  attr.exclude_idle = 1;
  return add_thread (events, &attr, -1) ? NULL : refusal (errno);
}

void
profile_events_stop (struct profile_events *events)
{
  for (size_t i = 0; i < events->nfds; ++i)
    ioctl (events->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

void
profile_events_read (struct profile_events *events,
                     struct profile_counts *counts, bool last)
{
  uint64_t before = last ? UINT64_MAX : events->round;
  events->round = now ();
  for (size_t i = 0; i < events->nrings; ++i)
    if (!records_drain (&events->rings[i], events->queue))
      counts->failed = true;
  records_tell (events->queue, before, counts);
}

void
profile_events_close (struct profile_events *events)
{
  for (size_t i = 0; i < events->nrings; ++i)
    munmap (events->rings[i].page, getpagesize () + events->rings[i].size);
  for (size_t i = 0; i < events->nfds; ++i)
    close (events->fds[i]);
  free (events->rings);
  free (events->fds);
  records_free (events->queue);
  *events = (struct profile_events){ .nfds = 0 };
}
