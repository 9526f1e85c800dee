/* The lines that "hugetext doctor" prints.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "check.h"

#include <stdarg.h>
#include <stdio.h>

static enum level worst;

void
check_line (enum level level, const char *what, const char *remedy,
            const char *format, ...)
{
  static const char *const words[] = { "OK", "limited", "missing" };
  va_list ap;
  printf ("%-8s %s: ", words[level], what);
  va_start (ap, format);
  vprintf (format, ap);
  va_end (ap);
  if (level != LEVEL_OK)
    printf ("; remedy: %s", remedy);
  putchar ('\n');
  if (level > worst)
    worst = level;
}

enum level
check_worst (void)
{
  return worst;
}
