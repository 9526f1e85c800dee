/* Put the text of a program on huge pages of its file, in its present mapping,
   before the program executes its first instruction.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/inplace.h"

#include <sys/mman.h>
#include <sys/syscall.h>

/* System calls that the thread of the process will make in one stop.  */
struct calls
{
  struct trampoline_call list[TRAMPOLINE_MOST];
  size_t count;
};

static void
inplace_make_calls (struct remote *remote, struct calls *calls)
{
  remote_calls (remote, calls->list, calls->count);
  calls->count = 0;
}

static void
inplace_add_call (struct remote *remote, struct calls *calls, long number,
                  uintptr_t start, uintptr_t end, int what)
{
  if (calls->count == sizeof calls->list / sizeof calls->list[0])
    inplace_make_calls (remote, calls);
  calls->list[calls->count++] = (struct trampoline_call){
    .used = true, .number = number, .a = start, .b = end - start, .c = what
  };
}

/* For each part of ELF in [START, END) that is not executable, add to CALLS an
   mprotect call that sets the protection PROT.  */
static void
inplace_add_protections (struct remote *remote, struct calls *calls,
                         const struct hugetext_object *elf, uintptr_t start,
                         uintptr_t end, int prot)
{
  struct hugetext_piece piece;
  for (; hugetext_next_piece (elf, start, end, &piece); start = piece.end)
    if (!piece.segment->exec)
      inplace_add_call (remote, calls, SYS_mprotect, piece.start, piece.end,
                        prot);
}

void
inplace_do (struct remote *remote, const struct convert_object *object,
            const struct hugetext_object *elf, uintptr_t start, size_t count,
            bool huge[])
{
  const uintptr_t block = procmaps_block (), end = start + count * block;
  struct calls calls = { .count = 0 };
  /* Ignore the results of the system calls, because the new mappings show
     whether the calls had an effect.  */
  inplace_add_protections (remote, &calls, elf, start, end, object->prot);
  inplace_add_call (remote, &calls, SYS_madvise, start, end, MADV_HUGEPAGE);
  inplace_add_call (remote, &calls, SYS_madvise, start, end, MADV_RANDOM);
  inplace_make_calls (remote, &calls);
  remote_look (remote, start, count, huge);
  for (size_t i = 0; i < count; ++i)
    if (!huge[i])
      inplace_add_protections (remote, &calls, elf, start + i * block,
                               start + (i + 1) * block, PROT_READ);
  if (calls.count > 0)
    inplace_make_calls (remote, &calls);
}
