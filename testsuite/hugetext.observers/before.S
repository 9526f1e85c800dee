/* Read-only data in front of an object's text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The linker puts notes in front of the text.  The macro BEFORE is the size of
   the notes in bytes, a multiple of 8.  */

	.section .note.before, "a", @note
	.balign	4
	.long	4, BEFORE, 1
	.asciz	"ld-"
	.fill	BEFORE / 8, 8, 0
	.section .note.GNU-stack, "", @progbits
