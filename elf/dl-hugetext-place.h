/* The place of an object: where it is to lie, and how it gets there.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_PLACE_H
#define _DL_HUGETEXT_PLACE_H 1

#include "dl-hugetext-placement.h"
#include "dl-hugetext-state.h"

/* Choose the place of OBJECT, whose file is open on FD, and whose identity and
   heat are in RECORD: change PLACEMENT, made by hugetext_place.  The decision
   is hugetext_choose's, with the facts of this machine.  If OBJECT can use
   huge pages of its file, have the kernel cache as much of the file in huge
   pages as OBJECT can use; else note in RECORD that it cannot.  False if
   OBJECT stays where it would be anyway.  */
extern bool
_dl_hugetext_choose (struct hugetext_state *state, int fd,
                     struct hugetext_record *record,
                     struct hugetext_object *object, bool fixed,
                     struct hugetext_placement *placement) attribute_hidden;

/* Make a record for the program L if the kernel has mapped it and it has none
   yet, from the facts that were noted before it was moved.  */
extern void
_dl_hugetext_remember_program (struct link_map *l) attribute_hidden;

/* The name by which the program, or the loader, was executed, NULL if
   unknown.  */
extern const char *_dl_hugetext_executed_name (const ElfW (auxv_t)
                                               * auxv) attribute_hidden;

/* Compute the load bias of the program with headers PHDR; false if it is
   unknown.  */
extern bool _dl_hugetext_load_bias (const ElfW (Phdr) * phdr,
                                    ElfW (Word) phnum,
                                    ElfW (Addr) * bias) attribute_hidden;

/* Read the settings of a program that is the loader's argument; nothing of it
   is mapped yet.  False if there is no program, or if it is only listed
   (--list).  */
extern bool _dl_hugetext_program_argument (void) attribute_hidden;

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Move the program OBJECT, open on FD, to PLACEMENT, and tell the kernel and
   AUXV.  Return the difference of addresses, 0 if the program stays.  Set LOW
   to the lowest address that is reserved for the program.  */
extern ElfW (Addr)
    _dl_hugetext_move_program (struct hugetext_object *object, uintptr_t page,
                               const struct hugetext_placement *placement,
                               int fd, ElfW (auxv_t) * auxv,
                               uintptr_t *low) attribute_hidden;

/* Map the segments of OBJECT, open on FD, with load bias BIAS over the
   reservation there, as the kernel would map them.  */
extern bool _dl_hugetext_map_segments (const struct hugetext_object *object,
                                       uintptr_t page, int fd,
                                       ElfW (Addr) bias) attribute_hidden;

#endif

#endif /* dl-hugetext-place.h */
