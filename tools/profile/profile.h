/* Samples of where processes spend their time, and profiles made of them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What is told here is what the kernel's performance events say, in the order
   of time: processes come and go, execute programs, map files, and are caught
   at instructions.  */

#ifndef PROFILE_H
#define PROFILE_H

#include "heat/profile-object.h"

/* An object, and where it was caught.  */
struct profile_counted
{
  size_t number; /* Among all.  */
  struct profile_object object;
  struct profile names; /* Only these are used.  */
  uint64_t samples;
  uint64_t process_samples; /* Of all processes that had it.  */
  uint32_t *counts;         /* For each granule; NULL if there are none.  */
};

/* Where a process was caught.  */
enum profile_place
{
  PROFILE_TEXT, /* In text of an object.  */
  PROFILE_MADE, /* In code made at run time.  */
  PROFILE_ELSEWHERE,
};

/* A receiver that is told of processes, too.  */
struct profile_witness
{
  /* PID was caught in PLACE: at ADDRESS, which is OBJECT's own if that is not
     NULL.  */
  void (*sample) (struct profile_witness *witness, pid_t pid,
                  enum profile_place place,
                  const struct profile_counted *object, uint64_t address);
  /* PID is a new process of PARENT's.  */
  void (*fork) (struct profile_witness *witness, pid_t pid, pid_t parent);
  /* PID executes a program that the kernel calls NAME.  */
  void (*exec) (struct profile_witness *witness, pid_t pid, const char *name);
};

struct profile_counts
{
  struct profile_counted **objects;
  size_t nobjects;
  uint64_t samples; /* In user mode, of all kinds but lost ones.  */
  uint64_t text;    /* Samples in text of objects.  */
  uint64_t unread;  /* In objects whose files cannot be read.  */
  uint64_t made;    /* In code made at run time.  */
  uint64_t unknown; /* Where nothing is known to be mapped.  */
  uint64_t system;  /* In the kernel, or in what it maps.  */
  uint64_t lost;
  size_t nprocesses; /* Programs that were caught.  */
  pid_t root;        /* One in whose mount namespace they may be, or 0.  */
  struct process_table *processes;
  struct known_file *files;
  size_t nfiles;
  bool failed;                     /* There was no memory.  */
  struct profile_witness *witness; /* Or NULL.  */
};

extern void profile_counts_begin (struct profile_counts *counts);

/* Process PID has been made by PARENT; or a thread of it, if they are the
   same.  */
extern void profile_count_fork (struct profile_counts *counts, pid_t pid,
                                pid_t parent);

/* Process PID executes a program, which the kernel calls NAME.  */
extern void profile_count_exec (struct profile_counts *counts, pid_t pid,
                                const char *name);

/* A thread of PID has ended.  */
extern void profile_count_exit (struct profile_counts *counts, pid_t pid);

/* Process PID maps, to be executed, what FILE has from OFFSET on; FILE's name
   is in brackets, or "//anon", if it is none.  */
extern void profile_count_map (struct profile_counts *counts, pid_t pid,
                               uint64_t start, uint64_t size, uint64_t offset,
                               const struct profile_file *file);

/* Process PID was caught at ADDRESS.  */
extern void profile_count_sample (struct profile_counts *counts, pid_t pid,
                                  uint64_t address);

/* Learn what PID, which runs, has mapped.  Returns NULL, or why that cannot
   be.  */
extern const char *profile_count_look (struct profile_counts *counts,
                                       pid_t pid);

/* All has been told: make up what is only known then.  */
extern void profile_counts_end (struct profile_counts *counts);

extern void profile_counts_free (struct profile_counts *counts);

/* Samples a second of a processor at work, about.  */
#define PROFILE_RATE 2000

/* The sampled processes, and the result.  */
struct profile_job
{
  char **command; /* Or NULL.  */
  pid_t *pids;    /* Or processes; those that cannot be sampled get 0.  */
  size_t npids;
  bool all;       /* Or all processes, or if that is forbidden all of ours.  */
  double seconds; /* For so long; 0: until all have ended.  */
  /* Says that PID cannot be sampled.  */
  void (*say) (pid_t pid, const char *problem);

  const char *event; /* The counts.  */
  double time;       /* Seconds that it took.  */
  bool own;          /* Not all processes were sampled, but ours only.  */
  pid_t child;       /* The command, 0 if it could not be started.  */
  int error;         /* Why it could not be executed, errno, or 0.  */
  bool ended;        /* The command has, with: */
  int status;
};

/* Sample as JOB says, telling COUNTS, which has begun.  Returns NULL, or why
   nothing could be sampled.  A command may still run then.  */
extern const char *profile_sample (struct profile_job *job,
                                   struct profile_counts *counts);

/* Wait until JOB's command has ended.  */
extern void profile_sample_wait (struct profile_job *job);

/* The result for an object.  */
struct profile_kept
{
  const struct profile_counted *counted;
  const char *problem; /* Why there is no profile of it, or NULL.  */
  bool merged;         /* There was one already.  */
};

/* Says what is wrong with the file, or the object, NAME.  */
typedef void profile_say (const char *name, const char *problem);

/* Put profiles of what is in COUNTS into FOLDER, merged with those that are
   there.  KEPT, to be freed, is set to what became of COUNTS' objects, most
   samples first; strings in it are static, or COUNTS'.  SAY is called for a
   file that was there and is no good.  False if there is no memory.  */
extern bool profile_keep (const struct profile_counts *counts,
                          const char *folder, struct profile_kept **kept,
                          profile_say *say);

#endif
