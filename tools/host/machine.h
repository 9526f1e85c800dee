/* The settings of the machine, from files in /proc and /sys.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* In an unprivileged process: from now on, let the functions declared below
   read the open file FD in place of /proc/self/cgroup.  FD is -1 if there is
   no such file.  */
extern void machine_set_groups (int fd);

/* Open the file PATH for reading.  Return a descriptor, or -1 with errno
   set.  */
extern int machine_open (const char *path);

/* Return the first line of the file PATH, in static memory, or NULL if the
   file cannot be read.  */
extern const char *machine_line (const char *path);

/* Return the number at the beginning of the file PATH (machine_number), or the
   number after FIELD in the file (machine_field).  Return -1 if there is no
   number.  */
extern long machine_number (const char *path);
extern long machine_field (const char *path, const char *field);

/* Return the number in the file NAME of the hugetlb pool whose pages have SIZE
   bytes, or -1 if there is no such pool.  */
extern long machine_pool (size_t size, const char *name);

/* Return how many pages are free and not reserved in the hugetlb pool whose
   pages have SIZE bytes, or 0 if there is no such pool.  */
extern size_t machine_pool_free (size_t size);

/* Return the number after FIELD in STREAM, and close STREAM.  Return -1 if
   there is no number.  STREAM is NULL if the file cannot be opened.  */
extern long machine_number_after (FILE *stream, const char *field);

/* Return the word that is in brackets in the file PATH.  The kernel puts the
   chosen one of several words in brackets.  The result is in static memory,
   and is "" if no word is in brackets.  */
extern const char *machine_choice (const char *path);

/* Return true if the administrator has switched off transparent huge pages of
   SIZE bytes.  */
extern bool machine_thp_off (size_t size);

/* A shell command with "echo" can switch on transparent huge pages of SIZE
   bytes.  Return the part of this command after "echo".  Two files named
   "enabled" decide whether the kernel uses pages of SIZE bytes: the file for
   transparent huge pages of all sizes, and the file for pages of SIZE bytes.
   The result contains "VALUE >FILE" for each of the two files that has the
   value "never".  The result is in static memory.  */
extern const char *machine_thp_switch (size_t size);

/* machine_kernel returns the kernel's release; machine_kernel_is returns
   whether the release is at least MAJOR.MINOR.  Callers of machine_kernel_is
   test for the releases 5.16 and 6.7.  From 5.16 on, mremap moves pages of the
   hugetlb pool.  From 6.7 on, if a position-independent program is at least as
   long as a huge page, the kernel maps it at a multiple of the huge page's
   size.  */
extern const char *machine_kernel (void);
extern bool machine_kernel_is (unsigned int major, unsigned int minor);

#endif
