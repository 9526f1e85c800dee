/* The trust file for fapolicyd.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FAPOLICYD_H
#define FAPOLICYD_H

#include "host/confinement.h"

/* Write the images in the store FOLDER, which is locked, and the code object
   to CONFINEMENT_TRUST, if there is fapolicyd.  Tell fapolicyd if the list has
   changed.  Return NULL, or what is wrong: then the list is as before.  */
extern const char *fapolicyd_update (const char *folder);

#endif
