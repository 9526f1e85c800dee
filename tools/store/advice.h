/* Advice: does "hugetext store add" or "hugetext prime" accept a file?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_ADVICE_H
#define STORE_ADVICE_H

#include "object/reason.h"

/* The function that answers what "hugetext store add" and "hugetext prime"
   would do; programs pass it to reason_ask_with (object/reason.h).  */
extern reason_asker advice_ask;

#endif
