/* The mappings of a process and their pages, as the kernel lists them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCMAPS_H
#define PROCMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A mapping: a line of /proc/PID/maps, with its details.  All sizes are in
   bytes.  */
struct mapping
{
  uintptr_t start, end;
  uint64_t offset;
  dev_t device;
  ino_t inode; /* The inode of the file, or 0 for anonymous memory.  */
  bool readable, writable, executable, shared;
  bool deleted;
  char *name; /* The name of the file without " (deleted)", or "" if there is
                 none.  */
  /* The following members come from /proc/PID/smaps (procmaps_details).  */
  size_t part;           /* The field Pss, which does not include pages of the
                            hugetlb pool.  */
  size_t huge_file;      /* The sum of the fields FilePmdMapped and
                            ShmemPmdMapped of smaps.  */
  size_t huge_anonymous; /* The field AnonHugePages.  */
  size_t huge_hugetlb;   /* The sum of the fields Private_Hugetlb and
                            Shared_Hugetlb of smaps.  */
  bool hugetlb;          /* True if the mapping has pages of the hugetlb
                            pool.  */
  bool locked;           /* True if the mapping is locked in memory
                            (mlock).  */
  bool guarded;          /* True if the mapping has PROT_BTI.  */
  bool detailed;         /* True if the members from smaps are valid.  */
  bool kept_small;       /* True if huge pages are switched off for the mapping
                            (MADV_NOHUGEPAGE).  */
  bool watched;          /* True if userfaultfd watches the mapping.  */
  size_t others;         /* The number of bytes of the mapping that are in this
                            process's page tables and that other processes have
                            mapped as well.  */
  size_t dirty;          /* The number of bytes of the mapping that must still
                            be written to the disk.  */
};

/* The mappings of one process, in the order of their addresses.  */
struct procmaps
{
  struct mapping *list;
  size_t count;
  bool detailed; /* True if the members from /proc/PID/smaps have been read.
                    If the budget (util/budget.h) did not suffice for all
                    mappings, they have been read only for the first
                    mappings.  */
};

/* Read /proc/PID/maps into MAPS.  Return 0, or -1 with errno set.  ESRCH
   means that the file is empty, because the process has ended; EDQUOT means
   that there are too many mappings (budget.h).  */
extern int procmaps_read (pid_t pid, struct procmaps *maps);

/* Read into MAPS the mappings of process PID that overlap [START, END).  If no
   mapping overlaps the range, MAPS is empty.  From Linux 6.11 on, the kernel
   looks up only the mappings that overlap [START, END).  On an older kernel,
   this function reads the file up to END.  Return 0, or -1 with errno set.  */
extern int procmaps_read_range (pid_t pid, uintptr_t start, uintptr_t end,
                                struct procmaps *maps);

/* Return true if the kernel can look up the mappings in a range of addresses
   (Linux 6.11).  */
extern bool procmaps_can_query (void);

/* Add the details in /proc/PID/smaps to MAPS.  Use this function only if
   there is no other source of the details: to generate smaps, the kernel walks
   through all memory of the process.  If the kernel does not report a field,
   the member stays 0.  If the budget is used up, the details of the remaining
   mappings stay 0 as well.  */
extern void procmaps_details (pid_t pid, struct procmaps *maps);

extern void procmaps_free (struct procmaps *maps);

/* Return the mapping that contains ADDRESS, or NULL if no mapping does.  */
extern const struct mapping *procmaps_find (const struct procmaps *maps,
                                            uintptr_t address);

/* Return the index of the first mapping that ends above ADDRESS, or
   MAPS->count if there is none.  */
extern size_t procmaps_index (const struct procmaps *maps, uintptr_t address);

/* Return true if MAP is memory that belongs to no file of a filesystem,
   although the kernel shows the name of an internal file for it.  */
extern bool mapping_is_memory (const struct mapping *map);

/* Return the size of the kernel's huge pages in bytes: the memory that one
   full page of page table entries maps.  */
extern uintptr_t procmaps_block (void);

/* Access to the pages of one process.  */
struct pages
{
  pid_t pid;
  int pagemap;
  bool no_scan; /* True if the kernel lacks PAGEMAP_SCAN, as before Linux
                   6.7.  */
  struct procmaps *maps;
};

/* Open PAGES for process PID, whose mappings are MAPS.  Return 0, or -1 with
   errno set.  */
extern int pages_open (struct pages *pages, pid_t pid, struct procmaps *maps);

extern void pages_close (struct pages *pages);

/* The numbers of bytes of a range that are mapped by huge and by small pages.
   Bytes of the range that are on neither huge nor small pages have not been
   touched, so they are not mapped.  */
struct page_counts
{
  size_t huge;  /* The bytes mapped by huge pages.  */
  size_t small; /* The bytes mapped by small pages.  */
  bool guessed; /* True if the counts are estimates, because the kernel reports
                   only a sum over a larger range.  */
};

/* Count the pages in [START, END).  The range [START, END) must be inside one
   block.  */
extern struct page_counts pages_count (struct pages *pages, uintptr_t start,
                                       uintptr_t end);

/* The ioctl requests PAGEMAP_SCAN (Linux 6.7) and PROCMAP_QUERY (Linux 6.11).
   The kernel headers with which hugetext is compiled may lack PAGEMAP_SCAN and
   PROCMAP_QUERY, so define both requests here.  */
#define PROCMAPS_SCAN 0xc0606610U
#define PROCMAPS_QUERY 0xc0686611U

#endif
