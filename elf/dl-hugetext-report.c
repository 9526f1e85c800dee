/* The lines of LD_DEBUG=files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The lines about blocks are what the record says of them.  */

#include "dl-hugetext-work.h"

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

/* The backing of a block of JOB with FATE, which is huge.  */
static const char *
backing_of (const struct hugetext_job *job, unsigned int fate)
{
  return (fate == HUGETEXT_FATE_FILE                    ? "file"
          : fate == HUGETEXT_FATE_STORE                 ? "store"
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
    _dl_debug_printf_c ("backing %s\n", backing_of (job, fate));
}

void
_dl_hugetext_report_object (const struct hugetext_job *job)
{
  size_t blocks[HUGETEXT_FATE_COPY + 1] = { 0 }, wanted = 0, made = 0;
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
      ++blocks[fate];
      made += fate >= HUGETEXT_FATE_FILE;
    }
  begin_line (job->record->map);
  _dl_debug_printf_c ("%lu bytes of text, %lu blocks wanted, %lu made,"
                      " backing",
                      hugetext_object_text (&job->state->object), wanted,
                      made);
  const char *before = "";
  for (unsigned int fate = HUGETEXT_FATE_FILE; fate <= HUGETEXT_FATE_COPY;
       ++fate)
    if (blocks[fate] > 0)
      {
        _dl_debug_printf_c (blocks[fate] < made ? "%s %s %lu" : "%s %s",
                            before, backing_of (job, fate), blocks[fate]);
        before = ",";
      }
  _dl_debug_printf_c (made == 0 ? " none\n" : "\n");
}
