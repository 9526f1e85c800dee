/* The ways in which a block of a running process can have a huge page.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_WAY_H
#define CONVERT_WAY_H

#include "attach/convert.h"

enum way
{
  WAY_INPLACE, /* The file's present mapping.  */
  WAY_FILE,    /* A new mapping of the file.  */
  WAY_STORE,
  WAY_COPY,
  WAYS,
};

/* Facts that decide which ways to make a block huge are possible.  */
struct way_facts
{
  const struct conversion *all;
  enum hugetext_reason no_copies; /* The reason why no copies, or no more
                                     copies, are possible.  */
  bool trusting; /* Do not query the page cache, because staging shows the
                    result.  */
  bool serves;   /* The process serves files, so it must not open any.  */
};

/* Return the reason why copies are impossible in the process of ALL;
   HUGETEXT_NONE if they are possible.  */
extern enum hugetext_reason way_judge_copies (struct conversion *all);

/* Return the reason why no backing can serve a block like PLANNED, of PLAN for
   OBJECT, or HUGETEXT_TAKE: the block must not be a copy, and neither its file
   nor an image has a huge page for it.  */
extern enum hugetext_reason
way_judge_backings (const struct conversion *all,
                    const struct convert_object *object,
                    const struct plan *plan, const struct plan_block *planned);

/* Whether block I of OBJECT can be made huge by WAY, as far as another process
   can tell.  Set *OFFSET to the block's offset in the file or image.  */
extern bool way_can_be_had (const struct way_facts *facts,
                            const struct convert_object *object,
                            const struct plan *plan, size_t i, enum way way,
                            uint64_t *offset);

/* Return the reason why no way is left to make a block like PLANNED, of
   OBJECT, huge; HUGETEXT_NONE if unknown.  */
extern enum hugetext_reason way_why_left (const struct way_facts *facts,
                                          const struct convert_object *object,
                                          const struct plan_block *planned);

#endif
