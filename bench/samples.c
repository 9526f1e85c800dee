/* samples: the share of a program's samples that is on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: samples OUTPUT COMMAND [ARGUMENT]...
          samples OUTPUT --pid PID SECONDS CAP...

   Appends to OUTPUT a line "SAMPLES TEXT HUGE CODE CODE-HUGE LATER LATER-HUGE
   KIB KIB-HUGE".  SAMPLES is how often COMMAND was interrupted in user mode,
   with all its threads but without the processes that it starts.  TEXT is how
   many of these interruptions were in text of a file or on a huge page, and
   HUGE how many were on a huge page.  CODE is how many interruptions were in
   executable memory that belongs to no file: code that the program makes for
   itself, or copies of text.  CODE-HUGE counts those samples of CODE that were
   on a huge page.  LATER and LATER-HUGE count only those samples of CODE and
   CODE-HUGE that were taken after the first half of the samples of CODE.  By
   then, most code has been compiled.  KIB is the largest size of the
   executable memory without a file, and KIB-HUGE is the largest size of the
   part of this memory that was on huge pages.

   With --pid, the running process PID is sampled for SECONDS, and the line is
   "SAMPLES TEXT HUGE BEST...".  For each CAP, BEST is the number of samples of
   TEXT in the CAP blocks of 2 MiB with the most samples.  Unless objects move
   to other addresses, no other choice of CAP blocks puts more samples on huge
   pages.

   The clock of the samples is the kernel's cpu-clock, which needs no hardware
   counters.  Twenty times a second, PAGEMAP_SCAN (Linux 6.7) tells which
   pages are huge.  This program ends with the exit status of COMMAND.  */

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The period of the samples, in nanoseconds of processor time.  */
#define PERIOD 500000
#define RING_PAGES 64

#ifndef PAGEMAP_SCAN
/* From <linux/fs.h> of Linux 6.7.  */
struct page_region
{
  uint64_t start, end, categories;
};
struct pm_scan_arg
{
  uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
  uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#  define PAGEMAP_SCAN _IOWR ('f', 16, struct pm_scan_arg)
#  define PAGE_IS_PRESENT (1 << 3)
#  define PAGE_IS_HUGE (1 << 6)
#endif

/* An executable range of memory.  */
struct range
{
  uint64_t start, end;
  bool huge, code;
};

static struct range *ranges;
static size_t nranges, room;

static unsigned long int samples, in_text, on_huge;

/* Blocks of text, in the order of addresses, and the number of samples in
   each.  */
#define BLOCK_SHIFT 21
static struct block
{
  uint64_t number;
  unsigned long int samples;
} * blocks;
static size_t nblocks, block_room;

/* For executable memory that belongs to no file: the largest number of bytes
   so far, and the number of samples so far.  */
static uint64_t most, most_huge;
struct code
{
  unsigned long int all, huge;
};
static struct code code;

/* At each inspection of the process, the number of samples so far in
   executable memory without a file.  */
static struct code *looks;
static size_t nlooks;

static void
add_range (uint64_t start, uint64_t end, bool huge, bool code)
{
  if (nranges == room)
    {
      room = 2 * room + 64;
      ranges = reallocarray (ranges, room, sizeof *ranges);
      if (ranges == NULL)
        err (1, "memory");
    }
  ranges[nranges++] = (struct range){ start, end, huge, code };
}

/* For [START, END) of the process to which PAGEMAP belongs, add the huge parts
   to the array of ranges, the number of present bytes to *PRESENT, and the
   number of bytes on huge pages to *HUGE.  */
static void
add_huge (int pagemap, uint64_t start, uint64_t end, bool code,
          uint64_t *present, uint64_t *huge)
{
  struct page_region regions[256];
  struct pm_scan_arg arg = { .size = sizeof arg,
                             .start = start,
                             .end = end,
                             .vec = (uintptr_t) regions,
                             .vec_len = 256,
                             .category_mask = PAGE_IS_PRESENT,
                             .return_mask = PAGE_IS_PRESENT | PAGE_IS_HUGE };
  int n;
  while (arg.start < end && (n = ioctl (pagemap, PAGEMAP_SCAN, &arg)) >= 0)
    {
      for (int i = 0; i < n; ++i)
        {
          *present += regions[i].end - regions[i].start;
          if ((regions[i].categories & PAGE_IS_HUGE) == 0)
            continue;
          *huge += regions[i].end - regions[i].start;
          add_range (regions[i].start, regions[i].end, true, code);
        }
      if (arg.walk_end <= arg.start)
        break;
      arg.start = arg.walk_end;
    }
}

/* Return true if NAME, from /proc/PID/maps, stands for memory that belongs to
   no file.  */
static bool
is_memory (const char *name)
{
  static const char *const names[]
      = { "/memfd:", "/dev/zero", "/SYSV", "/anon_hugepage", "[anon" };
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strncmp (name, names[i], strlen (names[i])) == 0)
      return true;
  return name[0] == '\0';
}

/* Note the executable memory of process PID, if it still runs.  */
static void
look_at (pid_t pid)
{
  char path[64], line[4400], file[4096], mode[8];
  snprintf (path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen (path, "re");
  snprintf (path, sizeof path, "/proc/%d/pagemap", pid);
  int pagemap = open (path, O_RDONLY | O_CLOEXEC);
  bool first = true;
  uint64_t start, end, ignored, present = 0, huge = 0;
  while (maps != NULL && pagemap >= 0
         && fgets (line, sizeof line, maps) != NULL)
    {
      file[0] = '\0';
      if (sscanf (line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %4095[^\n]",
                  &start, &end, mode, file)
          < 3)
        continue;
      /* A process that has ended has no memory, so keep the ranges of the last
         inspection.  */
      if (first)
        nranges = 0;
      first = false;
      if (strchr (mode, 'x') == NULL)
        continue;
      bool made = is_memory (file);
      add_huge (pagemap, start, end, made, made ? &present : &ignored,
                made ? &huge : &ignored);
      if (made || file[0] == '/')
        add_range (start, end, false, made);
    }
  most = present > most ? present : most;
  most_huge = huge > most_huge ? huge : most_huge;
  if (maps != NULL)
    fclose (maps);
  if (pagemap >= 0)
    close (pagemap);
}

/* Count a sample of text at ADDRESS for its block.  */
static void
count_block (uint64_t address)
{
  size_t i = 0;
  while (i < nblocks && blocks[i].number != address >> BLOCK_SHIFT)
    ++i;
  if (i == block_room)
    {
      block_room = 2 * block_room + 64;
      blocks = reallocarray (blocks, block_room, sizeof *blocks);
      if (blocks == NULL)
        err (1, "memory");
    }
  if (i == nblocks)
    blocks[nblocks++] = (struct block){ address >> BLOCK_SHIFT, 0 };
  ++blocks[i].samples;
}

/* Count a sample at ADDRESS.  Huge parts come first in the ranges.  */
static void
count (uint64_t address)
{
  ++samples;
  for (size_t i = 0; i < nranges; ++i)
    if (address >= ranges[i].start && address < ranges[i].end)
      {
        on_huge += ranges[i].huge;
        in_text += ranges[i].huge || !ranges[i].code;
        if (ranges[i].huge || !ranges[i].code)
          count_block (address);
        code.all += ranges[i].code;
        code.huge += ranges[i].code && ranges[i].huge;
        return;
      }
}

/* Count the new records in RING, of process PID.  */
static void
drain (struct perf_event_mmap_page *ring, pid_t pid)
{
  struct
  {
    struct perf_event_header header;
    uint64_t address;
    uint32_t pid, tid;
  } record;
  size_t size = RING_PAGES * sysconf (_SC_PAGESIZE);
  const char *data = (const char *) ring + sysconf (_SC_PAGESIZE);
  uint64_t head = __atomic_load_n (&ring->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = ring->data_tail;
  while (tail < head)
    {
      for (size_t i = 0; i < sizeof record; ++i)
        ((char *) &record)[i] = data[(tail + i) % size];
      if (record.header.type == PERF_RECORD_SAMPLE
          && (pid_t) record.pid == pid)
        count (record.address);
      tail += record.header.size;
    }
  __atomic_store_n (&ring->data_tail, tail, __ATOMIC_RELEASE);
}

/* Sample the thread PID on processor CPU.  If AT_EXEC, begin at the thread's
   next execve.  Return NULL if there is no such processor, or no such thread
   any more.  */
static struct perf_event_mmap_page *
begin (pid_t pid, int cpu, bool at_exec)
{
  struct perf_event_attr attr
      = { .size = sizeof attr,
          .type = PERF_TYPE_SOFTWARE,
          .config = PERF_COUNT_SW_CPU_CLOCK,
          .sample_period = PERIOD,
          .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
          .disabled = at_exec,
          .enable_on_exec = at_exec,
          .inherit = 1,
          .exclude_kernel = 1,
          .exclude_hv = 1 };
  int fd = syscall (SYS_perf_event_open, &attr, pid, cpu, -1,
                    PERF_FLAG_FD_CLOEXEC);
  if (fd < 0 && (errno == ENODEV || errno == EINVAL || errno == ESRCH))
    return NULL;
  if (fd < 0)
    err (1, "perf_event_open");
  void *ring = mmap (NULL, (RING_PAGES + 1) * sysconf (_SC_PAGESIZE),
                     PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (ring == MAP_FAILED)
    err (1, "mmap");
  return ring;
}

/* Store the numbers of samples so far.  */
static void
remember (void)
{
  /* Grow the array by powers of two.  */
  if ((nlooks & (nlooks - 1)) == 0)
    {
      looks = reallocarray (looks, nlooks > 0 ? 2 * nlooks : 1, sizeof *looks);
      if (looks == NULL)
        err (1, "memory");
    }
  looks[nlooks++] = code;
}

static void
print (FILE *output)
{
  size_t i = 0;
  while (i < nlooks && looks[i].all < code.all / 2)
    ++i;
  struct code half = i < nlooks ? looks[i] : code;
  fprintf (output, "%lu %lu %lu %lu %lu %lu %lu %" PRIu64 " %" PRIu64 "\n",
           samples, in_text, on_huge, code.all, code.huge, code.all - half.all,
           code.huge - half.huge, most >> 10, most_huge >> 10);
}

static int
by_samples (const void *a, const void *b)
{
  const struct block *x = a, *y = b;
  return (x->samples < y->samples) - (x->samples > y->samples);
}

/* Print the counts, and for each of the N CAPS the samples in the best
   blocks.  */
static void
print_best (FILE *output, char **caps, size_t n)
{
  fprintf (output, "%lu %lu %lu", samples, in_text, on_huge);
  if (nblocks > 0)
    qsort (blocks, nblocks, sizeof *blocks, by_samples);
  for (size_t i = 0; i < n; ++i)
    {
      const size_t cap = strtoul (caps[i], NULL, 10);
      unsigned long int best = 0;
      for (size_t k = 0; k < nblocks && k < cap; ++k)
        best += blocks[k].samples;
      fprintf (output, " %lu", best);
    }
  putc ('\n', output);
}

/* The ring buffers of the sampled threads, for all processors.  */
static struct perf_event_mmap_page *running[4096];
static size_t nrunning;

/* Sample all threads of PID, and all threads that these threads start.  */
static void
begin_threads (pid_t pid, int ncpus)
{
  char path[32];
  snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
  DIR *tasks = opendir (path);
  if (tasks == NULL)
    err (1, "%s", path);
  for (struct dirent *task; (task = readdir (tasks)) != NULL;)
    for (int cpu = 0; task->d_name[0] != '.' && cpu < ncpus; ++cpu)
      if (nrunning < sizeof running / sizeof *running)
        {
          running[nrunning] = begin (atoi (task->d_name), cpu, false);
          nrunning += running[nrunning] != NULL;
        }
  closedir (tasks);
}

/* Sample process PID, which runs, for SECONDS.  */
static void
sample_running (pid_t pid, double seconds, int ncpus)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  const double end = time.tv_sec + time.tv_nsec * 1e-9 + seconds;
  begin_threads (pid, ncpus);
  do
    {
      nanosleep (&(struct timespec){ .tv_nsec = 50000000 }, NULL);
      look_at (pid);
      for (size_t i = 0; i < nrunning; ++i)
        drain (running[i], pid);
      clock_gettime (CLOCK_MONOTONIC, &time);
    }
  while (time.tv_sec + time.tv_nsec * 1e-9 < end && kill (pid, 0) == 0);
}

int
main (int argc, char **argv)
{
  int gate[2], status;
  const int ncpus = sysconf (_SC_NPROCESSORS_CONF);
  if (argc < 3)
    errx (1, "usage: samples OUTPUT COMMAND [ARGUMENT]... | samples OUTPUT"
             " --pid PID SECONDS CAP...");
  FILE *output = fopen (argv[1], "ae");
  if (output == NULL || pipe (gate) != 0)
    err (1, "%s", argv[1]);
  if (argc >= 5 && strcmp (argv[2], "--pid") == 0)
    {
      sample_running (atoi (argv[3]), strtod (argv[4], NULL), ncpus);
      print_best (output, argv + 5, argc - 5);
      return fclose (output) == 0 ? 0 : 1;
    }
  pid_t pid = fork ();
  if (pid < 0)
    err (1, "fork");
  if (pid == 0)
    {
      char go;
      close (gate[1]);
      if (read (gate[0], &go, 1) == 1)
        {
          close (gate[0]);
          execvp (argv[2], argv + 2);
        }
      err (127, "%s", argv[2]);
    }

  struct perf_event_mmap_page *rings[ncpus];
  for (int cpu = 0; cpu < ncpus; ++cpu)
    rings[cpu] = begin (pid, cpu, true);
  if (write (gate[1], "", 1) != 1)
    err (1, "pipe");
  siginfo_t end = { .si_pid = 0 };
  while (end.si_pid == 0)
    {
      nanosleep (&(struct timespec){ .tv_nsec = 50000000 }, NULL);
      if (waitid (P_PID, pid, &end, WEXITED | WNOHANG | WNOWAIT) != 0)
        err (1, "waitid");
      look_at (pid);
      for (int cpu = 0; cpu < ncpus; ++cpu)
        if (rings[cpu] != NULL)
          drain (rings[cpu], pid);
      remember ();
    }
  if (waitpid (pid, &status, 0) != pid)
    err (1, "waitpid");
  print (output);
  if (fclose (output) != 0)
    err (1, "%s", argv[1]);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}
