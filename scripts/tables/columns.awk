# Generate text from tools/text/columns.def and tools/status/totals.def, for
# scripts/tables/columns.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

# Add a property to LIST, "columns" or "totals".
function add(list, name_of, type_of, help_of)
{
  count[list]++
  name[list, count[list]] = name_of
  type[list, count[list]] = type_of
  help[list, count[list]] = help_of
}

function row(macro, field, n)
{
  if (macro ~ /^HUGETEXT_(CHOSEN|OTHER)_BACKING$/) {
    backings[++n_backings] = field[2]
    gsub(/'/, "", field[3])
    letters = letters field[3]
    letter_list = letter_list field[3] " " field[2] ", "
    return
  }
  if (macro == "TEXT_SUM")
    return
  if (macro == "TOTAL" && n == 4 && field[1] ~ /^(ALWAYS|POSITIVE|BY_BACKING)$/) {
    add("totals", field[2], field[1], field[4])
    return
  }
  if (macro == "TEXT_TYPE" && n == 5 && field[5] != "") {
    gsub(/'/, "\"", field[5])
    members[field[1]] = field[5]
    return
  }
  if (macro != "TEXT_COLUMN" || n != 7 || !(field[5] in members))
    fail("no row of a column: " macro " (" field[1] ", ...), " n " fields")
  add("columns", field[4], field[5], field[7])
  if (form == "columns.texi")
    fill("@item " field[2] " @tab @code{" field[4] "} @tab " field[7], 0)
}

# Return the words of the backings, separated by commas, each followed by
# AFTER.
function join_backings(after,    k, text)
{
  for (k = 1; k <= n_backings; k++)
    text = text (k > 1 ? ", " : "") "\"" backings[k] "\"" after
  return text
}

# Print property I of LIST for JSON Schema, after INDENT and before END.
function property(list, i, indent, end,    kind)
{
  kind = type[list, i]
  print indent "\"" name[list, i] "\": {"
  print indent "  \"description\": \"" help[list, i] "\","
  if (kind in members)
    print indent "  " backing_words(members[kind])
  else if (kind ~ /^(ALWAYS|POSITIVE)$/)
    print indent "  \"type\": \"integer\",\n" \
          indent "  \"minimum\": " (kind == "POSITIVE" ? 1 : 0)
  else
    print indent "  \"type\": \"object\",\n" \
          indent "  \"required\": [" join_backings("") "],\n" \
          indent "  \"properties\": {" \
          join_backings(": {\"type\": \"integer\", \"minimum\": 0}") "}"
  print indent "}" end
}

# Print the properties of LIST in place of LINE of the schema, or their names.
function properties(list, line,    indent, last, i, end)
{
  indent = line
  sub(/".*/, "", indent)
  # The list of required properties leaves out those of the kind POSITIVE.
  for (last = count[list]; line !~ /\{\}/ && type[list, last] == "POSITIVE";)
    last--
  for (i = 1; i <= count[list]; i++) {
    end = i < last || line ~ /,$/ ? "," : ""
    if (line ~ /\{\}/)
      property(list, i, indent, end)
    else if (type[list, i] != "POSITIVE")
      print indent "\"" name[list, i] "\"" end
  }
}

# Return LINE of the schema with the words and letters of all backings.
function backing_words(line)
{
  sub(/"@backings"/, "[" join_backings("") "]", line)
  sub(/@letter_list/, letter_list, line)
  sub(/@letters/, letters, line)
  return line
}

# Print the schema with the properties in place of "@columns" and "@totals".
function finish(    line, got)
{
  if (form != "schema")
    return
  while ((got = getline line <schema) > 0)
    if (line ~ /"@columns"/)
      properties("columns", line)
    else if (line ~ /"@totals"/)
      properties("totals", line)
    else
      print backing_words(line)
  if (got < 0)
    fail("cannot read " schema)
}
