/* The code object: the loader adds it to a program to follow code made at run
   time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   When all objects of a program are mapped, the loader maps one more, and puts
   a scope with this object alone in front of the scopes of all others, those
   that are opened later included: the object has no other symbols than the
   calls that it handles.  glibc takes a scope for the list of objects of some
   link map, and this scope is such a list.  If the program has those calls
   from anywhere but libc (a sanitizer, a library that is preloaded), they stay
   as they are.  */

#include <array_length.h>
#include <hugetext-glibc-maps.h>
#include <hugetext-machine.h>
#include <string.h>

#include "dl-hugetext.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"
#include "hugetext-code.h"

/* The link map of the object, if it follows code.  */
static struct link_map *follower;

/* The calls that the object and libc both define.  */
static const char names[][16]
    = { "mmap",   "mmap64",  "munmap", "mprotect", "pkey_mprotect",
        "mremap", "madvise", "prctl",  "syscall" };

/* Whether objects that need ROOT find these calls in libc and in no other
   object.  */
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

/* Put the scope of the object in front of the scopes of ROOT and all that it
   needs, as far as they are new.  */
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
      if (n + 2 > l->l_scope_max || l->l_scope[0] == &l->l_symbolic_searchlist)
        continue;
      /* What is opened with RTLD_DEEPBIND, as PHP opens its extensions, has
         ROOT's scope before the program's.  */
      if (l->l_scope[0] == &root->l_searchlist && deep == HUGETEXT_NOT_ASKED)
        deep = are_of_libc (root) ? HUGETEXT_YES : HUGETEXT_NO;
      if (l->l_scope[0] == &root->l_searchlist && deep == HUGETEXT_NO)
        continue;
      for (size_t k = n + 1; k > 0; --k)
        l->l_scope[k] = l->l_scope[k - 1];
      l->l_scope[0] = &follower->l_searchlist;
    }
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

/* Set PATH to the object's file: in the folder of this loader, or where the
   object is installed, for a loader that is bound over the system's.  */
static bool
find_object (char path[256])
{
  const struct link_map *own = hugetext_own_map ();
  size_t folder
      = own != NULL ? hugetext_base_name (own->l_name) - own->l_name : 0;
  if (folder > 0 && folder + sizeof HUGETEXT_CODE_FILE <= 256)
    {
      memcpy (path, own->l_name, folder);
      strcpy (path + folder, HUGETEXT_CODE_FILE);
      bool found = exists (path);
      /* Do not ask twice for a file that a security module refuses.  */
      if (found || strcmp (path, HUGETEXT_CODE) == 0)
        return found;
    }
  strcpy (path, HUGETEXT_CODE);
  return exists (path);
}

/* A request to map an object.  */
struct request
{
  struct link_map *program;
  const char *path;
  struct link_map *map;
};

/* Return the struct at the entry of object L, NULL if L is of another
   build.  */
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
  /* Another's may need what a program's objects are prepared for.  */
  if (struct_of (request->map) != NULL)
    _dl_relocate_object (request->map, request->map->l_scope, 0, 0);
}

/* Print the code object's message, in a thread of the program's.  */
static void
report_block (uintptr_t block, enum hugetext_code_outcome outcome, int error)
{
  static const char texts[][48] = { "made", "not made: over the cap",
                                    "not made: a memory limit is too near",
                                    "not made: the kernel has refused it" };
  _dl_debug_printf (outcome == HUGETEXT_CODE_REFUSED
                        ? "hugetext: code: block 0x%0*lx %s (error %d)\n"
                        : "hugetext: code: block 0x%0*lx %s\n",
                    (int) sizeof (void *) * 2, block, texts[outcome], error);
}

/* Map the object, and fill its struct in, as SET says.  Return NULL, or why
   code made at run time is left alone.  */
static const char *
follow (struct link_map *program, const struct hugetext_settings *set)
{
  static struct link_map *list[1];
  const char *object, *error = NULL;
  char path[256];
  bool malloced;
  struct request request = { .program = program, .path = path };

  if (!are_of_libc (program))
    return "mmap and its like are not all libc's";
  if (hugetext_address_taken ())
    return "text is to lie below 4 GiB";
  if (!_dl_hugetext_limit_allows (RLIMIT_AS, UINT64_MAX)
      || !_dl_hugetext_limit_allows (RLIMIT_DATA, UINT64_MAX))
    return "the address space is limited";
  if (_dl_hugetext_thp_off (&set->geo))
    return "transparent huge pages are off";
  if (GLRO (dl_vdso_clock_gettime64) == NULL)
    return "there is no vDSO, with a clock in it";
  if (!find_object (path))
    return HUGETEXT_CODE_FILE " is not there";
  _dl_catch_error (&object, &error, &malloced, map_object, &request);
  if (error != NULL)
    return error;

  struct link_map *l = request.map;
  struct hugetext_code *code = struct_of (l);
  if (code == NULL)
    return HUGETEXT_CODE_FILE " is of another build";
  struct hugetext_state *state
      = _dl_hugetext_settings () != NULL ? _dl_hugetext_state () : NULL;
  code->page = set->geo.page;
  code->block = set->geo.block;
  code->clock = GLRO (dl_vdso_clock_gettime64);
  code->own.cap = code->own.copies_cap = set->cap;
  code->ledger = state != NULL ? &state->ledger : &code->own;
  if (_dl_hugetext_debug_files ())
    code->say = report_block;
  list[0] = l;
  l->l_searchlist.r_list = list;
  l->l_searchlist.r_nlist = 1;
  follower = l;
  return NULL;
}

void
_dl_hugetext_link_code (struct link_map *root)
{
  if (__glibc_likely (!_dl_hugetext_root.code))
    return;
  if (root->l_type == lt_executable)
    {
      const char *why = follow (root, &_dl_hugetext_set);
      if (why != NULL && _dl_hugetext_debug_files ())
        _dl_debug_printf (
            "hugetext: code made at run time is left alone: %s\n", why);
    }
  if (follower != NULL)
    put_first (root);
}
