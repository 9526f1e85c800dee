/* Moving a program: if the kernel has mapped the program, the loader can move
   it to a better address.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel maps a position-independent program at a random address, which is
   usually a multiple of the size of a small page, but not of a huge page.  If
   the address is not a multiple of the size of a huge page, less text can be
   huge, and usually no block can be a huge page of the file.  Before
   relocation, only the auxiliary vector contains addresses of the program.
   There are two copies of the vector: the start-up code reads the copy on the
   stack, and debuggers read the kernel's copy.  Before relocation, only the
   kernel has written into the program's memory, unless a debugger has set
   breakpoints.  Because the program itself has not written into its memory
   yet, the loader can map the program's file again at a better address.  The
   loader maps the file in the same way as the kernel, and then unmaps the
   first mapping.  If a step fails before the loader unmaps the first mapping,
   the program stays at its old address.  */

#include <array_length.h>
#include <string.h>
#include <sys/prctl.h>

#include "dl-hugetext-procfile.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* The addresses that the kernel stores for the parts of a process, as in
   struct prctl_mm_map (<linux/prctl.h>).  */
struct memory_map
{
  uint64_t address[11]; /* The values of the fields that the array
                           address_fields lists, in the same order.  */
  uint64_t auxv;
  uint32_t auxv_size, exe_fd;
};

/* For each address of a memory_map, the number of the field of /proc/PID/stat
   that contains it, counted from 1 as in proc(5).  The fields are start and
   end of code, start and end of data, start and end of the heap, start of the
   stack, start and end of the arguments, start and end of the environment.
   For the end of the heap, the array has 0 instead of a field number, because
   /proc/PID/stat has no field for this address.  */
static const unsigned char address_fields[]
    = { 26, 27, 45, 46, 47, 0, 28, 48, 49, 50, 51 };
/* The first OF_PROGRAM addresses are in the program's own segments.  */
#define OF_PROGRAM 4
#define END_OF_HEAP 5

/* Read the addresses into MAP from /proc/self/stat.  */
static bool
read_stat (struct memory_map *map)
{
  char buffer[1024];
  if (_dl_hugetext_read_start ("/proc/self/stat", buffer, sizeof buffer) <= 0)
    return false;
  /* Skip the second field, the name of the program in parentheses, because it
     may contain any character.  */
  const char *p = buffer + strlen (buffer);
  while (p > buffer && p[-1] != ')')
    --p;
  for (unsigned int field = 3; field <= 51; ++field)
    {
      if (*p++ != ' ')
        return false;
      const char *end = p;
      size_t value = _dl_hugetext_take_number (&end, 10);
      for (size_t i = 0; i < array_length (address_fields); ++i)
        if (address_fields[i] == field)
          map->address[i] = value;
      while (*p != ' ' && *p != '\n' && *p != '\0')
        ++p;
    }
  return true;
}

/* Set the members of MAP to the addresses that the kernel stores for the parts
   of this process (code, data, heap, stack, arguments, environment).  AUXV is
   the process's auxiliary vector.  */
static bool
read_memory_map (struct memory_map *map, const ElfW (auxv_t) * auxv)
{
  size_t n = 0;
  while (auxv[n].a_type != AT_NULL)
    ++n;
  map->auxv = (uintptr_t) auxv;
  map->auxv_size = (n + 1) * sizeof *auxv;
  map->exe_fd = -1;
  map->address[END_OF_HEAP] = sys_end_of_heap ();
  return read_stat (map);
}

/* Add DELTA to the addresses of the program in MAP and in AUXV.  */
static void
shift_addresses (struct memory_map *map, ElfW (auxv_t) * auxv,
                 ElfW (Addr) delta)
{
  for (size_t i = 0; i < OF_PROGRAM; ++i)
    map->address[i] += delta;
  for (; auxv->a_type != AT_NULL; ++auxv)
    if (auxv->a_type == AT_PHDR || auxv->a_type == AT_ENTRY)
      auxv->a_un.a_val += delta;
}

/* Replace the addresses that the kernel stores for the parts of this process
   with those in MAP (PR_SET_MM_MAP).  */
static bool
set_memory_map (const struct memory_map *map)
{
  return !sys_failed (
      sys_prctl (PR_SET_MM, PR_SET_MM_MAP, (uintptr_t) map, sizeof *map, 0));
}

/* Map segment S of the program at the load bias BIAS.  FD is the program's
   open file.  */
static bool
map_segment (const struct hugetext_segment *s, uintptr_t page, int fd,
             ElfW (Addr) bias)
{
  int prot = ((s->read ? PROT_READ : 0) | (s->write ? PROT_WRITE : 0)
              | (s->exec ? PROT_EXEC : 0));
  /* The end of the pages mapped from the file, or START if the file has no
     byte of S.  */
  uintptr_t middle
      = (s->dataend > s->datastart ? (s->dataend + page - 1) & -page
                                   : s->start);
  if (s->start < middle
      && sys_failed (sys_mmap (s->start + bias, middle - s->start, prot,
                               MAP_PRIVATE | MAP_FIXED | MAP_DENYWRITE, fd,
                               s->offset)))
    return false;
  if (s->fileend == s->end && middle == s->end)
    return true;
  if (!s->write)
    /* Fail if the segment has zero fill and is not writable; no linker makes
       such a segment.  */
    return false;
  if (s->start < middle)
    memset ((void *) (s->dataend + bias), 0, middle - s->dataend);
  return (middle == s->end
          || !sys_failed (sys_mmap (middle + bias, s->end - middle, prot,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                                    -1, 0)));
}

bool
_dl_hugetext_map_segments (const struct hugetext_object *object,
                           uintptr_t page, int fd, ElfW (Addr) bias)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    if (!map_segment (&object->segment[i], page, fd, bias))
      return false;
  return true;
}

/* Unmap the segments of OBJECT at their present address, adjacent segments in
   one call.  If munmap fails, some address space stays in use, without other
   effects.  */
static void
unmap_segments (const struct hugetext_object *object)
{
  const struct hugetext_segment *s = object->segment;
  for (size_t i = 0, last; i < object->nsegments; i = last + 1)
    {
      last = i;
      while (last + 1 < object->nsegments && s[last + 1].start == s[last].end)
        ++last;
      sys_munmap (s[i].start + object->bias, s[last].end - s[i].start);
    }
}

bool
_dl_hugetext_may_move (struct hugetext_state *state)
{
  /* Do not move a traced program: the debugger has already computed the
     program's addresses.  The blocks of a program that does not move can still
     become copies.  Do not move a program that has a seccomp filter, because
     the filter may forbid the call that tells the kernel the new
     addresses.  */
  return (state->object.bias != 0 && !_dl_hugetext_traced (state)
          && _dl_hugetext_may (state, HUGETEXT_PRCTL));
}

ElfW (Addr)
    _dl_hugetext_move_program (struct hugetext_state *state,
                               struct hugetext_record *record,
                               const struct hugetext_placement *placement,
                               int fd, ElfW (auxv_t) * auxv)
{
  struct hugetext_object *object = &state->object;
  const uintptr_t page = state->set.geo.page;
  const struct hugetext_need need = hugetext_need_of (object, placement);
  struct memory_map map;
  ElfW (Addr) bias;

  if (((object->bias & (placement->modulus - 1)) == placement->residue
       && !hugetext_has_slack (placement))
      /* The kernel does not report a debugger that runs outside of the
         process's PID namespace, so look for changed pages, which may contain
         breakpoints.  */
      || _dl_hugetext_has_private (state, 0, UINTPTR_MAX) == HUGETEXT_YES
      || !read_memory_map (&map, auxv)
      || !_dl_hugetext_reserve_space (
          state, record, &need, hugetext_object_start (object) + object->bias,
          &bias))
    return 0;
  ElfW (Addr) delta = bias - object->bias;
  bool mapped = _dl_hugetext_map_segments (object, page, fd, bias);
  shift_addresses (&map, auxv, delta);
  if (!mapped || !set_memory_map (&map))
    {
      shift_addresses (&map, auxv, -delta);
      sys_munmap (record->entry.low, record->entry.high - record->entry.low);
      record->entry.low = record->entry.high = 0;
      return 0;
    }
  unmap_segments (object);
  object->bias = bias;
  return delta;
}
