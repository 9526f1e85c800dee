/* JSON: short names for json-c's functions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UTIL_JSON_H
#define UTIL_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Return VALUE as a JSON string, with unprintable characters replaced, or
   NULL if VALUE is NULL.  */
extern struct json_object *json_string (const char *value);

/* Return VALUE as a JSON number with nine significant digits, or NULL for NAN
   and INFINITY, which JSON does not have.  */
extern struct json_object *json_precise (double value);

/* Return a new object for the output of a verb, with the key "version".  As
   long as the version is the same, releases may add keys, but never remove
   keys or change their meaning.  */
extern struct json_object *json_begin (void);

/* Set KEY of OBJECT to a value.  Unprintable characters in strings are
   replaced, as in json_string.  */
extern void json_set_string (struct json_object *object, const char *key,
                             const char *value);
extern void json_set_number (struct json_object *object, const char *key,
                             int64_t value);
/* Set a number with three digits after the decimal point.  */
extern void json_set_fraction (struct json_object *object, const char *key,
                               double value);
extern void json_set_true_false (struct json_object *object, const char *key,
                                 bool value);
/* Set KEY to an address, as a string "0x...", because not every reader of
   JSON has integers of 64 bits.  */
extern void json_set_address (struct json_object *object, const char *key,
                              uintptr_t value);

/* Return an array with the names in FILES.  */
struct file_list;
extern struct json_object *json_names (const struct file_list *files);

/* Return OBJECT as text.  OBJECT owns the text.  */
extern const char *json_text (struct json_object *object);

/* Print OBJECT as text, and free it.  */
extern void json_print (FILE *stream, struct json_object *object);

#endif
