/* Branch target identification (BTI) for replaced text.  AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If an object's property note asks for BTI and the CPU supports it, glibc
   maps the object's text again with PROT_BTI (_dl_bti_protect).  glibc does
   not record which text it has mapped with PROT_BTI.  Huge pages that replace
   the text also need PROT_BTI.  To find out whether the text has PROT_BTI, the
   loader makes glibc process the note a second time, with an impossible file
   descriptor, and sees whether glibc would protect the text.  */

#include <ldsodefs.h>
#include <sys/mman.h>

#include "hugetext-machine.h"

/* An impossible file descriptor.  _dl_hugetext_extra_prot makes glibc process
   a note with the descriptor ASKED.  If glibc then calls
   _dl_hugetext_bti_protect with ASKED, the function only notes that glibc
   would protect the text.  */
#define ASKED (-2)

static bool answer;

/* The declaration of glibc's own function.  */
extern void _dl_bti_protect (struct link_map *, int) attribute_hidden;

/* glibc calls this function instead of _dl_bti_protect.  */
extern void _dl_hugetext_bti_protect (struct link_map *, int) attribute_hidden;

void
_dl_hugetext_bti_protect (struct link_map *l, int fd)
{
  if (fd == ASKED)
    answer = true;
  else
    _dl_bti_protect (l, fd);
}

int
_dl_hugetext_extra_prot (struct link_map *l)
{
  answer = false;
  for (size_t i = l->l_phnum; i-- > 0;)
    if (l->l_phdr[i].p_type == PT_GNU_PROPERTY)
      _dl_process_pt_gnu_property (l, ASKED, &l->l_phdr[i]);
  return answer ? PROT_BTI : 0;
}
