/* Collect, in the inspector (host/inspector.h), what the kernel and a process
   report about the process's text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The inspector sends the facts as a message to the command, which reads the
   message (inspect.h) and judges the facts.  */

#ifndef COLLECT_H
#define COLLECT_H

#include "util/message.h"

/* Write to ANSWER the text of a process, for the functions in inspect.c.
   ASKED contains the process ID and the flags of the inspection.  */
extern void collect_text (struct message *asked, struct message *answer);

/* Write to ANSWER the mappings of a process, for inspect_maps or
   inspect_details.  ASKED contains the process ID, and a flag that asks for
   details.  */
extern void collect_maps (struct message *asked, struct message *answer);

#endif
