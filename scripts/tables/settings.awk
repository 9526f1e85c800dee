# Generate text from elf/policy/dl-hugetext-settings.def, for
# scripts/tables/settings.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

BEGIN {
  type["MODE"] = "INT_32"
  type["BACKING"] = "STRING"
  type["BYTES"] = type["COUNT"] = "SIZE_T"
  if (form == "list") {
    print "# Tunables of ld-hugetext, made of dl-hugetext-settings.def."
    print "glibc {\n  mem {"
  }
}

# Words of ALTERNATIVES in bold for a man page, others in italics.
function values(alternatives)
{
  if (alternatives !~ /\|/)
    return "\\fI" roff(tolower(alternatives)) "\\fR"
  alternatives = roff(alternatives)
  gsub(/ \| /, "\\fR | \\fB", alternatives)
  return "\\fB" alternatives "\\fR"
}

# The VALUES of a setting for a cell of Texinfo's.
function cell(alternatives)
{
  if (alternatives !~ /\|/)
    return "@var{" tolower(alternatives) "}"
  gsub(/ \| /, "}, @code{", alternatives)
  return "@code{" alternatives "}"
}

function print_key(word, alternatives, help, more)
{
  if (form == "keys.man") {
    print ".TP\n\\fB" word " =\\fR " values(alternatives)
    fill(roff(help) ".", 1)
    fill(roff(more), 1)
  }
}

function row(macro, field, n,    words, name)
{
  if (macro == "HUGETEXT_SETTING_LIST" && n == 5) {
    print_key(field[2], field[3], field[4], field[5])
    if (form == "keys.texi")
      print "@item @code{" field[2] "} @tab " cell(field[3]) " @tab none"
    return
  }
  if (macro != "HUGETEXT_SETTING" || n != 11 || !(field[4] in type))
    fail("no row of a setting: " macro " (" field[1] ", ...), " n " fields")
  name = "glibc.mem." field[2]
  print_key(field[3], field[7], field[9], field[11])
  if (form == "keys.texi")
    print "@item @code{" field[3] "} @tab " cell(field[7]) \
          " @tab @code{" name "}"
  else if (form == "tunables.texi") {
    print "@item " name
    fill(field[10], 0)
  } else if (form == "tunables.man") {
    print ".TP\n.B " name
    fill(roff(field[10]), 1)
  } else if (form == "list") {
    split(field[7], words, / \| /)
    print "    " field[2] " {\n      type: " type[field[4]]
    if (type[field[4]] != "STRING") {
      print "      minval: 0"
      # The most that the type has is the default.
      if (field[5] != "18446744073709551615")
        print "      maxval: " field[5]
    }
    print "      default: " \
          (type[field[4]] == "STRING" ? words[field[6] + 1] : field[6])
    print "    }"
  }
}

function finish()
{
  if (form == "list")
    print "  }\n}"
}
