/* How much of the text of this process lies so that the processor may hold it
   in entries for several pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   contiguous [advise|copy|pool] [NAME...]

   With "advise" first advises all text to be huge.  With "copy" and "pool"
   puts what the libraries NAME... have of text that one such entry covers on
   memory that is advised, or on pages of hugetlb's pool of that size, as the
   loader does with a block.  Executes the text of NAME... (text.S), then
   prints for each object with as
   much text as one such entry covers "object NAME text=KIB present=KIB
   contiguous=KIB".  AArch64's kernels use them, on their own, where as many
   pages as one covers are present, one behind the other in memory and
   aligned, in one folio (arch/arm64/mm/contpte.c): 16 of 4 KiB, 128 of 16
   KiB, 32 of 64 KiB.  As root: others are not told where pages are.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "text.h"

#ifndef MAP_HUGE_SHIFT
#  define MAP_HUGE_SHIFT 26
#endif

/* Of an entry of /proc/self/pagemap.  */
#define PRESENT (UINT64_C (1) << 63)
#define FRAME ((UINT64_C (1) << 55) - 1)
/* Of one of /proc/kpageflags: head and tail of a folio.  */
#define HEAD (UINT64_C (1) << 15)
#define TAIL (UINT64_C (1) << 16)

static int pagemap, kpageflags;
static size_t page, pages;

static uint64_t
entry (int fd, uint64_t index)
{
  uint64_t value;
  return (pread (fd, &value, sizeof value, index * sizeof value)
                  == sizeof value
              ? value
              : 0);
}

/* How many of the COUNT pages from ADDRESS on are present.  */
static size_t
count_present (uintptr_t address, size_t count)
{
  size_t n = 0;
  for (size_t i = 0; i < count; ++i)
    n += (entry (pagemap, address / page + i) & PRESENT) != 0;
  return n;
}

static int
is_contiguous (uintptr_t address)
{
  uint64_t first = entry (pagemap, address / page);
  if ((first & PRESENT) == 0 || (first & FRAME) == 0
      || (first & FRAME) % pages != 0)
    return 0;
  for (size_t i = 0; i < pages; ++i)
    {
      uint64_t now = entry (pagemap, address / page + i);
      uint64_t flags = entry (kpageflags, now & FRAME);
      if ((now & PRESENT) == 0 || (now & FRAME) != (first & FRAME) + i
          || (flags & (i > 0 ? TAIL : HEAD | TAIL)) == 0)
        return 0;
    }
  return 1;
}

static int
print_object (struct dl_phdr_info *info, size_t size, void *closure)
{
  const char *name = strrchr (info->dlpi_name, '/');
  size_t text = 0, present = 0, contiguous = 0;
  for (size_t i = 0; i < info->dlpi_phnum; ++i)
    {
      const ElfW (Phdr) *p = &info->dlpi_phdr[i];
      if (p->p_type != PT_LOAD || (p->p_flags & PF_X) == 0)
        continue;
      uintptr_t start = (info->dlpi_addr + p->p_vaddr) & -page;
      uintptr_t end
          = (info->dlpi_addr + p->p_vaddr + p->p_memsz + page - 1) & -page;
      text += end - start;
      present += count_present (start, (end - start) / page) * page;
      for (uintptr_t at = (start + page * pages - 1) & -(page * pages);
           at + page * pages <= end; at += page * pages)
        contiguous += is_contiguous (at) * page * pages;
    }
  if (text >= page * pages)
    printf ("object %s text=%zu present=%zu contiguous=%zu\n",
            name != NULL                 ? name + 1
            : info->dlpi_name[0] != '\0' ? info->dlpi_name
                                         : "main",
            text / 1024, present / 1024, contiguous / 1024);
  return 0;
}

/* Have the kernel read the text in large folios.  */
static int
advise_object (struct dl_phdr_info *info, size_t size, void *closure)
{
  for (size_t i = 0; i < info->dlpi_phnum; ++i)
    {
      const ElfW (Phdr) *p = &info->dlpi_phdr[i];
      if (p->p_type != PT_LOAD || (p->p_flags & PF_X) == 0)
        continue;
      uintptr_t start = (info->dlpi_addr + p->p_vaddr) & -page;
      madvise ((void *) start,
               info->dlpi_addr + p->p_vaddr + p->p_memsz - start,
               MADV_HUGEPAGE);
    }
  return 0;
}

static void
check (int good, const char *what)
{
  if (!good)
    {
      perror (what);
      exit (1);
    }
}

/* Put LENGTH bytes of text at ADDRESS on memory of which the kernel may take
   as much at once, or on one page of hugetlb's POOL.  */
static void
replace (uintptr_t address, size_t length, int pool)
{
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  if (pool)
    flags |= MAP_HUGETLB | __builtin_ctzl (length) << MAP_HUGE_SHIFT;
  char *room = mmap (NULL, pool ? length : 2 * length, PROT_READ | PROT_WRITE,
                     flags, -1, 0);
  check (room != MAP_FAILED, "mmap");
  char *copy = (char *) (((uintptr_t) room + length - 1) & -length);
  if (!pool)
    check (madvise (copy, length, MADV_HUGEPAGE) == 0, "madvise");
  memcpy (copy, (const void *) address, length);
  check (mprotect (copy, length, PROT_READ | PROT_EXEC) == 0, "mprotect");
  check (mremap (copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED,
                 (void *) address)
             != MAP_FAILED,
         "mremap");
}

struct replacing
{
  char **names;
  int pool;
};

/* Not of what this is executing, which libc is.  */
static int
replace_object (struct dl_phdr_info *info, size_t size, void *closure)
{
  const struct replacing *replacing = closure;
  const size_t length = page * pages;
  int named = 0;
  for (char **name = replacing->names; *name != NULL; ++name)
    named |= strstr (info->dlpi_name, *name) != NULL;
  for (size_t i = 0; i < info->dlpi_phnum && named; ++i)
    {
      const ElfW (Phdr) *p = &info->dlpi_phdr[i];
      if (p->p_type != PT_LOAD || (p->p_flags & PF_X) == 0)
        continue;
      uintptr_t start = info->dlpi_addr + p->p_vaddr;
      for (uintptr_t at = (start + length - 1) & -length;
           at + length <= start + p->p_filesz; at += length)
        replace (at, length, replacing->pool);
    }
  return 0;
}

int
main (int argc, char **argv)
{
  page = sysconf (_SC_PAGESIZE);
  pages = page == 4096 ? 16 : page == 16384 ? 128 : 32;
  pagemap = open ("/proc/self/pagemap", O_RDONLY);
  kpageflags = open ("/proc/kpageflags", O_RDONLY);
  if (pagemap < 0 || kpageflags < 0)
    {
      perror ("/proc");
      return 1;
    }
  const char *how = argc > 1 ? argv[1] : "";
  struct replacing replacing
      = { .names = argv + 2, .pool = strcmp (how, "pool") == 0 };
  int first = 2;
  if (strcmp (how, "advise") == 0)
    dl_iterate_phdr (advise_object, NULL);
  else if (replacing.pool || strcmp (how, "copy") == 0)
    dl_iterate_phdr (replace_object, &replacing);
  else
    first = 1;
  for (int i = first; i < argc; ++i)
    text_use (RTLD_DEFAULT, argv[i], 0);
  dl_iterate_phdr (print_object, NULL);
  return 0;
}
