/* A program for 32 bits that waits.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

	.text
	.globl	_start
_start:
	movl	$29, %eax		/* pause */
	int	$0x80
	jmp	_start
	.section .note.GNU-stack, "", @progbits
