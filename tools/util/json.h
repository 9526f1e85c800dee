/* JSON: short names for json-c's functions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UTIL_JSON_H
#define UTIL_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Return VALUE, made printable; NULL for NULL.  */
extern struct json_object *json_string (const char *value);

/* Return a new object for a verb's output, with "version".  Later releases may
   add keys to a version, but do not remove keys or change their meaning.  */
extern struct json_object *json_begin (void);

/* Short names for json-c's functions.  Strings are as json_string makes
   them.  */
extern void json_set_string (struct json_object *object, const char *key,
                             const char *value);
extern void json_set_number (struct json_object *object, const char *key,
                             int64_t value);
/* Set a number with three digits after the decimal point.  */
extern void json_set_fraction (struct json_object *object, const char *key,
                               double value);
extern void json_set_true_false (struct json_object *object, const char *key,
                                 bool value);
/* Set an address as a string, "0x...", because not every reader of JSON has 64
   bits.  */
extern void json_set_address (struct json_object *object, const char *key,
                              uintptr_t value);

/* Return an array of FILES.  */
struct file_list;
extern struct json_object *json_names (const struct file_list *files);

/* Return OBJECT as text, which belongs to it.  */
extern const char *json_text (struct json_object *object);

/* Print OBJECT, and free it.  */
extern void json_print (FILE *stream, struct json_object *object);

#endif
