/* The lines of "hugetext doctor" about security modules and other confinement.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef DOCTOR_CONFINED_H
#define DOCTOR_CONFINED_H

/* Check the machine's confinement of programs.  A mechanism that is missing,
   or makes no difference to huge text, gets no line.  */
extern void check_confined (void);

/* Check the confinement of the service NAME.  */
extern void check_service (const char *name);

#endif
