/* Print the effect of a tunable of the stock libc.  Each run shows the effect
   of one tunable.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: effect CASE [ARG]

   Each case prints one word or number that is different when the tunable of
   the same name is set as effects.exp sets it.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hide from the compiler that POINTER is a result of malloc.  */
static void *
opaque (void *pointer)
{
  __asm__ volatile("" : "+r"(pointer) : : "memory");
  return pointer;
}

static void *
new_block (size_t size)
{
  return opaque (malloc (size));
}

/* Print a byte of memory that malloc has just returned.  */
static void
case_perturb (const char *arg)
{
  (void) arg;
  unsigned char *block = new_block (1000);
  printf ("%02x\n", block[500]);
}

/* Before glibc 2.33 there is only mallinfo, whose numbers are ints.  */
#if !__GLIBC_PREREQ(2, 33)
#  define mallinfo2 mallinfo
#endif

/* Print whether a block of ARG bytes gets a mapping of its own.  Allocate two
   blocks, because one may fit in the initial heap.  */
static void
case_mmap (const char *arg)
{
  void *first = new_block (strtoul (arg, NULL, 0));
  void *second = new_block (strtoul (arg, NULL, 0));
  puts (mallinfo2 ().hblks > 0 ? "mapped" : "heap");
  free (second);
  free (first);
}

/* Print whether the library ARG, which needs static TLS, can still be
   loaded.  */
static void
case_static_tls (const char *arg)
{
  puts (dlopen (arg, RTLD_NOW) != NULL ? "loaded" : "no room");
}

/* Print whether the thread has registered a restartable sequence.  */
static void
case_rseq (const char *arg)
{
  (void) arg;
  const unsigned int *size = dlsym (RTLD_DEFAULT, "__rseq_size");
  puts (size == NULL ? "unknown" : *size > 0 ? "registered" : "not");
}

/* Print the values that libc.so.6 would get for the tunables whose IDs ARG
   lists.  */
static void
case_ids (const char *arg)
{
  void (*get) (unsigned int, void *, void *)
      = dlvsym (RTLD_DEFAULT, "__tunable_get_val", "GLIBC_PRIVATE");
  char *list = strdup (arg);
  for (char *word = strtok (list, " "); get != NULL && word != NULL;
       word = strtok (NULL, " "))
    {
      uint64_t value = 0;
      get (atoi (word), &value, NULL);
      printf ("%s %llx\n", word, (unsigned long long) value);
    }
  free (list);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*function) (const char *);
  } cases[] = {
    { "perturb", case_perturb },
    { "mmap", case_mmap },
    { "static_tls", case_static_tls },
    { "rseq", case_rseq },
    { "ids", case_ids },
  };
  for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; ++i)
    if (strcmp (argv[1], cases[i].name) == 0)
      {
        cases[i].function (argc > 2 ? argv[2] : "");
        return 0;
      }
  fprintf (stderr, "effect: no such case\n");
  return 2;
}
