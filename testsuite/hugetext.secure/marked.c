/* Check whether the processor catches branches to unmarked addresses (AArch64
   BTI).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   NAME is an object made from text.S, with TEXT bytes of text.  NAME_test
   returns how many of its functions cannot be called at their second
   instruction, which is not marked as a branch target: all functions if the
   text is protected, otherwise none.

   With START, this file also defines the start code of a program.  This start
   code has the marks for branch targets, so that the linker marks the whole
   program.  The compiler's own start code may have no such marks.  */

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#include "text-step.h"

#define JOIN(a, b) JOIN1 (a, b)
#define JOIN1(a, b) a##_##b

extern char JOIN (NAME, text)[TEXT];

#ifdef START
/* As the ABI requires, call __libc_start_main (main, argc, argv, NULL, NULL,
   rtld_fini, stack_end).  */
__asm__(".text\n"
        ".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        "	hint	#38\n" /* bti jc */
        "	mov	x29, #0\n"
        "	mov	x30, #0\n"
        "	mov	x5, x0\n"
        "	ldr	x1, [sp]\n"
        "	add	x2, sp, #8\n"
        "	mov	x6, sp\n"
        "	adrp	x0, main\n"
        "	add	x0, x0, :lo12:main\n"
        "	mov	x3, #0\n"
        "	mov	x4, #0\n"
        "	bl	__libc_start_main\n"
        "	brk	#0\n");
#endif

static sigjmp_buf back;

static void catch (int signal) { siglongjmp (back, signal); }

int
JOIN (NAME, test) (void)
{
  volatile int caught = 0;
  struct sigaction action = { .sa_handler = catch };
  sigaction (SIGILL, &action, NULL);
  for (size_t i = 0; i < TEXT; i += STEP)
    {
      int (*volatile function) (void)
          = (int (*) (void)) (JOIN (NAME, text) + i + 4);
      if (sigsetjmp (back, 1) == 0)
        function ();
      else
        ++caught;
    }
  signal (SIGILL, SIG_DFL);
  return caught;
}
