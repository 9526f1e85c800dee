/* The programs that run, and what was seen of each.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SURVEY_ROWS_H
#define SURVEY_ROWS_H

#include "profile-count.h"
#include "report.h"
#include "survey-tlb.h"

/* A program: all processes of a service that run one file.  */
struct survey_row
{
  char *name;    /* Of the file, without its folder, or as the kernel says. */
  char *path;    /* The file; NULL if it was gone too soon.  */
  char *service; /* As group.h has it.  */
  pid_t pid;     /* One that was there at the end, or 0.  */

  size_t processes, unread;
  size_t starts;   /* While we were looking.  */
  bool short_lived; /* Its processes end before huge pages pay.  */
  struct text_sums sums, made;
  size_t alone;   /* Processes that share no copies with others by fork.  */
  size_t blocks;  /* That one of them can have, about,  */
  size_t copies;  /* and as copies all of them.  */
  bool ours;      /* Our loader is in it.  */
  bool elsewhere; /* All of them have another root directory.  */
  double seconds; /* Of a processor, user mode.  */

  /* Samples.  */
  size_t in_text, in_made, all;
  survey_page *pages; /* Of the first two.  */
  size_t walks;       /* Samples of page walks, where they are counted.  */
  struct survey_misses misses;
  double worth; /* What it is ranked by.  */
};

/* With fewer samples there is no telling which program is worth more: of a
   hundred places that are seen once each all are misses.  Five seconds of one
   busy processor are 10,000.  */
#define SURVEY_LEAST 500

struct survey
{
  struct profile_witness witness; /* Of where programs are,  */
  struct profile_witness walker;  /* and of page walks.  */
  struct survey_row **rows;
  size_t count;
  size_t unread;       /* Processes that cannot be read.  */
  size_t samples;      /* Of all rows.  */
  size_t walks;        /* Of page walks.  */
  size_t stored;       /* Bytes that images of all objects would take.  */
  void *processes; /* By pid, a tree of search.h.  */
  struct survey_object *objects;  /* Files, counted once for the store.  */
  size_t nobjects;
  bool failed; /* There was no memory.  */
  bool too_few; /* Samples, to rank anything by.  */
};

extern void survey_begin (struct survey *survey);

/* Note what processor time all processes have had, when looking begins, and
   count what they had since then when it ends.  */
extern void survey_note_times (struct survey *survey, bool at_end);

/* Look at all processes that run.  */
extern void survey_look (struct survey *survey);

/* Simulate, and put what gains most first.  SAMPLED: there are samples, RATE a
   second of a processor.  */
extern void survey_rank (struct survey *survey, bool sampled, double rate);

extern void survey_free (struct survey *survey);

/* The row that process PID is of, a new one if need be; NULL if that cannot be
   told.  */
extern struct survey_row *survey_row_of (struct survey *survey, pid_t pid);

/* The field NUMBER of /proc/PID/stat, from 4 on; 0 if it cannot be had.  */
extern unsigned long long survey_stat (pid_t pid, unsigned int number);

extern void survey_free_row (struct survey_row *row);

#endif
