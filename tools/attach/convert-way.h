/* The ways in which a block of a running process can become huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_WAY_H
#define CONVERT_WAY_H

#include "attach/convert.h"

enum way
{
  WAY_INPLACE, /* Put huge pages into the present mapping of the file.  */
  WAY_FILE,    /* Make a new mapping of the object's file.  */
  WAY_STORE,
  WAY_COPY,
  WAYS,
};

/* The facts that decide by which methods (enum way) a block of the process can
   become huge.  */
struct way_facts
{
  const struct conversion *all;
  enum hugetext_reason no_copies; /* The reason why the process can have no
                                     copies, or no further copies.  */
  bool late;     /* True if too little time is left to begin a further
                    step.  */
  bool over;     /* True if the command cannot change the process any further,
                    because the process has ended or cannot be stopped.  */
  bool trusting; /* True to skip the query of the page cache, because the
                    staging area will show whether the pages are huge.  */
  bool serves;   /* True if the process itself serves a filesystem, so that it
                    must not open files.  */
};

/* Return the reason why a setting of the kernel makes copies unsafe in all
   processes, or HUGETEXT_NONE.  The function does not check whether enough
   memory is left for copies (convert_room).  */
extern enum hugetext_reason way_judge_copies (void);

/* Return true if a block of OBJECT like PLANNED may become huge without a
   copy: the page cache has, or can get, a huge page of the object's file or of
   its image for this block.  */
extern bool way_is_free (const struct conversion *all,
                         const struct convert_object *object,
                         const struct plan_block *planned);

/* Return HUGETEXT_TAKE if a block of OBJECT that is like PLANNED can get a
   huge page, otherwise the reason why it cannot.  If way_is_free returns false
   for a block, and the block must not be copied, the block cannot get a huge
   page.  */
extern enum hugetext_reason
way_judge_backings (const struct conversion *all,
                    const struct convert_object *object,
                    const struct plan_block *planned);

/* Return true if block I of OBJECT can become huge by the method WAY.  The
   function makes no system calls in the process, so WAY may fail for the block
   even if the function returns true.  Set *OFFSET to the block's offset in the
   file or image.  */
extern bool way_can_be_had (const struct way_facts *facts,
                            const struct convert_object *object,
                            const struct plan *plan, size_t i, enum way way,
                            uint64_t *offset);

/* Return the reason why the block PLANNED of OBJECT cannot become huge by any
   method, or HUGETEXT_NONE if the reason is unknown.  The bit 1 << WAY of
   REACHED is set if the command has tried the method WAY for the block, or has
   found it impossible.  */
extern enum hugetext_reason way_why_left (const struct way_facts *facts,
                                          const struct convert_object *object,
                                          const struct plan_block *planned,
                                          unsigned int reached);

#endif
