/* Read what the kernel says of a process's mappings and huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCMAPS_H
#define PROCMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A line of /proc/PID/smaps with what belongs to it; sizes in bytes.  */
struct mapping
{
  uintptr_t start, end;
  uint64_t offset;
  dev_t device;
  ino_t inode; /* 0: anonymous.  */
  bool readable, writable, executable, shared;
  char *name;            /* "" for none, without " (deleted)".  */
  size_t huge_file;      /* FilePmdMapped and ShmemPmdMapped.  */
  size_t huge_anonymous; /* AnonHugePages.  */
  size_t huge_hugetlb;   /* Private_Hugetlb and Shared_Hugetlb.  */
};

/* The mappings of one process, by address.  */
struct procmaps
{
  struct mapping *list;
  size_t count;
};

/* Fill MAPS from /proc/PID/smaps.  Return 0, or -1 with errno set; empty
   maps (a process that has ended) are ESRCH.  */
extern int procmaps_read (pid_t pid, struct procmaps *maps);

extern void procmaps_free (struct procmaps *maps);

/* The mapping that holds ADDRESS, or NULL.  */
extern const struct mapping *procmaps_find (const struct procmaps *maps,
                                            uintptr_t address);

/* Bytes of [START, END) in process PID that are mapped by huge pages.  Exact
   where the kernel has PAGEMAP_SCAN (Linux 6.7); before, from the totals of
   the MAPS that the range lies in, which is too much if a mapping also has
   huge pages outside the range.  */
extern size_t procmaps_huge (pid_t pid, const struct procmaps *maps,
                             uintptr_t start, uintptr_t end);

#endif
