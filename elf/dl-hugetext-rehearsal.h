/* Rehearsals: starts that end before anything of the program runs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Also compiled into the command, which rehearses programs and libraries.  By
   HUGETEXT_MODE_REHEARSAL the loader maps and populates as in any start, says
   so by one byte on standard output, and ends when its standard input does.
   Meanwhile the process can be looked at like any other.  Nothing of it has
   been relocated, so that none of its code has run: no constructor, no IFUNC,
   no auditor.  */

#ifndef _DL_HUGETEXT_REHEARSAL_H
#define _DL_HUGETEXT_REHEARSAL_H 1

/* The byte that is written.  */
#define HUGETEXT_REHEARSED 1 /* All is populated.  */
#define HUGETEXT_AUDITED                           \
  2 /* The program has an auditor, which would run \
       first.  */

/* End this rehearsal, which has come so far as SAID.  For the loader only.  */
extern void _dl_hugetext_end_rehearsal (unsigned char said)
    __attribute__ ((visibility ("hidden"), noreturn));

#endif /* dl-hugetext-rehearsal.h */
