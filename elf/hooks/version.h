/* The version of glibc, with that of ld-hugetext for "ld.so --version".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   glibc's dl-usage.c prints RELEASE behind the distribution's name of its
   glibc.  All other files have glibc's own.  */

#include_next <version.h>

#ifdef HUGETEXT_RELEASE
#  include "hugetext-version.h"
#  undef RELEASE
#  define RELEASE "ld-hugetext " HUGETEXT_VERSION ", " HUGETEXT_RELEASE
#endif
