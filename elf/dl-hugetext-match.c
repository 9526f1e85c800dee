/* The check that the libc of a process is the one that this loader was built
   for.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Loader and libc share structures that have no versions, and crash if they
   are of different releases.  Builds of one release share them: a
   distribution's updates within a release are no mismatch.

   A program that the kernel starts with this loader (PT_INTERP or a bound
   mount) must go on when the system gets another libc: the loader hands it to
   the system's own loader.  Where the handover is not possible, and where the
   user named this loader on the command line, one line says what is wrong.  */

#include <hugetext-machine.h>
#include <hugetext-glibc-maps.h>
#include <string.h>
#include <unistd.h>
#include <version.h>

#include "dl-hugetext.h"
#include "dl-hugetext-rehearsal.h"
#include "dl-hugetext-settings.h"
#include "hugetext-note.h"

HUGETEXT_NOTE (HUGETEXT_NOTE_LOADER, VERSION);

/* Return the release of LIBC, which is mapped but not relocated; ours if LIBC
   does not say.  */
static const char *
libc_release (struct link_map *libc)
{
  /* The number is dl_new_hash of the name.  */
  const ElfW (Sym) *symbol
      = hugetext_symbol (libc, "gnu_get_libc_version", 0xc5dc856c);
  if (symbol == NULL)
    return VERSION;
  /* The function returns a constant and needs no relocation, in every
     release.  */
  const char *(*release) (void) = DL_SYMBOL_ADDRESS (libc, symbol);
  return release ();
}

/* Whether RELEASE is ours.  strcmp would take twice as long for so short
   a string, in every start.  */
static bool
is_ours (const char *release)
{
  const char *ours = VERSION;
  while (*ours != '\0' && *release == *ours)
    ++release, ++ours;
  return *release == *ours;
}

/* Return the release of the libc in namespace NS, if it is mapped, not
   relocated yet, and not of our release; otherwise NULL.  */
static const char *attribute_every_start
other_release (Lmid_t ns)
{
  struct link_map *libc = hugetext_libc (ns);
  /* Asking runs a function of that libc, which a rehearsal must not do.  */
  if (libc == NULL || libc->l_relocated || _dl_hugetext_set.rehearsal)
    return NULL;
  const char *release = libc_release (libc);
  return __glibc_likely (is_ours (release)) ? NULL : release;
}

void
_dl_hugetext_match_program (struct link_map *program)
{
  const char *release = other_release (LM_ID_BASE);
  if (__glibc_likely (release == NULL))
    return;
  const char *libc = hugetext_libc (LM_ID_BASE)->l_name;
  const char *problem = _dl_hugetext_hand_over (program);
  _dl_fatal_printf ("%s: this ld-hugetext.so is for glibc " VERSION ", but %s"
                    " is glibc %s, and the system's loader cannot take over:"
                    " %s\n",
                    _dl_argv[0] ?: "<program>", libc, release, problem);
}

void
_dl_hugetext_match_open (struct link_map *l)
{
  /* The loader opens only auditors before the program.  */
  if (__glibc_unlikely (_dl_hugetext_set.rehearsal))
    _dl_hugetext_end_rehearsal (HUGETEXT_AUDITED);
  if (__glibc_unlikely (other_release (l->l_ns) != NULL))
    _dl_signal_error (0, hugetext_libc (l->l_ns)->l_name, NULL,
                      "not of glibc " VERSION
                      ", for which this ld-hugetext.so is");
}
