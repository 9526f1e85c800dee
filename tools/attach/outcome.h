/* The result of attach for one process, and reports of results.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ATTACH_OUTCOME_H
#define ATTACH_OUTCOME_H

#include "attach/attach.h"
#include "attach/convert.h"
#include "text/inspect.h"
#include "text/several.h"

#include <limits.h>

/* The maximum number of files in a report, for all reasons together.  */
#define OUTCOME_FILES 32

struct outcome_sums
{
  size_t done, before, wanted;
  size_t by[BACKINGS]; /* The number of blocks that were moved to each
                          backing.  */
  /* The number of blocks that did not change, for each reason.  */
  struct
  {
    size_t blocks, wanted;
    uint64_t heat; /* The heat of the blocks (struct plan_block), if it is
                      known.  */
    size_t text;   /* The bytes of text in the block with most text.  */
    bool movable;  /* True if one of the blocks is in an object that was not
                      linked for a fixed address.  */
  } left[HUGETEXT_REASONS];
};

/* A file with a block that did not change, and the reason.  */
struct outcome_file
{
  enum hugetext_reason row; /* The number of the reason why the block did not
                               change.  */
  dev_t device;
  ino_t inode;
  char path[PATH_MAX];
};

/* The result for one process, in memory that the command shares with the child
   that does the work.  */
struct outcome
{
  bool given;
  struct result result;
  struct inspection found;  /* The results of the inspection of the process,
                               except its objects.  */
  struct settings settings; /* The settings by which blocks were chosen.  */
  struct convert_stops stops;
  struct problem room; /* Why it is unknown how much memory the process may
                          have, if this is unknown.  */
  struct outcome_sums sums;
  struct outcome_file files[OUTCOME_FILES]; /* For each reason, the files of
                                               those objects that have the most
                                               text.  */
  size_t nfiles;
  size_t taken_back; /* The number of blocks that were moved back to small
                        pages to make room for hotter blocks.  */
};

/* Set LINE to a message about the blocks of OUTCOME that did not change
   because of REASON.  */
extern void outcome_describe_left (const struct outcome *outcome,
                                   enum hugetext_reason reason,
                                   char line[static REASON_SIZE]);

/* Set WORDS to the remedy for blocks of OUTCOME that did not change because of
   REASON.  Figures in the remedy are those of the block with most text.  */
extern void outcome_describe_remedy (const struct outcome *outcome,
                                     enum hugetext_reason reason,
                                     char words[static REASON_SIZE]);

/* Return OUTCOME as JSON.  OBJECTS are the objects of the process now.  */
extern struct json_object *outcome_json (const struct outcome *outcome,
                                         const struct object_list *objects);

/* Print OUTCOME, the result of REQUEST, as text.  */
extern void outcome_print (const struct outcome *outcome,
                           const struct attach_request *request,
                           const struct object_list *objects);

/* The results for several processes that the user has selected by one word.
   Facts that are the same for several processes are printed once.  */
struct outcome_all
{
  struct several processes;
  struct outcome_sums sums;
  struct convert_stops stops;
  /* For each reason why blocks did not change, consider the process that has
     the most blocks with this reason.  WORDS and REMEDIES are the texts of the
     reason and of its remedy for this process.  MOST is the number of its
     blocks with this reason.  */
  char words[HUGETEXT_REASONS][REASON_SIZE];
  char remedies[HUGETEXT_REASONS][REASON_SIZE];
  size_t most[HUGETEXT_REASONS];
};

/* Add OUTCOME to ALL.  OUTCOME is the result of REQUEST for one process; NOW
   is the inspection of this process after the changes.  */
extern void outcome_add (const struct outcome *outcome,
                         const struct attach_request *request,
                         const struct inspection *now,
                         struct outcome_all *all);

/* Print ALL, the results of REQUEST, as text.  */
extern void outcome_print_all (struct outcome_all *all,
                               const struct attach_request *request);

#endif
