/* Patterns of the index, and names that match them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A pattern is a string: "?" matches any character but a slash, "*" any number
   of them, "**" any number of any characters.  All other characters match
   themselves.  The functions make no system call.  */

#ifndef _DL_HUGETEXT_PATTERN_H
#define _DL_HUGETEXT_PATTERN_H 1

#include <stdbool.h>
#include <stddef.h>

#ifndef attribute_hidden
#  define attribute_hidden __attribute__ ((visibility ("hidden")))
#endif

/* Whether all of NAME matches the LENGTH characters at PATTERN.  */
extern bool hugetext_match (const char *pattern, size_t length,
                            const char *name) attribute_hidden;

/* The part of NAME behind its last slash, all of it if there is none.  */
extern const char *hugetext_base_name (const char *name) attribute_hidden;

/* Whether LIST allows an object named NAME to have huge pages.  LIST has
   patterns with blanks between them; the last pattern that matches decides: no
   if it begins with "!", yes otherwise.  A pattern without a slash is compared
   with the base name.  If no pattern matches, the answer is the opposite of
   the first pattern's.  An empty list allows all objects.  */
extern bool hugetext_objects_allow (const char *list,
                                    const char *name) attribute_hidden;

#endif /* dl-hugetext-pattern.h */
