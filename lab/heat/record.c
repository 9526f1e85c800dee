/* A record of a start: which blocks of text each call of dlopen adds, which
   blocks run between the calls, and where the program spends its time once it
   is warm.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A library for LD_PRELOAD, which lab/heat/record builds and uses.  RECORD is
   the beginning of the output's name, to which the process ID is added.  For
   each call of dlopen, the library writes two parts, one before the call and
   one after it.  A part begins with a line

     S CALL before|after|start|end THREADS SECONDS NAME

   After that, there is a line for each block of 2 MiB and each FILE that has
   executable pages in the block:

     B BLOCK PAGES PRESENT FILE

   BLOCK is the block's address, PAGES the number of executable pages that FILE
   has in the block, and PRESENT how many of them this process has accessed
   since the previous part.  After writing a part, the library unmaps the
   executable pages of files (MADV_DONTNEED), so the next access maps them
   again, sixteen adjacent pages at a time.

   The real-time signal SAMPLE starts the sampling, at regular intervals of CPU
   time.  On the signal END, the library writes a last part, and ends the
   process.  The lines "I BLOCK" of the last part are the samples.  */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096UL
#define BLOCK (2UL << 20)
#define SAMPLE (SIGRTMIN + 10)
#define END (SIGRTMIN + 11)
#define SAMPLES_MAX 200000
#define PERIOD 1000 /* Microseconds.  */

static FILE *output;
static int pagemap = -1;
static int call;  /* The number of the last call of dlopen.  */
static int depth; /* The calls of dlopen that have not returned.  */
static uintptr_t samples[SAMPLES_MAX];
static int nsamples; /* The number of all samples, of which the program keeps
                        SAMPLES_MAX.  */

static int
record_threads (void)
{
  int count = 0;
  DIR *directory = opendir ("/proc/self/task");
  for (struct dirent *entry;
       directory != NULL && (entry = readdir (directory)) != NULL;)
    count += entry->d_name[0] != '.';
  if (directory != NULL)
    closedir (directory);
  return count;
}

/* Write the blocks of the executable mapping [START, END) of FILE.  */
static void
record_mapping (uintptr_t start, uintptr_t end, const char *file)
{
  for (uintptr_t block = start & -BLOCK; block < end; block += BLOCK)
    {
      const uintptr_t low = block < start ? start : block;
      const uintptr_t high = block + BLOCK < end ? block + BLOCK : end;
      const size_t count = (high - low) / PAGE;
      uint64_t entries[BLOCK / PAGE];
      const ssize_t size = count * sizeof *entries;
      size_t present = 0;
      if (pread (pagemap, entries, size, low / PAGE * sizeof *entries) == size)
        for (size_t i = 0; i < count; ++i)
          present += entries[i] >> 63;
      fprintf (output, "B %lx %zu %zu %s\n", (unsigned long) block, count,
               present, file);
    }
}

/* Write the part WHEN for the present call of dlopen, which opens the library
   NAME.  */
static void
record_part (const char *when, const char *name)
{
  char line[8192];
  struct timespec now;
  if (output == NULL)
    return;
  clock_gettime (CLOCK_MONOTONIC, &now);
  fprintf (output, "S %d %s %d %ld.%03ld %s\n", call, when, record_threads (),
           (long) now.tv_sec, now.tv_nsec / 1000000, name);
  FILE *maps = fopen ("/proc/self/maps", "re");
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    {
      unsigned long start, end;
      char rights[8];
      int at = 0;
      line[strcspn (line, "\n")] = '\0';
      if (sscanf (line, "%lx-%lx %7s %*s %*s %*s %n", &start, &end, rights,
                  &at)
              < 3
          || rights[1] == 'w' || rights[2] != 'x' || line[at] != '/')
        continue;
      record_mapping (start, end, line + at);
      madvise ((void *) start, end - start, MADV_DONTNEED);
    }
  if (maps != NULL)
    fclose (maps);
  fflush (output);
}

static void
record_sample (int signal, siginfo_t *info, void *context)
{
  (void) signal;
  (void) info;
  const ucontext_t *interrupted = context;
  /* Several threads may take a sample at the same time.  */
  const int i = __atomic_fetch_add (&nsamples, 1, __ATOMIC_RELAXED);
  if (i < SAMPLES_MAX)
    samples[i] = interrupted->uc_mcontext.gregs[REG_RIP] & -(greg_t) BLOCK;
}

static void
record_begin_samples (int signal)
{
  (void) signal;
  const struct itimerval often = { { 0, PERIOD }, { 0, PERIOD } };
  setitimer (ITIMER_PROF, &often, NULL);
}

static void
record_end (int signal)
{
  (void) signal;
  const struct itimerval never = { { 0, 0 }, { 0, 0 } };
  setitimer (ITIMER_PROF, &never, NULL);
  ++call;
  record_part ("end", "-");
  const int all = __atomic_load_n (&nsamples, __ATOMIC_RELAXED);
  for (int i = 0; i < all && i < SAMPLES_MAX; ++i)
    fprintf (output, "I %lx\n", (unsigned long) samples[i]);
  fflush (output);
  _exit (0);
}

static void __attribute__ ((constructor)) record_start (void)
{
  const char *name = getenv ("RECORD");
  char file[4096];
  if (name == NULL)
    return;
  snprintf (file, sizeof file, "%s.%d", name, (int) getpid ());
  output = fopen (file, "we");
  pagemap = open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  signal (SAMPLE, record_begin_samples);
  signal (END, record_end);
  struct sigaction action
      = { .sa_sigaction = record_sample, .sa_flags = SA_SIGINFO | SA_RESTART };
  sigaction (SIGPROF, &action, NULL);
  record_part ("start", "-");
}

/* This function replaces libc's function of the same name.  */
void *
dlopen (const char *name, int flags)
{
  void *(*real) (const char *, int) = dlsym (RTLD_NEXT, "dlopen");
  if (name == NULL || (flags & RTLD_NOLOAD) != 0)
    return real (name, flags);
  if (depth++ == 0)
    {
      ++call;
      record_part ("before", name);
    }
  void *handle = real (name, flags);
  if (--depth == 0)
    record_part ("after", name);
  return handle;
}
