/* The options that stand for tunables: --backing, --max, --pad.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SETTING_OPTIONS_H
#define SETTING_OPTIONS_H

#include "settings.h"

/* Their keys, for the commands' tables of options; commands have their own
   from 0x100 on.  */
enum
{
  KEY_BACKING = 0x200,
  KEY_MAX,
  KEY_PAD,
};

/* Put ARG into SETTINGS if KEY is one of these, and return whether it is.
   If ARG is wrong, say so and exit.  */
extern bool setting_option (struct settings *settings, int key,
                            const char *arg);

#endif
