/* The lines of "hugetext doctor" about security modules and other confinement.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef DOCTOR_CONFINED_H
#define DOCTOR_CONFINED_H

/* Check what the machine has that confines programs.  Of what it has not, or
   what makes no difference to huge text, nothing is said.  */
extern void check_confined (void);

/* Check what confines the service NAME.  */
extern void check_service (const char *name);

#endif
