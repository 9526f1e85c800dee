/* The lines that "hugetext doctor" prints.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHECK_H
#define CHECK_H

/* The level of a line.  */
enum level
{
  LEVEL_OK,
  LEVEL_LIMITED, /* Huge text works, but not as well as it could.  */
  LEVEL_MISSING, /* Huge text does not work without this.  */
};

/* Print a line about WHAT; if LEVEL is not LEVEL_OK, REMEDY says what to
   do.  */
extern void check_line (enum level level, const char *what, const char *remedy,
                        const char *format, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Return a JSON array that gets the lines as objects from now on, in place of
   printing them.  */
struct json_object;
extern struct json_object *check_to_json (void);

/* Return the word for LEVEL.  */
extern const char *check_word (enum level level);

/* Return the worst level of all lines so far.  */
extern enum level check_worst (void);

#endif
