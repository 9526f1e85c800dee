/* A library with some 6 MiB of text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tst-hugetext.h"

HUGETEXT_FUNCTIONS (hugetext_mod1);
