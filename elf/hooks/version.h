/* The version of glibc, followed by the version of ld-hugetext for "ld.so
   --version".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   glibc's dl-usage.c, and before glibc 2.33 the hook dl-sysdep-hugetext.h,
   print RELEASE after the name of the distribution's glibc package.  In all
   files except dl-usage.c and dl-sysdep-hugetext.h, RELEASE has the value from
   glibc's own version.h.  */

#include_next <version.h>

#ifdef HUGETEXT_RELEASE
#  include "hugetext-version.h"
#  undef RELEASE
#  define RELEASE "ld-hugetext " HUGETEXT_VERSION ", " HUGETEXT_RELEASE
#endif
