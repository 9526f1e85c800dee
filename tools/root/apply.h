/* Have the machine take notice of changed files, one of us at a time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef APPLY_H
#define APPLY_H

#include "change.h"

/* Wait until no other hugetext changes anything.  Returns NULL, or what is
   wrong, as all of these.  */
extern const char *apply_lock (void);

/* Compile the index.  */
extern const char *apply_index (void);

/* Have systemd read its files again.  */
extern const char *apply_units (void);

/* Have it restart UNIT, and see that it stays up.  */
extern const char *apply_restart (const char *unit);

/* Say on standard error why VERB could not be done to SUBJECT.  Returns the
   exit status for that.  */
extern int apply_fail (const char *verb, const char *subject,
                       const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

#endif
