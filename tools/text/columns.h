/* The columns of tables of text, and their values.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COLUMNS_H
#define COLUMNS_H

#include "text/objtext.h"

enum column
{
#define TEXT_COLUMN(id, ...) COLUMN_##id,
#include "text/columns.def"
  COLUMNS
};

/* A row of columns.def.  */
struct column_row
{
  const char *heading;
  int width;
  const char *json;
};

extern const struct column_row column_rows[COLUMNS];

/* Return the share of the text in use that is on huge pages, in per cent.
   Return -1 if no text is in use.  */
extern double column_share (size_t huge, size_t small);

/* Return the share of the samples of SUMS that are in text on huge pages, in
   per cent.  Return -1 if SUMS contain no samples, or if the profiles do not
   cover the text in use.  */
extern double column_samples (const struct text_sums *sums);

/* Return SHARE, rounded for printing.  STEP is the value of one unit of the
   last printed digit.  SHARE and STEP are in per cent.  A share below 100 is
   never rounded up to 100.  */
extern double column_share_shown (double share, double step);

/* Return SHARE, in per cent, as text in BUFFER, such as "99.9 %".  If SHARE
   is below 0, return "-".  */
extern const char *column_share_text (double share, char buffer[static 16]);

/* Return the value of COLUMN for SUMS as text in BUFFER, for a table.  */
extern const char *column_text (enum column column,
                                const struct text_sums *sums,
                                char buffer[static 40]);

#endif
