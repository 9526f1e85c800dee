/* Dry runs (rehearsals): starts that end before any code of the program runs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A dry run first populates the objects of the program start.  Then the dry
   run maps the library that HUGETEXT_OPENED names, in the same way as dlopen
   maps a library.  The dry run maps the library separately because the loader
   uses other rules for a library that a running program opens than for the
   objects of the program start.

   At its end, a dry run touches each block of text that the loader has left
   small and whose pages are all in the page cache.  While the dry run then
   waits, the command can see whether the kernel itself has mapped these blocks
   with huge pages.  Touching cached blocks causes no reads from the disk.  */

#include <string.h>
#include <unistd.h>

#include "dl-hugetext.h"
#include "dl-hugetext-plan.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* A flag with which preadv2(2) reads only cached data (Linux 4.14).  The
   headers of older releases lack this flag.  */
#ifndef RWF_NOWAIT
#  define RWF_NOWAIT 8
#endif

/* Bits of an entry of /proc/self/pagemap: the page is present, or swapped
   out.  */
#define PAGEMAP_USED (UINT64_C (3) << 62)

/* Return true if the page cache contains the LENGTH bytes at OFFSET of the
   file FD.  Return true also if the kernel cannot read cached data only
   (RWF_NOWAIT).  (mincore(2) tells what is cached only to a process that may
   write to the file.)  */
static bool
is_cached (int fd, uint64_t offset, size_t length)
{
  char buffer[16384];
  size_t done = 0;
  while (done < length)
    {
      const struct sys_vector part
          = { (uintptr_t) buffer,
              hugetext_min (length - done, sizeof buffer) };
      const long int n = HUGETEXT_SYSCALL (preadv2, fd, &part, 1,
                                           offset + done, 0, RWF_NOWAIT);
      if (n == -EOPNOTSUPP || n == -ENOSYS)
        return true;
      if (n <= 0)
        return false;
      done += n;
    }
  return true;
}

/* Return true if the process has used a page in [START, END), according to the
   file PAGEMAP (/proc/self/pagemap).  If PAGEMAP cannot be read, also return
   true.  */
static bool
is_used (int pagemap, uintptr_t start, uintptr_t end)
{
  const uintptr_t page = GLRO (dl_pagesize);
  uint64_t entries[64];
  while (start < end)
    {
      const size_t wanted = hugetext_min (
          sizeof entries, (end - start) / page * sizeof entries[0]);
      const long int n = sys_pread (pagemap, (uintptr_t) entries, wanted,
                                    start / page * sizeof entries[0]);
      if (n != (long int) wanted || n == 0)
        return true;
      for (size_t i = 0; i < wanted / sizeof entries[0]; ++i)
        if ((entries[i] & PAGEMAP_USED) != 0)
          return true;
      start += wanted / sizeof entries[0] * page;
    }
  return false;
}

/* SEGMENT is a segment of OBJECT.  Touch each block of SEGMENT that is
   completely cached, unless the process has already used a page of the block.
   FD is the object's file.  */
static void
touch_segment (const struct hugetext_object *object,
               const struct hugetext_segment *segment, int fd, int pagemap)
{
  const struct hugetext_geometry *geo = &_dl_hugetext_set.geo;
  const uintptr_t start = segment->start + object->bias;
  const uintptr_t end = segment->end + object->bias;
  for (uintptr_t block = hugetext_round_down (start, geo->block); block < end;
       block += geo->block)
    {
      char byte;
      const struct sys_vector local = { (uintptr_t) &byte, 1 };
      const struct sys_vector remote = { block, 1 };
      if (is_used (pagemap, hugetext_max (start, block),
                   hugetext_min (end, block + geo->block)))
        continue;
      const struct hugetext_block judged
          = hugetext_block_judge (object, geo, 0, block);
      if (judged.congruent && is_cached (fd, judged.offset, geo->block))
        sys_read_memory (sys_getpid (), &local, &remote, 1);
    }
}

/* Touch each block of the object L's text that is completely cached, unless
   the process has already used a page of the block.  */
static void
touch_object (const struct link_map *l, int pagemap)
{
  struct hugetext_object object;
  hugetext_describe (&object, l->l_phdr, l->l_phnum, GLRO (dl_pagesize));
  if (hugetext_object_check (&object, &_dl_hugetext_set.geo) != NULL)
    return;
  const long int fd
      = sys_open (l->l_name[0] != '\0' ? l->l_name : "/proc/self/exe");
  if (sys_failed (fd))
    return;
  object.bias = l->l_addr;
  for (size_t i = 0; i < object.nsegments; ++i)
    if (hugetext_is_text (&object.segment[i]))
      touch_segment (&object, &object.segment[i], fd, pagemap);
  sys_close (fd);
}

/* In all objects except the loader, touch the cached blocks that the process
   has not used.  */
static void
touch_all (void)
{
  const long int pagemap = sys_open ("/proc/self/pagemap");
  if (sys_failed (pagemap))
    return;
  if (_dl_hugetext_set.geo.block != 0)
    for (const struct link_map *l = GL (dl_ns)[LM_ID_BASE]._ns_loaded;
         l != NULL; l = l->l_next)
      if (l->l_ld != _DYNAMIC && l != GLRO (dl_sysinfo_map))
        touch_object (l, pagemap);
  sys_close (pagemap);
}

/* Return the value of the environment variable HUGETEXT_OPENED, or NULL if it
   is not set.  */
static const char *
find_opened (void)
{
  static const char name[] = HUGETEXT_OPENED "=";
  char **variable = __environ;
  while (*variable != NULL && strncmp (*variable, name, sizeof name - 1) != 0)
    ++variable;
  return *variable != NULL ? *variable + sizeof name - 1 : NULL;
}

/* Map the library that HUGETEXT_OPENED names, and all libraries that it needs,
   as if the running program opened it.  If the library cannot be mapped, the
   dry run ends with the stock loader's message, which the command prints.  */
static struct link_map *__attribute_noinline__
open_late (void)
{
  const char *path = find_opened ();
  if (path == NULL)
    return NULL;
  /* In a running program, all objects of the program start are relocated.
     Mark the objects of the program start as relocated, so that the loader
     treats the library as opened by a running program.  */
  for (struct link_map *l = GL (dl_ns)[LM_ID_BASE]._ns_loaded; l != NULL;
       l = l->l_next)
    l->l_relocated = 1;
  struct link_map *late
      = _dl_map_object (NULL, path, lt_loaded, 0, __RTLD_DLOPEN, LM_ID_BASE);
  _dl_map_object_deps (late, NULL, 0, 0, __RTLD_DLOPEN);
  return late;
}

struct link_map *
_dl_hugetext_open_late (void)
{
  return __glibc_likely (!_dl_hugetext_set.rehearsal) ? NULL : open_late ();
}

void
_dl_hugetext_end_rehearsal (unsigned char said)
{
  if (said == HUGETEXT_REHEARSED)
    {
      /* The seccomp filter of a dry run allows all calls that touch_all
         makes.  */
      _dl_hugetext_liberty = HUGETEXT_ANY_CALL;
      touch_all ();
    }
  HUGETEXT_SYSCALL (write, 1, &said, 1);
  /* The command writes nothing to this process's standard input.  Wait until
     the command closes its end of this process's standard input.  */
  while (sys_read (0, &said, 1) == -EINTR)
    continue;
  for (;;)
    HUGETEXT_SYSCALL (exit_group, 0);
}

void
_dl_hugetext_rehearsed (void)
{
  if (__glibc_unlikely (_dl_hugetext_set.rehearsal))
    _dl_hugetext_end_rehearsal (HUGETEXT_REHEARSED);
}
