/* Sums over the processes of each service, and over all.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOTALS_H
#define TOTALS_H

#include "text/cost.h"
#include "index/entry.h"
#include "text/inspect.h"
#include "text/report.h"

#include <json-c/json.h>
#include <stdio.h>

/* The total of one service.  */
struct total
{
  char *service;    /* The service's name, as in group.h; NULL for the whole
                       machine.  */
  size_t processes; /* The number of processes that could be read.  */
  size_t outdated;  /* The number of processes whose settings have changed
                       since they started.  */
  size_t unread;    /* The number of processes that could not be read.  */
  size_t ours;      /* The number of processes under ld-hugetext.so.  */
  size_t full;      /* The number of processes under ld-hugetext.so that have
                       as many blocks as the cap allows.  */
  size_t copying;   /* The number of processes under ld-hugetext.so that have
                       copies of text.  */
  size_t disabled;  /* The number of processes under ld-hugetext.so that have
                       switched transparent huge pages off for themselves.  */
  size_t reclaimed; /* Bytes of text that was on huge pages and is on small
                       pages now.  */
  size_t limit;     /* The smallest limit of huge pages of a process under
                       ld-hugetext.so; 0 if none has a limit.  */
  struct text_sums sums;
  size_t huge[BACKINGS]; /* Bytes of text, by the number of the backing.  */
  struct cost cost;
};

/* A block of a file of which a process has a copy.  */
struct copied_block
{
  dev_t device;
  ino_t inode;
  uintptr_t address;   /* The block's link-time address.  */
  const char *service; /* The service of the process.  */
};

struct totals
{
  struct total *list;
  size_t count;
  struct total all;
  struct copied_block *copied; /* The copied blocks: an element for each copy
                                  in each process.  */
  size_t ncopied;
};

/* Add FOUND to TOTALS.  Its cost has been computed.  */
extern void totals_add (struct totals *totals, const struct inspection *found);

/* Add FOUND, which could not be read, to TOTALS.  */
extern void totals_add_unread (struct totals *totals,
                               const struct inspection *found);

/* Return the bytes that images of the copied blocks would use.  All processes
   of SERVICE, or of all services if SERVICE is NULL, would share one image of
   an object.  */
extern size_t totals_as_images (struct totals *totals, const char *service);

/* Sort the services by text on small pages, the largest first.  */
extern void totals_sort (struct totals *totals);

/* Return an array of all services as JSON, or print all services in
   Prometheus' text format.  Both have the same numbers.  */
extern struct json_object *totals_json (const struct totals *totals);
extern void totals_metrics (FILE *stream, const struct totals *totals);

/* Print a metric of the services among the COUNT entries of LIST.  */
extern void totals_metric_enabled (FILE *stream, const struct entry *list,
                                   size_t count);

/* Print the guard's result of its trial of the loader, for each service among
   the COUNT entries of LIST.  */
extern void totals_metric_trial (FILE *stream, const struct entry *list,
                                 size_t count);

/* Print the number VALUE of the machine as the metric NAME.  */
extern void totals_metric (FILE *stream, const char *name, const char *help,
                           size_t value);

/* Print the metric NAME, whose value is its LABELS: names and values in turn,
   ended by NULL.  */
extern void totals_info (FILE *stream, const char *name, const char *help,
                         const char *const *labels);

extern void totals_free (struct totals *totals);

#endif
