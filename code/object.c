/* The code object's entry: the loader finds the object by it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader preloads the object into programs whose code made at run time it
   follows.  The object needs no symbol of another object, has no constructor,
   and does nothing until the loader has filled in its entry point.  */

#include <elf.h>

#include "make.h"

/* The entry point.  */
struct hugetext_code hugetext_code;

static const struct hugetext_code_note note
    __attribute__ ((used, section (".note.hugetext"), aligned (8)))
    = { .name_size = sizeof HUGETEXT_CODE_NOTE,
        .size = sizeof note.number,
        .type = HUGETEXT_CODE_NOTE_TYPE,
        .name = HUGETEXT_CODE_NOTE,
        .number = HUGETEXT_CODE_NUMBER };

/* Called when the process ends.  */
static void __attribute__ ((destructor)) end (void)
{
  if (hugetext_code.say_end != NULL)
    hugetext_code.say_end ();
}
