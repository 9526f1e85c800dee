/* The lookup of this program, and of the heat of its objects, in the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_LOOKUP_H
#define _DL_HUGETEXT_LOOKUP_H 1

#include "dl-hugetext-index.h"

/* The strings of an advice, which the loader keeps for the life of the
   process.  */
struct hugetext_memory
{
  struct hugetext_advice_text text;
  char program[HUGETEXT_PATTERN_MAX]; /* Its path.  */
};

/* There is no index, or none that is trusted, or the kernel has refused to
   open it: the loader does not ask again, since each refusal may be a line in
   an audit log.  */
#define HUGETEXT_NO_INDEX (-2)

/* The index, open or not.  */
struct hugetext_open_index
{
  int fd;    /* -1 if it is not open, or HUGETEXT_NO_INDEX.  */
  int error; /* The error (errno) of opening it, or 0.  */
  struct hugetext_index index;
};

/* The facts by which a program is identified.  */
struct hugetext_program
{
  const char *name; /* The name by which it is executed, NULL if unknown.  Only
                       an argument of the loader is a path that identifies the
                       program.  */
  uintptr_t inside; /* An address in the program's mapping by the kernel, or
                       0.  */
};

/* What else the index has: facts for all programs.  */
struct hugetext_contents
{
  bool images; /* Records of images in a store.  */
  bool heats;  /* Records of heat.  */
};

/* The heat of the objects of one attempt: a mapping that the loader makes for
   the first object with heat, and unmaps at the end of the attempt.  */
struct hugetext_heats;

struct hugetext_attempt;

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Open the index in OPEN if it is not open.  False if there is no index that
   the loader trusts.  */
extern bool
_dl_hugetext_open_index (struct hugetext_open_index *open) attribute_hidden;

/* Close OPEN if it is open.  */
extern void
_dl_hugetext_close_index (struct hugetext_open_index *open) attribute_hidden;

/* Set FILE to the identity of the file FD.  False if a user other than root
   may have written the file.  */
extern bool _dl_hugetext_identify_trusted (
    int fd, struct hugetext_identity *file) attribute_hidden;

/* Set ADVICE to the index's settings for PROGRAM, and CONTENTS to what else
   the index has; OPEN, closed before, may be open after the call.  Return
   ADVICE's strings, a mapping of sizeof (struct hugetext_memory) bytes; NULL
   if the index has no settings for PROGRAM, or if there is no memory.  */
extern struct hugetext_memory *
_dl_hugetext_lookup (const struct hugetext_program *program,
                     struct hugetext_advice *advice,
                     struct hugetext_contents *contents,
                     struct hugetext_open_index *open) attribute_hidden;

/* Look the heat of the object with DIGEST, of FILE, up in the index.  The
   index may have it from a file whose owner is not root: heat decides only
   which blocks come first, so a wrong heat does no harm.  Return the heat's
   number in *HEATS, 0 if the index has none.  */
extern uint32_t _dl_hugetext_learn_heat (struct hugetext_attempt *attempt,
                                         struct hugetext_heats **heats,
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
