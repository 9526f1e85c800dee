/* The trampoline: code by which a thread goes on rightly if hugetext is
   killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/trampoline.h"
#include "tracee/lease.h"
#include "tracee/thread.h"
#include "host/process.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Return the end of the vDSO's image at BASE; 0 if there is none.  */
static uintptr_t
image_end (int memory, uintptr_t base)
{
  ElfW (Ehdr) header;
  ElfW (Phdr) phdr[16];
  if (!thread_read (memory, base, &header, sizeof header)
      || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_phentsize != sizeof phdr[0]
      || header.e_phnum > sizeof phdr / sizeof phdr[0]
      || !thread_read (memory, base + header.e_phoff, phdr,
                       header.e_phnum * sizeof phdr[0]))
    return 0;
  uint64_t end = header.e_shoff + header.e_shnum * header.e_shentsize;
  for (unsigned int i = 0; i < header.e_phnum; ++i)
    if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset + phdr[i].p_memsz > end)
      end = phdr[i].p_offset + phdr[i].p_memsz;
  /* A larger image is no vDSO.  */
  return end != 0 && end < (1UL << 20) ? base + end : 0;
}

/* Return the first cache line of the slack of PID's vDSO, and set END; 0 if
   there is none.  */
static uintptr_t
slack (pid_t pid, int memory, uintptr_t *end)
{
  const uintptr_t line = 64, page = getpagesize ();
  uintptr_t base = process_auxiliary (pid, AT_SYSINFO_EHDR);
  uintptr_t first = base != 0 ? image_end (memory, base) : 0;
  *end = (first + page - 1) & -page;
  first = (first + line - 1) & -line;
  return first < *end ? first : 0;
}

uintptr_t
trampoline_words (pid_t pid, int memory)
{
  uintptr_t end, first = slack (pid, memory, &end);
  return first + TRAMPOLINE_WORDS <= end ? first : 0;
}

/* The value for a region that suits well.  */
#define BEST 2

/* Whether OWNER, of which thread TID was forked, has other memory than TID.
   False if the kernel cannot tell.  */
static bool
is_elsewhere (pid_t tid, uint64_t owner)
{
  enum
  {
    KCMP_VM = 1, /* <linux/kcmp.h>, Linux 3.5, if it was built with that.  */
  };
  const pid_t other = (uint32_t) owner;
  return (owner == lease_owner (other)
          && syscall (SYS_kcmp, tid, other, KCMP_VM, 0UL, 0UL) > 0);
}

/* Return how well REGION suits thread TID, which is in no region: 0 not at
   all, 1 if there is no better one, or BEST.  */
static int
suits (pid_t tid, int memory, uintptr_t region)
{
  static const char nothing[TRACEE_REGION];
  char bytes[TRACEE_REGION];
  uint64_t owner;
  if (!thread_read (memory, region, bytes, sizeof bytes))
    return 0;
  if (memcmp (bytes, nothing, sizeof bytes) == 0)
    return BEST;
  memcpy (&owner, bytes + TRACEE_OWNER, sizeof owner);
  if (owner == lease_owner (tid))
    return BEST;
  return lease_owner_ended (owner) || is_elsewhere (tid, owner);
}

const char *
trampoline_find (pid_t pid, pid_t tid, int memory, uintptr_t pc,
                 uintptr_t *region)
{
  int best = 0;
  uintptr_t top, first = slack (pid, memory, &top);
  if (first == 0)
    return "the kernel has given it no vDSO, whose slack we need";
  if (pc >= first && pc < top)
    return "it is still at work for another hugetext, which was killed";
  for (uintptr_t at = first + TRAMPOLINE_WORDS;
       best < BEST && at + TRACEE_REGION <= top; at += TRACEE_REGION)
    {
      int how = suits (tid, memory, at);
      if (how > best)
        {
          best = how;
          *region = at;
        }
    }
  return best == 0 ? "its vDSO has no room for what we need" : NULL;
}

bool
trampoline_write (int memory, uintptr_t region, pid_t tid,
                  const struct tracee_registers *saved, uint64_t mask,
                  const struct trampoline_call calls[], size_t count)
{
  const struct tracee_registers after = tracee_goes_on (saved);
  const uint64_t owner = lease_owner (tid);
  /* A longer trampoline is noticed, and not written.  */
  unsigned char bytes[4 * TRACEE_REGION] = { 0 };
  struct tracee_code code = { .bytes = bytes };
  tracee_emit_call (&code);
  for (size_t i = 0; i < count; ++i)
    if (calls[i].used)
      tracee_emit_cleanup (&code, calls[i].number, calls[i].result, calls[i].a,
                           calls[i].b, calls[i].c);
  if (!tracee_emit_end (&code, region, mask, &after))
    return false;
  memcpy (bytes + TRACEE_OWNER, &owner, sizeof owner);
  /* The kernel writes all of it, because it lies within one page.  */
  return thread_write (memory, region, bytes, TRACEE_REGION);
}

void
trampoline_clear (int memory, uintptr_t region)
{
  static const char nothing[TRACEE_REGION];
  /* A trampoline that stays does no harm.  */
  if (pwrite (memory, nothing, sizeof nothing, region) < 0)
    return;
}
