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

# Return ALTERNATIVES for a man page, with words in bold and placeholders in
# italics.
function values(alternatives)
{
  if (alternatives !~ /\|/)
    return "\\fI" roff(tolower(alternatives)) "\\fR"
  alternatives = roff(alternatives)
  gsub(/ \| /, "\\fR | \\fB", alternatives)
  return "\\fB" alternatives "\\fR"
}

# Return the VALUES of a setting for a cell of a Texinfo table.
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

# Print the tunable NAME with ATTRIBUTES, which are lines in glibc's syntax;
# TEXT describes the tunable.
function print_tunable(name, attributes, text)
{
  if (form == "tunables.texi") {
    print "@item glibc.mem." name
    fill(text, 0)
  } else if (form == "tunables.man") {
    print ".TP\n.B glibc.mem." name
    fill(roff(text), 1)
  } else if (form == "list")
    print "    " name " {\n" attributes "    }"
}

# Return the attributes of a tunable that is a number or a word: its TYPE, its
# maximum MOST, and its default STANDARD.
function attributes_of(type, most, standard,    lines)
{
  lines = "      type: " type "\n"
  if (type != "STRING") {
    lines = lines "      minval: 0\n"
    # If the largest value is the largest value of the type, leave it out,
    # because it is the default.
    if (most != "18446744073709551615")
      lines = lines "      maxval: " most "\n"
  }
  return lines "      default: " standard "\n"
}

function row(macro, field, n,    words)
{
  if (macro == "HUGETEXT_SETTING_LIST" && n == 5) {
    print_key(field[2], field[3], field[4], field[5])
    if (form == "keys.texi")
      print "@item @code{" field[2] "} @tab " cell(field[3]) " @tab none"
    return
  }
  if (macro == "HUGETEXT_TUNABLE_LIST" && n == 3) {
    print_tunable(field[2], "      type: STRING\n", field[3])
    return
  }
  if (macro != "HUGETEXT_SETTING" || n != 11 || !(field[4] in type))
    fail("no row of a setting: " macro " (" field[1] ", ...), " n " fields")
  print_key(field[3], field[7], field[9], field[11])
  if (form == "keys.texi")
    print "@item @code{" field[3] "} @tab " cell(field[7]) \
          " @tab @code{glibc.mem." field[2] "}"
  split(field[7], words, / \| /)
  print_tunable(field[2],
                attributes_of(type[field[4]], field[5],
                              type[field[4]] == "STRING" ? words[field[6] + 1] \
                                                         : field[6]),
                field[10])
}

function finish()
{
  if (form == "list")
    print "  }\n}"
}
