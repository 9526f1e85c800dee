/* A library of some pages of text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "pages.h"

PAGES_FUNCTION (PART_NAME)
