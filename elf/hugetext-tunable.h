/* Read tunables, also those that are strings.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A value ends with its string until 2.38; from 2.39 on it has a length, and
   the next tunable comes behind it.  */

#ifndef _HUGETEXT_TUNABLE_H
#define _HUGETEXT_TUNABLE_H 1

/* The next header needs these until 2.33.  */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dl-tunables.h>
#include <string.h>

/* The value of glibc.mem.hugetext_backing, its default if it is not set, when
   SET is not called.  Sets LENGTH.  */
static inline const char *
hugetext_backing_tunable (size_t *length, tunable_callback_t set)
{
#if __GLIBC_PREREQ (2, 39)
  const struct tunable_str_t *value
    = TUNABLE_GET_FULL (glibc, mem, hugetext_backing,
                        const struct tunable_str_t *, set);
  *length = value->str != NULL ? value->len : 0;
  return *length > 0 ? value->str : "";
#else
  const char *value = TUNABLE_GET_FULL (glibc, mem, hugetext_backing,
                                        const char *, set);
  *length = value != NULL ? strlen (value) : 0;
  return *length > 0 ? value : "";
#endif
}

#endif /* hugetext-tunable.h */
