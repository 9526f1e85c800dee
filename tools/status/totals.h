/* Sums over the processes of each service, and over all.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOTALS_H
#define TOTALS_H

#include "text/cost.h"
#include "text/inspect.h"
#include "text/report.h"

#include <json-c/json.h>

/* Of one service.  */
struct total
{
  char *service;    /* As group.h has it; NULL: of the machine.  */
  size_t processes; /* Processes that could be read.  */
  size_t unread;    /* Processes that could not.  */
  size_t ours;      /* Loaded by our loader.  */
  size_t full;      /* Of those, with as many blocks as they may have.  */
  struct text_sums sums;
  size_t huge[BACKINGS]; /* Bytes of text, by the number of the backing.  */
  size_t blocks;         /* Huge ones, of our loader's processes.  */
  size_t cap;            /* Huge pages that these may have.  */
  struct text_sums made; /* Code made at run time.  */
  struct cost cost;
};

struct totals
{
  struct total *list;
  size_t count;
  struct total all;
};

/* Count FOUND, which costs COST.  */
extern void totals_add (struct totals *totals, const struct inspection *found,
                        const struct cost *cost);

/* Count PID, which could not be read.  */
extern void totals_add_unread (struct totals *totals, pid_t pid);

/* Most text on small pages first.  */
extern void totals_sort (struct totals *totals);

/* All services as JSON, an array.  */
extern struct json_object *totals_json (const struct totals *totals);

extern void totals_free (struct totals *totals);

#endif
