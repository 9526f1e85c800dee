/* Text in which every small page has one function, that only returns.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   PAGES is their number, ALIGN how the whole is aligned.  The functions are
   at different offsets into their pages, so that they do not all compete for
   the same sets of the caches.  */

	.section .text.walk, "ax", @progbits
	.balign	ALIGN
	.globl	walk_text
	.type	walk_text, @object
walk_text:
	.set	i, 0
	.rept	PAGES
	.skip	(i * 13 % 63) * 64 + 32
	ret
	.balign	4096
	.set	i, i + 1
	.endr
	.balign	ALIGN
	.globl	walk_end
walk_end:

/* Read-only data behind the text, as real programs have, so that its last
   block holds nothing that is written to.  */
	.section .rodata.walk, "a", @progbits
	.globl	walk_data
walk_data:
	.fill	0x200000 / 8, 8, 0x0123456789abcdef

	.section .note.GNU-stack, "", @progbits
