/* The variable that says which system calls the loader may make in the current
   start or dlopen.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dl-hugetext-attempt.c sets the variable _dl_hugetext_liberty.  The macros in
   dl-hugetext-sys.h fail for each system call that this variable does not
   allow.  */

#include <dl-hugetext-sys.h>

enum hugetext_liberty _dl_hugetext_liberty;
