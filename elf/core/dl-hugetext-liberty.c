/* The variable that says which calls the loader may make in the present
   attempt.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dl-hugetext-attempt.c sets the variable; dl-hugetext-sys.h refuses calls
   that the variable does not allow.  */

#include <dl-hugetext-sys.h>

enum hugetext_liberty _dl_hugetext_liberty;
