/* The check that the process's libc has the same release as this loader.  If
   the release of libc differs, the loader hands the program over to the
   system's own loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Loader and libc share data structures without version numbers.  If the
   releases of loader and libc differ, the program crashes.  All builds of one
   release have the same structures, so this loader still works after the
   distribution has updated libc to another build of the same release.

   After the system has installed a libc of another release, the kernel may
   still start programs with this loader (because of PT_INTERP or a bind
   mount).  This loader cannot run a program with another libc, so it hands the
   program over to the system's loader.  If this loader cannot hand the program
   over, for example because the user has named this loader on the command
   line, it prints one line that says what is wrong, and exits.

   For the handover, this loader maps the system's loader in the same way as
   the kernel would map it, and jumps to its entry point.  The process, its
   rights and /proc/self/exe stay the same, because the process does not call
   exec again.  This loader hands the program over after libc has been mapped,
   and before glibc checks symbol versions.  Until the system's loader takes
   over, no code of the program runs, and no object is relocated.  Before it
   hands the program over, this loader undoes its changes that would disturb
   the system's loader: it restores the program's dynamic section, unmaps the
   libraries, and moves the auxiliary vector to where the kernel puts it.  If
   libc is the program or there are auditors (LD_AUDIT), the loader unregisters
   the thread's area for restartable sequences.  */

#include <array_length.h>
#include <hugetext-machine.h>
#include <hugetext-glibc-maps.h>
#include <string.h>
#include <unistd.h>
#include <version.h>

#include <dl-unmap-segments.h>

#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"
#include "hugetext-note.h"

HUGETEXT_NOTE (HUGETEXT_NOTE_LOADER, VERSION);

/* A buffer for the ELF header and program headers of a loader.  */
union headers
{
  ElfW (Ehdr) file;
  char bytes[sizeof (ElfW (Ehdr)) + HUGETEXT_PHDRS_MAX * sizeof (ElfW (Phdr))];
};

extern const union headers
    own_headers __asm__("__ehdr_start") attribute_hidden;

/* If HEADERS belong to a loader for this machine, return the program headers
   in HEADERS.  Otherwise return NULL.  */
static const ElfW (Phdr) * program_headers (const union headers *headers)
{
  const ElfW (Ehdr) *ours = &own_headers.file;
  const ElfW (Ehdr) *file = &headers->file;
  if (memcmp (file->e_ident, ours->e_ident, EI_OSABI) != 0
      || file->e_type != ET_DYN || file->e_machine != ours->e_machine
      || file->e_phentsize != sizeof (ElfW (Phdr))
      || file->e_phoff % sizeof (ElfW (Addr)) != 0
      || file->e_phoff > sizeof *headers
      || (file->e_phnum
          > (sizeof *headers - file->e_phoff) / sizeof (ElfW (Phdr))))
    return NULL;
  return (const void *) (headers->bytes + file->e_phoff);
}

/* Map the system's loader from the file FD.  Set ENTRY to the entry point of
   the mapped loader, and BIAS to the load bias of the mapped loader.  Return
   NULL on success, otherwise an error message.  */
static const char *
map_loader (int fd, uintptr_t *entry, ElfW (Addr) * bias)
{
  uintptr_t page = GLRO (dl_pagesize);
  union headers headers;
  struct hugetext_object object;

  if (sys_pread (fd, (uintptr_t) &headers, sizeof headers, 0)
      != sizeof headers)
    return HUGETEXT_SYSTEM_LOADER " cannot be read";
  const ElfW (Phdr) *phdr = program_headers (&headers);
  if (phdr == NULL)
    return HUGETEXT_SYSTEM_LOADER " is not a loader";
  if (memcmp (&headers, &own_headers, sizeof headers) == 0)
    return "ld-hugetext.so is mounted over " HUGETEXT_SYSTEM_LOADER;

  struct hugetext_geometry geo = { .page = page, .block = page };
  hugetext_describe (&object, phdr, headers.file.e_phnum, page);
  if (hugetext_object_check (&object, &geo) != NULL)
    return HUGETEXT_SYSTEM_LOADER " is not a loader";
  uintptr_t start = hugetext_object_start (&object);
  size_t length = hugetext_object_length (&object);
  long int address = sys_reserve (0, length);
  if (sys_failed (address))
    return "there is no memory to map the system's loader";
  *bias = address - start;
  *entry = headers.file.e_entry + *bias;
  if (_dl_hugetext_map_segments (&object, page, fd, *bias))
    return NULL;
  sys_munmap (address, length);
  return HUGETEXT_SYSTEM_LOADER " cannot be mapped";
}

/* Restore PROGRAM's dynamic section to the contents that it has in the
   file.  */
static void
restore_dynamic (struct link_map *program)
{
  if (!hugetext_dynamic_changed (program))
    return;
  for (ElfW (Dyn) *d = program->l_ld; d->d_tag != DT_NULL; ++d)
    for (size_t i = 0; i < array_length (hugetext_dynamic_tags); ++i)
      if (d->d_tag == hugetext_dynamic_tags[i])
        d->d_un.d_ptr -= program->l_addr;
}

/* Unmap all libraries of PROGRAM.  Also unmap LIBC, which is not in the list
   of objects yet, unless the program itself is the libc.  */
static void
unmap_libraries (const struct link_map *program, struct link_map *libc)
{
  if (libc != program)
    _dl_unmap_segments (libc);
  for (struct link_map *l = GL (dl_ns)[LM_ID_BASE]._ns_loaded; l != NULL;
       l = l->l_next)
    if (l != program && l->l_ld != _DYNAMIC && l != GLRO (dl_sysinfo_map))
      _dl_unmap_segments (l);
}

/* Return the entry AT_BASE of the auxiliary vector if the kernel has mapped
   both the program and this loader.  Otherwise return NULL.  */
static ElfW (auxv_t) * loader_base (void)
{
  for (ElfW (auxv_t) *av = GLRO (dl_auxv); av->a_type != AT_NULL; ++av)
    if (av->a_type == AT_BASE)
      return av->a_un.a_val != 0 ? av : NULL;
  return NULL;
}

/* Move the auxiliary vector directly behind the environment, where the next
   loader looks for it.  If the program has more rights than its caller
   (AT_SECURE), glibc has removed variables from the environment, and now
   several null pointers follow the last variable instead of one.  If several
   null pointers followed the last variable, the system's loader would take the
   second null pointer for AT_NULL, the end of the auxiliary vector.  Then the
   system's loader would not see the entry AT_SECURE of the auxiliary
   vector.  */
static void
close_gap (void)
{
  uintptr_t *word = __libc_stack_end; /* The first word at the initial stack
                                         pointer is the number of
                                         arguments.  */
  word += *word + 2;
  while (*word != 0)
    ++word;
  const ElfW (auxv_t) *last = GLRO (dl_auxv);
  while (last->a_type != AT_NULL)
    ++last;
  memmove (word + 1, GLRO (dl_auxv),
           (uintptr_t) (last + 1) - (uintptr_t) GLRO (dl_auxv));
}

/* Hand PROGRAM over to the system's own loader, because LIBC has another
   release.  PROGRAM is not relocated yet.  Do not return on success.  If the
   handover is impossible, return the reason.  */
static const char *
hand_over (struct link_map *program, struct link_map *libc)
{
  uintptr_t entry;
  ElfW (Addr) bias;

  ElfW (auxv_t) *base = loader_base ();
  if (base == NULL)
    return "ld-hugetext.so was named on the command line";
  if (GLRO (dl_naudit) > 0)
    return "the program has audit libraries";
  long int fd = sys_open (HUGETEXT_SYSTEM_LOADER);
  if (sys_failed (fd))
    return HUGETEXT_SYSTEM_LOADER " cannot be opened";
  const char *problem = map_loader (fd, &entry, &bias);
  sys_close (fd);
  if (problem != NULL)
    return problem;

  if (__glibc_unlikely ((GLRO (dl_debug_mask) & DL_DEBUG_FILES) != 0))
    _dl_debug_printf ("hugetext: libc is not from glibc " VERSION
                      ": " HUGETEXT_SYSTEM_LOADER " takes over\n");
  _dl_hugetext_close_index ();
  _dl_hugetext_drop_all_kept ();
  unmap_libraries (program, libc);
  restore_dynamic (program);
  hugetext_forget_rseq ();
  base->a_un.a_val = bias;
  close_gap ();
  hugetext_enter (entry, __libc_stack_end);
}

/* Return true if RELEASE is the release of this loader.  Compare the few
   characters directly: a call of strcmp would take twice as long, in every
   program start.  */
static bool
handover_is_own_release (const char *release)
{
  const char *ours = VERSION;
  while (*ours != '\0' && *release == *ours)
    ++release, ++ours;
  return *release == *ours;
}

/* Return true if LIBC is exactly the libc for which this loader was built.  If
   LIBC has this build ID, the loader need not compare the release of LIBC with
   its own.  Comparing the build ID takes little time, because the build ID is
   on the same page as the program headers, which have already been read.  The
   release string is on a page that a short program never uses.  */
static bool attribute_every_start
is_installed_libc (const struct link_map *libc)
{
#ifdef HUGETEXT_LIBC_ID
  static const unsigned char id[] = { HUGETEXT_LIBC_ID };
  const unsigned char *at
      = (const void *) (libc->l_addr + HUGETEXT_LIBC_ID_AT);
  uintptr_t seen = (uintptr_t) libc->l_phdr;
  uintptr_t differ
      = ((uintptr_t) at ^ seen) | ((uintptr_t) (at + sizeof id - 1) ^ seen);
  return differ < GLRO (dl_pagesize) && memcmp (at, id, sizeof id) == 0;
#else
  return false;
#endif
}

/* Return the release of LIBC if it differs from this loader's release.  Return
   NULL if the releases are the same, or if LIBC states no release.  If this
   function were inline, each program start would save registers, even if it
   does not need the function.  */
static const char *__attribute_noinline__ attribute_every_start
find_release (struct link_map *libc)
{
  const char *release = hugetext_libc_release (libc);
  return release == NULL || __glibc_likely (handover_is_own_release (release))
             ? NULL
             : release;
}

/* If LIBC is mapped, not relocated yet, and of another release than this
   loader, return its release.  In all other cases return NULL.  */
static const char *attribute_every_start
other_release (struct link_map *libc)
{
  /* In a dry run do not check the release, because a handover would run the
     program.  */
  return (libc == NULL || libc->l_relocated || _dl_hugetext_set.rehearsal
                  || is_installed_libc (libc)
              ? NULL
              : find_release (libc));
}

/* LIBC has another glibc release than the loader, namely RELEASE.  Hand the
   program over to the system's loader, or exit with an error message.  */
static void __attribute__ ((noinline, noreturn))
handover_leave_to_stock (struct link_map *libc, const char *release)
{
  const char *problem = hand_over (GL (dl_ns)[LM_ID_BASE]._ns_loaded, libc);
  _dl_fatal_printf ("%s: this ld-hugetext.so is for glibc " VERSION
                    ", but %s is glibc %s, and the program cannot be started "
                    "under the system's loader: %s\n",
                    _dl_argv[0] ?: "<program>",
                    *libc->l_name != '\0' ? libc->l_name : "it", release,
                    problem);
}

void
_dl_hugetext_match_loaded (struct link_map *l)
{
  if (l->l_ns != LM_ID_BASE || !hugetext_is_mapped_libc (l)
      || _dl_hugetext_program_runs ())
    return;
  const char *release = other_release (l);
  if (__glibc_unlikely (release != NULL))
    handover_leave_to_stock (l, release);
}

void
_dl_hugetext_match_open (struct link_map *l)
{
  /* An object that the loader opens before the program runs is an
     auditor.  */
  if (__glibc_unlikely (_dl_hugetext_set.rehearsal))
    _dl_hugetext_end_rehearsal (HUGETEXT_AUDITED);
  struct link_map *libc = hugetext_libc (l->l_ns);
  if (__glibc_unlikely (other_release (libc) != NULL))
    _dl_signal_error (0, libc->l_name, NULL,
                      "this libc is not from glibc " VERSION
                      ", for which this ld-hugetext.so was built");
}
