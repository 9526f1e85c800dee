/* The settings of the machine, from files in /proc and /sys.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Make /proc/self refer to process PID; 0 restores the calling process.  */
extern void machine_set_process (pid_t pid);

/* Open the file PATH for reading; -1 with errno set if that fails.  */
extern int machine_open (const char *path);

/* Return the first line of the file PATH, in static memory, or NULL if it
   cannot be read.  */
extern const char *machine_line (const char *path);

/* Return the number in the file PATH, or after FIELD in it, or -1 if there is
   none.  */
extern long machine_number (const char *path);
extern long machine_field (const char *path, const char *field);

/* Return the word in brackets in the file PATH, or "" if there is none.  In
   static memory.  */
extern const char *machine_choice (const char *path);

/* Whether transparent huge pages of SIZE bytes are switched off.  */
extern bool machine_thp_off (size_t size);

/* machine_kernel returns the kernel's release; machine_kernel_is returns
   whether it is at least MAJOR.MINOR.  From 5.16 on mremap moves pages of the
   hugetlb pool.  From 6.7 on the kernel aligns position-independent programs
   of at least a huge page to a huge page.  */
extern const char *machine_kernel (void);
extern bool machine_kernel_is (unsigned int major, unsigned int minor);

#endif
