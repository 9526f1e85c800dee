/* How far apart the functions in the text of test objects are, and how long,
   in bytes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define STEP 4096

/* How long they are.  */
#ifdef __aarch64__
#  define FUNCTION 12
#else
#  define FUNCTION 6
#endif
