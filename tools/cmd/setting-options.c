/* The options that stand for tunables: --backing, --max, --pad.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/setting-options.h"
#include "util/options.h"

/* The key of the option for SETTING.  */
#define KEY(setting) (0x200 + (setting))

static const struct argp_option table[] = {
  { "backing", KEY (SETTING_BACKING), "NAME", 0,
    "Where huge pages come from: auto, file, thp, hugetlb, store", 0 },
  { "max", KEY (SETTING_MAX), "N", 0,
    "At most N huge pages of text to a process; 0: as many as the CPU's"
    " instruction TLB holds",
    0 },
  { "pad", KEY (SETTING_PAD), "BYTES", 0,
    "Least text in a huge page that is not all text; 0: none such", 0 },
  { 0 },
};

static error_t
parse (int key, char *arg, struct argp_state *state)
{
  for (const struct argp_option *o = table; o->name != NULL; o++)
    if (o->key == key)
      {
        const char *wanted
            = settings_parse (state->input, key - KEY (0), arg);
        if (wanted != NULL)
          options_fail ("--%s=%s: must be %s", o->name, arg, wanted);
        return 0;
      }
  return ARGP_ERR_UNKNOWN;
}

const struct argp setting_options = { .options = table, .parser = parse };
