/* How far apart the functions in the text of test objects are, bytes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define STEP 4096
