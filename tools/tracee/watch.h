/* Timers that end a stop of another process, whatever becomes of ours.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process that we have stopped waits for us.  So while it does, a timer
   sends us SIGCONT every 20 ms: ^Z or SIGSTOP keep us no longer than that.  A
   second one sends SIGKILL when all time is over: then the kernel lets go
   what we trace, also if we wait in a system call that nothing else ends.  */

#ifndef WATCH_H
#define WATCH_H

/* Milliseconds for which something may be stopped, at the very most.  */
#define WATCH_LIMIT 2000

/* Begin, and end with us after MILLISECONDS.  */
extern void watch_begin (unsigned int milliseconds);

extern void watch_end (void);

#endif
