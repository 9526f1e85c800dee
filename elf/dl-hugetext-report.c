/* The lines of LD_DEBUG=files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The lines about blocks are what the record says of them.  */

#include "dl-hugetext-install.h"

/* Print the beginning of a line about L.  */
static void
begin_line (const struct link_map *l)
{
  _dl_debug_printf ("file=%s [%lu];  hugetext: ",
                    l->l_name[0] != '\0'    ? l->l_name
                    : rtld_progname != NULL ? rtld_progname
                                            : "<main program>",
                    l->l_ns);
}

void
_dl_hugetext_report_skipped (const struct link_map *l, const char *why)
{
  if (!_dl_hugetext_debug_files ())
    return;
  begin_line (l);
  _dl_debug_printf_c ("left alone: %s\n", why);
}

/* The kinds of huge pages, in the order of the fates.  */
enum
{
  FILE_PAGES,
  IMAGES,
  COPIES,
  KINDS
};

static const char *
name_of_kind (const struct hugetext_job *job, int kind)
{
  return (kind == FILE_PAGES                            ? "file"
          : kind == IMAGES                              ? "store"
          : job->state->set.backing == HUGETEXT_HUGETLB ? "hugetlb"
                                                        : "thp");
}

/* Report the FATE of BLOCK of JOB, which has text.  */
static void
report_block (const struct hugetext_job *job, uintptr_t block,
              unsigned int fate)
{
  begin_line (job->record->map);
  _dl_debug_printf_c ("block 0x%0*lx ", (int) sizeof (void *) * 2, block);
  if (fate < HUGETEXT_FATE_FILE)
    _dl_debug_printf_c ("not made: %s\n", hugetext_reason_text (fate));
  else
    _dl_debug_printf_c ("backing %s\n",
                        name_of_kind (job, fate - HUGETEXT_FATE_FILE));
}

void
_dl_hugetext_report_object (const struct hugetext_job *job)
{
  size_t blocks[KINDS] = { 0 }, wanted = 0, made = 0;
  const struct hugetext_record_head *head = &job->state->head;
  const struct hugetext_entry *entry = &job->record->entry;
  if (!_dl_hugetext_debug_files ())
    return;
  for (size_t i = 0; i < entry->nblocks; ++i)
    {
      unsigned int fate = head->fate[entry->first + i];
      if (fate == HUGETEXT_FATE_NONE)
        continue;
      ++wanted;
      report_block (job, entry->start + i * head->block, fate);
      if (fate >= HUGETEXT_FATE_FILE)
        {
          ++made;
          ++blocks[fate - HUGETEXT_FATE_FILE];
        }
    }
  begin_line (job->record->map);
  _dl_debug_printf_c ("%lu bytes of text, %lu blocks wanted, %lu made,"
                      " backing",
                      hugetext_object_text (&job->state->object), wanted,
                      made);
  const char *before = "";
  for (int kind = 0; kind < KINDS; ++kind)
    if (blocks[kind] > 0)
      {
        _dl_debug_printf_c (blocks[kind] < made ? "%s %s %lu" : "%s %s",
                            before, name_of_kind (job, kind), blocks[kind]);
        before = ",";
      }
  _dl_debug_printf_c (made == 0 ? " none\n" : "\n");
}
