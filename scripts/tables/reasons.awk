# Generate text from elf/policy/dl-hugetext-reasons.def, for
# scripts/tables/reasons.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

function row(macro, field, n)
{
  if (n != 7 || macro !~ /^HUGETEXT_(NO_REASON|VERDICT|OUTCOME|FINDING)$/)
    fail("no row of a reason: " macro " (" field[1] ", ...), " n " fields")
  if (macro ~ /VERDICT|OUTCOME/ && length(field[4]) > 95)
    fail("too long: " field[4])
  if (form == "codes")
    print field[2] "\t" field[4]
  else if (field[7] != "")
    fill("@item " field[4] " @tab " field[7], 0)
}

function finish()
{
}
