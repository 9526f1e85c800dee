/* Have one thread install a filter for all threads while another thread is in
   the middle of a dlopen.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tsync FILE NAME [patch|replace]

   Compiled with -DAUDITOR, this file is the auditor that the program needs.
   The first time that the dlopen of FILE has mapped an object, the auditor
   waits until the other thread has installed the filter.  The filter allows
   only the calls with which a stock loader opens libraries, malloc gets
   memory, and the program prints its result and ends.

   With "patch" or "replace", the filter is installed before the dlopen.  The
   auditor changes two functions of FILE, the first one and one in the middle,
   so that they return other numbers.  With "patch", the auditor changes the
   pages of these functions; with "replace", it first maps shared memory in
   their place.  The exit status is 77 if the kernel has no filters.  */

#define _GNU_SOURCE 1
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

/* The page that the program and the auditor share.  */
#define PAGE 0x510000000000
enum
{
  OPENING,
  MAPPED,
  FILTERED,
  PATCHING,
  REPLACING
};
static volatile int *const state = (volatile int *) PAGE;

#ifdef AUDITOR

#  include <sys/mman.h>

#  include "text-step.h"

/* Change the number that the function at CODE returns.  */
static void
change (char *code)
{
  static char old[4096];
  void *page = (void *) ((uintptr_t) code & -4096);
  memcpy (old, page, 4096);
  if (*state == PATCHING)
    mprotect (page, 4096, PROT_READ | PROT_WRITE);
  else
    mmap (page, 4096, PROT_READ | PROT_WRITE,
          MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  memcpy (page, old, 4096);
  code[FUNCTION == 6 ? 1 : 5] ^= 1;
  mprotect (page, 4096, PROT_READ | PROT_EXEC);
}

/* Change the numbers in two functions of the text of MAP: the first one and
   one in the middle, which is in another block.  */
static void
patch (const struct link_map *map)
{
  const ElfW (Ehdr) *header = (const void *) map->l_addr;
  const ElfW (Phdr) *ph = (const void *) (map->l_addr + header->e_phoff);
  while (ph->p_type != PT_LOAD || (ph->p_flags & PF_X) == 0)
    ++ph;
  char *text = (char *) (map->l_addr + ph->p_vaddr);
  change (text);
  change (text + ph->p_filesz / 2 / STEP * STEP);
}

unsigned int
la_version (unsigned int version)
{
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

unsigned int
la_objopen (struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
  (void) lmid, (void) cookie;
  /* When the program starts, PAGE is not mapped yet, so this function must not
     read STATE for any object but the library.  */
  if (strstr (map->l_name, "/libtsync") == NULL)
    return 0;
  if (*state >= PATCHING)
    patch (map);
  else if (*state == OPENING)
    {
      *state = MAPPED;
      while (*state != FILTERED)
        sched_yield ();
    }
  return 0;
}

#else

#  include <dlfcn.h>
#  include <pthread.h>
#  include <stdio.h>
#  include <sys/mman.h>

#  include "filter.h"
#  include "text.h"

static const int allowed[]
    = { SYS_openat,  SYS_read,      SYS_pread64,   SYS_fstat,  SYS_newfstatat,
        SYS_close,   SYS_mmap,      SYS_mprotect,  SYS_munmap, SYS_mremap,
        SYS_madvise, SYS_brk,       SYS_getrandom, SYS_futex,  SYS_sched_yield,
        SYS_write,   SYS_exit_group };

static void
install (void)
{
  if (filter_calls (allowed, sizeof allowed / sizeof allowed[0],
                    SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS,
                    SECCOMP_FILTER_FLAG_TSYNC)
      != 0)
    _exit (77);
}

static void *
work (void *closure)
{
  while (*state != MAPPED)
    sched_yield ();
  install ();
  *state = FILTERED;
  for (;;)
    sched_yield ();
  return closure;
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  if (argc < 3
      || mmap ((void *) state, 4096, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
             == MAP_FAILED
      || (argc == 3 && pthread_create (&thread, NULL, work, NULL) != 0))
    return 2;
  if (argc > 3)
    {
      install ();
      *state = strcmp (argv[3], "patch") == 0 ? PATCHING : REPLACING;
    }
  void *handle = dlopen (argv[1], RTLD_NOW);
  if (handle == NULL || *state < FILTERED)
    _exit (3);
  char line[32];
  int n = snprintf (line, sizeof line, "%d wrong results\n",
                    text_call (handle, argv[2]));
  _exit (write (1, line, n) != n);
}

#endif
