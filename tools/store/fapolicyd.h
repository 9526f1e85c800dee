/* The trust file for fapolicyd.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FAPOLICYD_H
#define FAPOLICYD_H

#include "host/confinement.h"

/* Have CONFINEMENT_TRUST list the images in the store FOLDER, which is locked,
   and the object that follows code made at run time; nothing where there is no
   fapolicyd.  That is told if it is another list.  Returns NULL, or what is
   wrong: then the list is as before.  */
extern const char *fapolicyd_update (const char *folder);

#endif
