/* The mappings of a process and their pages, as the kernel lists them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCMAPS_H
#define PROCMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A mapping: a line of /proc/PID/maps and its details; sizes in bytes.  */
struct mapping
{
  uintptr_t start, end;
  uint64_t offset;
  dev_t device;
  ino_t inode; /* The file's inode; 0 for anonymous memory.  */
  bool readable, writable, executable, shared;
  bool deleted;
  char *name; /* The file's name without " (deleted)"; "" for none.  */
  /* Members from smaps, see procmaps_details.  */
  size_t part;           /* Pss, which omits pages of the hugetlb pool.  */
  size_t huge_file;      /* FilePmdMapped and ShmemPmdMapped.  */
  size_t huge_anonymous; /* AnonHugePages.  */
  size_t huge_hugetlb;   /* Private_Hugetlb and Shared_Hugetlb.  */
  bool hugetlb;          /* The mapping is of the hugetlb pool.  */
  bool locked;           /* The mapping is locked in memory (mlock).  */
  bool guarded;          /* The mapping has PROT_BTI.  */
  bool detailed;         /* The kernel has listed the details.  */
  bool kept_small;       /* Huge pages are switched off (MADV_NOHUGEPAGE).  */
  bool watched;          /* userfaultfd watches the mapping.  */
  size_t others;         /* The bytes in use that other processes also map.  */
  size_t dirty;          /* The bytes that must be written to the disk.  */
};

/* The mappings of one process, by address.  */
struct procmaps
{
  struct mapping *list;
  size_t count;
  bool detailed; /* The values of smaps are filled in.  */
};

/* Read /proc/PID/maps into MAPS.  Return 0, or -1 with errno set: ESRCH for an
   empty file (the process has ended), EDQUOT for too many mappings
   (budget.h).  */
extern int procmaps_read (pid_t pid, struct procmaps *maps);

/* Read those mappings of process PID into MAPS that overlap [START, END); MAPS
   may become empty.  Since Linux 6.11 the kernel looks up only the overlapping
   mappings; on older kernels the command reads the file up to END.  Return 0,
   or -1 with errno set.  */
extern int procmaps_read_range (pid_t pid, uintptr_t start, uintptr_t end,
                                struct procmaps *maps);

/* Whether the kernel can look up a range (Linux 6.11).  */
extern bool procmaps_can_query (void);

/* Add the details of /proc/PID/smaps to MAPS.  The kernel walks all memory of
   the process for that file, so callers use it only as the last resort.
   Fields that the kernel lacks stay 0, as do the details of all mappings after
   the end of the budget.  */
extern void procmaps_details (pid_t pid, struct procmaps *maps);

extern void procmaps_free (struct procmaps *maps);

/* Return the mapping that contains ADDRESS, or NULL.  */
extern const struct mapping *procmaps_find (const struct procmaps *maps,
                                            uintptr_t address);

/* Return the index of the first mapping that ends above ADDRESS; MAPS->count
   if there is none.  */
extern size_t procmaps_index (const struct procmaps *maps, uintptr_t address);

/* Whether MAP is memory whose file is internal to the kernel.  */
extern bool mapping_is_memory (const struct mapping *map);

/* Return the size of the kernel's huge pages: the memory that one page of page
   table entries maps.  */
extern uintptr_t procmaps_block (void);

/* The pages of one process.  */
struct pages
{
  pid_t pid;
  int pagemap;
  bool no_scan; /* The kernel has no PAGEMAP_SCAN (Linux 6.7).  */
  struct procmaps *maps;
};

/* Open PAGES of process PID, whose mappings are MAPS.  Return 0 or -1 with
   errno set.  */
extern int pages_open (struct pages *pages, pid_t pid, struct procmaps *maps);

extern void pages_close (struct pages *pages);

/* The counts of a range of memory, in bytes.  Memory that is neither huge nor
   small is not mapped: it has not been touched.  */
struct page_counts
{
  size_t huge;  /* The bytes mapped by huge pages.  */
  size_t small; /* The bytes mapped by small pages.  */
  bool guessed; /* The counts are estimates: the kernel has only a sum over a
                   larger range.  */
};

/* Count the pages in [START, END), which lies in one block.  */
extern struct page_counts pages_count (struct pages *pages, uintptr_t start,
                                       uintptr_t end);

/* The ioctl requests that these functions use: PAGEMAP_SCAN (Linux 6.7) and
   PROCMAP_QUERY (6.11), which older headers lack.  */
#define PROCMAPS_SCAN 0xc0606610U
#define PROCMAPS_QUERY 0xc0686611U

#endif
