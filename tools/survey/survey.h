/* A survey: which running programs would gain from text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Samples are no trace: between two of them are a million instructions.  But
   they come from the pages that are executed, as often as these are, so a TLB
   that is given them one after the other misses where the program has many
   pages with as much to do, and holds what loops in a few.  So much is
   comparable between programs; how many misses there are is not known.  */

#ifndef SURVEY_H
#define SURVEY_H

#include "profile/profile.h"
#include "text/report.h"

enum
{
  /* The number of small pages for which a thread has entries in the first
     level of the instruction TLB of most processors: bench/tlbsim/cpus, where
     some have 48 and some more.  */
  SURVEY_ENTRIES = 64,
  /* The fewest samples that rank programs: of a hundred places with one sample
     each, all are misses.  Five seconds of one busy processor are 10,000.  */
  SURVEY_LEAST = 500,
};

/* A program: all processes of a service that run one file.  */
struct survey_row
{
  char *name;    /* The file's name without its folder, or the kernel's
                    name.  */
  char *path;    /* The file's path; NULL if the process ended too soon.  */
  char *service; /* The service's name by group.h.  */
  pid_t pid;     /* A process that ran at the end, or 0.  */

  size_t processes, unread;
  size_t starts;    /* Starts of processes during the sampling.  */
  bool short_lived; /* Its processes end before huge pages pay.  */
  struct text_sums sums;
  bool ours;      /* The program's processes have our loader.  */
  bool elsewhere; /* All processes have another root directory.  */

  size_t samples, in_text, in_made; /* Samples in all, in text, and in code
                                       made at run time.  */
  size_t misses;                    /* Misses among the last two.  */
  uint64_t entries[SURVEY_ENTRIES]; /* The simulated TLB, the latest page
                                       first.  */
  size_t nentries;
  double worth; /* The number by which rows are ranked.  */
};

struct survey
{
  struct profile_witness witness; /* The witness of samples.  */
  struct survey_row **rows;
  size_t count;
  size_t unread;   /* Number of processes that cannot be read.  */
  size_t samples;  /* Samples of all rows.  */
  void *processes; /* Processes by ID, a tree of <search.h>.  */
  bool failed;     /* Allocation failed.  */
  bool too_few;    /* There are too few samples for a ranking.  */
};

/* The way in which a survey was made.  */
struct survey_how
{
  double seconds;
  const char *event; /* The event that was sampled.  */
  bool own;          /* Only this user's processes were sampled.  */
  bool all;          /* The user wants every program.  */
};

extern void survey_begin (struct survey *survey);

/* Inspect all running processes.  */
extern void survey_look (struct survey *survey);

/* Sort rows by worth, most first, at RATE samples a second of a processor.  */
extern void survey_rank (struct survey *survey, double rate);

/* Print the survey to standard output.  */
extern void survey_print (const struct survey *survey,
                          const struct survey_how *how);
extern void survey_print_json (const struct survey *survey,
                               const struct survey_how *how);

extern void survey_free (struct survey *survey);

/* Return the row of process PID, a new one if needed; NULL if it is not
   known.  */
extern struct survey_row *survey_row_of (struct survey *survey, pid_t pid);

extern void survey_free_row (struct survey_row *row);

/* Look a small PAGE up in ROW's TLB, and count a miss.  */
extern void survey_execute (struct survey_row *row, uint64_t page);

#endif
