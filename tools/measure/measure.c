/* Parse the settings that a measurement compares, and run the rounds of the
   measurement.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "measure/measure.h"
#include "object/loader.h"
#include "util/allocate.h"

#include <stdio.h>
#include <string.h>

enum
{
  /* The maximum number of runs of a variant in which its text is
     inspected.  */
  TRIES = 3,
};

static void
set_mode (struct settings *settings, uint64_t mode)
{
  settings->given[SETTING_MODE] = true;
  settings->value[SETTING_MODE] = mode;
}

/* Add WORD, one word of a variant, to SETTINGS.  */
static bool
measure_take_setting (struct settings *settings, const char *word,
                      struct problem *problem)
{
  uint64_t mode = settings_mode (word);
  struct problem wanted;
  bool good;
  if (mode != 0 || strcmp (word, "off") == 0)
    {
      set_mode (settings, mode);
      return true;
    }
  const char *equals = strchr (word, '=');
  enum hugetext_key key = equals != NULL
                              ? settings_find_key (word, equals - word)
                              : HUGETEXT_KEYS;
  if (key < HUGETEXT_VALUES && key != HUGETEXT_KEY_MODE)
    good = settings_parse (settings, (enum setting) key, equals + 1, &wanted);
  else
    good = settings_parse (settings, SETTING_BACKING, word, &wanted)
           || problem_set (
               &wanted,
               "stock, or a comma-separated list of on, off, code, on+code, "
               "auto, file, thp, hugetlb, store, max=N, pad=BYTES and "
               "names=N");
  return good
         || problem_from (problem, &wanted, "%s: must be %s", word,
                          wanted.text);
}

bool
variant_parse (struct variant *variant, const char *words,
               struct problem *problem)
{
  bool good = true;
  variant->name = words;
  variant->stock = strcmp (words, "stock") == 0;
  if (variant->stock)
    return true;
  set_mode (&variant->settings, SETTINGS_TEXT);
  char *rest = allocate_text (words), *word;
  while (good && (word = strsep (&rest, ",")) != NULL)
    good = measure_take_setting (&variant->settings, word, problem);
  return good;
}

/* Prepare VARIANT to run LAUNCH.  The caller has already chosen how LAUNCH
   runs its program (its member "way"), and whether LAUNCH uses a mount
   namespace.  */
static void
measure_prepare_variant (struct variant *variant, const struct launch *launch)
{
  variant->launch = *launch;
  if (variant->stock)
    {
      variant->launch.way = LAUNCH_PLAIN;
      /* If the system's loader is ld-hugetext.so itself, the stock variant
         also uses it, with huge text switched off.  */
      if (!loader_is_ours (loader_system ())
          && !loader_is_ours (launch->program.interpreter))
        {
          variant->apart = launch->way == LAUNCH_BOUND;
          return;
        }
      set_mode (&variant->settings, 0);
    }
  if (variant->stock || launch->way != LAUNCH_PLAIN)
    variant->tunables = launch_tunables (&variant->launch, &variant->settings);
}

bool
variant_is_small (const struct variant *variant)
{
  return (variant->settings.value[SETTING_MODE] & SETTINGS_TEXT) == 0;
}

/* Inspect the text of both variants of the measurement M, in runs that are not
   measured.  Repeat a run in which no text was inspected, because on a busy
   machine a short program may end before the command has inspected its text.
   Return 0, or the exit status for the failure of a run.  */
static int
inspect_variants (struct measurement *m)
{
  struct variant *base = &m->variants[0];
  int status = 0;
  for (size_t i = 0; status == 0 && i < 2 * TRIES; ++i)
    if (m->variants[i % 2].family.processes == 0)
      status = measure_run (m, i % 2, NULL);
  /* If the run of the variant with huge text has made the kernel cache files
     in huge pages, the base (the first variant) will use the cached huge
     pages, too.  Therefore inspect the text of the base again after the run
     with huge text.  */
  if (!variant_is_small (base) || variant_is_small (&m->variants[1]))
    return status;
  base->family = (struct family){ .processes = 0 };
  for (size_t i = 0; status == 0 && i < TRIES && base->family.processes == 0;
       ++i)
    status = measure_run (m, 0, NULL);
  return status;
}

int
measure (struct measurement *m, const struct launch *launch)
{
  size_t first = 0;
  for (size_t c = 0; c < 2; ++c)
    measure_prepare_variant (&m->variants[c], launch);
  m->counted = measure_counters (&m->not_counted);
  int status = inspect_variants (m);
  for (size_t round = 0; status == 0 && round < m->rounds; ++round)
    {
      first = compare_first (round, first, compare_toss ());
      for (size_t i = 0; status == 0 && i < 2; ++i)
        {
          const size_t c = i == 0 ? first : !first;
          double values[QUANTITIES];
          status = measure_run (m, c, values);
          for (enum quantity q = 0; q < QUANTITIES; ++q)
            m->variants[c].values[q][round] = values[q];
        }
    }
  return status;
}
