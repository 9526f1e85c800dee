/* The columns of tables of text, and their values.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/columns.h"

#include <stdio.h>

const struct column_row column_rows[COLUMNS] = {
#define TEXT_COLUMN(id, heading, width, json, type, value, help) \
  [COLUMN_##id] = { heading, width, json, COLUMN_TYPE_##type },
#include "text/columns.def"
};

double
column_share (size_t huge, size_t small)
{
  return huge + small > 0 ? 100.0 * huge / (huge + small) : -1.0;
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

double
column_value (enum column column, const struct text_sums *sums)
{
  switch (column)
    {
#define TEXT_COLUMN(id, heading, width, json, type, value, help) \
  case COLUMN_##id:                                              \
    return value;
#include "text/columns.def"
    case COLUMNS:
      break;
    }
  return 0;
}

const char *
column_text (enum column column, const struct text_sums *sums,
             char buffer[static 40])
{
  double value = column_value (column, sums);
  switch (column_rows[column].type)
    {
    case COLUMN_TYPE_BYTES:
      snprintf (buffer, 40, "%zu", (size_t) value / 1024);
      break;
    case COLUMN_TYPE_PERCENT:
      return column_share_text (value, buffer);
    case COLUMN_TYPE_BACKINGS:
      return backing_names ((unsigned int) value, buffer);
    }
  return buffer;
}
