/* The distance between the functions in the text of test objects, and their
   length, in bytes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define STEP 4096

/* The length of a function in bytes.  */
#ifdef __aarch64__
#  define FUNCTION 12
#else
#  define FUNCTION 6
#endif
