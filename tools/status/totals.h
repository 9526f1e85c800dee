/* Totals: sums over the processes of each service, and over all processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOTALS_H
#define TOTALS_H

#include "text/cost.h"
#include "object/reason.h"
#include "index/entry.h"
#include "text/inspect.h"
#include "text/report.h"

#include <json-c/json.h>
#include <stdio.h>

/* The number of processes under one build of one version of
   ld-hugetext.so.  */
struct version_count
{
  char version[sizeof ((struct inspection *) NULL)->version];
  char build[sizeof ((struct inspection *) NULL)->build];
  size_t processes;
};

/* The total of one service.  */
struct total
{
  char *service;    /* The name of the service (group.h), or NULL for the
                       whole machine.  */
  size_t processes; /* The number of processes that could be read.  */
  size_t outdated;  /* The number of processes whose settings have changed
                       since they started.  */
  size_t unread;    /* The number of processes that could not be read.  */
  size_t ours;      /* The number of processes under ld-hugetext.so.  */
  size_t full;      /* The number of processes under ld-hugetext.so that have
                       used up their cap.  */
  size_t copying;   /* The number of processes under ld-hugetext.so that have
                       copies of text.  */
  size_t disabled;  /* The number of processes under ld-hugetext.so that have
                       switched transparent huge pages off for themselves.  */
  size_t reclaimed; /* The number of bytes of text that are on small pages now
                       although the loader had put them on huge pages.  */
  size_t limit;     /* The smallest limit of huge pages among the processes
                       under ld-hugetext.so, or 0 if no process has a
                       limit.  */
  struct text_sums sums;
  size_t huge[BACKINGS]; /* The number of bytes of huge text, for each
                            backing.  */
  struct cost cost;
  struct version_count *versions; /* The builds of ld-hugetext.so under which
                                     the processes run.  */
  size_t nversions;
};

/* A block of a file; at least one process has a copy of the block.  */
struct copied_block
{
  dev_t device;
  ino_t inode;
  uintptr_t address;   /* The link-time address of the block.  */
  const char *service; /* The service whose process has the copy.  */
};

/* A file, not in a container, whose text at least one process has copied.  */
struct copied_file
{
  char *name;
  dev_t device;
  ino_t inode;
  const char *service;       /* The service of the process.  */
  struct settings settings;  /* The settings of the process.  */
  struct reason_about about; /* The facts about the process that its remedies
                                need.  */
};

struct totals
{
  struct total *list;
  size_t count;
  struct total all;
  struct copied_block *copied; /* The copied blocks, with one element for each
                                  copy in each process.  */
  size_t ncopied;
  struct copied_file *files; /* The files with copies.  A file is listed once
                                for each service whose processes have copies of
                                it.  */
  size_t nfiles;
};

/* Add FOUND, whose cost has been computed, to TOTALS.  */
extern void totals_add (struct totals *totals, const struct inspection *found);

/* Add FOUND, a process that could not be inspected, to TOTALS.  */
extern void totals_add_unread (struct totals *totals,
                               const struct inspection *found);

/* Return how many bytes the copied text would use if SERVICE's processes
   shared an image of each object instead of having copies.  If SERVICE is
   NULL, return the number for all processes.  Count only blocks of which the
   processes have copies.  */
extern size_t totals_as_images (struct totals *totals, const char *service);

/* Call reason_advise with REMEDY, for the files whose text SERVICE's processes
   have copied.  If SERVICE is NULL, do this for the processes of all services.
   If all processes with copies are in containers, set WORDS to "" and return
   false.  */
extern bool totals_advise (const struct totals *totals, const char *service,
                           const char *remedy, char words[static REASON_SIZE]);

/* Sort the services by their text on small pages, most text first.  */
extern void totals_sort (struct totals *totals);

/* Return all services as an array for JSON (totals_json), or print them as
   metrics in Prometheus' text format.  The JSON and the metrics contain the
   same numbers.  */
extern struct json_object *totals_json (const struct totals *totals);
extern void totals_metrics (FILE *stream, const struct totals *totals);

/* Print a metric with the entries for services among the COUNT entries of
   LIST.  */
extern void totals_metric_enabled (FILE *stream, const struct entry *list,
                                   size_t count);

/* For each service among the COUNT entries of LIST, print the result of the
   guard's trial of the loader.  */
extern void totals_metric_trial (FILE *stream, const struct entry *list,
                                 size_t count);

/* For each adaptive service among the COUNT entries of LIST, print that it is
   adaptive.  If "hugetext adapt" has ever succeeded for the service, also
   print when the last successful run ended.  */
extern void totals_metric_adaptive (FILE *stream, const struct entry *list,
                                    size_t count);

/* Print the metric NAME of the whole machine, with the value VALUE.  */
extern void totals_metric (FILE *stream, const char *name, const char *help,
                           size_t value);

/* Print the metric NAME with the value 1; the labels contain the information.
   LABELS contains the name of a label, its value, the next name and so on,
   with NULL at the end.  */
extern void totals_info (FILE *stream, const char *name, const char *help,
                         const char *const *labels);

extern void totals_free (struct totals *totals);

#endif
