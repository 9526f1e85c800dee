# Functions for gawk programs that convert the Texinfo text of a table's row to
# other forms.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

# Return TEXT, which is in Texinfo, in the syntax of man pages: Texinfo
# commands become fonts, and references to the manual are removed.
function roff(text)
{
  gsub(/\\/, "\\\\", text)
  gsub(/ *\(@pxref\{[^}]*\}\)/, "", text)
  gsub(/@tie\{\}/, "\\ ", text)
  text = gensub(/@(code|env|command|option)\{([^}]*)\}/, "\\\\fB\\2\\\\fR", \
                "g", text)
  text = gensub(/@(file|var|samp)\{([^}]*)\}/, "\\\\fI\\2\\\\fR", "g", text)
  gsub(/-/, "\\-", text)
  if (text ~ /@[a-z{]/)
    fail("not for man pages: " text)
  return text
}

# Print TEXT in lines of at most 72 characters.  In a man page, begin a new
# line for each sentence.
function fill(text, man,    n, i, word, line)
{
  n = split(text, word, / +/)
  line = ""
  for (i = 1; i <= n; i++) {
    if (line != "" && length(line) + length(word[i]) > 71) {
      print line
      line = ""
    }
    line = line (line == "" ? "" : " ") word[i]
    if (man && word[i] ~ /[.]$/) {
      print line
      line = ""
    }
  }
  if (line != "")
    print line
}
