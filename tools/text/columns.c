/* The columns of the tables about text on huge pages, and the values in the
   columns.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/columns.h"

#include <stdarg.h>
#include <stdio.h>

const struct column_row column_rows[COLUMNS] = {
#define TEXT_COLUMN(id, heading, width, json, type, value, help) \
  [COLUMN_##id] = { heading, width, json },
#include "text/columns.def"
};

double
column_share (size_t huge, size_t small)
{
  return huge + small > 0 ? 100.0 * huge / (huge + small) : -1.0;
}

double
column_samples (const struct text_sums *sums)
{
  enum
  {
    /* The profiles cover the text in use if at most 1 / UNPROFILED_SHARE of it
       has no profile.  A process may have opened small libraries since it was
       profiled.  */
    UNPROFILED_SHARE = 16,
  };
  if (sums->unprofiled > (sums->huge + sums->small) / UNPROFILED_SHARE)
    return -1;
  return column_share (sums->hot, sums->heat - sums->hot);
}

double
column_share_shown (double share, double step)
{
  return share < 100.0 && share > 100.0 - step ? 100.0 - step : share;
}

const char *
column_share_text (double share, char buffer[static 16])
{
  if (share < 0)
    return "-";
  snprintf (buffer, 16, "%.1f %%", column_share_shown (share, 0.1));
  return buffer;
}

/* Print to BUFFER like snprintf, and return BUFFER.  */
static const char *__attribute__ ((format (printf, 2, 3)))
column_print (char buffer[static 40], const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (buffer, 40, format, arguments);
  va_end (arguments);
  return buffer;
}

#define TEXT_TYPE(id, c, text, json, schema)                     \
  _Static_assert(sizeof (schema) > 1, #id " lacks its schema");  \
  static const char *text_##id (c value, char buffer[static 40]) \
  {                                                              \
    return (text);                                               \
  }
#include "text/columns.def"

const char *
column_text (enum column column, const struct text_sums *sums,
             char buffer[static 40])
{
  /* The parentheses make the compiler report a column whose type has no
     row.  */
  switch (column)
    {
#define TEXT_COLUMN(id, heading, width, json, type, value, help) \
  case COLUMN_##id:                                              \
    return (text_##type) (value, buffer);
#include "text/columns.def"
    case COLUMNS:
      break;
    }
  return "";
}
