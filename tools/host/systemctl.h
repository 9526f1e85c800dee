/* Run systemctl, and read what it prints about units.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Names and commands of units may come from packages, generators and users, so
   an unprivileged child parses systemctl's output.  */

#ifndef SYSTEMCTL_H
#define SYSTEMCTL_H

#include "host/unit.h"

/* Run systemctl with the arguments ARGV, whose first word is "systemctl", and
   wait as long as systemd may take to start or stop a service.  On failure
   PROBLEM is the first line of systemctl's output.  */
extern bool systemctl_do (const char *const argv[], struct problem *problem);

/* Ask systemctl about the unit NAME, and set the members of UNIT, which must
   be initialised before the call.  The load state in UNIT shows whether the
   unit exists.  The caller frees UNIT even if the function fails.  */
extern bool systemctl_show (const char *name, struct unit *unit,
                            struct problem *problem);

/* Add to NAMES the services that systemctl lists.  If some of the services
   are unknown, set PROBLEM and return false.  */
extern bool systemctl_services (struct file_list *names,
                                struct problem *problem);

/* The properties PROPERTIES of the unit NAME contain names of units.  Add the
   services among these units to NAMES, except the service with the name ID.
   PROPERTIES has commas between the names of properties.  If some of the named
   services are unknown, set PROBLEM and return false.  */
extern bool systemctl_related (const char *name, const char *properties,
                               const char *id, struct file_list *names,
                               struct problem *problem);

#endif
