/* The move of a program that the kernel has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only the kernel has written into the program so far: so the loader maps the
   program a second time, as the kernel did, and unmaps the first mapping when
   the second is complete.  Until then every step may fail.  */

#include <string.h>
#include <sys/prctl.h>

#include "dl-hugetext-move.h"
#include "dl-hugetext-procfile.h"
#include "dl-hugetext-space.h"
#include "dl-hugetext-sys.h"

/* The kernel's addresses of the parts of a process, in the order of struct
   prctl_mm_map (<linux/prctl.h>).  */
struct memory_map
{
  uint64_t start_code, end_code, start_data, end_data, start_brk, brk;
  uint64_t start_stack, arg_start, arg_end, env_start, env_end;
  uint64_t auxv;
  uint32_t auxv_size, exe_fd;
};

/* The fields of /proc/PID/stat that the loader needs, counted from 1 as in
   proc(5).  */
enum
{
  STAT_START_CODE = 26,
  STAT_END_CODE,
  STAT_START_STACK,
  STAT_START_DATA = 45,
  STAT_END_DATA,
  STAT_START_BRK,
  STAT_ARG_START,
  STAT_ARG_END,
  STAT_ENV_START,
  STAT_ENV_END,
  STAT_FIELDS
};

/* Read /proc/self/stat into FIELD.  False if it is not as expected.  */
static bool
read_stat (uint64_t field[STAT_FIELDS])
{
  char buffer[1024];
  if (!_dl_hugetext_read_start ("/proc/self/stat", buffer, sizeof buffer))
    return false;
  /* The second field, in parentheses, is the name, which may contain any
     character.  */
  const char *p = buffer + strlen (buffer);
  while (p > buffer && p[-1] != ')')
    --p;
  if (p == buffer)
    return false;
  for (int i = 3; i < STAT_FIELDS; ++i)
    {
      if (*p++ != ' ')
        return false;
      field[i] = 0;
      for (; *p != ' ' && *p != '\n' && *p != '\0'; ++p)
        field[i] = field[i] * 10 + (*p - '0');
    }
  return true;
}

/* Fill in MAP with the present state of the process.  */
static bool
read_memory_map (struct memory_map *map, const ElfW (auxv_t) * auxv)
{
  uint64_t field[STAT_FIELDS];
  if (!read_stat (field))
    return false;
  map->start_code = field[STAT_START_CODE];
  map->end_code = field[STAT_END_CODE];
  map->start_data = field[STAT_START_DATA];
  map->end_data = field[STAT_END_DATA];
  map->start_brk = field[STAT_START_BRK];
  map->brk = sys_brk ();
  map->start_stack = field[STAT_START_STACK];
  map->arg_start = field[STAT_ARG_START];
  map->arg_end = field[STAT_ARG_END];
  map->env_start = field[STAT_ENV_START];
  map->env_end = field[STAT_ENV_END];

  size_t n = 0;
  while (auxv[n].a_type != AT_NULL)
    ++n;
  map->auxv = (uintptr_t) auxv;
  map->auxv_size = (n + 1) * sizeof *auxv;
  map->exe_fd = -1;
  return true;
}

/* Add DELTA to the addresses of the program in MAP and in AUXV.  */
static void
shift_addresses (struct memory_map *map, ElfW (auxv_t) * auxv,
                 ElfW (Addr) delta)
{
  map->start_code += delta;
  map->end_code += delta;
  map->start_data += delta;
  map->end_data += delta;
  for (; auxv->a_type != AT_NULL; ++auxv)
    if (auxv->a_type == AT_PHDR || auxv->a_type == AT_ENTRY)
      auxv->a_un.a_val += delta;
}

/* Set the kernel's addresses to MAP.  */
static bool
set_memory_map (const struct memory_map *map)
{
  return !sys_failed (
      sys_prctl (PR_SET_MM, PR_SET_MM_MAP, (uintptr_t) map, sizeof *map));
}

/* Return the end of the pages of S that are mapped from the file; the start of
   S if the file has no byte of it, whatever its offset.  */
static uintptr_t
file_pages_end (const struct hugetext_segment *s, uintptr_t page)
{
  return (s->dataend > s->datastart ? (s->dataend + page - 1) & -page
                                    : s->start);
}

/* Whether S has zero fill.  */
static bool
has_zero_fill (const struct hugetext_segment *s, uintptr_t page)
{
  return s->fileend != s->end || file_pages_end (s, page) != s->end;
}

/* Map segment S of the program, open on FD, with load bias BIAS.  */
static bool
map_segment (const struct hugetext_segment *s, uintptr_t page, int fd,
             ElfW (Addr) bias)
{
  int prot = ((s->read ? PROT_READ : 0) | (s->write ? PROT_WRITE : 0)
              | (s->exec ? PROT_EXEC : 0));
  uintptr_t middle = file_pages_end (s, page);
  if (s->start < middle
      && sys_failed (sys_mmap (s->start + bias, middle - s->start, prot,
                               MAP_PRIVATE | MAP_FIXED, fd, s->offset)))
    return false;
  if (!has_zero_fill (s, page))
    return true;
  if (!s->write)
    /* Refuse the object; no linker makes such a one.  */
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

/* Unmap the segments of OBJECT at their present place.  A failure costs
   address space.  */
static void
unmap_segments (const struct hugetext_object *object)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      sys_munmap (s->start + object->bias, s->end - s->start);
    }
}

ElfW (Addr)
    _dl_hugetext_move_program (struct hugetext_object *object, uintptr_t page,
                               const struct hugetext_placement *placement,
                               int fd, ElfW (auxv_t) * auxv, uintptr_t *low)
{
  struct memory_map map;
  uintptr_t start = hugetext_object_start (object);

  if (!read_memory_map (&map, auxv))
    return 0;
  *low = _dl_hugetext_reserve_space (object, placement, page,
                                     start + object->bias);
  if (*low == 0)
    return 0;
  size_t size = (placement->before + hugetext_object_length (object)
                 + placement->after);
  ElfW (Addr) bias = *low + placement->before - start;
  ElfW (Addr) delta = bias - object->bias;

  bool mapped = _dl_hugetext_map_segments (object, page, fd, bias);
  shift_addresses (&map, auxv, delta);
  if (!mapped || !set_memory_map (&map))
    {
      shift_addresses (&map, auxv, -delta);
      sys_munmap (*low, size);
      return 0;
    }
  unmap_segments (object);
  object->bias = bias;
  return delta;
}
