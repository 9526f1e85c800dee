/* The owner of a file: the check that only root can change it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Also compiled into the command.  */

#ifndef _DL_HUGETEXT_OWNER_H
#define _DL_HUGETEXT_OWNER_H 1

#include <sys/types.h>

#ifndef attribute_hidden
#  define attribute_hidden __attribute__ ((visibility ("hidden")))
#endif

/* Return why a user other than root may have written a file with MODE that
   belongs to OWNER, NULL if no other user can have written it.  */
extern const char *_dl_hugetext_distrust (mode_t mode,
                                          uid_t owner) attribute_hidden;

#endif /* dl-hugetext-owner.h */
