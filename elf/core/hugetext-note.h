/* The ELF note that identifies a file of ld-hugetext.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The note contains two strings: the glibc release for which the loader was
   built, and the version of ld-hugetext.  */

#ifndef HUGETEXT_NOTE_H
#define HUGETEXT_NOTE_H

#include "hugetext-version.h"

#define HUGETEXT_NOTE_NAME "ld-hugetext"
#define HUGETEXT_NOTE_LOADER 1
/* The type of the note in the stand-in, the file that the package installs in
   place of the loader (debian/stand-in.c).  */
#define HUGETEXT_NOTE_STAND_IN 2

#define HUGETEXT_NOTE_STRING(x) HUGETEXT_NOTE_STRING_1 (x)
#define HUGETEXT_NOTE_STRING_1(x) #x

/* Put a note of type TYPE into the object.  RELEASE is the note's first
   string.  */
#define HUGETEXT_NOTE(type, release)                          \
  __asm__(".pushsection .note.ld-hugetext, \"a\", %note\n"    \
          "  .balign 4\n"                                     \
          "  .long 2f - 1f, 4f - 3f, " HUGETEXT_NOTE_STRING ( \
              type) "\n"                                      \
                    "1:.asciz \"" HUGETEXT_NOTE_NAME "\"\n"   \
                    "2:.balign 4\n"                           \
                    "3:.asciz \"" release "\"\n"              \
                    "  .asciz \"" HUGETEXT_VERSION "\"\n"     \
                    "4:.balign 4\n"                           \
                    ".popsection\n")

#endif
