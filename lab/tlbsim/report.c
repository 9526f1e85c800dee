/* The report on a simulation.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "report.h"

#include <inttypes.h>
#include <string.h>

/* Return the number of instructions, in thousands, of the counted part of the
   trace, or 0 if it is not known.  */
static double
thousands (const struct report_counts *counts)
{
  double per_block = counts->per_block;
  if (counts->instructions != 0)
    return counts->instructions / 1e3;
  if (per_block == 0 && counts->total_blocks != 0)
    per_block = (double) counts->total_instructions / counts->total_blocks;
  return counts->blocks * per_block / 1e3;
}

static void
print_name (FILE *stream, size_t max, bool csv)
{
  if (max == MAX_ALL)
    fprintf (stream, csv ? "%s" : "%5s", "all");
  else
    fprintf (stream, csv ? "%zu" : "%5zu", max);
}

/* Print a line for CORE on LAYOUT.  K is the number of instructions in
   thousands, or the number of superblocks in thousands if the number of
   instructions is not known.  */
static void
print_row (FILE *stream, const struct objects *objects,
           const struct layout *layout, const struct core *core, double k,
           bool csv)
{
  const size_t at = layout->pad * objects->nmaxes + layout->max;
  uint64_t misses = 0, walks = 0;
  for (int c = 0; c < PAGE_CLASSES; ++c)
    {
      misses += core->misses[c];
      walks += core->walks[c];
    }
  fprintf (stream, csv ? "%s,%zu," : "%-24s %7zu ", core->cpu->name,
           objects->pads[layout->pad]);
  print_name (stream, objects->maxes[layout->max], csv);
  fprintf (stream,
           csv ? ",%zu,%.1f,%.4f,%.4f,%.4f,%.4f,%.2f"
               : " %6zu %5.1f%% %9.4f %9.4f %9.4f %9.4f %9.2f",
           objects->used[at],
           objects->text != 0 ? 100.0 * objects->huge[at] / objects->text : 0,
           misses / k, core->misses[PAGE_HUGE] / k, walks / k,
           core->walks[PAGE_HUGE] / k, core_cycles (core) / k);
  if (objects->index != NULL)
    fprintf (stream, csv ? ",%s" : " %7s",
             objects_by_heat (objects, layout->pad) ? "heat" : "text");
  fputc ('\n', stream);
}

void
report (FILE *stream, const struct report_counts *counts,
        const struct objects *objects, const struct layout layouts[],
        size_t count, bool csv)
{
  double k = thousands (counts);
  const char *unit = k != 0 ? "instructions" : "superblocks";
  if (k == 0)
    k = counts->blocks / 1e3;
  if (csv)
    fputs ("cpu,pad,max,blocks,huge_percent,misses,misses_huge,walks,"
           "walks_huge,cycles",
           stream);
  else
    {
      size_t pages = count > 0 ? layouts[0].npages : 0;
      fprintf (stream,
               "%" PRIu64 " superblocks, %.0f thousand %s, %zu pages executed"
               " (%" PRIu64 " of no object), %zu KiB of text in %zu objects\n",
               counts->blocks, k, unit, pages, counts->loose_pages,
               objects->text / 1024, objects->count);
      fprintf (stream,
               "per thousand %s:\n%-24s %7s %5s %6s %6s %9s %9s %9s %9s %9s",
               unit, "processor", "pad", "max", "blocks", "huge", "misses",
               "of huge", "walks", "of huge", "cycles");
    }
  if (objects->index != NULL)
    fputs (csv ? ",ranking" : " ranking", stream);
  fputc ('\n', stream);
  /* Sort by processor, then by the order of the trials.  */
  for (size_t first = 0;
       first < count && layouts[first].pad == 0 && layouts[first].max == 0;
       first++)
    for (size_t c = 0; c < layouts[first].ncores; ++c)
      for (size_t i = 0; i < count; ++i)
        if (layouts[i].shift == layouts[first].shift)
          print_row (stream, objects, &layouts[i], &layouts[i].cores[c], k,
                     csv);
}
