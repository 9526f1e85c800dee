/* The settings of this program, from tunables and index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <hugetext-glibc.h>
#include <string.h>
#include <unistd.h>

#include "dl-hugetext-state.h"

struct hugetext_settings _dl_hugetext_set attribute_start_only;

/* The settings, which only this file writes.  */
static struct hugetext_settings *const own = &_dl_hugetext_set;

struct hugetext_root _dl_hugetext_root;

/* Note that a tunable is set: glibc calls note_set with the value of a tunable
   that has been set.  */
static bool was_set;

static void
note_set (tunable_val_t *value)
{
  was_set = true;
}

/* Return the value of KEY, whose tunable has just been read with note_set:
   that VALUE if the tunable is set, or the index's, or the tunable's default,
   which is VALUE then.  */
static uint64_t
choose (enum hugetext_key key, uint64_t value)
{
  uint32_t bit = 1u << key;
  if (was_set)
    _dl_hugetext_root.from_tunable |= bit;
  else if ((own->has.given & bit) != 0)
    {
      _dl_hugetext_root.from_index |= bit;
      if (key < HUGETEXT_VALUES)
        value = _dl_hugetext_advised (own->has.advice, key);
    }
  was_set = false;
  if (key < HUGETEXT_VALUES)
    _dl_hugetext_root.value[key] = value;
  return value;
}

/* Read the tunable NAME, of TYPE.  */
#define READ(name, type) TUNABLE_GET_FULL (glibc, mem, name, type, note_set)

/* Read all settings but the mode, which is on.  */
static void
read_others (void)
{
  size_t length;
  const char *backing = hugetext_backing_tunable (&length, note_set);
  enum hugetext_choice choice = hugetext_choice_of (backing, length);
  uint64_t backing_value
      = choose (HUGETEXT_KEY_BACKING,
                choice == HUGETEXT_CHOICES ? HUGETEXT_AUTO : choice);
  /* A damaged index may have any number.  */
  own->backing
      = backing_value < HUGETEXT_CHOICES ? backing_value : HUGETEXT_AUTO;
  own->pad_threshold = hugetext_threshold (
      &own->geo,
      choose (HUGETEXT_KEY_PAD, READ (hugetext_pad_threshold, size_t)));
  own->cap = choose (HUGETEXT_KEY_MAX, READ (hugetext_max, size_t));
  choose (HUGETEXT_KEY_OBJECTS, 0);
}

void
_dl_hugetext_read_settings (const ElfW (Phdr) * phdr,
                            const ElfW (auxv_t) * auxv)
{
  if (__libc_enable_secure)
    return;
  int32_t mode = READ (hugetext, int32_t);
  const int32_t on = HUGETEXT_MODE_TEXT | HUGETEXT_MODE_CODE;
  own->rehearsal = (mode & HUGETEXT_MODE_REHEARSAL) != 0;
  /* If the user has switched huge text off, the loader does not look at the
     index.  */
  if ((mode & on) == 0 && was_set)
    return;
  own->has = _dl_hugetext_lookup (phdr, auxv);
  _dl_hugetext_root.index_error = own->has.error;
  /* Nobody has switched huge text on.  */
  if (__glibc_likely (own->has.error != 0 && !was_set))
    return;
  mode = choose (HUGETEXT_KEY_MODE, mode & (HUGETEXT_MODES - 1));
  if ((mode & on) != 0)
    own->geo = hugetext_geometry (GLRO (dl_pagesize));
  /* Off, or without huge pages of a size that the loader can use.  */
  if (__glibc_likely (own->geo.block == 0))
    {
      _dl_hugetext_forget_advice (own->has.advice);
      return;
    }
  read_others ();
  own->prctl = (mode & HUGETEXT_MODE_PRCTL) != 0;
  _dl_hugetext_root.advice = own->has.advice;
  _dl_hugetext_root.text = (mode & HUGETEXT_MODE_TEXT) != 0;
  _dl_hugetext_root.code = (mode & HUGETEXT_MODE_CODE) != 0;
  if (!_dl_hugetext_root.text)
    _dl_hugetext_close_index ();
}
