/* Rehearsals: starts that end before anything of the program runs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Rehearsals are also compiled into the command, which rehearses programs and
   libraries.  With HUGETEXT_MODE_REHEARSAL the loader maps and populates as in
   any start, writes one byte to standard output, and ends when its standard
   input does.  Meanwhile the command can look at the process.  Nothing in the
   process is relocated, so that no code of the program has run: no
   constructor, no IFUNC, no auditor.  */

#ifndef _DL_HUGETEXT_REHEARSAL_H
#define _DL_HUGETEXT_REHEARSAL_H 1

/* The byte that the rehearsal writes.  */
#define HUGETEXT_REHEARSED 1 /* All objects are populated.  */
#define HUGETEXT_AUDITED                           \
  2 /* The program has an auditor, which would run \
       first.  */

/* Write SAID, wait for the end of standard input and end this rehearsal.  Only
   the loader calls this function.  */
extern void _dl_hugetext_end_rehearsal (unsigned char said)
    __attribute__ ((visibility ("hidden"), noreturn));

#endif /* dl-hugetext-rehearsal.h */
