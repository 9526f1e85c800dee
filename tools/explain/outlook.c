/* What would back a block in a start from here.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/outlook.h"
#include "store/place.h"
#include "host/procmaps.h"

#include <dl-hugetext-limits.h>
#include <stdio.h>
#include <string.h>

#define THP "/sys/kernel/mm/transparent_hugepage/"

static uint64_t
backing_wanted (const struct outlook *outlook)
{
  return settings_value (outlook->settings, SETTING_BACKING);
}

/* The number in the file NAME of the reserved pool, 0 if there is none.  */
static long
pool_number (const char *name)
{
  char path[128];
  snprintf (path, sizeof path, "/sys/kernel/mm/hugepages/hugepages-%zukB/%s",
            (size_t)procmaps_block () / 1024, name);
  long number = machine_number (path);
  return number > 0 ? number : 0;
}

void
outlook_open (struct outlook *outlook, const struct settings *settings)
{
  *outlook = (struct outlook){ .settings = settings,
                               .start = start_look (),
                               .thp_off
                               = machine_thp_off (procmaps_block ()) };
  _dl_hugetext_ledger_open (&outlook->ledger,
                            settings_value (settings, SETTING_MAX));
  long more = pool_number ("nr_overcommit_hugepages")
              - pool_number ("surplus_hugepages");
  outlook->pool = pool_number ("free_hugepages")
                  - pool_number ("resv_hugepages") + (more > 0 ? more : 0);
}

const char *
outlook_left (const struct outlook *outlook, const struct plan *plan)
{
  const struct start *start = outlook->start;
  if (plan->elf.statically_linked && start->filtered)
    return "system calls are filtered (seccomp)";
  if (plan->elf.statically_linked && !plan->elf.fixed
      && plan->place != PLACE_FOUND)
    return "it is statically linked, and this kernel maps it at any small"
           " page";
  if (plan->place != PLACE_BEST && plan->place != PLACE_CONGRUENT)
    return NULL;
  if (start->filtered && plan->elf.program)
    return "system calls are filtered (seccomp)";
  if (start->no_slack && plan_has_slack (plan))
    return "address space is limited (ulimit -v)";
  return NULL;
}

/* Whether a huge page of FILE can be had where it is PIECE now, at OFFSET.
   Sets *WORDS.  */
static bool
piece_fits (const struct outlook *outlook, const struct outlook_file *file,
            const struct filecache_piece *piece, uint64_t offset,
            const char **words)
{
  const bool capable = file->huge != MACHINE_NEVER_HUGE;
  const bool gathers = file->gathers;
  const bool small
      = piece->state == PIECE_SMALL || piece->state == PIECE_PARTLY;
  switch (piece->state)
    {
    case PIECE_HUGE:
      *words = "cached in huge pages";
      return true;
    case PIECE_SHORT:
      *words = "at the file's end, which does not fill a huge page";
      return false;
    case PIECE_UNKNOWN:
      *words = "not known how it is cached";
      return capable || gathers;
    default:
      break;
    }
  if (small && gathers)
    *words = "cached in small pages, which the kernel can gather";
  else if (gathers && !capable)
    {
      *words = "not cached, to be read in small pages, which the kernel can"
               " gather";
      return true;
    }
  else if (!capable)
    *words = piece->state == PIECE_UNREAD
                 ? "not cached, to be read in small pages"
                 : "cached in small pages";
  else if (outlook->start->filtered && (small || offset == 0))
    /* The loader cannot have it dropped; and who opens a file reads its
       beginning.  */
    *words = "cached in small pages, which cannot be changed under a filter";
  else if (small && piece->others)
    *words = "cached in small pages, which others have mapped";
  else if (small && piece->dirty)
    *words = "cached in small pages, which have to be written first";
  else if (piece->state == PIECE_SMALL && !file->reads.many)
    *words = "cached in small pages";
  else
    {
      *words = piece->state == PIECE_UNREAD
                   ? "not cached, to be read in huge pages"
                   : "partly cached, to be read again in huge pages";
      return true;
    }
  return gathers && small;
}

/* Look at FILE's piece at OFFSET, and remember what it is like.  */
static bool
look_at (const struct outlook *outlook, struct outlook_file *file,
         uint64_t offset, const char **words)
{
  struct filecache_piece piece
      = filecache_look (file->fd, offset, &file->reads);
  bool fits = piece_fits (outlook, file, &piece, offset, words);
  if (!fits
      && (piece.state == PIECE_SMALL || piece.state == PIECE_PARTLY))
    {
      file->small = true;
      file->others |= piece.others;
      file->dirty |= piece.dirty;
    }
  return fits;
}

/* What exec reads of the program ELF, open on FD: it writes zeros behind the
   data of a segment.  */
static struct filecache_reads
exec_reads (const struct elf_object *elf, int fd)
{
  const uintptr_t page = elfobject_geometry ().page;
  const struct hugetext_object *object = &elf->object;
  for (size_t i = 0; elf->program && i < object->nsegments; i++)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (s->write && (s->dataend & (page - 1)) != 0
          && (s->fileend != s->end || ((s->dataend + page - 1) & -page)
                                          != s->end))
        return filecache_exec (fd, s->offset + (s->dataend & -page)
                                       - s->start);
    }
  return (struct filecache_reads){ 0 };
}

/* Whether all blocks of FILE, where its own huge pages fit, are such.  */
static bool
all_fit (const struct outlook *outlook, struct outlook_file *file,
         const struct plan_heat *heat)
{
  struct plan plan;
  const char *words;
  bool all = true;
  if (!plan_make (&plan, file->elf, outlook->settings, true,
                  &file->image.image, heat))
    return true;
  for (size_t i = 0; i < plan.nblocks && all; i++)
    all = (plan.blocks[i].verdict != HUGETEXT_TAKE
           || (plan.blocks[i].congruent
               && look_at (outlook, file, plan.blocks[i].offset, &words)));
  plan_free (&plan);
  return all;
}

void
outlook_file (const struct outlook *outlook, const struct elf_object *elf,
              int fd, const char *name, const struct plan_heat *heat,
              struct outlook_file *file)
{
  uint64_t offset[3];
  const char *words;
  *file = (struct outlook_file){ .fd = fd, .elf = elf };
  file->huge = MACHINE_HUGE_UNKNOWN;
  if (machine_filesystem (name, &file->filesystem))
    file->huge = machine_huge_files (&file->filesystem);
  else
    strcpy (file->filesystem.type, "an unknown filesystem");
  /* Under a filter the loader does not ask for what takes more calls, as
     elf/dl-hugetext-file.c says.  */
  file->gathers = (!outlook->start->filtered || machine_kernel_is (7, 2))
                  && filecache_gathers (fd);
  file->stored = stored_image (fd, &elf->object, &file->image);
  file->wanted = plan_prefers_file (elf, outlook->settings,
                                    file->stored ? &file->image.image : NULL,
                                    heat);
  const char *remedy;
  file->stored_small = (file->stored
                            ? store_place_problem (file->image.image.name,
                                                   &remedy)
                            : NULL);
  file->reads = exec_reads (elf, fd);
  size_t n = file->wanted
                 ? plan_samples (elf, outlook->settings, offset)
                 : 0;
  /* The second rather than the first; else the third.  */
  file->fits = n > 0 && look_at (outlook, file, offset[n > 1], &file->why);
  if (n > 2 && !file->fits && look_at (outlook, file, offset[2], &words))
    {
      file->fits = true;
      file->why = words;
    }
  /* With an image all of it is to be of one of the two.  */
  if (file->fits && file->stored && !elf->fixed)
    file->fits = all_fit (outlook, file, heat);
}

/* Say in TO that there is none: VERDICT, REASON, REMEDY.  */
static void
refuse (struct explained_block *to, const char *verdict, const char *reason,
        const char *remedy)
{
  to->backing = 0;
  to->verdict = verdict;
  snprintf (to->reason, sizeof to->reason, "%s", reason);
  snprintf (to->remedy, sizeof to->remedy, "%s", remedy);
}

bool
outlook_may_be_transparent (const struct outlook *outlook,
                            struct explained_block *to)
{
  if (outlook->start->no_thp)
    refuse (to, "thp-off",
            "transparent huge pages are off in what is started from here"
            " (prctl PR_SET_THP_DISABLE)",
            "start it without");
  else if (outlook->thp_off && backing_wanted (outlook) != CHOICE_FILE)
    refuse (to, "thp-off", "transparent huge pages are off",
            "echo madvise >" THP "enabled");
  else
    return true;
  return false;
}

bool
outlook_may_copy (const struct outlook *outlook, struct explained_block *to)
{
  const struct start *start = outlook->start;
  bool pool = backing_wanted (outlook) == CHOICE_HUGETLB;
  if (!pool && !outlook_may_be_transparent (outlook, to))
    return false;
  if (start->no_data && start->anonymous_text)
    {
      /* It is data while it is written.  */
      refuse (to, "not-made", "the limit of data (RLIMIT_DATA) has no room for"
                              " a huge page",
              "ulimit -d unlimited, LimitDATA=infinity");
      return false;
    }
  if (pool ? start->anonymous_text : start_may_copy (start))
    return true;
  char reason[160];
  snprintf (reason, sizeof reason, "no copy may become executable: %s",
            start->refusal);
  refuse (to, "not-executable", reason, start->remedy);
  return false;
}

size_t
outlook_copies (struct outlook *outlook)
{
  return _dl_hugetext_ledger_copies (&outlook->ledger, procmaps_block (),
                                     outlook->scratch);
}

/* Charge a block to OUTLOOK.  */
static void
charge (struct outlook *outlook, bool copy)
{
  struct hugetext_charge object = { 0, 0 };
  _dl_hugetext_ledger_take (&outlook->ledger, &object, copy);
}

/* Fill in TO for a page of the reserved pool.  */
static void
take_from_pool (struct outlook *outlook, struct explained_block *to)
{
  if (!outlook_may_copy (outlook, to))
    return;
  if (!machine_moves_pool ())
    {
      refuse (to, "pool-fixed", "before Linux 5.16 pages of the reserved pool"
                                " cannot be moved into place",
              "Linux 5.16 or later");
      return;
    }
  if (outlook->pool <= 0)
    {
      refuse (to, "pool-short", "the reserved pool has no free huge page"
                                " for it",
              "sysctl vm.nr_hugepages=N");
      return;
    }
  outlook->pool--;
  charge (outlook, false);
  to->backing = BACKING_HUGETLB;
  strcpy (to->reason, "a copy from the reserved pool");
}

/* Whether a copy would be in a memory file rather than in memory without one.
   HEADER: it begins with the ELF header.  */
static bool
in_memory_file (const struct outlook *outlook, bool header)
{
  const struct start *start = outlook->start;
  if (!start->anonymous_text)
    return true;
  return (header && start->file_text && !start->filtered
          && _dl_hugetext_may_make_file (procmaps_block ())
          && strcmp (machine_choice (THP "shmem_enabled"), "deny") != 0);
}

/* Fill in TO for a copy, for there is no page of the file: WORDS.  */
static void
take_copy (struct outlook *outlook, bool header, const char *words,
           struct explained_block *to)
{
  if (!outlook_may_copy (outlook, to))
    return;
  if (outlook->ledger.used.copies >= plan_copies_cap (outlook->settings))
    {
      refuse (to, "copies-cap", "other blocks are all the copies that there may"
                                " be",
              "a larger --max, or hugetext store add");
      return;
    }
  if (outlook_copies (outlook) == 0)
    {
      refuse (to, "no-room",
              "memory limits leave no room for another copy (hugetext doctor)",
              "a higher limit (memory.max, memory.high), or more memory");
      return;
    }
  charge (outlook, true);
  to->backing = in_memory_file (outlook, header) ? BACKING_MEMFD : BACKING_THP;
  if (words == NULL)
    strcpy (to->reason, "a copy");
  else
    snprintf (to->reason, sizeof to->reason, "a copy: %s", words);
}

/* Where nothing is made for BLOCK of FILE, TO says why, the file stays mapped;
   and what of it is cached in a huge page the kernel maps so, asked or not, if
   the place suits.  */
static void
take_as_it_is (const struct outlook *outlook, const struct outlook_file *file,
               const struct plan_block *block, struct explained_block *to)
{
  if (to->backing != 0 || !block->congruent || outlook->start->no_thp
      || filecache_look (file->fd, block->offset, NULL).state != PIECE_HUGE)
    return;
  to->backing = BACKING_FILE;
  to->verdict = "by-kernel";
  strcpy (to->reason, "the file's own, which the kernel uses by itself");
  to->remedy[0] = '\0';
}

/* Fill in TO, which has its address, for the block of FILE's image in the
   store, if there is one.  Small pages of it that are cached the loader reads
   again.  */
static bool
take_from_store (struct outlook *outlook, const struct outlook_file *file,
                 struct explained_block *to)
{
  uint64_t backing = backing_wanted (outlook), offset;
  if ((backing != CHOICE_AUTO && backing != CHOICE_STORE)
      || outlook->start->no_thp || !file->stored || file->stored_small != NULL
      || !hugetext_image_block (&file->image.image, to->address, &offset))
    return false;
  charge (outlook, false);
  to->backing = BACKING_STORE;
  to->verdict = hugetext_verdict_name (HUGETEXT_TAKE);
  strcpy (to->reason, "its image in the store");
  to->remedy[0] = '\0';
  return true;
}

/* What the loader does for BLOCK.  */
static void
choose (struct outlook *outlook, struct outlook_file *file,
        const struct plan_block *block, bool header,
        struct explained_block *to)
{
  uint64_t backing = backing_wanted (outlook);
  const char *words = "its address does not suit its place in the file";
  if (backing == CHOICE_HUGETLB && !plan_is_cold (block))
    {
      take_from_pool (outlook, to);
      return;
    }
  bool may = outlook_may_be_transparent (outlook, to);
  if (may && file->wanted && block->congruent)
    {
      bool fits = look_at (outlook, file, block->offset, &words);
      if (file->fits && fits)
        {
          charge (outlook, false);
          to->backing = BACKING_FILE;
          snprintf (to->reason, sizeof to->reason, "the file's own, %s",
                    words);
          return;
        }
    }
  if (take_from_store (outlook, file, to) || !may)
    return;
  char why[160];
  if (file->wanted && !file->fits && file->why != NULL)
    {
      snprintf (why, sizeof why, "its file is %s", file->why);
      words = why;
    }
  if (file->stored_small != NULL)
    {
      snprintf (why, sizeof why, "its image in the store: %.96s",
                file->stored_small);
      words = why;
    }
  if (backing == CHOICE_FILE)
    refuse (to, "not-file", words, "--backing=auto: a copy");
  else if (backing == CHOICE_STORE && file->stored_small != NULL)
    refuse (to, "not-huge", words, "--backing=auto: a copy");
  else if (backing == CHOICE_STORE)
    refuse (to, "not-stored", "the store has no image of it",
            "hugetext store add; --backing=auto: a copy");
  else if (plan_is_cold (block))
    refuse (to, "cold", "its profile has not seen it executed, and it would be"
                        " a copy",
            "");
  else
    take_copy (outlook, header, backing == CHOICE_THP ? NULL : words, to);
}

void
outlook_block (struct outlook *outlook, struct outlook_file *file,
               const struct plan_block *block, bool header,
               struct explained_block *to)
{
  choose (outlook, file, block, header, to);
  /* Where all is off from the start, places are not chosen.  */
  if (!(outlook->thp_off && backing_wanted (outlook) == CHOICE_AUTO))
    take_as_it_is (outlook, file, block, to);
}
