/* Names of systemd units.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UNITNAME_H
#define UNITNAME_H

#include <stdbool.h>

/* Return the full name of the unit NAME, in static memory.  Return NULL if
   NAME cannot be the name of a unit.  */
extern const char *unit_name (const char *name);

/* The text of the problem if the user gives a name that unit_name rejects.  */
#define UNIT_HAS_NO_SUCH_NAME "this cannot be the name of a systemd unit"

/* Return true if NAME is a name of a unit with its suffix, such as
   nginx.service.  The name is then safe as a part of a path.  */
extern bool unit_is_full_name (const char *name);

#endif
