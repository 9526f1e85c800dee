/* The loader adds hugetext-code.so, which tracks code made at run time, to a
   program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   When all objects of a program are mapped, the loader also maps
   hugetext-code.so.  When the loader looks up a symbol for an object, it
   searches hugetext-code.so before all other objects.  In glibc's terms,
   hugetext-code.so comes before the first scope of each link map.  Only an
   object linked with -Bsymbolic still searches itself first.  If the program
   opens an object by dlopen, this object also searches hugetext-code.so before
   all other objects.  The library hugetext-code.so defines only the functions
   that it intercepts, such as mmap.  Some runtimes (JNA, ctypes) look up
   functions by dlsym in a handle of libc.  Therefore, if dlsym finds an
   intercepted function in libc, it returns the function of hugetext-code.so
   instead.  If an object other than libc defines these functions for the
   program (a sanitizer, a preloaded library), the loader does not add
   hugetext-code.so.  */

#include <array_length.h>
#include <hugetext-glibc-maps.h>
#include <hugetext-machine.h>
#include <stdlib.h>
#include <string.h>

#include "dl-hugetext-origin.h"
#include "dl-hugetext.h"
#include "dl-hugetext-procfile.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"
#include "hugetext-code.h"

/* The link map of hugetext-code.so, or NULL if the process does not track
   code made at run time.  */
static struct link_map *follower;

/* The functions that hugetext-code.so and libc both define.  */
static const char names[][16]
    = { "mmap",   "mmap64",  "munmap", "mprotect", "pkey_mprotect",
        "mremap", "madvise", "prctl",  "syscall" };

/* Return true if, in the search order of ROOT, libc defines all functions in
   NAMES, and no object before libc defines one of them.  */
static bool
are_of_libc (struct link_map *root)
{
  const struct link_map *libc = hugetext_libc (root->l_ns);
  struct r_scope_elem *scope[] = { &root->l_searchlist, NULL };
  bool all = false;
  for (unsigned int i = 0; i < root->l_searchlist.r_nlist; ++i)
    all |= root->l_searchlist.r_list[i] == libc;
  for (size_t i = 0; all && i < array_length (names); ++i)
    {
      const ElfW (Sym) *symbol = NULL;
      all = _dl_lookup_symbol_x (names[i], root, &symbol, scope, NULL, 0, 0,
                                 NULL)
            == libc;
    }
  return all;
}

/* Make room for one more scope after the N scopes of L.  No thread uses the
   scopes of L yet.  Return false if there is no memory.  */
static bool
code_make_room (struct link_map *l, size_t n)
{
  if (n + 2 <= l->l_scope_max)
    return true;
  struct r_scope_elem **wider = malloc (2 * l->l_scope_max * sizeof *wider);
  if (wider == NULL)
    return false;
  memcpy (wider, l->l_scope, (n + 1) * sizeof *wider);
  /* Like glibc, free the old array of scopes only if it is not
     l_scope_mem.  */
  if (l->l_scope != l->l_scope_mem)
    free (l->l_scope);
  l->l_scope = wider;
  l->l_scope_max *= 2;
  return true;
}

/* Make ROOT and its new dependencies search hugetext-code.so before any other
   object.  An object linked with -Bsymbolic first searches itself.  */
static void
put_first (struct link_map *root)
{
  enum hugetext_answer deep = HUGETEXT_NOT_ASKED;
  if (root->l_ns != follower->l_ns)
    return;
  for (unsigned int i = 0; i < root->l_searchlist.r_nlist; ++i)
    {
      struct link_map *l = root->l_searchlist.r_list[i];
      if (l->l_relocated || l->l_faked)
        continue;
      size_t n = 0;
      while (l->l_scope[n] != NULL)
        ++n;
      const size_t at = l->l_scope[0] == &l->l_symbolic_searchlist;
      if (!code_make_room (l, n))
        continue;
      /* If the program opens ROOT with RTLD_DEEPBIND (as PHP opens its
         extensions), the new objects search ROOT and its dependencies before
         the program.  If ROOT was opened with RTLD_DEEPBIND, put
         hugetext-code.so first only if ROOT and its dependencies would bind
         the functions in NAMES to libc.  */
      if (l->l_scope[at] == &root->l_searchlist && deep == HUGETEXT_NOT_ASKED)
        deep = are_of_libc (root) ? HUGETEXT_YES : HUGETEXT_NO;
      if (l->l_scope[at] == &root->l_searchlist && deep == HUGETEXT_NO)
        continue;
      for (size_t k = n + 1; k > at; --k)
        l->l_scope[k] = l->l_scope[k - 1];
      l->l_scope[at] = &follower->l_searchlist;
    }
}

static bool
is_intercepted (const char *name)
{
  size_t i = 0;
  while (i < array_length (names) && strcmp (name, names[i]) != 0)
    ++i;
  return i < array_length (names);
}

/* Look up a symbol for dlsym, with the parameters of glibc's function.  If
   NAME is found in the libc of the program, and hugetext-code.so intercepts
   it, return the function of hugetext-code.so.  */
static lookup_t
code_look_up_symbol (const char *name, struct link_map *from,
                     const ElfW (Sym) * *symbol, struct r_scope_elem *scope[],
                     const struct r_found_version *version, int class,
                     int flags, struct link_map *skipped)
{
  struct r_scope_elem *own[] = { &follower->l_searchlist, NULL };
  const lookup_t found = _dl_lookup_symbol_x (name, from, symbol, scope,
                                              version, class, flags, skipped);
  if (found == NULL || found != hugetext_libc (follower->l_ns)
      || !is_intercepted (name))
    return found;
  *symbol = NULL;
  return _dl_lookup_symbol_x (name, follower, symbol, own, NULL, class, 0,
                              NULL);
}

static bool
exists (const char *path)
{
  long int fd = sys_open (path);
  if (sys_failed (fd))
    return false;
  sys_close (fd);
  return true;
}

/* Set PATH to the path of hugetext-code.so in the directory of the file
   BESIDE.  Return true if this directory contains hugetext-code.so.  */
static bool
code_find_beside (const char *beside, char path[HUGETEXT_PATH_SIZE])
{
  size_t directory = hugetext_base_name (beside) - beside;
  if (directory == 0
      || directory + sizeof HUGETEXT_CODE_FILE > HUGETEXT_PATH_SIZE)
    return false;
  memcpy (path, beside, directory);
  strcpy (path + directory, HUGETEXT_CODE_FILE);
  return exists (path);
}

/* Set PATH to hugetext-code.so's file, and return whether it exists.  First
   look in the directory of this loader.  If the loader is bind-mounted over
   the system's loader, look in the directory from which it is mounted.  If
   hugetext-code.so is in neither directory, try the installed path.  */
static bool
code_find_object (char path[HUGETEXT_PATH_SIZE])
{
  const struct link_map *own = hugetext_own_map ();
  char origin[HUGETEXT_PATH_SIZE];
  if (own != NULL && code_find_beside (own->l_name, path))
    return true;
  if (own != NULL && !_dl_hugetext_same_file (own->l_name, HUGETEXT_INSTALLED)
      && _dl_hugetext_find_origin (own->l_name, origin)
      && code_find_beside (origin, path))
    return true;
  /* If opening the installed path has already failed, do not try again,
     because a security module may log each refusal.  */
  if (strcmp (path, HUGETEXT_CODE) == 0)
    return false;
  strcpy (path, HUGETEXT_CODE);
  return exists (path);
}

/* The parameters and the result of map_object.  */
struct request
{
  struct link_map *program;
  const char *path;
  struct link_map *map;
};

/* Return the struct hugetext_code at the entry point of object L, or NULL if
   L belongs to another build.  */
static struct hugetext_code *
struct_of (const struct link_map *l)
{
  struct hugetext_code *code = (struct hugetext_code *) l->l_entry;
  const uintptr_t entry = l->l_entry - l->l_addr;
  for (int i = 0; i < l->l_phnum; ++i)
    {
      const ElfW (Phdr) *segment = &l->l_phdr[i];
      if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W) != 0
          && segment->p_filesz >= sizeof *code && entry >= segment->p_vaddr
          && entry - segment->p_vaddr <= segment->p_filesz - sizeof *code
          && code->number == HUGETEXT_CODE_NUMBER)
        return code;
    }
  return NULL;
}

static void
map_object (void *closure)
{
  struct request *request = closure;
  request->map = _dl_map_object (request->program, request->path, lt_library,
                                 0, 0, LM_ID_BASE);
  /* If the object belongs to another build, do not relocate the object,
     because it may need preparation that this loader does not know.  */
  if (struct_of (request->map) != NULL)
    _dl_relocate_object (request->map, request->map->l_scope, 0, 0);
}

/* Print whether a block of code has become huge and, if it has not, the
   reason.  hugetext-code.so calls this function in a thread of the
   program.  */
static void
report_block (uintptr_t block, enum hugetext_code_outcome outcome, int error)
{
  const int digits = sizeof (void *) * 2;
  const char *why = "the kernel refused a system call";
  if (outcome == HUGETEXT_CODE_OVER_CAP)
    why = hugetext_reason_text (HUGETEXT_OVER_CAP);
  if (outcome == HUGETEXT_CODE_NO_ROOM)
    why = hugetext_reason_text (HUGETEXT_NO_ROOM);
  if (outcome == HUGETEXT_CODE_MADE)
    _dl_debug_printf ("hugetext: code: block 0x%0*lx made huge\n", digits,
                      block);
  else
    _dl_debug_printf (
        outcome == HUGETEXT_CODE_REFUSED
            ? "hugetext: code: block 0x%0*lx not made huge: %s (error %d)\n"
            : "hugetext: code: block 0x%0*lx not made huge: %s\n",
        digits, block, why, error);
}

/* Return true if the process has a seccomp filter.  Also return true if the
   loader cannot find out whether there is a filter.  */
static bool
may_be_filtered (void)
{
  char text[4096];
  return (_dl_hugetext_read_short ("/proc/self/status", text, sizeof text) <= 0
          || _dl_hugetext_number_after (text, "\nSeccomp:") != 0);
}

/* Return true if the address space or the data of the process is limited.
   Also return true if the loader cannot find out whether there is a limit.  To
   find the limits, read /proc/self/limits.  A filter may kill the process for
   a system call that queries limits, because the stock loader does not make
   such a call.  */
static bool
is_limited (void)
{
  char text[4096];
  bool space, data;
  return (_dl_hugetext_read_limits (text, sizeof text, &space, &data) <= 0
          || !space || !data);
}

/* Map hugetext-code.so for PROGRAM, and fill in its struct from the settings
   SET.  Return HUGETEXT_CODE_FOLLOWED, or the reason why code made at run time
   stays on small pages.  If code stays on small pages, ERROR may be set to an
   error message of glibc's loader.  */
static enum hugetext_code_reason
code_map_library (struct link_map *program,
                  const struct hugetext_settings *set, const char **error)
{
  static struct link_map *list[1];
  const char *object;
  char path[HUGETEXT_PATH_SIZE] = "";
  bool malloced;
  struct request request = { .program = program, .path = path };

  if (!are_of_libc (program))
    return HUGETEXT_CODE_NOT_LIBCS;
  if (hugetext_address_taken ())
    return HUGETEXT_CODE_BELOW_4_GIB;
  if (is_limited ())
    return HUGETEXT_CODE_LIMITED;
  if (_dl_hugetext_thp_off (&set->geo))
    return HUGETEXT_CODE_THP_OFF;
  /* A dry run always has a seccomp filter of its own, so in a dry run the
     member FILTERED of the settings says whether a real start would have a
     filter.  */
  const bool filtered = set->rehearsal ? set->filtered : may_be_filtered ();
  if (filtered && !set->prctl)
    return HUGETEXT_CODE_FILTERED;
  if (GLRO (dl_vdso_clock_gettime64) == NULL)
    return HUGETEXT_CODE_NO_CLOCK;
  if (!code_find_object (path))
    return HUGETEXT_CODE_NOT_THERE;
  _dl_catch_error (&object, error, &malloced, map_object, &request);
  if (*error != NULL)
    return HUGETEXT_CODE_NOT_MAPPED;

  struct link_map *l = request.map;
  struct hugetext_code *code = struct_of (l);
  if (code == NULL)
    return HUGETEXT_CODE_OTHER_BUILD;
  struct hugetext_state *state
      = _dl_hugetext_settings () != NULL ? _dl_hugetext_state () : NULL;
  code->page = set->geo.page;
  code->block = set->geo.block;
  code->filtered = filtered;
  code->left_alone = &_dl_hugetext_root.code_left_alone;
  code->clock = GLRO (dl_vdso_clock_gettime64);
  code->own.cap = code->own.copies_cap = set->cap;
  code->ledger = state != NULL ? &state->ledger : &code->own;
  code->ledger->code = code->places;
  if (_dl_hugetext_debug_files ())
    code->say = report_block;
  list[0] = l;
  l->l_searchlist.r_list = list;
  l->l_searchlist.r_nlist = 1;
  follower = l;
  /* dlsym calls the function to which dl_lookup_symbol_x points; make dlsym
     call code_look_up_symbol.  Relocation and lazy binding do not use
     dl_lookup_symbol_x. They find hugetext-code.so because put_first inserts
     it into the scopes of objects.  */
  GLRO (dl_lookup_symbol_x) = code_look_up_symbol;
  return HUGETEXT_CODE_FOLLOWED;
}

void
_dl_hugetext_link_code (struct link_map *root)
{
  if (__glibc_likely (!_dl_hugetext_root.code))
    return;
  if (root->l_type == lt_executable)
    {
      const char *error = NULL;
      enum hugetext_code_reason reason
          = code_map_library (root, &_dl_hugetext_set, &error);
      _dl_hugetext_root.code_left_alone = reason;
      if (reason != HUGETEXT_CODE_FOLLOWED && _dl_hugetext_debug_files ())
        _dl_debug_printf ("hugetext: code made at run time stays on small "
                          "pages: %s\n",
                          error != NULL ? error : hugetext_code_text (reason));
    }
  if (follower != NULL)
    put_first (root);
}
