/* How the inspector (host/inspector.h) collects facts about a process's text,
   from the kernel and from the process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The facts become a message, which inspect.h takes in the command; the
   command judges them.  */

#ifndef COLLECT_H
#define COLLECT_H

#include "util/message.h"

/* Answer the question of inspect.c: a process ID, and flags.  */
extern void collect_text (struct message *asked, struct message *answer);

/* Answer the question of inspect_maps and inspect_details: a process ID, and
   whether details are requested.  */
extern void collect_maps (struct message *asked, struct message *answer);

#endif
