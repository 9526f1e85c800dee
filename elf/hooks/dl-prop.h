/* The hook that runs when all objects are mapped.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The hook puts text on huge pages.  The hook also checks that libc has the
   same release as the loader.  The hook checks only a libc that is executed as
   a program, and a libc that dlmopen has loaded.

   glibc calls _rtld_main_check in a program start, and _dl_open_check in a
   dlopen, when all objects are mapped and none is relocated.  At this time the
   loader knows every object, and no code of these objects has run.  */

#ifndef _DL_PROP_HUGETEXT_H
#define _DL_PROP_HUGETEXT_H 1

#define _rtld_main_check _rtld_main_check_stock
#define _dl_open_check _dl_open_check_stock
#include_next <dl-prop.h>
#undef _rtld_main_check
#undef _dl_open_check

#include <dl-hugetext.h>

static inline void __attribute__ ((always_inline))
_rtld_main_check (struct link_map *m, const char *program)
{
#if IS_IN(rtld)
  _dl_hugetext_match_loaded (m);
#endif
  _rtld_main_check_stock (m, program);
#if IS_IN(rtld)
  _dl_hugetext_populate (m);
  struct link_map *late = _dl_hugetext_open_late ();
  if (late != NULL)
    _dl_hugetext_populate (late);
  _dl_hugetext_rehearsed ();
#endif
}

/* From glibc 2.43 on, this function also has the flags of dlopen as a
   parameter.  */
#if __GLIBC_PREREQ(2, 43)
#  define HUGETEXT_OPEN_PARAMETERS struct link_map *m, int mode
#  define HUGETEXT_OPEN_ARGUMENTS m, mode
#else
#  define HUGETEXT_OPEN_PARAMETERS struct link_map *m
#  define HUGETEXT_OPEN_ARGUMENTS m
#endif

static inline void __attribute__ ((always_inline))
_dl_open_check (HUGETEXT_OPEN_PARAMETERS)
{
#if IS_IN(rtld)
  _dl_hugetext_match_open (m);
#endif
  _dl_open_check_stock (HUGETEXT_OPEN_ARGUMENTS);
#if IS_IN(rtld)
  _dl_hugetext_populate (m);
#endif
}

#endif /* dl-prop.h */
