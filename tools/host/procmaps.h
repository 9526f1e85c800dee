/* Mappings of a process and their pages, as the kernel lists them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCMAPS_H
#define PROCMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A line of /proc/PID/maps with what belongs to it; sizes in bytes.  */
struct mapping
{
  uintptr_t start, end;
  uint64_t offset;
  dev_t device;
  ino_t inode; /* 0: anonymous.  */
  bool readable, writable, executable, shared;
  bool deleted;
  char *name; /* "" for none, without " (deleted)".  */
  /* From smaps, see procmaps_details.  */
  size_t resident, part; /* Rss and Pss, without the pool's.  */
  size_t huge_file;      /* FilePmdMapped and ShmemPmdMapped.  */
  size_t huge_anonymous; /* AnonHugePages.  */
  size_t huge_hugetlb;   /* Private_Hugetlb and Shared_Hugetlb.  */
  bool hugetlb;          /* It is of the reserved pool.  */
  bool locked;           /* In memory (mlock).  */
  bool guarded;          /* With PROT_BTI.  */
  size_t others;         /* Pages in use that others have mapped as well.  */
  size_t dirty;          /* That have to be written.  */
};

/* The mappings of one process, by address.  */
struct procmaps
{
  struct mapping *list;
  size_t count;
  bool detailed; /* The values of smaps are filled in.  */
};

/* Fill MAPS from /proc/PID/maps.  Return 0, or -1 with errno set; empty maps
   (a process that has ended) are ESRCH, too many EDQUOT (budget.h).  */
extern int procmaps_read (pid_t pid, struct procmaps *maps);

/* Add to MAPS what only /proc/PID/smaps has.  For that the kernel walks all
   memory of the process, so it is asked only where nothing else tells.  What
   it does not say stays 0, so does all that is behind the end of the
   budget.  */
extern void procmaps_details (pid_t pid, struct procmaps *maps);

extern void procmaps_free (struct procmaps *maps);

/* The mapping that holds ADDRESS, or NULL.  */
extern const struct mapping *procmaps_find (const struct procmaps *maps,
                                            uintptr_t address);

/* The first mapping that ends above ADDRESS; MAPS->count if none does.  */
extern size_t procmaps_index (const struct procmaps *maps, uintptr_t address);

/* Whether MAP is memory that has a file only for the kernel's purposes.  */
extern bool mapping_is_memory (const struct mapping *map);

/* The size of the kernel's huge pages: what one page of page table entries
   maps.  */
extern uintptr_t procmaps_block (void);

/* The pages of one process.  */
struct pages
{
  pid_t pid;
  int pagemap;
  bool no_scan; /* PAGEMAP_SCAN (Linux 6.7) is not to be used.  */
  struct procmaps *maps;
};

/* Get ready to ask about the pages of process PID, whose mappings are MAPS.
   NO_SCAN: do as on kernels without PAGEMAP_SCAN.  Returns 0 or -1 with
   errno set.  */
extern int pages_open (struct pages *pages, pid_t pid, struct procmaps *maps,
                       bool no_scan);

extern void pages_close (struct pages *pages);

/* The account of a piece of memory, in bytes.  What is neither has not been
   touched, and is not mapped.  */
struct page_counts
{
  size_t huge;  /* Mapped by huge pages.  */
  size_t small; /* Mapped by small pages.  */
  bool guessed; /* The kernel only has a sum over more than was asked.  */
};

/* Count the pages in [START, END), which lies in one block.  */
extern struct page_counts pages_count (struct pages *pages, uintptr_t start,
                                       uintptr_t end);

#endif
