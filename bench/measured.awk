# What "hugetext measure --csv" prints about one quantity, as lines of a table.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# Variables: what (the first column of the output), quantity. Output:
# what,variant,rounds,median,low,high,ratio,ratio_low,ratio_high, as of
# ratios.awk, but that the last two are what measure is sure of.  "on" is
# called "auto", and the stock loader, when it comes a second time, "stock
# again".

BEGIN { FS = OFS = "," }

$2 == quantity {
  name = substr($1, 2, length($1) - 2)
  if (name == "on")
    name = "auto"
  if (name == "stock" && seen++)
    name = "stock again"
  if ($7 == "")
    $7 = $8 = $9 = 1
  print what, name, $3, $4, $5, $6, $7, $8, $9
}
