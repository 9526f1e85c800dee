/* A library of several MiB of text with two hot functions, which are in
   separate blocks wherever the library is mapped.  With -DONE_BLOCK, the
   library has less than a block of text, and all of it is in one block, which
   also contains slack that the loader reserves.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   FIRST and SECOND are the functions' names.  Each function returns the sum of
   the numbers from 1 to N, so that the program notices if other code runs in
   its place.  */

#if defined __x86_64__
#  define LOOP "xor %eax, %eax\n1: add %rdi, %rax\n dec %rdi\n jnz 1b\n ret\n"
#elif defined __aarch64__
#  define LOOP                                                    \
    "mov x1, #0\n1: add x1, x1, x0\n subs x0, x0, #1\n b.ne 1b\n" \
    "mov x0, x1\n ret\n"
#endif
#define QUOTE(name) QUOTE_1 (name)
#define QUOTE_1(name) #name
#define HOT(name, fill)                                     \
  asm(".text\n.skip " #fill "\n.balign 64\n.globl " QUOTE ( \
      name) "\n"                                            \
            ".type " QUOTE (name) ", %function\n" QUOTE (   \
                name) ":\n" LOOP                            \
                      ".size " QUOTE (name) ", . - " QUOTE (name) "\n")

#ifdef LATER
/* Another version of the library, with other code at each address.  */
asm(".text\n.skip 0x1234, 0xcc\n");
#endif
#ifdef ONE_BLOCK
HOT (FIRST, 0x80000);
HOT (SECOND, 0x1000);
#else
HOT (FIRST, 0x300000);
HOT (SECOND, 0x280000);
asm(".skip 0x300000\n");
#endif
