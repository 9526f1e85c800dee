/* JSON values: made, put together and printed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A library for this would be loaded at each start of the command, also where
   nothing is printed as JSON ("hugetext run").  NULL stands for null, also
   where there is no memory for a value.  */

#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json;

extern struct json *json_new_object (void);
extern struct json *json_new_array (void);
extern struct json *json_new_string (const char *value);
extern struct json *json_new_number (int64_t value);
extern struct json *json_new_true_false (bool value);

/* Return the number whose digits are DIGITS.  */
extern struct json *json_new_digits (const char *digits);

/* Set KEY of OBJECT to VALUE, or append VALUE to ARRAY.  Both take VALUE,
   which is in no other.  */
extern void json_set (struct json *object, const char *key,
                      struct json *value);
extern void json_append (struct json *array, struct json *value);

/* Write VALUE to STREAM: on one line if LINE, else indented.  */
extern void json_write (FILE *stream, const struct json *value, bool line);

/* Free VALUE with all that is in it.  */
extern void json_free (struct json *value);

#endif
