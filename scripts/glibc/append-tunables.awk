# Append our tunables after all of glibc's in its generated list.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: gawk -f append-tunables.awk -v lengths={0|1} OURS STOCK \
#          >dl-tunable-list.h
#
# Both files are output of glibc's own gen-tunables.awk, of our list and of
# the stock lists.  So every row is in the format of that glibc version, and
# all there is to know here is how an id, a row and the longest name begin
# (there is none before 2.33), and whether a string that is a default has a
# length (lengths=1).

function is_id(line)  { return line ~ /^ *TUNABLE_ENUM_NAME *\(/ }
function is_row(line) { return line ~ /^ *\{ *TUNABLE_NAME_S *\(/ }
function is_max(line) { return line ~ /^# *define TUNABLE_NAME_MAX / }

# The name inside the first parentheses of an id or a row.
function name_of(line)
{
  match(line, /\(([^)]*)\)/, part)
  return part[1]
}

# A row whose default, if that is a string, is {"TEXT", LENGTH}.
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

# Where the order is gawk's hash order (2.36), make ours a fixed one.
FNR == 1 {
  asort(ids)
  asort(rows)
}

# Until 2.38 variables with other names are not looked at (dl-environment.h).
!lengths && is_row($0) \
&& match($0, /"([^"]*)"} *,? *$/, part) && part[1] !~ /^((MA|LD).*)?$/ {
  print "append-tunables: elf/hooks/dl-environment.h leaves out " part[1] \
    >"/dev/stderr"
  exit 1
}

# What comes after the rows names ids, but is no list of all (from 2.38 on).
!rows_done && (is_id($0) || is_row($0)) {
  section = is_id($0) ? "ids" : "rows"
  stock[section, ++seen[section]] = name_of($0)
}

is_max($0) {
  if (name_max + 0 > $NF + 0)
    sub(/[0-9]+$/, name_max)
  seen_max = 1
}

# The first line after glibc's ids or rows: ours come before it.
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
  # The id is the index of the row: both orders must agree.
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
