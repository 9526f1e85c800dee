/* Samples of processes, and the profiles made of them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions below take the records of the kernel's performance events, in
   the order of time: processes come and go, execute programs, map files, and
   are sampled at instructions.  */

#ifndef PROFILE_H
#define PROFILE_H

#include "heat/profile-object.h"

/* An object, and the samples of it.  */
struct profile_counted
{
  size_t number; /* The object's number among all.  */
  struct profile_object object;
  struct profile names; /* A profile of which only the names are used.  */
  uint64_t samples;
  uint64_t process_samples; /* Samples of all processes that had the
                               object.  */
  uint32_t *counts;         /* Samples for each granule; NULL if there are
                               none.  */
};

/* The place of a sample.  */
enum profile_place
{
  PROFILE_TEXT, /* In text of an object.  */
  PROFILE_MADE, /* In code made at run time.  */
  PROFILE_ELSEWHERE,
};

/* A witness: a receiver of processes and samples.  */
struct profile_witness
{
  /* A sample of PID in PLACE, at ADDRESS, which is a link-time address if
     OBJECT is not NULL.  */
  void (*sample) (struct profile_witness *witness, pid_t pid,
                  enum profile_place place,
                  const struct profile_counted *object, uint64_t address);
  /* PID is a new process, forked by PARENT.  */
  void (*fork) (struct profile_witness *witness, pid_t pid, pid_t parent);
  /* PID executes a program that the kernel calls NAME.  */
  void (*exec) (struct profile_witness *witness, pid_t pid, const char *name);
};

struct profile_counts
{
  struct profile_counted **objects;
  size_t nobjects;
  uint64_t samples; /* Samples in user mode, of all kinds but lost ones.  */
  uint64_t text;    /* Samples in text of objects.  */
  uint64_t unread;  /* Samples in objects whose files cannot be read.  */
  uint64_t made;    /* Samples in code made at run time.  */
  uint64_t unknown; /* Samples at addresses without a known mapping.  */
  uint64_t system;  /* Samples in the kernel, or in its mappings.  */
  uint64_t lost;
  size_t nprocesses; /* Number of programs with samples.  */
  pid_t root;        /* A process in whose mount namespace the files may be, or
                        0.  */
  struct process_table *processes;
  struct known_file *files;
  size_t nfiles;
  bool failed;                     /* There was no memory.  */
  struct profile_witness *witness; /* The witness, or NULL.  */
};

extern void profile_counts_begin (struct profile_counts *counts);

/* Process PID was forked by PARENT; or a thread of it, if they are the
   same.  */
extern void profile_count_fork (struct profile_counts *counts, pid_t pid,
                                pid_t parent);

/* Process PID executes a program, which the kernel calls NAME.  */
extern void profile_count_exec (struct profile_counts *counts, pid_t pid,
                                const char *name);

/* A thread of PID has ended.  */
extern void profile_count_exit (struct profile_counts *counts, pid_t pid);

/* Process PID maps FILE, from OFFSET on, executable; if it is no file, FILE's
   name is in brackets, or "//anon".  */
extern void profile_count_map (struct profile_counts *counts, pid_t pid,
                               uint64_t start, uint64_t size, uint64_t offset,
                               const struct profile_file *file);

/* Process PID has a sample at ADDRESS.  */
extern void profile_count_sample (struct profile_counts *counts, pid_t pid,
                                  uint64_t address);

/* Learn the mappings of PID, which runs.  Return NULL, or why that is not
   possible.  */
extern const char *profile_count_look (struct profile_counts *counts,
                                       pid_t pid);

/* Complete the counts after the last record.  */
extern void profile_counts_end (struct profile_counts *counts);

extern void profile_counts_free (struct profile_counts *counts);

/* Samples a second of a busy processor, about.  */
#define PROFILE_RATE 2000

/* The sampled processes, and the result.  */
struct profile_job
{
  char **command; /* The command, or NULL.  */
  pid_t *pids;    /* The processes, if there is no command; those that cannot
                     be sampled get 0.  */
  size_t npids;
  bool all;       /* Sample all processes, or if that is forbidden all of this
                     user's.  */
  double seconds; /* Sample for this time; 0 for until all have ended.  */
  /* Reports that PID cannot be sampled.  */
  void (*say) (pid_t pid, const char *problem);

  const char *event; /* The event that was counted.  */
  double time;       /* Seconds that the sampling took.  */
  bool own;          /* Only this user's processes were sampled.  */
  pid_t child;       /* The command's process, 0 if it could not be
                        started.  */
  int error;         /* Why the command could not be executed, errno, or 0.  */
  bool ended;        /* The command has ended, with:  */
  int status;
};

/* Sample by JOB into COUNTS, which has begun.  Return NULL, or why no process
   could be sampled.  A command may still run then.  */
extern const char *profile_sample (struct profile_job *job,
                                   struct profile_counts *counts);

/* Wait until JOB's command has ended.  */
extern void profile_sample_wait (struct profile_job *job);

/* The result for an object.  */
struct profile_kept
{
  const struct profile_counted *counted;
  const char *problem; /* Why there is no profile of the object, or NULL.  */
  bool merged;         /* The profile was merged with an earlier one.  */
};

/* A function that reports PROBLEM of the file or object NAME.  */
typedef void profile_say (const char *name, const char *problem);

/* Write profiles of the objects in COUNTS to FOLDER, merged with existing
   ones.  Set KEPT, which the caller frees, to the result for each object, most
   samples first; its strings are static, or COUNTS's.  SAY is called for each
   wrong file.  False if there is no memory.  */
extern bool profile_keep (const struct profile_counts *counts,
                          const char *folder, struct profile_kept **kept,
                          profile_say *say);

#endif
