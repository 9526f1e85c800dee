/* Services of systemd, as systemctl describes them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UNIT_H
#define UNIT_H

#include "util/problem.h"
#include "util/filelist.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct unit
{
  char id[NAME_MAX + 1]; /* The unit's name with its suffix.  */
  char load[32], active[32], result[32];
  char command[PATH_MAX]; /* The program that ExecStart= names, or "".  */
  char group[PATH_MAX];   /* The unit's control group, or "".  */
  char root[PATH_MAX];    /* RootDirectory= or RootImage=, or "".  */
  char *parts;            /* The units that are parts of this unit.  */
  bool truncates;         /* StandardOutput= or StandardError= truncates a
                             file.  */
  const char *outlives;   /* The setting that lets processes outlive the unit,
                             or NULL.  */
  pid_t main;             /* The unit's main process, or 0.  */
  long restarts;          /* The number of automatic restarts by systemd.  */
};

/* Whether systemd manages this machine.  */
extern bool unit_systemd_runs (void);

/* Return the full name of the unit NAME, in static memory, or NULL if NAME
   cannot be a unit.  */
extern const char *unit_name (const char *name);

/* Add the names of the services that systemd has loaded to NAMES.  */
extern void unit_list_services (struct file_list *names);

/* Read the facts of the unit NAME.  */
extern bool unit_read (const char *name, struct unit *unit,
                       struct problem *problem);

extern void unit_free (struct unit *unit);

/* Whether UNIT runs, or is starting.  */
extern bool unit_is_up (const struct unit *unit);

/* Run systemctl VERB, with the unit NAME if that is not NULL.  PROBLEM is the
   first line of its output.  */
extern bool unit_do (const char *verb, const char *name,
                     struct problem *problem);

/* List the processes of UNIT.  Return the number of processes; the caller
   frees LIST.  */
extern size_t unit_processes (const struct unit *unit, pid_t **list);

#endif
