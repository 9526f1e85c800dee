/* "hugetext explain FILE": the blocks that the loader makes in a rehearsal,
   and the obstacles to the file's own huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/explain.h"
#include "explain/rehearsal.h"
#include "explain/no-image.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "host/process.h"
#include "object/loader.h"
#include "util/regular.h"
#include "util/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The state of a file's first blocks in the page cache, for a file with a
   place that its own huge pages fit.  */
struct cached
{
  const char *words;  /* The words for the first block that is not in a huge
                         page.  */
  bool small, others; /* Any block is in small pages, or mapped by another
                         process.  */
};

/* Return the words for PIECE.  */
static const char *
piece_words (const struct filecache_piece *piece)
{
  switch (piece->state)
    {
    case PIECE_HUGE:
      return "cached in huge pages";
    case PIECE_SHORT:
      return "at the file's end, which does not fill a huge page";
    case PIECE_UNREAD:
      return "not cached";
    case PIECE_UNKNOWN:
      return "not known how it is cached";
    default:
      return (piece->others ? "cached in small pages, which others have mapped"
              : piece->dirty
                  ? "cached in small pages, which have to be written first"
                  : "cached in small pages");
    }
}

/* Look at the state of FD, which is ELF, in the page cache.  Call this before
   a rehearsal, which would map the file.  */
static struct cached
look_at (int fd, const struct elf_object *elf, const struct settings *settings)
{
  uint64_t offset[3];
  struct cached cached = { 0 };
  size_t n = plan_samples (elf, settings, offset);
  for (size_t i = 0; i < n; ++i)
    {
      struct filecache_piece piece = filecache_look (fd, offset[i]);
      if (cached.words == NULL || piece.state != PIECE_HUGE)
        cached.words = piece_words (&piece);
      cached.small
          |= (piece.state == PIECE_SMALL || piece.state == PIECE_PARTLY);
      cached.others |= piece.others;
    }
  return cached;
}

/* Describe in EXPLAINED whether its file's own huge pages are used, or why
   not.  */
static void
describe_file (struct explained *explained, const struct elf_object *elf,
               const struct settings *settings, const struct cached *cached,
               const struct filesystem *filesystem, bool capable)
{
  uint64_t backing = settings_value (settings, SETTING_BACKING);
  unsigned int used = 0;
  bool planned = false;
  for (size_t i = 0; i < explained->nblocks; ++i)
    {
      used |= explained->blocks[i].backing;
      planned |= explained->blocks[i].planned;
    }
  if (!hugetext_may_use_file (backing))
    snprintf (explained->file, sizeof explained->file,
              "not asked for: --backing=%s", hugetext_choice_name (backing));
  else if ((used & BACKING_FILE) != 0)
    snprintf (explained->file, sizeof explained->file, "yes, on %s",
              filesystem->type);
  else if (!planned || (used & BACKING_STORE) != 0)
    /* Nothing needs to be said.  */
    ;
  else if (explained->left != NULL)
    strcpy (explained->file, "no: it cannot be moved to where they fit");
  else if (cached->words == NULL || !plan_prefers_file (elf, settings))
    strcpy (explained->file,
            "no: where addresses suit the places in the file, less text would"
            " be in huge pages (linked with a max-page-size of a huge page,"
            " it would suit)");
  else
    snprintf (explained->file, sizeof explained->file, "no: %s, on %s%s",
              cached->words, filesystem->type,
              capable ? "" : ", which this kernel caches in small pages only");
}

/* Set the commands that have more of EXPLAINED's file cached in huge pages.
   Small pages stay in the cache until they are dropped, which the kernel does
   not do while OTHERS map them; then a new file must take the file's place.  A
   file that has just been written is cached in small pages, too.  */
static void
find_remedy (struct explained *explained, bool others)
{
  char *path = realpath (explained->name, NULL), *copy = NULL;
  char *old = path != NULL ? shell_quote (path) : NULL, *new = NULL;
  if (old != NULL && others && asprintf (&copy, "%s.new", path) > 0)
    new = shell_quote (copy);
  static const char drop[] = "iflag=nocache count=0 status=none";
  if (old != NULL && !others
      && asprintf (&explained->file_remedy, "sync %s && dd if=%s %s", old, old,
                   drop)
             < 0)
    explained->file_remedy = NULL;
  if (new != NULL
      && asprintf (&explained->file_remedy,
                   "cp -a %s %s && sync %s && dd if=%s %s && mv %s %s", old,
                   new, new, new, drop, new, old)
             < 0)
    explained->file_remedy = NULL;
  free (path);
  free (copy);
  free (old);
  free (new);
}

/* Add the facts about the file FD, which is ELF, to EXPLAINED after its
   rehearsal.  */
static void
explain_cache (struct explained *explained, int fd,
               const struct elf_object *elf, const struct settings *settings)
{
  struct filesystem filesystem = { .type = "an unknown filesystem" };
  enum machine_huge huge = MACHINE_HUGE_UNKNOWN;
  if (machine_filesystem (explained->name, &filesystem))
    huge = machine_huge_files (&filesystem);
  const bool gathers = filecache_gathers (fd);
  const bool capable = huge != MACHINE_NEVER_HUGE || gathers;
  const struct cached cached = look_at (fd, elf, settings);
  describe_file (explained, elf, settings, &cached, &filesystem, capable);
  if (cached.small && capable && !gathers && explained->left == NULL
      && plan_prefers_file (elf, settings))
    find_remedy (explained, cached.others);
}

/* Return why a huge block of a file is huge.  */
static const char *
reason_of_huge (const struct explained_block *block)
{
  switch (block->backing)
    {
    case BACKING_FILE:
      return (block->made ? "the file's own"
                          : "the file's own, which the kernel uses by itself");
    case BACKING_STORE:
      return "its image in the store";
    case BACKING_HUGETLB:
      return "a copy from the reserved pool";
    default:
      return "a copy";
    }
}

/* Copy FROM, the explanation of a rehearsal's process, to TO, which is a
   file.  */
static void
take_over (struct explained *to, struct explained *from)
{
  const struct explained old = *to;
  *to = *from;
  from->blocks = NULL;
  to->name = old.name;
  to->late = old.late;
  to->in_process = false;
  to->cost = (struct cost){ 0 };
  to->readable = true;
  snprintf (to->kind, sizeof to->kind, "%.60s%s",
            from->place[0] != '\0' ? old.kind : "", from->place);
  for (size_t i = 0; i < to->nblocks; ++i)
    {
      struct explained_block *block = &to->blocks[i];
      block->address -= from->bias;
      if (block->backing == 0)
        continue;
      block->verdict = (block->made ? hugetext_verdict_name (HUGETEXT_TAKE)
                                    : "by-kernel");
      snprintf (block->reason, sizeof block->reason, "%s",
                reason_of_huge (block));
    }
}

/* Rehearse FILES and explain them in ALL, whose objects are ELF.  Return
   false, with PROBLEM set, if that is not possible.  */
static bool
rehearse (const struct file_list *files, const char *loader,
          const struct settings *settings, const struct elf_object elf[],
          struct explained all[], struct problem *problem)
{
  struct rehearsal rehearsal;
  struct process process;
  struct settings own;
  struct explained *list;
  size_t count;
  char words[512];
  if (!rehearsal_start (&rehearsal, files, !elf[0].program, loader, settings,
                        problem))
    return false;
  const char *why = explain_process (rehearsal.pid, &process, words, &list,
                                     &count, &own, NULL, NULL);
  rehearsal_end (&rehearsal);
  if (why != NULL)
    return problem_set (problem,
                        "unknown: its rehearsal cannot be looked at:"
                        " %s",
                        why);
  for (size_t i = 0; i < files->count; ++i)
    {
      size_t k = 0;
      while (k < count && !same_path (list[k].name, files->names[i]))
        ++k;
      if (!all[i].readable || all[i].problem[0] != '\0')
        continue;
      if (k < count)
        take_over (&all[i], &list[k]);
      else
        strcpy (all[i].problem, "unknown: its rehearsal did not map it");
      unsigned int used = 0;
      for (size_t b = 0; b < all[i].nblocks; ++b)
        used |= all[i].blocks[b].backing;
      if (used == 0 && all[i].problem[0] == '\0' && words[0] != '\0')
        snprintf (all[i].problem, sizeof all[i].problem, "%.350s", words);
    }
  for (size_t k = 0; k < count; ++k)
    explained_free (&list[k]);
  free (list);
  return true;
}

/* Open the file of EXPLAINED, and describe it in ELF.  Return a descriptor, or
   -1 with EXPLAINED's problem set.  */
static int
open_file (struct explained *explained, struct elf_object *elf)
{
  int fd = regular_open (explained->name, 0);
  if (fd < 0)
    {
      snprintf (explained->problem, sizeof explained->problem, "%s",
                errno == EINVAL ? "it is not a regular file"
                                : strerror (errno));
      return -1;
    }
  const char *problem = elfobject_read (fd, elf);
  if (problem != NULL)
    {
      snprintf (explained->problem, sizeof explained->problem, "%s", problem);
      close (fd);
      return -1;
    }
  explained->readable = true;
  problem = elfobject_problem (elf);
  if (problem == NULL && loader_is_loader (explained->name, fd))
    problem = "it is a loader: its code runs while it maps the others";
  if (problem != NULL)
    snprintf (explained->problem, sizeof explained->problem, "%s", problem);
  else
    snprintf (explained->kind, sizeof explained->kind,
              "%s with %zu KiB of text, ",
              elf->statically_linked ? "static program"
              : elf->program         ? "program"
                                     : "library",
              elfobject_text (elf) / 1024);
  return fd;
}

size_t
explain_files (const struct file_list *files, const char *loader,
               const struct settings *settings, struct explained all[])
{
  struct elf_object *elf = calloc (files->count, sizeof *elf);
  int *fds = calloc (files->count, sizeof *fds);
  struct problem problem = { "" };
  size_t unread = 0;
  if (elf == NULL || fds == NULL)
    {
      free (elf);
      free (fds);
      return files->count;
    }
  for (size_t i = 0; i < files->count; ++i)
    {
      all[i] = (struct explained){ .name = files->names[i],
                                   .late = i >= files->count - files->late };
      fds[i] = open_file (&all[i], &elf[i]);
      unread += fds[i] < 0;
    }
  if (all[0].problem[0] != '\0')
    problem_set (&problem, "%s", all[0].problem);
  else if (elf[0].statically_linked)
    snprintf (all[0].kind + strlen (all[0].kind),
              sizeof all[0].kind - strlen (all[0].kind),
              "%s; hugetext run sees to it, no loader does",
              elf[0].fixed ? "at a fixed address" : "at any address");
  else
    rehearse (files, loader, settings, elf, all, &problem);
  for (size_t i = 0; i < files->count; ++i)
    {
      if (problem.text[0] != '\0' && all[i].problem[0] == '\0')
        {
          snprintf (all[i].problem, sizeof all[i].problem, "%.350s",
                    problem.text);
          /* Without a rehearsal the reason comes from the store.  */
          no_image_reason (fds[i], all[i].name, &elf[i].object, settings,
                           all[i].no_image);
        }
      if (all[i].problem[0] != '\0')
        all[i].kind[0] = all[i].nblocks == 0 ? '\0' : all[i].kind[0];
      else if (!elf[i].statically_linked)
        explain_cache (&all[i], fds[i], &elf[i], settings);
      if (fds[i] >= 0)
        close (fds[i]);
    }
  free (elf);
  free (fds);
  return unread;
}
