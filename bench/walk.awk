# Text in which small pages have one function each, that only calls that of
# another page, in a fixed random order: all of them, and then returns.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# Variables: pages, their number; every, of how many one has a function; align,
# how the whole is aligned; jump, what a jump is called.
#
# Direct jumps, since a processor predicts where an indirect one goes well or
# badly by the luck of addresses, which is more than a page walk takes.  The
# functions are at different offsets into their pages, so that they do not all
# compete for the same sets of the caches.

function at(i) { return 13 * i % 63 * 64 + 32 }

# Park and Miller's generator: the same numbers with every awk.
function random(n) { return (seed = seed * 16807 % 2147483647) % n }

BEGIN {
  seed = 1
  # Not always the same one of so many, again for the caches.
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

  # Read-only data behind the text, as real programs have, so that its last
  # block holds nothing that is written to.
  print "\t.section .rodata.walk, \"a\", @progbits"
  print "\t.globl\twalk_data"
  print "walk_data:"
  print "\t.fill\t0x200000 / 4, 4, 0x01234567"
  print "\t.section .note.GNU-stack, \"\", @progbits"
}
