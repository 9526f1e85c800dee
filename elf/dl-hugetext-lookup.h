/* The lookup of this program in the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_LOOKUP_H
#define _DL_HUGETEXT_LOOKUP_H 1

#include "dl-hugetext-index.h"

/* The part of an advice that is kept.  */
struct hugetext_memory
{
  struct hugetext_advice_text text;
  char program[HUGETEXT_PATTERN_MAX]; /* Its path.  */
};

/* The kernel has refused to open the index: the loader does not ask again,
   since each refusal may be a line in an audit log.  */
#define HUGETEXT_INDEX_REFUSED (-3)

/* The index, open or not.  */
struct hugetext_open_index
{
  int fd; /* -1 if it is not open, -2 if it cannot be
             had now, HUGETEXT_INDEX_REFUSED if never.  */
  struct hugetext_index index;
};

/* How a program can be told.  */
struct hugetext_program
{
  const char *name; /* By which it is executed, NULL if unknown:
                       not a path that identifies it, unless it
                       is an argument of the loader.  */
  uintptr_t inside; /* An address at which the kernel has mapped
                       it, or 0.  */
};

/* Other contents of the index.  */
struct hugetext_contents
{
  bool images; /* A store.  */
  bool heats;  /* The heat of some objects.  */
  int error;   /* With which it could not be opened, or 0.  */
};

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Open OPEN if it is not open.  False if there is none that can be
   trusted.  */
extern bool
_dl_hugetext_open_index (struct hugetext_open_index *open) attribute_hidden;

/* Close OPEN, should it be open.  */
extern void
_dl_hugetext_close_index (struct hugetext_open_index *open) attribute_hidden;

/* Set FILE to the identity of the file FD; false if anybody but root may have
   written it.  */
extern bool _dl_hugetext_identify_trusted (
    int fd, struct hugetext_identity *file) attribute_hidden;

/* Set ADVICE to what the index says about PROGRAM, and CONTENTS to what else
   it has; then OPEN, closed before, may be open.  Returns ADVICE's strings, a
   mapping of sizeof (struct hugetext_memory) bytes; NULL if it says nothing,
   or there is no memory.  */
extern struct hugetext_memory *
_dl_hugetext_lookup (const struct hugetext_program *program,
                     struct hugetext_advice *advice,
                     struct hugetext_contents *contents,
                     struct hugetext_open_index *open) attribute_hidden;

#endif

#endif /* dl-hugetext-lookup.h */
