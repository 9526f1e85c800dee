# Text in which each small page has one function, which only calls the function
# of another page.  The calls go through all pages in a fixed random order, and
# then return.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# Variables: pages, the number of pages; every, so that one page of EVERY has a
# function; align, the alignment of the text; jump, the name of the jump
# instruction.
#
# The jumps are direct.  A processor predicts indirect jumps well or badly
# depending on their addresses, by chance, and a wrong prediction takes longer
# than a page walk.  The functions are at different offsets into their pages,
# so that they do not all compete for the same sets of the caches.

function at(i) { return 13 * i % 63 * 64 + 32 }

# Park and Miller's generator: the same numbers with every awk.
function random(n) { return (seed = seed * 16807 % 2147483647) % n }

BEGIN {
  seed = 1
  # Of each EVERY pages, the program executes one.  Choose a different one of
  # the EVERY pages each time, so that the executed pages do not all use the
  # same cache sets.
  count = int(pages / every)
  for (i = 0; i < count; i++) {
    k = random(i + 1)
    order[i] = order[k]
    order[k] = i * every + i % every
  }
  for (i = 0; i + 1 < count; i++)
    following[order[i]] = order[i + 1]

  print "\t.section .text.walk, \"ax\", @progbits"
  print "\t.balign\t" align
  print "\t.globl\twalk_text, walk_first, walk_end"
  print "\t.type\twalk_text, @object"
  print "walk_text:"
  for (i = 0; i < pages; i++) {
    print "\t.skip\t" at(i)
    print "page" i ":"
    if (i in following)
      print "\t" jump "\tpage" following[i]
    else
      print "\tret"
    print "\t.balign\t4096"
  }
  print "\t.balign\t" align
  print "walk_end:"
  print "\t.set\twalk_first, page" order[0]
  print "\t.type\twalk_first, @function"

  print "\t.section .rodata, \"a\", @progbits"
  print "\t.globl\twalk_count"
  print "\t.balign\t8"
  print "walk_count:"
  print "\t.quad\t" count

  # Read-only data after the text, as in real programs, so that the last block
  # of text has no writable data.
  print "\t.section .rodata.walk, \"a\", @progbits"
  print "\t.globl\twalk_data"
  print "walk_data:"
  print "\t.fill\t0x200000 / 4, 4, 0x01234567"
  print "\t.section .note.GNU-stack, \"\", @progbits"
}
