/* The options that stand for tunables: --backing, --max, --pad.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SETTING_OPTIONS_H
#define SETTING_OPTIONS_H

#include "object/settings.h"

#include <argp.h>

/* A child for the argps of commands, whose input is a struct settings.  */
extern const struct argp setting_options;

#endif
