# Append the tunables of ld-hugetext after all tunables of glibc in glibc's
# generated list.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: gawk -f append-tunables.awk -v lengths={0|1} OURS STOCK \
#          >dl-tunable-list.h
#
# glibc's gen-tunables.awk has written OURS, from our list of tunables, and
# STOCK, from glibc's lists.  Therefore every row has the format of the glibc
# version that is built.  This program needs to know only how three lines begin
# (an id, a row, and, from 2.33 on, the longest name), and whether a default
# that is a string has a length (lengths=1).

function is_id(line)  { return line ~ /^ *TUNABLE_ENUM_NAME *\(/ }
function is_row(line) { return line ~ /^ *\{ *TUNABLE_NAME_S *\(/ }
function is_max(line) { return line ~ /^# *define TUNABLE_NAME_MAX / }

# Return the name in the parentheses of an id or a row.
function name_of(line)
{
  match(line, /\(([^)]*)\)/, part)
  return part[1]
}

# Return a row in which a default that is a string has the form {"TEXT",
# LENGTH}.
function with_lengths(line,    part)
{
  if (lengths && match(line, /\.strval = "([^"]*)"/, part))
    gsub(/\.strval = "[^"]*"/,
         ".strval = {\"" part[1] "\", " length(part[1]) "}", line)
  return line
}

function flush(lines, count,    i)
{
  for (i = 1; i <= count; i++)
    print lines[i]
}

FNR == NR {
  if (is_id($0))
    ids[++n_ids] = $0
  else if (is_row($0))
    rows[++n_rows] = with_lengths($0)
  else if (is_max($0))
    name_max = $NF
  next
}

# Put our tunables into a fixed order, because in some releases (2.36) their
# order is gawk's hash order.
FNR == 1 {
  asort(ids)
  asort(rows)
}

# Up to 2.38, our dl-environment.h passes to glibc only variables whose names
# begin with LD or MA.  So a tunable cannot have an environment variable with
# another name.
!lengths && is_row($0) \
&& match($0, /"([^"]*)"} *,? *$/, part) && part[1] !~ /^((MA|LD).*)?$/ {
  print "append-tunables: elf/hooks/dl-environment.h leaves out " part[1] \
    >"/dev/stderr"
  exit 1
}

# From 2.38 on, the text after the rows names some ids, but is not a list of
# all tunables.
!rows_done && (is_id($0) || is_row($0)) {
  section = is_id($0) ? "ids" : "rows"
  stock[section, ++seen[section]] = name_of($0)
}

is_max($0) {
  if (name_max + 0 > $NF + 0)
    sub(/[0-9]+$/, name_max)
  seen_max = 1
}

# Insert our ids or rows before the first line after glibc's ids or rows.
section != "" && !is_id($0) && !is_row($0) {
  if (section == "ids")
    flush(ids, n_ids)
  else {
    flush(rows, n_rows)
    rows_done = 1
  }
  section = ""
}

{ print }

END {
  # The id is the index of the row, so ids and rows must have the same order.
  agree = n_ids > 0 && n_ids == n_rows && seen["ids"] > 0 \
          && seen["ids"] == seen["rows"] \
          && seen_max == (name_max != "")
  for (i = 1; i <= n_ids; i++)
    agree = agree && name_of(ids[i]) == name_of(rows[i]) \
            && name_of(ids[i]) ~ /^[a-z0-9_, ]+$/
  for (i = 1; i <= seen["ids"]; i++)
    agree = agree && stock["ids", i] == stock["rows", i]
  if (!agree) {
    print "append-tunables: not the list of tunables expected" >"/dev/stderr"
    exit 1
  }
}
