/* What would back a block in a start from here: the file's own pages, as they
   are cached now, an image in the store, or a copy, as far as copies can be
   had.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The order of decisions is that of elf/dl-hugetext-choose.c and
   elf/dl-hugetext-chain.c.  */

#ifndef OUTLOOK_H
#define OUTLOOK_H

#include "explain/explain.h"
#include "explain/start.h"
#include "object/plan.h"
#include "store/stored.h"
#include "host/filecache.h"
#include "host/machine.h"

#include <dl-hugetext-ledger.h>

/* One process to come.  */
struct outlook
{
  const struct settings *settings;
  const struct start *start;
  bool thp_off;
  struct hugetext_ledger ledger;
  long pool; /* Pages of the reserved pool that can be had.  */
  char scratch[4096];
};

/* One of its objects.  */
struct outlook_file
{
  int fd;
  const struct elf_object *elf;
  struct filesystem filesystem;
  enum machine_huge huge;      /* What its filesystem can.  */
  bool gathers;                /* The kernel makes small pages of it huge.  */
  struct filecache_reads reads; /* By the start itself.  */
  bool wanted;                 /* Its own huge pages would be preferred.  */
  bool fits;                   /* And it is placed for them.  */
  const char *why;             /* How the block is cached by which that is
                                  decided, NULL if there is none.  */
  bool stored;                 /* The store has it, as IMAGE says; */
  const char *stored_small;    /* why that will be small, NULL if it need not
                                  be.  */
  union hugetext_index_buffer image;
  bool others, dirty, small;   /* Of any block's worth that is cached in
                                  small pages.  */
};

extern void outlook_open (struct outlook *outlook,
                          const struct settings *settings);

/* Why all of a file's text is left where it is mapped without us, NULL if it
   is not: PLAN is where it would be put.  */
extern const char *outlook_left (const struct outlook *outlook,
                                 const struct plan *plan);

/* Fill in FILE for ELF, which is NAME, open on FD, and of which HEAT is known
   or NULL.  */
extern void outlook_file (const struct outlook *outlook,
                          const struct elf_object *elf, int fd,
                          const char *name, const struct plan_heat *heat,
                          struct outlook_file *file);

/* Whether anything but the reserved pool can be had at all; if not, say in TO
   why.  */
extern bool outlook_may_be_transparent (const struct outlook *outlook,
                                        struct explained_block *to);

/* Whether copies can be had at all; if not, say in TO why.  */
extern bool outlook_may_copy (const struct outlook *outlook,
                              struct explained_block *to);

/* How many blocks more can be copies.  */
extern size_t outlook_copies (struct outlook *outlook);

/* Fill in TO how BLOCK of FILE, which is to be taken, would be backed, and
   charge it.  HEADER: it begins with the ELF header.  */
extern void outlook_block (struct outlook *outlook, struct outlook_file *file,
                           const struct plan_block *block, bool header,
                           struct explained_block *to);

#endif
