/* The effect of an entry: how much text of its processes is huge, and why not
   more.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EFFECT_H
#define EFFECT_H

#include "index/entry.h"
#include "host/unit.h"
#include "text/report.h"

/* How a program gets our loader.  */
enum way
{
  WAY_BOUND,  /* By the drop-in of its service.  */
  WAY_SYSTEM, /* It is the system's loader.  */
  WAY_NAMED,  /* The program names it (PT_INTERP).  */
  WAY_PRIMED, /* It does not, being static: its file is primed before its
                 service starts, by a drop-in.  */
  WAY_NONE,   /* It does not.  */
};

struct effect
{
  enum way way;
  pid_t *processes;
  size_t count;  /* Of processes that run the programs,  */
  size_t ours;   /* under our loader, or primed,  */
  size_t closed; /* and that could not be read.  */
  struct text_sums sums;
  /* In one line each, "" if there is nothing to say.  */
  char trouble[1024]; /* It does not start on huge text.  */
  char small[1024];   /* Why text is on small pages, where much is.  */
};

/* The way of the programs of ENTRY, if it is a service BOUND or PRIMED: by
   drop-in.  */
extern enum way effect_way (const struct entry *entry);

/* Find out about ENTRY; LOADER is that given on the command line, or NULL.  */
extern void effect_read (const struct entry *entry, const char *loader,
                         struct effect *effect);

extern void effect_free (struct effect *effect);

/* Whether UNIT has been started since FILE was written.  */
extern bool effect_is_since (const struct unit *unit, const char *file);

/* The name of WAY, in JSON and in tables.  */
extern const char *effect_way_name (enum way way);

#endif
