/* Words quoted for a shell.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SHELL_H
#define SHELL_H

/* Return WORD quoted for a shell, which the caller frees; NULL if there is no
   memory.  */
extern char *shell_quote (const char *word);

#endif
