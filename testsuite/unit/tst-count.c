/* Tests of counting samples: a process can cause only limited work.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The test replaces the inspector by one that never answers.  */

#include "plan-test.h"

#include "sample/count.c"

#include <sys/resource.h>

static size_t questions;

bool
inspector_ask (enum inspector_kind kind, pid_t pid, pid_t other,
               struct message *asked, struct message *answer,
               struct problem *problem)
{
  (void) kind, (void) pid, (void) other, (void) answer;
  message_free (asked);
  ++questions;
  return problem_set (problem, INSPECTOR_SILENT);
}

bool
inspector_is (pid_t pid)
{
  (void) pid;
  return false;
}

bool
inspect (pid_t pid, unsigned int flags, struct inspection *found)
{
  (void) pid, (void) flags, (void) found;
  return false;
}

void
inspect_free (struct inspection *found)
{
  (void) found;
}

int
mapped_open_file (pid_t pid, const struct mapping *map)
{
  (void) pid, (void) map;
  return -1;
}

struct sampled_program *
sampled_program (struct sampling *sampling, pid_t pid, bool add,
                 const struct sampled_program *before, const char *name)
{
  (void) sampling, (void) pid, (void) add, (void) before, (void) name;
  return NULL;
}

void
program_execute (struct sampled_program *program, uint64_t place)
{
  (void) program, (void) place;
}

void
program_heat (struct sampled_program *program, uint64_t page, uint64_t pages)
{
  (void) program, (void) page, (void) pages;
}

uintptr_t
procmaps_block (void)
{
  return 2 << 20;
}

enum
{
  MANY = 20000, /* The number of mappings.  (The kernel allows 65,530.)  */
  CPU = 60,     /* The limit of CPU time in seconds.  Without limits in the
                   code, the test would take many minutes.  */
};

/* Let process PID of SAMPLING map the file INODE at PLACE.  */
static void
map_file (struct sampling *sampling, pid_t pid, ino_t inode, size_t place)
{
  const struct mapping mapping = { .start = (place + 1) << 13,
                                   .end = ((place + 1) << 13) + 4096,
                                   .device = 1,
                                   .inode = inode,
                                   .name = "/a" };
  count_map (sampling, pid, &mapping);
}

/* A process with many mappings forks again and again.  */
static void
test_forks (void)
{
  static struct sampling sampling;
  for (size_t i = 0; i < MANY; ++i)
    map_file (&sampling, 10, 1, i);
  for (pid_t pid = 100; pid < 1100; ++pid)
    count_fork (&sampling, pid, 10);
  for (pid_t pid = 100; pid < 1100; ++pid)
    count_exit (&sampling, pid);
  EXPECT_EQUAL (sampling.nprocesses, 1);
  count_exit (&sampling, 10);
  group_done ("forks", 1000);
}

/* A file that cannot be read is mapped again and again, by one process and by
   many.  */
static void
test_looks (void)
{
  static struct sampling sampling;
  questions = 0;
  for (size_t i = 0; i < MANY; ++i)
    map_file (&sampling, 10, 1, 0);
  EXPECT_EQUAL (questions, 1);
  /* Another process may have the file in another mount namespace, so it is
     examined again.  */
  map_file (&sampling, 11, 1, 0);
  EXPECT_EQUAL (questions, 2);
  for (pid_t pid = 100; pid < 1100; ++pid)
    map_file (&sampling, pid, 1, 0);
  EXPECT (questions < 100);
  group_done ("looks", MANY);
}

/* Processes map more files than there can be objects.  */
static void
test_files (void)
{
  static struct sampling sampling;
  questions = 0;
  for (size_t i = 0; i < MANY; ++i)
    map_file (&sampling, 10, 1 + i, 0);
  EXPECT (questions < 10000 && sampling.nobjects < 10000);
  /* What was already known stays known.  */
  EXPECT (sample_count_find_object (
              &sampling, &(struct mapping){ .device = 1, .inode = 1 })
          != NULL);
  group_done ("files", MANY);
}

/* A child begins with the mappings of its parent, and the object's samples
   are counted once for each of the two.  */
static void
test_samples (void)
{
  static struct sampling sampling;
  map_file (&sampling, 10, 1, 0);
  map_file (&sampling, 10, 1, 5);
  map_file (&sampling, 10, 2, 7);
  count_fork (&sampling, 11, 10);
  for (int i = 0; i < 3; ++i)
    count_sample (&sampling, 11, (1 << 13) + 8, true);
  count_sample (&sampling, 10, (1 << 13) + 8, true);
  count_end (&sampling);
  EXPECT_EQUAL (sampling.objects[0]->profile.samples, 4);
  EXPECT_EQUAL (sampling.objects[0]->profile.process_samples, 4);
  EXPECT_EQUAL (sampling.objects[1]->profile.samples, 0);
  EXPECT_EQUAL (sampling.objects[1]->profile.process_samples, 4);
  group_done ("samples", 4);
}

int
main (void)
{
  const struct rlimit limit = { CPU, CPU };
  setrlimit (RLIMIT_CPU, &limit);
  test_samples ();
  test_looks ();
  test_files ();
  test_forks ();
  return 0;
}
