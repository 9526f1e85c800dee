/* The liberty of the present attempt: which calls the loader may make.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dl-hugetext-attempt.c determines it; dl-hugetext-sys.h refuses other
   calls.  */

#include <dl-hugetext-sys.h>

enum hugetext_liberty _dl_hugetext_liberty;
