/* Branch target identification (BTI), which replaced text keeps.  AArch64
   version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If an object's property note asks for it, and the processor has it, glibc
   maps the object's text a second time, with PROT_BTI (_dl_bti_protect).
   Nothing says so afterwards but the kernel.  What replaces the text has to
   have the same protection: so glibc is asked again, by having it process
   the note with an impossible file descriptor.  */

#include <ldsodefs.h>
#include <sys/mman.h>

#include "hugetext-prot.h"

/* Stands for a file descriptor in the question.  */
#define ASKED (-2)

static bool answer;

/* Of glibc.  */
extern void _dl_bti_protect (struct link_map *, int) attribute_hidden;

/* Called by glibc in place of that.  */
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
