/* What the tunables say.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dl-tunables.h>
#include <hugetext-tunable.h>
#include <string.h>
#include <unistd.h>

#include "dl-hugetext-plan.h"
#include "dl-hugetext-settings.h"

/* All that is kept for processes without huge text.  */
static struct hugetext_settings settings;
static bool settings_known;

/* Set the backing to what VALUE, of LENGTH bytes, names by word or by
   number.  */
static void
set_backing (const char *value, size_t length)
{
  static const char names[HUGETEXT_CHOICES][8]
    = { "auto", "file", "thp", "hugetlb", "store" };

  settings.backing = HUGETEXT_AUTO;
  for (int i = 0; i < HUGETEXT_CHOICES; ++i)
    if ((length == strlen (names[i]) && memcmp (value, names[i], length) == 0)
        || (length == 1 && *value == '0' + i))
      {
        settings.backing = i;
        return;
      }
  if (length > 0)
    {
      settings.no_backing = value;
      settings.no_backing_length = length;
    }
}

/* Not inline: those who have huge text switched off must not pay for it.  */
static void __attribute_noinline__
read_settings (void)
{
  settings_known = true;
  int32_t mode = TUNABLE_GET_FULL (glibc, mem, hugetext, int32_t, NULL);
  /* Bit 0 is programs and libraries; bit 1, code made at run time, is not
     built yet.  */
  if (__glibc_likely ((mode & 1) == 0) || __libc_enable_secure)
    return;
  struct hugetext_geometry geo = hugetext_geometry (GLRO (dl_pagesize));
  if (geo.block == 0)
    return;
  size_t length;
  const char *backing = hugetext_backing_tunable (&length);
  set_backing (backing, length);
  settings.pad_threshold = hugetext_threshold (
    &geo, TUNABLE_GET_FULL (glibc, mem, hugetext_pad_threshold, size_t,
                            NULL));
  settings.cap = TUNABLE_GET_FULL (glibc, mem, hugetext_max, size_t, NULL);
  settings.lock = TUNABLE_GET_FULL (glibc, mem, hugetext_lock, int32_t, NULL);
  /* Last: this switches it on.  */
  settings.geo = geo;
}

const struct hugetext_settings *
_dl_hugetext_settings (void)
{
  if (__glibc_unlikely (!settings_known))
    read_settings ();
  return __glibc_likely (settings.geo.block == 0) ? NULL : &settings;
}
