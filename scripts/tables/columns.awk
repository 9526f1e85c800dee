# What is made of tools/text/columns.def: see scripts/tables/columns.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

function row(macro, field, n)
{
  if (macro ~ /^HUGETEXT_(CHOSEN|OTHER)_BACKING$/) {
    backings[++n_backings] = field[2]
    return
  }
  if (macro == "TEXT_SUM")
    return
  if (macro != "TEXT_COLUMN" || n != 7 || field[5] !~ /^(BYTES|PERCENT|BACKINGS)$/)
    fail("no row of a column: " macro " (" field[1] ", ...), " n " fields")
  columns++
  name[columns] = field[4]
  type[columns] = field[5]
  help[columns] = field[7]
  if (form == "columns.texi")
    fill("@item " field[2] " @tab @code{" field[4] "} @tab " field[7], 0)
}

# Print column I as a property of JSON Schema, after INDENT and before END.
function property(i, indent, end,    k)
{
  print indent "\"" name[i] "\": {"
  print indent "  \"description\": \"" help[i] "\","
  if (type[i] == "BYTES")
    print indent "  \"type\": \"integer\",\n" indent "  \"minimum\": 0"
  else if (type[i] == "PERCENT")
    print indent "  \"type\": [\"number\", \"null\"],\n" \
          indent "  \"minimum\": 0,\n" indent "  \"maximum\": 100"
  else {
    printf "%s", indent "  \"type\": \"array\",\n" \
           indent "  \"items\": {\"enum\": ["
    for (k = 1; k <= n_backings; k++)
      printf "%s\"%s\"", (k > 1 ? ", " : ""), backings[k]
    print "]}"
  }
  print indent "}" end
}

# Print the schema with the columns in place of "@columns".
function finish(    line, indent, end, i, got)
{
  if (form != "schema")
    return
  while ((got = getline line <schema) > 0) {
    if (line !~ /"@columns"/) {
      print line
      continue
    }
    indent = line
    sub(/".*/, "", indent)
    for (i = 1; i <= columns; i++) {
      end = i < columns || line ~ /,$/ ? "," : ""
      if (line ~ /\{\}/)
        property(i, indent, end)
      else
        print indent "\"" name[i] "\"" end
    }
  }
  if (got < 0)
    fail("cannot read " schema)
}
