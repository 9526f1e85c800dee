/* An object with as much text and data as wanted.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The macro NAME is the object's name.  NOISE is a file of as many bytes as
   needed; NOISE_TEXT and NOISE_TEXT2 are files of text (noise.c).  The macros
   TEXT, TEXT2, RODATA, ZERO, RELRO, DATA and BSS are the sizes in bytes of
   NAME_text (in .text), NAME_text2 (in .text2), NAME_rodata, NAME_zero (in
   .zero, read-only zero fill), NAME_relro, NAME_data and NAME_bss.  Sizes
   that are not defined are 0.  Programs find the sizes in the symbols.  If
   TEXTREL is not 0, the object has a text relocation.  PIECES is the number of
   sections .piece0, .piece1..., each with one page of text.

   The text is noise, except for one function every STEP bytes (text-step.h);
   function number I returns I.  So the text needs no relocation, and can have
   any size.  The assembler reads each file once, because assembling one
   function at a time takes ten times as long.  */

#define JOIN(a, b) JOIN1 (a, b)
#define JOIN1(a, b) a##_##b

#ifndef TEXT
# define TEXT 0
#endif
#ifndef TEXT2
# define TEXT2 0
#endif
#ifndef RODATA
# define RODATA 0
#endif
#ifndef ZERO
# define ZERO 0
#endif
#ifndef RELRO
# define RELRO 0
#endif
#ifndef DATA
# define DATA 0
#endif
#ifndef BSS
# define BSS 0
#endif
#ifndef TEXTREL
# define TEXTREL 0
#endif
#ifndef PIECES
# define PIECES 0
#endif

	/* LABEL: SIZE bytes of text from FILE.  */
	.macro	functions label size file
	.globl	\label
	.type	\label, @function
	.size	\label, \size
\label:
	.incbin	"\file", 0, \size
	.endm

	/* LABEL: SIZE bytes of data.  */
	.macro	bytes label size from
	.globl	\label
	.type	\label, @object
	.size	\label, \size
\label:
	.incbin	NOISE, \from, \size
	.endm

#if TEXT > 0
	.text
	functions JOIN (NAME, text), TEXT, NOISE_TEXT
#endif
#if TEXTREL
	.balign	8
	.quad	JOIN (NAME, data)
#endif
#if TEXT2 > 0
	.section .text2, "ax", @progbits
	functions JOIN (NAME, text2), TEXT2, NOISE_TEXT2
#endif
#if PIECES > 0
	.altmacro
	.macro	piece number
	.section .piece\number, "ax", @progbits
	.fill	4096, 1, 0xcc
	.endm
	.set	count, 0
	.rept	PIECES
	piece	%count
	.set	count, count + 1
	.endr
	.noaltmacro
#endif
#if RODATA > 0
	.section .rodata, "a", @progbits
	bytes	JOIN (NAME, rodata), RODATA, 8192
#endif
#if ZERO > 0
	.section .zero, "a", @nobits
	.globl	JOIN (NAME, zero)
	.type	JOIN (NAME, zero), @object
	.size	JOIN (NAME, zero), ZERO
JOIN (NAME, zero):
	.skip	ZERO
#endif
#if RELRO > 0
	/* A pointer puts the data into RELRO, and needs a relocation.  */
	.section .data.rel.ro, "aw", @progbits
	.balign	8
	bytes	JOIN (NAME, relro), RELRO, 12288
	.quad	JOIN (NAME, relro)
#endif
#if DATA > 0
	.data
	.balign	8
	bytes	JOIN (NAME, data), DATA, 16384
#endif
#if BSS > 0
	.bss
	.globl	JOIN (NAME, bss)
	.type	JOIN (NAME, bss), @object
	.size	JOIN (NAME, bss), BSS
JOIN (NAME, bss):
	.skip	BSS
#endif

	.section .note.GNU-stack, "", @progbits

#ifdef __ARM_FEATURE_BTI_DEFAULT
	/* All branch targets are marked.  */
	.section .note.gnu.property, "a", %note
	.balign	8
	.long	4, 16, 5		/* NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.long	0xc0000000, 4, 1, 0	/* AARCH64_FEATURE_1_AND: BTI */
#endif
