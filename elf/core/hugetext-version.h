/* The version of ld-hugetext.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This is its only place in the source: configure reads it here, and a test
   compares the packages' files, which must have it too.  */

#ifndef HUGETEXT_VERSION_H
#define HUGETEXT_VERSION_H

#define HUGETEXT_VERSION "0.1"

#endif
