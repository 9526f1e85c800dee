/* The lines about huge text that the loader prints if LD_DEBUG=files is set.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The reasons in the debug output are the same as in the record, which other
   processes read.  */

#include <array_length.h>

#include "dl-hugetext-work.h"

/* Print the beginning of a line of debug output about object L.  */
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

void
_dl_hugetext_note_reason (struct hugetext_job *job, uintptr_t block,
                          enum hugetext_reason reason)
{
  ++job->wanted;
  if (hugetext_is_made (reason))
    ++job->made[hugetext_way_of (reason)];
  _dl_hugetext_record_reason (job->state, job->record, block, reason);
  if (!_dl_hugetext_debug_files ())
    return;
  begin_line (job->record->map);
  _dl_debug_printf_c ("block 0x%0*lx ", (int) sizeof (void *) * 2, block);
  if (hugetext_is_made (reason))
    _dl_debug_printf_c ("backing %s\n",
                        hugetext_way_name (hugetext_way_of (reason)));
  else
    _dl_debug_printf_c ("not made: %s\n", hugetext_reason_text (reason));
}

/* Print the number N and NOUN, in the plural unless N is 1.  */
static void
print_count (size_t n, const char *noun)
{
  _dl_debug_printf_c ("%lu %s%s", n, noun, n == 1 ? "" : "s");
}

void
_dl_hugetext_report_object (const struct hugetext_job *job)
{
  size_t made = 0;
  if (!_dl_hugetext_debug_files ())
    return;
  for (size_t i = 0; i < array_length (job->made); ++i)
    made += job->made[i];
  begin_line (job->record->map);
  print_count (hugetext_object_text (&job->state->object), "byte");
  _dl_debug_printf_c (" of text, ");
  print_count (job->wanted, "block");
  _dl_debug_printf_c (" wanted, %lu made huge, backing", made);
  const char *before = "";
  for (size_t i = 0; i < array_length (job->made); ++i)
    if (job->made[i] > 0)
      {
        _dl_debug_printf_c (job->made[i] < made ? "%s %s %lu" : "%s %s",
                            before, hugetext_way_name (i), job->made[i]);
        before = ",";
      }
  _dl_debug_printf_c (made == 0 ? " none\n" : "\n");
}
