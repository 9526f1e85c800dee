/* An auditor that only counts objects, and prints how many descriptors are
   open each time an object is loaded.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <link.h>
#include <stdio.h>

static int objects;

unsigned int
la_version (unsigned int version)
{
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

unsigned int
la_objopen (struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
  (void) map, (void) lmid, (void) cookie;
  ++objects;
  int open = 0;
  for (int fd = 3; fd < 20; ++fd)
    open += fcntl (fd, F_GETFD) >= 0;
  printf ("audited: %d descriptors are open\n", open);
  fflush (stdout);
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

void
la_preinit (uintptr_t *cookie)
{
  (void) cookie;
  printf ("audited: %d objects\n", objects);
  fflush (stdout);
}
