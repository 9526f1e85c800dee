/* Move a program that the kernel has mapped to where its text can be huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel puts a position-independent program at an address that is
   random to the small page; most of its text then shares its blocks badly,
   and none can be huge pages of the file.  Before it is relocated, nothing
   points into it but the auxiliary vector: the copy on the stack, which its
   start-up code reads, and the kernel's own, which debuggers read.

   Nothing has been written into it, either, but by the kernel: so that it is
   mapped a second time, as the kernel did, and the first mapping goes when
   the second is complete.  Until then every step may fail.  */

#include <array_length.h>
#include <string.h>
#include <sys/prctl.h>

#include "dl-hugetext.h"
#include "dl-hugetext-chain.h"
#include "dl-hugetext-choose.h"
#include "dl-hugetext-file.h"
#include "dl-hugetext-program.h"
#include "dl-hugetext-space.h"
#include "dl-hugetext-sys.h"

/* What is to be remembered of the program until it has a link map.  */
static struct
{
  bool seen;                     /* It has a block that may be taken.  */
  bool file_ruled_out;           /* As in its record, later.  */
  struct hugetext_identity file; /* Likewise.  */
  ElfW (Addr) low, high;         /* Likewise.  */
  uint64_t digest;               /* Likewise.  */
  uint32_t heat;                 /* Likewise.  */
} program;

void
_dl_hugetext_remember_program (struct link_map *l)
{
  struct hugetext_state *state = _dl_hugetext_old_state ();
  if (state == NULL || !program.seen || l->l_type != lt_executable
      || _dl_hugetext_find (state, l) != NULL)
    return;
  struct hugetext_record *record = _dl_hugetext_remember (state, l);
  if (record == NULL)
    return;
  record->low = program.low;
  record->high = program.high;
  record->digest = program.digest;
  record->heat = program.heat;
  record->file_ruled_out = program.file_ruled_out;
  record->file.file = program.file;
}

/* The kernel's idea of where the parts of a process are.  In the order of
   struct prctl_mm_map (<linux/prctl.h>).  */
struct memory_map
{
  uint64_t start_code, end_code, start_data, end_data, start_brk, brk;
  uint64_t start_stack, arg_start, arg_end, env_start, env_end;
  uint64_t auxv;
  uint32_t auxv_size, exe_fd;
};

/* The fields of /proc/PID/stat that we need, counted from 1 as in
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
  long int fd = sys_open ("/proc/self/stat");
  if (sys_failed (fd))
    return false;
  long int n = sys_read (fd, buffer, sizeof buffer - 1);
  sys_close (fd);
  if (sys_failed (n) || n == 0)
    return false;
  buffer[n] = '\0';

  /* The second field is the name, in parentheses, and may hold anything. */
  const char *p = buffer + n;
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

/* Tell the kernel.  */
static bool
set_memory_map (const struct memory_map *map)
{
  return !sys_failed (
      sys_prctl (PR_SET_MM, PR_SET_MM_MAP, (uintptr_t) map, sizeof *map));
}

/* The end of the pages of S that are mapped from the file: none, if the file
   has nothing of it, wherever it says that would be.  */
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
    /* Nobody links such a thing.  */
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

/* Unmap the segments of OBJECT from where they are.  A failure costs address
   space.  */
static void
unmap_segments (const struct hugetext_object *object)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      sys_munmap (s->start + object->bias, s->end - s->start);
    }
}

/* Move the program OBJECT, open on FD, to PLACEMENT.  Returns the difference
   of addresses, 0 if it stays.  */
static ElfW (Addr) move_program (struct hugetext_object *object,
                                 const struct hugetext_settings *set,
                                 const struct hugetext_placement *placement,
                                 int fd, ElfW (auxv_t) * auxv)
{
  struct memory_map map;
  uintptr_t start = hugetext_object_start (object);

  if (!read_memory_map (&map, auxv))
    return 0;
  uintptr_t low = _dl_hugetext_reserve_space (object, placement, set->geo.page,
                                              start + object->bias);
  if (low == 0)
    return 0;
  size_t size = (placement->before + hugetext_object_length (object)
                 + placement->after);
  ElfW (Addr) bias = low + placement->before - start;
  ElfW (Addr) delta = bias - object->bias;

  bool mapped = _dl_hugetext_map_segments (object, set->geo.page, fd, bias);
  shift_addresses (&map, auxv, delta);
  if (!mapped || !set_memory_map (&map))
    {
      shift_addresses (&map, auxv, -delta);
      sys_munmap (low, size);
      return 0;
    }
  unmap_segments (object);
  object->bias = bias;
  program.low = low;
  program.high = low + size;
  return delta;
}

/* Unmap the pages of OBJECT that have been touched already, its headers:
   while anybody has them mapped they cannot be read again as a huge page.  */
static void
release_pages (struct hugetext_attempt *attempt,
               const struct hugetext_object *object)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (!s->write && s->fileend == s->end)
        _dl_hugetext_forget_pages (attempt, s->start + object->bias,
                                   s->end + object->bias);
    }
}

/* Whether OBJECT lies where PLACEMENT would put it, as far as the alignment
   goes.  */
static bool
is_well_placed (const struct hugetext_object *object,
                const struct hugetext_placement *placement)
{
  return ((object->bias & (placement->modulus - 1)) == placement->residue
          && !hugetext_has_slack (placement));
}

/* The load bias of the program with headers PHDR; false if unknown.  */
static bool
load_bias (const ElfW (Phdr) * phdr, ElfW (Word) phnum, ElfW (Addr) * bias)
{
  for (ElfW (Word) i = 0; i < phnum; ++i)
    if (phdr[i].p_type == PT_PHDR)
      {
        *bias = (uintptr_t) phdr - phdr[i].p_vaddr;
        return true;
      }
  return false;
}

const char *
_dl_hugetext_executed_name (const ElfW (auxv_t) * auxv)
{
  for (; auxv->a_type != AT_NULL; ++auxv)
    if (auxv->a_type == AT_EXECFN)
      return (const char *) auxv->a_un.a_val;
  return NULL;
}

/* Choose a place for the program OBJECT, which now has load bias BIAS, and
   move it there.  Returns the difference of addresses.  */
static ElfW (Addr)
    choose_and_move (struct hugetext_state *state,
                     struct hugetext_object *object, ElfW (Addr) bias,
                     struct hugetext_placement *placement, int fd,
                     ElfW (auxv_t) * auxv)
{
  struct hugetext_attempt *attempt = &state->attempt;
  bool can_move = (bias != 0 && !_dl_hugetext_traced (attempt)
                   && (_dl_hugetext_can (attempt, HUGETEXT_CAN_TELL_KERNEL)
                       || state->set.prctl));
  if (bias != 0 && !can_move)
    return 0;
  if (hugetext_may_use_file (state->set.backing)
      && !_dl_hugetext_traced (attempt))
    {
      release_pages (attempt, object);
      attempt->exec_has_read = _dl_hugetext_exec_has_read (attempt);
    }
  struct hugetext_site_verdict verdict = _dl_hugetext_choose (
      state, fd, &program.file, object, program.heat, bias == 0, placement);
  attempt->exec_has_read = false;
  object->bias = bias;
  program.file_ruled_out = !verdict.file;
  return (verdict.stays || is_well_placed (object, placement)
              ? 0
              : move_program (object, &state->set, placement, fd, auxv));
}

ElfW (Addr) _dl_hugetext_program (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                                  ElfW (auxv_t) * auxv)
{
  struct hugetext_program itself = { .name = _dl_hugetext_executed_name (auxv),
                                     .inside = (uintptr_t) phdr };
  _dl_hugetext_read_settings (&itself);
  const struct hugetext_settings *set = _dl_hugetext_settings ();
  struct hugetext_object object;
  struct hugetext_placement placement;
  ElfW (Addr) bias;

  if (__glibc_likely (set == NULL) || !_dl_hugetext_allows (set, "")
      || !load_bias (phdr, phnum, &bias))
    return 0;
  hugetext_describe (&object, phdr, phnum, set->geo.page);
  object.bias = bias;
  if (hugetext_object_check (&object, &set->geo) != NULL
      || !hugetext_place (&object, &set->geo, set->pad_threshold, &placement))
    return 0;
  struct hugetext_state *state = _dl_hugetext_state ();
  if (state == NULL)
    return 0;

  _dl_hugetext_begin (&state->attempt);
  program.seen = true;
  program.digest = hugetext_object_digest (&object);
  /* A debugger has computed where the program is, and will not again, and
     under a filter the kernel could not be told: then it is copied where it
     is.  */
  program.file_ruled_out = true;
  int fd = _dl_hugetext_open_program (phdr, phnum);
  if (fd < 0)
    return 0;
  _dl_hugetext_identify (fd, &program.file);
  if (set->has.heats)
    program.heat = _dl_hugetext_learn_heat (&state->attempt, &state->heats,
                                            &program.file, program.digest);
  ElfW (Addr) delta
      = choose_and_move (state, &object, bias, &placement, fd, auxv);
  sys_close (fd);
  return delta;
}

static bool
is_among (const char *word, const char (*words)[24], size_t n)
{
  for (size_t i = 0; i < n; ++i)
    if (strcmp (word, words[i]) == 0)
      return true;
  return false;
}

/* The program among the arguments of the loader, which has been executed by
   its own name; NULL if there is none.  Set RUN to whether it is to be
   run.  */
static const char *
program_argument (bool *run)
{
  /* With a word behind them.  */
  static const char words[][24]
      = { "--library-path",     "--inhibit-rpath", "--audit",
          "--preload",          "--argv0",         "--glibc-hwcaps-prepend",
          "--glibc-hwcaps-mask" };
  /* With which nothing is run.  */
  static const char others[][24]
      = { "--list", "--verify", "--list-tunables", "--list-diagnostics",
          "--help", "--version" };
  int i = 1;
  *run = true;
  while (i < _dl_argc && strncmp (_dl_argv[i], "--", 2) == 0)
    {
      if (is_among (_dl_argv[i], others, array_length (others)))
        *run = false;
      i += is_among (_dl_argv[i], words, array_length (words)) ? 2 : 1;
    }
  *run = *run && i < _dl_argc;
  return i < _dl_argc ? _dl_argv[i] : NULL;
}

bool
_dl_hugetext_program_argument (void)
{
  bool run;
  struct hugetext_program argument = { .name = program_argument (&run) };
  _dl_hugetext_read_settings (&argument);
  return run;
}
