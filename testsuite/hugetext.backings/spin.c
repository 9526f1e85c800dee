/* A program that spends time in code spread over megabytes: for profiles,
   debuggers and core dumps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   spin ROUNDS [wait|crash|late]

   With "wait", the program sleeps for a minute after it has used its text, and
   with "crash" it aborts.  With "late", it sleeps for half a second before it
   uses its text, and for half a second afterwards.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION(name)                          \
  __attribute__ ((noinline)) int name (int a)   \
  {                                             \
    __asm__ volatile(".fill 0x40000, 1, 0x90"); \
    return a + 1;                               \
  }

/* clang-format off */
FUNCTION (hot0) FUNCTION (hot1) FUNCTION (hot2) FUNCTION (hot3)
FUNCTION (hot4) FUNCTION (hot5) FUNCTION (hot6) FUNCTION (hot7)
FUNCTION (hot8) FUNCTION (hot9) FUNCTION (hotA) FUNCTION (hotB)
FUNCTION (hotC) FUNCTION (hotD) FUNCTION (hotE) FUNCTION (hotF)
    /* clang-format on */

    /* Read-only data after the text, so that whole blocks of the file contain
       all of the text.  */
    const char padding[0x200000]
    = { 1 };

__attribute__ ((noinline)) int
helper (int crash)
{
  if (crash)
    abort ();
  return hot0 (0) + padding[sizeof padding - 1];
}

int
main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : 1;
  const char *then = argc > 2 ? argv[2] : "";
  const int late = strcmp (then, "late") == 0;
  long sum = 0;

  if (late)
    usleep (500000);
  for (int i = 0; i < rounds; ++i)
    sum += hot0 (i) + hot1 (i) + hot2 (i) + hot3 (i) + hot4 (i) + hot5 (i)
           + hot6 (i) + hot7 (i) + hot8 (i) + hot9 (i) + hotA (i) + hotB (i)
           + hotC (i) + hotD (i) + hotE (i) + hotF (i);
  /* Allocate so much data that the few pages of the loader's data in a core
     dump are negligible.  */
  char *volatile data = malloc (8 << 20);
  memset (data, 1, 8 << 20);
  printf ("%ld %d\n", sum, helper (0) + data[(8 << 20) - 1]);
  fflush (stdout);
  if (strcmp (then, "wait") == 0)
    sleep (60);
  if (late)
    usleep (500000);
  return helper (strcmp (then, "crash") == 0) == 0;
}
