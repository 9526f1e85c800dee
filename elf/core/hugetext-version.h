/* The version of ld-hugetext.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file is the only place in the source that states the version. configure
   reads this file, and a test compares it with the packages' files.  */

#ifndef HUGETEXT_VERSION_H
#define HUGETEXT_VERSION_H

#define HUGETEXT_VERSION "0.1"

#endif
