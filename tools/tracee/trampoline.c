/* The trampoline: code with which a thread continues correctly if hugetext is
   killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/trampoline.h"
#include "tracee/lease.h"
#include "tracee/thread.h"
#include "host/process.h"
#include "host/procmaps.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* The maximum size of a vDSO's image, in bytes.  */
#define IMAGE_MOST (1UL << 20)

/* Return the address of the end of the vDSO's image that begins at BASE, or 0
   if there is no vDSO at BASE.  */
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
  /* An image that is larger than the maximum is not a vDSO.  */
  return end != 0 && end < IMAGE_MOST ? base + end : 0;
}

/* Return the mapping in MAPS that contains ADDRESS and is a part of the vDSO,
   or NULL.  */
static const struct mapping *
part_of_vdso (const struct procmaps *maps, uintptr_t address)
{
  const struct mapping *map = procmaps_find (maps, address);
  return map != NULL && strcmp (map->name, "[vdso]") == 0 ? map : NULL;
}

/* Set MAPS to the mappings of process PID, and return the address of its
   vDSO, or 0 if there is none.  The process may have moved its vDSO since it
   was started.  */
static uintptr_t
find_vdso (pid_t pid, struct procmaps *maps)
{
  const uintptr_t base = process_auxiliary (pid, AT_SYSINFO_EHDR);
  if (base == 0
      || procmaps_read_range (pid, base, base + IMAGE_MOST, maps) < 0)
    return 0;
  if (part_of_vdso (maps, base) != NULL)
    return base;
  procmaps_free (maps);
  if (procmaps_read (pid, maps) < 0)
    return 0;
  for (size_t i = 0; i < maps->count; ++i)
    if (part_of_vdso (maps, maps->list[i].start) != NULL)
      return maps->list[i].start;
  procmaps_free (maps);
  return 0;
}

/* The slack of a vDSO: the unused space between the end of its image and the
   end of its last page.  */
struct slack
{
  uintptr_t start, end; /* The slack is [START, END), where START is rounded up
                           to the next cache line.  START is 0 if the vDSO has
                           no slack.  */
  bool executable;
};

/* Return the slack (unused space) of the vDSO of process PID.  */
static struct slack
find_slack (pid_t pid, int memory)
{
  const uintptr_t line = 64, page = getpagesize ();
  struct slack slack = { 0 };
  struct procmaps maps;
  const uintptr_t base = find_vdso (pid, &maps);
  if (base == 0)
    return slack;
  const uintptr_t end = image_end (memory, base);
  slack.end = (end + page - 1) & -page;
  slack.start = (end + line - 1) & -line;
  /* The slack lies within one page, so one mapping contains all of it.  */
  const struct mapping *map = part_of_vdso (&maps, slack.start);
  if (end == 0 || slack.start >= slack.end || map == NULL)
    slack.start = 0;
  slack.executable = map != NULL && map->executable;
  procmaps_free (&maps);
  return slack;
}

uintptr_t
trampoline_words (pid_t pid, int memory)
{
  const struct slack slack = find_slack (pid, memory);
  return slack.start != 0 && slack.start + TRAMPOLINE_WORDS <= slack.end
             ? slack.start
             : 0;
}

uintptr_t
trampoline_zeros (pid_t pid, int memory)
{
  static const char nothing[TRAMPOLINE_ZEROS];
  char bytes[TRAMPOLINE_ZEROS];
  ElfW (Ehdr) header;
  struct procmaps maps;
  const uintptr_t base = find_vdso (pid, &maps);
  if (base == 0)
    return 0;
  procmaps_free (&maps);
  /* The first section header of an ELF file is all zeros.  */
  return image_end (memory, base) != 0
                 && thread_read (memory, base, &header, sizeof header)
                 && header.e_shnum > 0 && header.e_shentsize >= sizeof bytes
                 && thread_read (memory, base + header.e_shoff, bytes,
                                 sizeof bytes)
                 && memcmp (bytes, nothing, sizeof bytes) == 0
             ? base + header.e_shoff
             : 0;
}

bool
trampoline_check (pid_t pid, int memory, struct problem *problem)
{
  const struct slack slack = find_slack (pid, memory);
  if (slack.start == 0)
    return problem_set (problem, "the process has no vDSO, in whose free "
                                 "space hugetext would execute code");
  return slack.executable
         || problem_set (problem,
                         "the vDSO of the process, in whose free space "
                         "hugetext executes code, is not executable");
}

/* The maximum result of the function "suits".  */
#define BEST 2

/* Return true if thread TID was forked from OWNER and certainly does not share
   OWNER's memory.  Return false if the kernel does not say whether they share
   memory.  */
static bool
is_elsewhere (pid_t tid, uint64_t owner)
{
  const pid_t other = (uint32_t) owner;
  return (owner == lease_owner (other) && thread_is_elsewhere (tid, other));
}

/* Return how well REGION suits the trampoline of thread TID, which is not
   executing a trampoline: 0 if REGION cannot hold the trampoline, 1 if REGION
   can hold it but another region may be better, or BEST if no other region can
   be better.  */
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

bool
trampoline_find (pid_t pid, pid_t tid, int memory, uintptr_t pc,
                 uintptr_t *words, uintptr_t *region, struct problem *problem)
{
  int best = 0;
  const struct slack slack = find_slack (pid, memory);
  if (slack.start == 0 || !slack.executable)
    return trampoline_check (pid, memory, problem);
  if (pc >= slack.start && pc < slack.end)
    return problem_set (
        problem,
        "a thread of the process still executes system calls for an earlier "
        "hugetext command, which was killed; try again later");
  *words = slack.start;
  for (uintptr_t at = slack.start + TRAMPOLINE_WORDS;
       best < BEST && at + TRACEE_REGION <= slack.end; at += TRACEE_REGION)
    {
      int how = suits (tid, memory, at);
      if (how > best)
        {
          best = how;
          *region = at;
        }
    }
  return best != 0 || problem_set (problem, TRAMPOLINE_NO_SPACE);
}

bool
trampoline_write (int memory, uintptr_t region, pid_t tid,
                  const struct tracee_registers *saved, uint64_t mask,
                  const struct trampoline_call calls[], size_t count)
{
  const struct tracee_registers after = tracee_goes_on (saved);
  const uint64_t owner = lease_owner (tid);
  /* The buffer is larger than a region of the vDSO, so that a trampoline that
     is too long for a region fits in the buffer; tracee_emit_end reports that
     the trampoline is too long.  */
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
  /* The trampoline is within one page, so the kernel writes all of it at
     once.  */
  return thread_write (memory, region, bytes, TRACEE_REGION);
}

void
trampoline_clear (int memory, uintptr_t region)
{
  static const char nothing[TRACEE_REGION];
  /* If pwrite fails, the old trampoline stays in memory, where it does no
     harm.  */
  if (pwrite (memory, nothing, sizeof nothing, region) < 0)
    return;
}
