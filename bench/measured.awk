# Convert the values of one quantity, as "hugetext measure --json" prints them,
# to lines of a table.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# Variables: what (the first column of the output), quantity.  Output:
# what,variant,rounds,median,low,high,ratio,ratio_low,ratio_high,huge,backing,
# as from ratios.awk, except that ratio_low and ratio_high are the limits that
# measure prints; huge is the percentage of the text that was huge, and backing
# contains the names of the backings, joined by +.  The ratios of the first
# setting, with which the others are compared, are 1.  The setting "on" is
# called "auto", and a second setting "stock" is called "stock again".

BEGIN { OFS = "," }

{ gsub(/[",{]/, ""); key = substr($1, 1, length($1) - 1) }
# measure prints the name of a setting before the quantities of this setting.
key == "name" {
  name = $2 == "on" ? "auto" : $2
  if (name == "stock" && seen++)
    name = "stock again"
}
key == "rounds" { rounds = $2 }
key == quantity && NF == 1 { inside = found = 1; delete value }
inside && NF == 2 { value[key] = $2 }
inside && $1 ~ /^}/ { inside = 0 }
key == "huge_text_percent" { huge = $2 }
in_list && $1 ~ /^\]/ { in_list = 0 }
in_list { backing = backing (backing != "" ? "+" : "") $1 }
key == "backing" { in_list = 1; backing = "" }
# measure prints the verdict last, so the line is complete.
key == "verdict" && found {
  found = 0
  if (!("ratio" in value))
    value["ratio"] = value["ratio_low"] = value["ratio_high"] = 1
  print what, name, rounds, value["median"], value["low_quartile"],
    value["high_quartile"], value["ratio"], value["ratio_low"],
    value["ratio_high"], huge, backing
}
