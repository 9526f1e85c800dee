/* The collection of what the kernel and a process say of its text, in the
   inspector (host/inspector.h).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What is collected becomes a message, from which inspect.h takes it in the
   command, which judges.  */

#ifndef COLLECT_H
#define COLLECT_H

#include "util/message.h"

/* Answer what inspect.c asks: a process ID, and flags.  */
extern void collect_text (struct message *asked, struct message *answer);

/* Answer inspect_maps and inspect_details: a process ID, and whether details
   are asked for.  */
extern void collect_maps (struct message *asked, struct message *answer);

#endif
