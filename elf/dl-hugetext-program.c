/* The program that the kernel has mapped: whether and to where the loader
   moves it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel puts a position-independent program at an address that is random
   to the small page; most of the program's text then shares its blocks badly,
   and none can be huge pages of the file.  Before the program is relocated,
   only the auxiliary vector points into it: the copy on the stack, which the
   start-up code reads, and the kernel's own, which debuggers read.  */

#include "dl-hugetext.h"
#include "dl-hugetext-work.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-ways.h"

/* Compute the load bias of the program with headers PHDR; false if it is
   unknown.  */
static bool
load_bias (const ElfW (Phdr) * phdr, ElfW (Word) phnum, ElfW (Addr) * bias)
{
  for (ElfW (Word) i = 0; i < phnum; ++i)
    if (phdr[i].p_type == PT_PHDR)
      {
        *bias = (uintptr_t) phdr - phdr[i].p_vaddr;
        return true;
      }
  return false;
}

/* Choose a place for the program of RECORD, STATE's object, which is open on
   FD and has its headers at PHDR, and move it there.  Return the difference of
   addresses.  */
static ElfW (Addr)
    choose_and_move (struct hugetext_state *state,
                     struct hugetext_record *record, const ElfW (Phdr) * phdr,
                     struct hugetext_placement *placement, int fd,
                     ElfW (auxv_t) * auxv)
{
  struct hugetext_attempt *attempt = &state->attempt;
  struct hugetext_object *object = &state->object;
  const ElfW (Addr) bias = object->bias;
  /* Leave the program in its place, and make copies there: a debugger has
     computed the program's addresses and will not do so again, and under a
     filter the loader cannot tell the kernel.  */
  if (bias != 0
      && (_dl_hugetext_traced (attempt)
          || (!_dl_hugetext_unfiltered (attempt) && !state->set.prctl)))
    return 0;
  if (hugetext_may_use_file (state->set.backing)
      && !_dl_hugetext_traced (attempt))
    _dl_hugetext_prepare_program (attempt, object, (uintptr_t) phdr);
  bool leaves = _dl_hugetext_choose (state, fd, record, bias == 0, placement);
  attempt->exec_has_read = false;
  object->bias = bias;
  return (leaves
                  && ((bias & (placement->modulus - 1)) != placement->residue
                      || hugetext_has_slack (placement))
              ? _dl_hugetext_move_program (object, state->set.geo.page,
                                           placement, fd, auxv, record)
              : 0);
}

ElfW (Addr) _dl_hugetext_program (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                                  ElfW (auxv_t) * auxv)
{
  _dl_hugetext_read_settings (phdr, auxv);
  const struct hugetext_settings *set = _dl_hugetext_settings ();
  struct hugetext_state *state;
  struct hugetext_placement placement;
  ElfW (Addr) bias, delta = 0;

  if (__glibc_likely (set == NULL)
      || !_dl_hugetext_allows (set->has.advice, "")
      || !load_bias (phdr, phnum, &bias)
      || (state = _dl_hugetext_state ()) == NULL)
    return 0;
  hugetext_describe (&state->object, phdr, phnum, set->geo.page);
  state->object.bias = bias;
  if (hugetext_object_check (&state->object, &set->geo) != NULL
      || !_dl_hugetext_place (state, &placement))
    return 0;
  int fd = _dl_hugetext_open_program (&state->scratch, phdr, phnum);
  struct hugetext_record *record = _dl_hugetext_begin_object (state, NULL, fd);
  if (record != NULL && fd >= 0)
    delta = choose_and_move (state, record, phdr, &placement, fd, auxv);
  if (fd >= 0)
    sys_close (fd);
  return delta;
}
