/* The lines of "hugetext doctor" about obstacles to huge text on the machine
   or in a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef DOCTOR_H
#define DOCTOR_H

#include "object/reason.h"

#include <json-c/json.h>

/* The level of a finding, which is one line of the output.  */
enum doctor_level
{
  LEVEL_OK,
  LEVEL_LIMITED, /* In spite of the finding, huge text works, but could work
                    better.  */
  LEVEL_MISSING, /* The finding is a problem that keeps huge text from
                    working.  */
};

/* Print a line about WHAT with LEVEL.  If LEVEL is not LEVEL_OK, the line ends
   with the remedy.  REMEDIES contain one remedy for each kind of place in
   which the user's programs can run: started by a command, in a service, or in
   a container (host/where.h).  */
extern void doctor_say (enum doctor_level level, const char *what,
                        struct remedies remedies, const char *format, ...)
    __attribute__ ((format (printf, 4, 5)));

/* No remedy, for LEVEL_OK.  */
#define NO_REMEDY REMEDIES (NOWHERE)

/* From this call on, add each line as an object to a JSON array instead of
   printing it.  Return this array.  */
extern struct json_object *doctor_to_json (void);

/* Print the versions and the facts about the machine that a bug report needs,
   for SETTINGS and LOADER (NULL means the installed loader).  After this call,
   the lines of the report contain no names of hosts, users or processes, and
   name only files in the system's directories.  */
extern void doctor_report (const struct settings *settings,
                           const char *loader);

/* Return the word for LEVEL.  */
extern const char *doctor_word (enum doctor_level level);

/* Return the worst level of all lines so far.  */
extern enum doctor_level doctor_worst (void);

/* Check whether LOADER (NULL means the installed loader) can be used.  Also
   check whether the machine and the rights of this process permit what
   SETTINGS ask for.  */
extern void doctor_machine (const struct settings *settings,
                            const char *loader);

/* Check whether the program NAME gets huge text under LOADER (NULL means the
   installed loader) with SETTINGS.  */
extern void doctor_program (const char *name, const char *loader,
                            const struct settings *settings);

#endif
