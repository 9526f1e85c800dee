/* Print what a tunable of the stock libc changes: one case per run.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: effect CASE [ARG]

   Each case prints one word or number that is different when the tunable of
   the same name is set as effects.exp sets it.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Keeps the compiler from knowing what malloc returned.  */
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

/* The bytes of fresh memory.  */
static void
case_perturb (const char *arg)
{
  (void) arg;
  unsigned char *block = new_block (1000);
  printf ("%02x\n", block[500]);
}

/* One byte too many is changed, which only malloc's debugging library notices.
   That byte holds a mark that the library derives from the block's address, so
   a fixed value would be right by chance in about one start of a hundred.  */
static void
case_check (const char *arg)
{
  (void) arg;
  unsigned char *block = new_block (24);
  memset (block, 0xff, 24);
  block[24] = (unsigned char) ~block[24];
  opaque (block);
  free (block);
  puts ("unnoticed");
}

/* Its numbers are ints before 2.33.  */
#if !__GLIBC_PREREQ(2, 33)
#  define mallinfo2 mallinfo
#endif

/* Whether a block of ARG bytes has a mapping of its own; the second one, since
   the first heap may hold one.  */
static void
case_mmap (const char *arg)
{
  void *first = new_block (strtoul (arg, NULL, 0));
  void *second = new_block (strtoul (arg, NULL, 0));
  puts (mallinfo2 ().hblks > 0 ? "mapped" : "heap");
  free (second);
  free (first);
}

/* Bytes in fast bins after some frees; the thread cache comes before them. */
static void
case_fastbins (const char *arg)
{
  (void) arg;
  void *blocks[3];
  for (int i = 0; i < 3; ++i)
    blocks[i] = new_block (40);
  for (int i = 0; i < 3; ++i)
    free (blocks[i]);
  printf ("%s\n", mallinfo2 ().fsmblks > 0 ? "some" : "none");
}

/* Whether a free block of 200 bytes is cached by the thread.  */
static void
case_tcache_max (const char *arg)
{
  (void) arg;
  void *block = new_block (200);
  void *barrier = new_block (200);
  size_t before = mallinfo2 ().fordblks;
  free (block);
  printf ("%s\n", mallinfo2 ().fordblks > before ? "free" : "cached");
  free (barrier);
}

/* How much of its heap the process has after the first small block.  */
static void
case_top_pad (const char *arg)
{
  (void) arg;
  free (new_block (100));
  printf ("%zu\n", mallinfo2 ().arena >> 20);
}

/* Whether the end of the heap is given back.  */
static void
case_trim_threshold (const char *arg)
{
  (void) arg;
  enum
  {
    COUNT = 1000
  };
  void *blocks[COUNT];
  for (int i = 0; i < COUNT; ++i)
    blocks[i] = new_block (2000);
  for (int i = COUNT - 1; i >= 0; --i)
    free (blocks[i]);
  printf ("%s\n", mallinfo2 ().arena > 1000000 ? "kept" : "given back");
}

static void *
allocate (void *arg)
{
  (void) arg;
  free (new_block (100));
  return NULL;
}

/* How many arenas two threads have.  */
static void
case_arena_max (const char *arg)
{
  (void) arg;
  pthread_t thread;
  free (new_block (100));
  pthread_create (&thread, NULL, allocate, NULL);
  pthread_join (thread, NULL);

  char *text;
  size_t size;
  FILE *stream = open_memstream (&text, &size);
  malloc_info (0, stream);
  fclose (stream);
  int count = 0;
  for (const char *heap = text; (heap = strstr (heap, "<heap nr=")) != NULL;
       heap++)
    ++count;
  printf ("%d\n", count);
}

/* Whether a large block is advised to be on huge pages.  */
static void
case_hugetlb (const char *arg)
{
  (void) arg;
  char *block = new_block (16 << 20);
  block[0] = 1;

  FILE *stream = fopen ("/proc/self/smaps", "r");
  char line[4096];
  bool here = false, advised = false;
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL)
    {
      uintptr_t start, end;
      if (sscanf (line, "%lx-%lx ", &start, &end) == 2)
        here = (uintptr_t) block >= start && (uintptr_t) block < end;
      else if (here && strncmp (line, "VmFlags:", 8) == 0)
        advised = strstr (line, " hg") != NULL;
    }
  puts (advised ? "advised" : "not");
}

/* Whether a library that wants ARG's static TLS can still be loaded.  */
static void
case_static_tls (const char *arg)
{
  puts (dlopen (arg, RTLD_NOW) != NULL ? "loaded" : "no room");
}

static void *
get_stack (void *arg)
{
  (void) arg;
  return __builtin_frame_address (0);
}

/* Whether the stack of a thread that has ended is kept for the next.  */
static void
case_stack_cache (const char *arg)
{
  (void) arg;
  pthread_t thread;
  void *stack;
  unsigned char vec;
  pthread_create (&thread, NULL, get_stack, NULL);
  pthread_join (thread, &stack);
  void *page = (void *) ((uintptr_t) stack & -(uintptr_t) getpagesize ());
  puts (mincore (page, 1, &vec) == 0 ? "kept" : "unmapped");
}

/* Whether the thread has registered a restartable sequence.  */
static void
case_rseq (const char *arg)
{
  (void) arg;
  const unsigned int *size = dlsym (RTLD_DEFAULT, "__rseq_size");
  puts (size == NULL ? "unknown" : *size > 0 ? "registered" : "not");
}

/* The tunables whose ids are listed in ARG, as libc.so.6 would get them.  */
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
    { "check", case_check },
    { "mmap", case_mmap },
    { "fastbins", case_fastbins },
    { "tcache_max", case_tcache_max },
    { "top_pad", case_top_pad },
    { "trim_threshold", case_trim_threshold },
    { "arena_max", case_arena_max },
    { "hugetlb", case_hugetlb },
    { "static_tls", case_static_tls },
    { "stack_cache", case_stack_cache },
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
