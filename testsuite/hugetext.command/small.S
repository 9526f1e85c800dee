/* A 32-bit program, or a loader for it, that waits to be killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   32-bit libraries are rarely installed; this program needs none.  */

	.globl _start
_start:
	movl $29, %eax		/* pause */
	int $0x80
	jmp _start

	.data
	.long 1

	.section .note.GNU-stack, "", %progbits
