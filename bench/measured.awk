# What "hugetext measure --json" prints about one quantity, as lines of a table.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# Variables: what (the first column of the output), quantity. Output:
# what,variant,rounds,median,low,high,ratio,ratio_low,ratio_high,huge,backing,
# as of ratios.awk, but that the two behind the ratio are what measure is sure
# of; and percent of the text that were huge, and by what: names with + between.
# The base has ratios of 1.  "on" is called "auto", and the stock loader, when
# it comes a second time, "stock again".

BEGIN { OFS = "," }

{ gsub(/[",{]/, ""); key = substr($1, 1, length($1) - 1) }
# All quantities of a setting are behind its name.
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
# The last that is said of a setting.
key == "verdict" && found {
  found = 0
  if (!("ratio" in value))
    value["ratio"] = value["ratio_low"] = value["ratio_high"] = 1
  print what, name, rounds, value["median"], value["low_quartile"],
    value["high_quartile"], value["ratio"], value["ratio_low"],
    value["ratio_high"], huge, backing
}
