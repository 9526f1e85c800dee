/* The code object's place in the scopes of libraries that were opened with
   RTLD_DEEPBIND.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For a library opened with RTLD_DEEPBIND, as PHP opens its extensions, libc
   comes before preloaded objects.  The loader puts a scope with the code
   object alone in front of the library's scopes: the object has no other
   symbols than the calls that it handles. glibc takes a scope for the list of
   objects of some link map, and this scope is such a list.  */

#include <hugetext-glibc.h>

#include "dl-hugetext-code.h"

/* The calls that the code object and libc both define.  */
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
  bool needed = false;
  for (unsigned int i = 0; i < root->l_searchlist.r_nlist; ++i)
    needed |= root->l_searchlist.r_list[i] == libc;
  for (size_t i = 0; needed && i < sizeof names / sizeof *names; ++i)
    {
      const ElfW (Sym) *symbol = NULL;
      needed = _dl_lookup_symbol_x (names[i], root, &symbol, scope, NULL, 0, 0,
                                    NULL)
               == libc;
    }
  return needed;
}

/* Put the scope of CODE in front of L's.  */
static void
put_first (struct link_map *l, struct link_map *code)
{
  size_t n = 0;
  while (l->l_scope[n] != NULL)
    ++n;
  if (n + 2 > l->l_scope_max)
    return;
  for (size_t i = n + 1; i > 0; --i)
    l->l_scope[i] = l->l_scope[i - 1];
  l->l_scope[0] = &code->l_searchlist;
}

void
_dl_hugetext_deepen (struct link_map *root, struct link_map *code)
{
  static struct link_map *list[1];
  bool known = false;
  if (root->l_ns != code->l_ns)
    return;
  for (unsigned int i = 0; i < root->l_searchlist.r_nlist; ++i)
    {
      struct link_map *l = root->l_searchlist.r_list[i];
      if (l->l_relocated || l->l_faked || l->l_scope[0] != &root->l_searchlist)
        continue;
      if (!known && !are_of_libc (root))
        return;
      known = true;
      if (code->l_searchlist.r_list == NULL)
        {
          list[0] = code;
          code->l_searchlist.r_list = list;
          code->l_searchlist.r_nlist = 1;
        }
      put_first (l, code);
    }
}
