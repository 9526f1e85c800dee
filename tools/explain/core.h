/* Functions that explain core dumps: what the loader had done in a process
   that has ended.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EXPLAIN_CORE_H
#define EXPLAIN_CORE_H

#include "explain/explain.h"
#include "util/message.h"

/* In an unprivileged process: add to MESSAGE the facts in the core FD.  If FD
   is not a core, return false and add nothing.  */
extern bool core_put (int fd, struct message *message);

/* Set TO to the explanation of the facts that core_put has added to MESSAGE.
   Do not trust MESSAGE.  On failure set PROBLEM and return false.  */
extern bool core_get (struct message *message, struct explanation *to,
                      struct problem *problem);

#endif
