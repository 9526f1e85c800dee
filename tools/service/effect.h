/* The effect of an entry: how much text of its processes is huge, and why not
   more.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EFFECT_H
#define EFFECT_H

#include "index/entry.h"
#include "host/unit.h"
#include "text/report.h"

/* The way in which a program gets our loader.  */
enum way
{
  WAY_BOUND,  /* By the drop-in of its service.  */
  WAY_SYSTEM, /* Our loader is the system's loader.  */
  WAY_NAMED,  /* The program names it (PT_INTERP).  */
  WAY_PRIMED, /* A static program has no loader: a drop-in primes its file
                 before the service starts.  */
  WAY_NONE,   /* The program does not get our loader.  */
};

struct effect
{
  enum way way;
  pid_t *processes;
  size_t count;  /* Number of processes that run the programs,  */
  size_t ours;   /* under our loader, or primed,  */
  size_t closed; /* and of processes that could not be read.  */
  struct text_sums sums;
  /* One line each, "" if there is none.  */
  char trouble[1024]; /* Why the programs do not start on huge text.  */
  char small[1024];   /* Why much text is on small pages.  */
};

/* Return the way of ENTRY's programs; of a service, whether it is BOUND or
   PRIMED by its drop-in.  */
extern enum way effect_way (const struct entry *entry);

/* Read the effect of ENTRY; LOADER is the one given on the command line, or
   NULL.  */
extern void effect_read (const struct entry *entry, const char *loader,
                         struct effect *effect);

extern void effect_free (struct effect *effect);

/* Whether UNIT has been started since FILE was written.  */
extern bool effect_is_since (const struct unit *unit, const char *file);

/* Return the name of WAY, in JSON and in tables.  */
extern const char *effect_way_name (enum way way);

#endif
