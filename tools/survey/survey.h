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
  /* Small pages that a thread has entries for in the first level of the
     instruction TLB of most processors: bench/tlbsim/cpus, where some have 48
     and some more.  */
  SURVEY_ENTRIES = 64,
  /* With fewer samples there is no telling which program is worth more: of a
     hundred places that are seen once each all are misses.  Five seconds of
     one busy processor are 10,000.  */
  SURVEY_LEAST = 500,
};

/* A program: all processes of a service that run one file.  */
struct survey_row
{
  char *name;    /* Of the file, without its folder, or as the kernel says. */
  char *path;    /* The file; NULL if it was gone too soon.  */
  char *service; /* As group.h has it.  */
  pid_t pid;     /* One that was there at the end, or 0.  */

  size_t processes, unread;
  size_t starts;    /* While we were looking.  */
  bool short_lived; /* Its processes end before huge pages pay.  */
  struct text_sums sums;
  bool ours;      /* Our loader is in it.  */
  bool elsewhere; /* All of them have another root directory.  */

  size_t samples, in_text, in_made; /* Text, and code made at run time.  */
  size_t misses;                    /* Of the last two.  */
  uint64_t entries[SURVEY_ENTRIES]; /* The TLB, the last one used first.  */
  size_t nentries;
  double worth; /* The number by which it is ranked.  */
};

struct survey
{
  struct profile_witness witness; /* Of where programs are.  */
  struct survey_row **rows;
  size_t count;
  size_t unread;   /* Processes that cannot be read.  */
  size_t samples;  /* Of all rows.  */
  void *processes; /* By pid, a tree of search.h.  */
  bool failed;     /* There was no memory.  */
  bool too_few;    /* Samples, to rank anything by.  */
};

/* How it was found out.  */
struct survey_how
{
  double seconds;
  const char *event; /* The samples.  */
  bool own;          /* Only processes of our own.  */
  bool all;          /* Every program is wanted.  */
};

extern void survey_begin (struct survey *survey);

/* Look at all processes that run.  */
extern void survey_look (struct survey *survey);

/* Put what gains most first, with RATE samples a second of a processor.  */
extern void survey_rank (struct survey *survey, double rate);

/* Print to standard output.  */
extern void survey_print (const struct survey *survey,
                          const struct survey_how *how);
extern void survey_print_json (const struct survey *survey,
                               const struct survey_how *how);

extern void survey_free (struct survey *survey);

/* The row that process PID is of, a new one if need be; NULL if that cannot be
   told.  */
extern struct survey_row *survey_row_of (struct survey *survey, pid_t pid);

extern void survey_free_row (struct survey_row *row);

/* Look a small PAGE up in ROW's TLB, and count if it misses.  */
extern void survey_execute (struct survey_row *row, uint64_t page);

#endif
