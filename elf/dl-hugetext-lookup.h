/* The lookup of this program, and of the heat of its objects, in the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_LOOKUP_H
#define _DL_HUGETEXT_LOOKUP_H 1

#include <link.h>

#include "dl-hugetext-index.h"

/* What the index has.  */
struct hugetext_contents
{
  const struct hugetext_advice *advice; /* Settings for this program, NULL if
                                           it has none.  */
  /* Facts for all programs:  */
  bool images; /* Records of images in a store.  */
  bool heats;  /* Records of heat.  */
  int error;   /* The error (errno) with which it could not be opened, or 0. */
};

/* The heat of the objects of one attempt: a mapping that the loader makes for
   the first object with heat, and unmaps at the end of the attempt.  */
struct hugetext_heats;

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Look the program up in the index; the loader calls this function once.  PHDR
   and AUXV are as in _dl_hugetext_read_settings.  The index may be open
   afterwards.  */
extern struct hugetext_contents _dl_hugetext_lookup (
    const ElfW (Phdr) * phdr,
    const ElfW (auxv_t) * auxv) attribute_hidden attribute_every_start;

/* Unmap ADVICE, if there is one, and close the index: huge text is off.  */
extern void _dl_hugetext_forget_advice (const struct hugetext_advice *advice)
    attribute_hidden attribute_every_start;

/* Whether ADVICE, if there is one, allows the object NAME, "" for the program,
   to have blocks.  */
extern bool _dl_hugetext_allows (const struct hugetext_advice *advice,
                                 const char *name) attribute_hidden;

/* Return the index, and open it if it is not open.  NULL if there is no index
   that the loader trusts.  */
extern const struct hugetext_index *_dl_hugetext_index (void) attribute_hidden;

/* Close the index after a question, unless it is open from the lookup: it may
   be the last descriptor, and libraries are still to be opened.  */
extern void _dl_hugetext_release_index (void) attribute_hidden;

/* Close the index if it is open: code of the program runs next.  */
extern void
_dl_hugetext_close_index (void) attribute_hidden attribute_every_start;

/* Set FILE to the identity of the file FD.  False if a user other than root
   may have written the file.  */
extern bool _dl_hugetext_identify_trusted (
    int fd, struct hugetext_identity *file) attribute_hidden;

/* Look the heat of the object with DIGEST, of FILE, up in the index.  The
   index may have it from a file whose owner is not root: heat decides only
   which blocks come first, so a wrong heat does no harm.  Return the heat's
   number in *HEATS, 0 if the index has none.  */
extern uint32_t _dl_hugetext_learn_heat (struct hugetext_heats **heats,
                                         const struct hugetext_identity *file,
                                         uint64_t digest) attribute_hidden;

/* Return the heat with NUMBER in HEATS.  */
extern struct hugetext_heat
_dl_hugetext_heat (const struct hugetext_heats *heats,
                   uint32_t number) attribute_hidden;

/* Unmap *HEATS at the end of the attempt.  */
extern void
_dl_hugetext_forget_heats (struct hugetext_heats **heats) attribute_hidden;

#endif

#endif /* dl-hugetext-lookup.h */
