/* The code object: the loader adds it to a program to follow code made at run
   time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader adds the object to the list of LD_PRELOAD, behind the user's
   objects: so the object is mapped, relocated and searched for symbols as any
   other, before libc.  The program and its children do not see the change: one
   entry of the environment's vector points to our list while the loader reads
   the environment, and is restored before any other code reads it.  The loader
   would print an error for an object that cannot be preloaded, so the object
   is checked first.  */

#include <array_length.h>
#include <hugetext-address.h>
#include <string.h>

#include "dl-hugetext-code.h"
#include "dl-hugetext-attempt.h"
#include "dl-hugetext-limits.h"
#include "dl-hugetext-install.h"
#include "dl-hugetext-place.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"
#include "hugetext-code.h"

extern char **_environ attribute_hidden;

static struct
{
  char *list;          /* The list for LD_PRELOAD, NULL if nothing is
                          offered,  */
  size_t size;         /* and the bytes of memory that hold it.  */
  char *path;          /* The object's path in LIST, NULL if the list turns out
                          not to have it.  */
  char **entry;        /* The borrowed entry of the environment, NULL if there
                          is none,  */
  char *value;         /* and its former value.  */
  const char *why_not; /* Why the object is not offered.  */
} offer;

/* The link map of the object, if it follows code.  */
static struct link_map *follower;

/* The variables of the environment.  */
struct wishes
{
  bool trace;    /* The program is only listed, not run.  */
  char *preload; /* The user's LD_PRELOAD, NULL if there is none.  */
  char **entry;  /* The entry that may be borrowed.  */
};

static bool
begins (const char *text, const char *with)
{
  return strncmp (text, with, strlen (with)) == 0;
}

static struct wishes
read_environment (void)
{
  struct wishes wishes = { .trace = false };
  for (char **e = _environ; *e != NULL; ++e)
    if (begins (*e, "LD_PRELOAD="))
      {
        /* The last LD_PRELOAD counts, as in glibc.  */
        wishes.preload = *e + strlen ("LD_PRELOAD=");
        wishes.entry = e;
      }
    else if (begins (*e, "LD_TRACE_LOADED_OBJECTS="))
      wishes.trace = true;
    else if (!begins (*e, "LD_") && wishes.entry == NULL)
      /* The entry of GLIBC_TUNABLES: the loader has read its tunables and does
         not read the entry again.  */
      wishes.entry = e;
  return wishes;
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

static const char sanitizer[] = "a sanitizer's library has to be the first";

/* Whether NAME is the name of a library that must be the first in the
   process.  */
static bool
insists (const char *name)
{
  for (const char *p = name; *p != '\0'; ++p)
    if (begins (p, "san.so") || begins (p, "libclang_rt."))
      return true;
  return false;
}

/* Whether the program with the dynamic section DYNAMIC, NULL if it has none,
   needs a library that must be the first.  */
static bool
needs_sanitizer (const ElfW (Dyn) * dynamic, ElfW (Addr) bias)
{
  const char *strings = NULL;
  if (dynamic == NULL)
    return false;
  for (const ElfW (Dyn) *d = dynamic; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_STRTAB)
      strings = (const void *) (bias + d->d_un.d_ptr);
  for (const ElfW (Dyn) *d = dynamic; strings != NULL && d->d_tag != DT_NULL;
       ++d)
    if (d->d_tag == DT_NEEDED && insists (strings + d->d_un.d_val))
      return true;
  return false;
}

/* Write the name of the object in the folder of the file NAME to PATH.  False
   if the name is too long, or cannot be in a list (ld.so(8)).  */
static bool
name_beside (char path[256], const char *name)
{
  size_t folder = 0;
  for (size_t i = 0; name[i] != '\0'; ++i)
    if (name[i] == '/')
      folder = i + 1;
    else if (name[i] == ':' || name[i] == ' ' || name[i] == '$')
      return false;
  if (folder == 0 || folder + sizeof HUGETEXT_CODE_FILE > 256)
    return false;
  memcpy (path, name, folder);
  memcpy (path + folder, HUGETEXT_CODE_FILE, sizeof HUGETEXT_CODE_FILE);
  return true;
}

/* Set PATH to the object's file: in the folder of the loader NAME, or where
   the object is installed, for a loader that is bound over the system's.  */
static bool
find_object (char path[256], const char *name)
{
  bool beside = name != NULL && name_beside (path, name);
  if (beside && exists (path))
    return true;
  /* Do not ask twice for a file that a security module refuses.  */
  if (beside && strcmp (path, HUGETEXT_CODE) == 0)
    return false;
  strcpy (path, HUGETEXT_CODE);
  return exists (path);
}

/* Offer the object PATH.  Return NULL, or why it is not offered.  */
static const char *
make_offer (const struct wishes *wishes, const char *path)
{
  size_t before = wishes->preload != NULL ? strlen (wishes->preload) : 0;
  size_t size = strlen ("LD_PRELOAD=") + before + 1 + strlen (path) + 1;
  long int memory = sys_mmap (0, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys_failed (memory))
    return "no memory";
  char *p = offer.list = (char *) memory;
  offer.size = size;
  memcpy (p, "LD_PRELOAD=", strlen ("LD_PRELOAD="));
  p += strlen ("LD_PRELOAD=");
  if (before > 0)
    {
      memcpy (p, wishes->preload, before);
      p[before] = ':';
      p += before + 1;
    }
  strcpy (p, path);
  offer.path = p;
  offer.entry = wishes->entry;
  offer.value = *wishes->entry;
  *wishes->entry = offer.list;
  return NULL;
}

/* Offer the object, unless there is a reason not to, which is returned.  */
static const char *
judge_and_offer (const struct hugetext_settings *set, const ElfW (Phdr) * phdr,
                 ElfW (Word) phnum, const char *name)
{
  char path[256];
  ElfW (Addr) bias = 0;
  const ElfW (Dyn) *dynamic = NULL;
  struct wishes wishes = read_environment ();
  if (wishes.trace)
    return "nothing is to be run";
  if (phdr != NULL && !_dl_hugetext_load_bias (phdr, phnum, &bias))
    return "the program does not say where it is";
  for (ElfW (Word) i = 0; i < phnum; ++i)
    if (phdr[i].p_type == PT_INTERP)
      name = (const char *) (bias + phdr[i].p_vaddr);
    else if (phdr[i].p_type == PT_DYNAMIC)
      dynamic = (const void *) (bias + phdr[i].p_vaddr);
  if (needs_sanitizer (dynamic, bias))
    return sanitizer;
  if (wishes.entry == NULL)
    return "there is nothing in the environment";
  if (hugetext_address_taken ())
    return "text is to lie below 4 GiB";
  if (!find_object (path, name))
    return HUGETEXT_CODE_FILE " is not there";
  if (!_dl_hugetext_limit_allows (RLIMIT_AS, UINT64_MAX)
      || !_dl_hugetext_limit_allows (RLIMIT_DATA, UINT64_MAX))
    return "the address space is limited";
  if (_dl_hugetext_thp_off (&set->geo))
    return "transparent huge pages are off";
  return make_offer (&wishes, path);
}

void
_dl_hugetext_offer_code (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                         const char *name)
{
  const struct hugetext_settings *set = _dl_hugetext_code_settings ();
  if (__glibc_unlikely (set != NULL))
    offer.why_not = judge_and_offer (set, phdr, phnum, name);
}

static void
return_entry (void)
{
  if (offer.entry != NULL)
    *offer.entry = offer.value;
  offer.entry = NULL;
}

void
_dl_hugetext_check_offer (const struct link_map *l)
{
  if (__glibc_likely (offer.list == NULL))
    return;
  return_entry ();
  /* glibc corrects the address of the dynamic section later.  */
  if (l->l_type != lt_executable || l->l_ld == NULL
      || !needs_sanitizer ((const void *) (l->l_addr + (uintptr_t) l->l_ld),
                           l->l_addr))
    return;
  /* glibc has not read the list yet: cut it in front of our object.  */
  *offer.path = '\0';
  offer.path = NULL;
  offer.why_not = sanitizer;
}

void
_dl_hugetext_withdraw_code (void)
{
  return_entry ();
  if (offer.list != NULL)
    sys_munmap ((uintptr_t) offer.list, offer.size);
  offer.list = NULL;
}

/* Return the object's link map, if it has been preloaded.  */
static struct link_map *
find_link_map (const struct link_map *program)
{
  const struct r_scope_elem *list = &program->l_searchlist;
  for (unsigned int i = 0; i < list->r_nlist; ++i)
    if (strcmp (list->r_list[i]->l_name, offer.path) == 0)
      return list->r_list[i];
  return NULL;
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

/* Fill the struct of the object L in, as SET says.  Return NULL, or why its
   calls do nothing.  */
static const char *
link_object (struct link_map *l, const struct hugetext_settings *set)
{
  struct hugetext_code *code = (struct hugetext_code *) l->l_entry;
  if (code->number != HUGETEXT_CODE_NUMBER)
    return HUGETEXT_CODE_FILE " is of another build";
  if (GLRO (dl_vdso_clock_gettime64) == NULL)
    /* Under valgrind there is no vDSO; only now is that known.  */
    return "there is no vDSO, with a clock in it";
  struct hugetext_state *state
      = _dl_hugetext_settings () != NULL ? _dl_hugetext_state () : NULL;
  code->page = set->geo.page;
  code->block = set->geo.block;
  code->clock = GLRO (dl_vdso_clock_gettime64);
  code->own.cap = code->own.copies_cap = set->cap;
  code->ledger = state != NULL ? &state->ledger : &code->own;
  if (_dl_hugetext_debug_files ())
    code->say = report_block;
  follower = l;
  return NULL;
}

/* Link the object, if it is there.  PROGRAM and all that it needs is
   mapped.  */
static void
link_program (struct link_map *program, const struct hugetext_settings *set)
{
  struct link_map *l = NULL;
  if (offer.list != NULL && offer.path != NULL)
    l = find_link_map (program);
  if (l != NULL)
    offer.why_not = link_object (l, set);
  if (offer.why_not != NULL && _dl_hugetext_debug_files ())
    _dl_debug_printf ("hugetext: code made at run time is left alone: %s\n",
                      offer.why_not);
  _dl_hugetext_withdraw_code ();
}

void
_dl_hugetext_link_code (struct link_map *root)
{
  const struct hugetext_settings *set = _dl_hugetext_code_settings ();
  if (__glibc_likely (set == NULL))
    return;
  if (root->l_type == lt_executable)
    link_program (root, set);
  else if (follower != NULL)
    _dl_hugetext_deepen (root, follower);
}
