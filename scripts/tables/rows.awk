# Read the rows of a table in a .def file: a function for gawk's programs.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: gawk -f rows.awk -f PROGRAM FILE.def
#
# For each row "MACRO (FIELD, ...)" of the table, the function row(MACRO,
# FIELD, N) of PROGRAM is called.  A FIELD is a word, a character, a string
# (whose parts are joined), or an expression, which may contain parentheses.  A
# row begins in the first column, and other text in the table does not begin
# there.

function fail(text)
{
  print FILENAME ": " text >"/dev/stderr"
  failed = 1
  exit 1
}

# Remove the first token from the variable text, and set token and
# token_is_string.
function next_token()
{
  sub(/^[ \t\n]+/, "", text)
  token_is_string = 0
  if (match(text, /^"[^"\\]*"/)) {
    token = substr(text, 2, RLENGTH - 2)
    token_is_string = 1
  } else if (match(text, /^'[^'\\]'/)) {
    token = substr(text, 2, 1)
    token_is_string = 1
  } else if (match(text, /^([A-Za-z0-9_]+|[-+*\/>|=(),.])/))
    token = substr(text, 1, RLENGTH)
  else
    fail("not understood: " substr(text, 1, 60))
  text = substr(text, RLENGTH + 1)
}

function take_row(    macro, field, n, depth)
{
  next_token()
  macro = token
  next_token()
  if (token != "(")
    fail("there is no ( behind " macro)
  n = 1
  depth = 0
  for (next_token(); token_is_string || token != ")" || depth > 0;
       next_token()) {
    if (!token_is_string && token == "," && depth == 0) {
      n++
      continue
    }
    if (!token_is_string)
      depth += (token == "(") - (token == ")")
    field[n] = field[n] token
  }
  row(macro, field, n)
}

{ text = text $0 "\n" }

END {
  if (failed)
    exit 1
  # Skip comments and preprocessor lines.
  while (match(text, /\/\*([^*]|\*+[^*\/])*\*+\//))
    text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
  gsub(/(^|\n)[ \t]*#[^\n]*/, "\n", text)
  for (sub(/^[ \t\n]+/, "", text); text != ""; sub(/^[ \t\n]+/, "", text)) {
    take_row()
    rows++
  }
  if (rows == 0)
    fail("there are no rows")
  finish()
}
