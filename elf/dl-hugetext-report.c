/* The lines of LD_DEBUG=files and LD_DEBUG=statistics.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions only report.  The numbers of huge pages are the kernel's,
   asked after the fact, where the kernel can say (Linux 6.7).  */

#include "dl-hugetext-lookup.h"
#include "dl-hugetext-probe.h"
#include "dl-hugetext-report.h"

static bool
debug_files (void)
{
  return __glibc_unlikely ((GLRO (dl_debug_mask) & DL_DEBUG_FILES) != 0);
}

static bool
debug_statistics (void)
{
  return __glibc_unlikely ((GLRO (dl_debug_mask) & DL_DEBUG_STATISTICS) != 0);
}

static const char *
name_of (const struct link_map *l)
{
  if (l->l_name[0] != '\0')
    return l->l_name;
  return rtld_progname != NULL ? rtld_progname : "<main program>";
}

/* The backing of the copies.  */
static const char *
name_of_copies (const struct hugetext_settings *set)
{
  return set->backing == HUGETEXT_HUGETLB ? "hugetlb" : "thp";
}

void
_dl_hugetext_report_settings (const struct hugetext_settings *set)
{
  static const char names[HUGETEXT_KEYS][16]
      = { "", "_backing", "_pad_threshold", "_max", "_lock", " objects" };

  if (!debug_files ())
    return;
  for (int key = 0; key < HUGETEXT_KEYS; ++key)
    if ((set->from_tunable & 1u << key) != 0)
      _dl_debug_printf ("hugetext: hugetext%s is set by a tunable\n",
                        names[key]);
    else if ((set->from_index & 1u << key) != 0)
      _dl_debug_printf ("hugetext: hugetext%s is set by %s, for %s\n",
                        names[key], set->memory->text.source[key],
                        set->memory->program);
  if (set->no_backing != NULL)
    _dl_debug_printf ("hugetext: glibc.mem.hugetext_backing=%.*s ignored:"
                      " it is auto, file, thp, hugetlb or store\n",
                      set->no_backing_length, set->no_backing);
}

/* The code object, NULL if there is none.  */
static const struct hugetext_code *followed;

void
_dl_hugetext_report_no_code (const char *why)
{
  if (debug_files ())
    _dl_debug_printf ("hugetext: code made at run time is left alone: %s\n",
                      why);
}

/* Print the code object's message, in a thread of the program's.  */
static void
report_code_block (uintptr_t block, enum hugetext_code_outcome outcome,
                   int error)
{
  static const char texts[][48] = { "made", "not made: over the cap",
                                    "not made: a memory limit is too near",
                                    "not made: the kernel has refused it" };
  if (outcome == HUGETEXT_CODE_REFUSED)
    _dl_debug_printf ("hugetext: code: block 0x%0*lx %s (error %d)\n",
                      (int) sizeof (void *) * 2, block, texts[outcome], error);
  else
    _dl_debug_printf ("hugetext: code: block 0x%0*lx %s\n",
                      (int) sizeof (void *) * 2, block, texts[outcome]);
}

static void
report_code_end (void)
{
  _dl_debug_printf ("\nhuge code statistics:\n");
  _dl_debug_printf ("      blocks of code made at run time: %lu\n",
                    _dl_hugetext_ledger_code (followed->ledger));
}

void
_dl_hugetext_report_code (struct hugetext_code *code)
{
  followed = code;
  if (debug_files ())
    code->say = report_code_block;
  if (debug_statistics ())
    code->say_end = report_code_end;
}

void
_dl_hugetext_report_skipped (const struct link_map *l, const char *why)
{
  if (debug_files ())
    _dl_debug_printf ("file=%s [%lu];  hugetext: left alone: %s\n",
                      name_of (l), l->l_ns, why);
}

static void
report_block (const struct link_map *l, uintptr_t block, const char *why)
{
  _dl_debug_printf ("file=%s [%lu];  hugetext: block 0x%0*lx not made: %s\n",
                    name_of (l), l->l_ns, (int) sizeof (void *) * 2, block,
                    why);
}

/* Report that the policy refused BLOCK of JOB, for VERDICT.  */
static void
report_verdict (const struct hugetext_job *job, uintptr_t block,
                enum hugetext_verdict verdict)
{
  const struct link_map *l = job->l;
  unsigned long int text
      = hugetext_block_text (job->object, &job->set->geo, block);
  switch (verdict)
    {
    case HUGETEXT_TAKE:
    case HUGETEXT_NO_TEXT:
      return;
    case HUGETEXT_OUTSIDE:
      report_block (l, block, "it reaches beyond the object");
      return;
    case HUGETEXT_WRITABLE:
      report_block (l, block, "it holds writable data");
      return;
    case HUGETEXT_RELRO:
      report_block (l, block, "it holds data that relocation writes (RELRO)");
      return;
    case HUGETEXT_ZERO_FILL:
      report_block (l, block, "it holds zero fill");
      return;
    case HUGETEXT_EXECUTE_ONLY:
      report_block (l, block, "its execute-only text would become readable");
      return;
    case HUGETEXT_BELOW_THRESHOLD:
      _dl_debug_printf ("file=%s [%lu];  hugetext: block 0x%0*lx not made:"
                        " %lu bytes of text"
                        " (glibc.mem.hugetext_pad_threshold=%lu)\n",
                        name_of (l), l->l_ns, (int) sizeof (void *) * 2, block,
                        text, job->set->pad_threshold);
      return;
    case HUGETEXT_KEPT_FREE:
      _dl_debug_printf ("file=%s [%lu];  hugetext: block 0x%0*lx not made:"
                        " %lu bytes of text, and %lu of %lu blocks are in"
                        " use: the rest waits for fuller ones"
                        " (glibc.mem.hugetext_max)\n",
                        name_of (l), l->l_ns, (int) sizeof (void *) * 2, block,
                        text, (unsigned long int) job->ledger->used.blocks,
                        _dl_hugetext_ledger_cap (job->ledger));
      return;
    case HUGETEXT_OVER_CAP:
      _dl_debug_printf ("file=%s [%lu];  hugetext: block 0x%0*lx not made:"
                        " over the cap of %lu blocks"
                        " (glibc.mem.hugetext_max)\n",
                        name_of (l), l->l_ns, (int) sizeof (void *) * 2, block,
                        _dl_hugetext_ledger_cap (job->ledger));
      return;
    }
}

/* Report the FATE of BLOCK of JOB.  */
static void
report_fate (const struct hugetext_job *job, uintptr_t block,
             unsigned int fate)
{
  const struct link_map *l = job->l;
  const bool unlocked = (fate & HUGETEXT_FATE_UNLOCKED) != 0;
  fate &= ~HUGETEXT_FATE_UNLOCKED;
  if (fate >= HUGETEXT_FATE_FILE)
    _dl_debug_printf ("file=%s [%lu];  hugetext: block 0x%0*lx backing %s%s\n",
                      name_of (l), l->l_ns, (int) sizeof (void *) * 2, block,
                      fate == HUGETEXT_FATE_FILE ? "file"
                      : fate == HUGETEXT_FATE_STORE
                          ? "store"
                          : name_of_copies (job->set),
                      unlocked ? ", not locked in memory (RLIMIT_MEMLOCK,"
                                 " filters, threads)"
                               : "");
  else if (fate >= HUGETEXT_FATE_OUTCOME)
    report_block (l, block,
                  hugetext_outcome_text (fate - HUGETEXT_FATE_OUTCOME));
  else if (fate >= HUGETEXT_FATE_VERDICT)
    report_verdict (job, block, fate - HUGETEXT_FATE_VERDICT);
}

/* Return the KiB of JOB's object that are huge by the kernel's count, -1 if
   the kernel cannot say.  */
static long int
kernel_huge (const struct hugetext_job *job)
{
  const struct hugetext_object *object = job->object;
  long int sum = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (!hugetext_is_text (s))
        continue;
      long int huge = _dl_hugetext_kernel_huge (
          job->attempt, s->start + object->bias, s->end + object->bias);
      if (huge < 0)
        return -1;
      sum += huge;
    }
  return sum / 1024;
}

/* Print the backings of JOB's blocks, with numbers if there are several.  */
static void
print_backings (const struct hugetext_job *job)
{
  const struct hugetext_totals *totals = &job->totals;
  const struct
  {
    const char *name;
    size_t blocks;
  } backings[] = { { "file", totals->file },
                   { "store", totals->stored },
                   { name_of_copies (job->set),
                     totals->made - totals->file - totals->stored } };
  const char *before = ", backing";

  if (totals->made == 0)
    _dl_debug_printf_c ("%s none", before);
  for (int i = 0; i < 3; ++i)
    if (backings[i].blocks > 0)
      {
        _dl_debug_printf_c (backings[i].blocks < totals->made ? "%s %s %lu"
                                                              : "%s %s",
                            before, backings[i].name, backings[i].blocks);
        before = ",";
      }
  _dl_debug_printf_c ("\n");
}

void
_dl_hugetext_report_object (const struct hugetext_job *job)
{
  const struct hugetext_totals *totals = &job->totals;
  const struct link_map *l = job->l;
  if (!debug_files ())
    return;
  for (size_t i = 0; i < job->nfates; ++i)
    report_fate (job, job->first + i * job->set->geo.block, job->fate[i]);
  _dl_debug_printf ("file=%s [%lu];  hugetext: %lu bytes of text,"
                    " %lu blocks wanted, %lu made",
                    name_of (l), l->l_ns, totals->text, totals->wanted,
                    totals->made);
  print_backings (job);
  long int huge = kernel_huge (job);
  if (huge >= 0)
    _dl_debug_printf ("file=%s [%lu];  hugetext: the kernel reports %lu KiB"
                      " of text on huge pages\n",
                      name_of (l), l->l_ns, huge);
}

void
_dl_hugetext_report_totals (const struct hugetext_totals *totals,
                            struct hugetext_ledger *ledger)
{
  if (!debug_statistics ())
    return;
  _dl_debug_printf ("\nhuge text statistics:\n");
  _dl_debug_printf ("                  objects examined: %lu\n",
                    totals->objects);
  _dl_debug_printf ("                     bytes of text: %lu\n", totals->text);
  _dl_debug_printf ("           blocks wanted, now made: %lu, %lu\n",
                    totals->wanted, totals->made);
  size_t cap = _dl_hugetext_ledger_cap (ledger);
  if (cap == SIZE_MAX)
    _dl_debug_printf ("      blocks in the process and cap: %lu, none\n",
                      (unsigned long int) ledger->used.blocks);
  else
    _dl_debug_printf ("      blocks in the process and cap: %lu, %lu\n",
                      (unsigned long int) ledger->used.blocks, cap);
  _dl_debug_printf ("            copies of them and cap: %lu, %lu\n",
                    (unsigned long int) ledger->used.copies,
                    ledger->copies_cap);
  if (followed != NULL)
    _dl_debug_printf ("        of code made at run time also: %lu\n",
                      _dl_hugetext_ledger_code (ledger));
}
