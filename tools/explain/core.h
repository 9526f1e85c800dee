/* Cores: what the loader had done in a process that has ended.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EXPLAIN_CORE_H
#define EXPLAIN_CORE_H

#include "explain/explain.h"
#include "util/message.h"

/* In a process without rights: add the facts in the core FD to MESSAGE.
   False, with nothing added, if FD is not a core.  */
extern bool core_put (int fd, struct message *message);

/* Explain in TO what core_put has added to MESSAGE, which is not trusted.
   Return false, with PROBLEM set, if that is impossible.  */
extern bool core_get (struct message *message, struct explanation *to,
                      struct problem *problem);

#endif
