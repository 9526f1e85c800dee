/* systemd units, as systemctl describes them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UNIT_H
#define UNIT_H

#include "host/census.h"
#include "host/unitname.h"
#include "util/filelist.h"
#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct unit
{
  char id[NAME_MAX + 1]; /* The full name of the unit, with its suffix.  */
  char load[32], active[32], result[32];
  char command[PATH_MAX]; /* The path of the program in ExecStart=, or "".  */
  char group[PATH_MAX];   /* The control group of the unit, or "".  */
  char root[PATH_MAX];    /* The value of RootDirectory= or RootImage=, or
                             "".  */
  char *parts;            /* The names of the units that are parts of this
                             unit, or NULL.  */
  char *starts;    /* The names of the units that this unit, for example a
                      timer or a socket, starts, or NULL.  */
  char *starters;  /* The names of the units that start this unit, or NULL.  */
  bool truncates;  /* True if a start of the unit truncates a file, because of
                      StandardOutput= or StandardError=.  */
  bool early;      /* True if the unit may start before all filesystems are
                      mounted (DefaultDependencies=no).  */
  bool is_oneshot; /* True if the unit runs a job that ends
                     (Type=oneshot).  */
  bool remains;    /* True if the unit counts as active after its processes
                      have ended (RemainAfterExit=yes).  */
  const char *refuses;  /* The name of the setting because of which systemd
                           refuses to restart the unit on request, or NULL.  */
  const char *outlives; /* The name of a setting that lets processes outlive
                           the unit, or NULL.  */
  pid_t main;           /* The ID of the unit's main process, or 0.  */
  long start_limit;     /* The value of TimeoutStartSec= in seconds, or -1 if
                           it is infinity or unknown.  */
  long restarts;        /* The number of times that systemd has restarted the
                           unit automatically.  */
  long exit_status;     /* The exit status, or signal, with which the unit's
                           main process has ended.  */
  long exited;          /* The time when the unit's main process has ended, in
                           seconds of CLOCK_MONOTONIC, or 0.  */
};

/* Return true if systemd is the service manager of this machine.  */
extern bool unit_systemd_runs (void);

/* The text of the problem if systemd is not the service manager.  */
#define UNIT_NO_SYSTEMD                                                    \
  "systemd is not running here, so there are no services: name a process " \
  "or program, if this command accepts a process or program"

/* Add to NAMES the names of all services that systemd has loaded.  Omit
   services that do not exist.  If the names are unknown, NAMES is empty
   afterwards.  */
extern void unit_list_services (struct file_list *names);

/* Read the facts about the unit NAME into UNIT.  If there is no such unit,
   PROBLEM names units with similar names.  */
extern bool unit_read (const char *name, struct unit *unit,
                       struct problem *problem);

extern void unit_free (struct unit *unit);

/* Return true if unit_read has failed because systemd knows no unit of this
   name.  */
extern bool unit_is_missing (const struct unit *unit);

/* Return true if UNIT is running or starting.  */
extern bool unit_is_up (const struct unit *unit);

/* Some units start UNIT.  Add to NAMES the running services, except UNIT, that
   need UNIT or a unit that starts UNIT.  Omit services that need UNIT itself
   or are part of UNIT, because systemd restarts them together with UNIT.
   systemd does not restart the services that this function adds.  If some of
   these services are unknown, set PROBLEM and return false.  */
extern bool unit_list_clients (const struct unit *unit,
                               struct file_list *names,
                               struct problem *problem);

/* Run systemctl VERB, with the unit NAME as its argument unless NAME is NULL.
   On failure PROBLEM is the first line of systemctl's output.  */
extern bool unit_do (const char *verb, const char *name,
                     struct problem *problem);

/* Set LIST to the IDs of UNIT's COUNT processes in CENSUS, or in a new census
   if CENSUS is NULL.  If UNIT runs, take CENSUS.  The caller frees LIST.  If
   some processes of UNIT may be missing in LIST, set PROBLEM and return false.
   A process may be missing if facts about it are unknown and the kernel lists
   the process in UNIT's control group, or if the kernel's list cannot be
   read.  */
extern bool unit_processes (const struct unit *unit, struct census *census,
                            pid_t **list, size_t *count,
                            struct problem *problem) MAY_BE_UNKNOWN;

#endif
