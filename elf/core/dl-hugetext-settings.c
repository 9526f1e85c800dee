/* The settings of a program, which the loader reads from tunables and from
   the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#include <hugetext-glibc.h>
#include <string.h>
#include <unistd.h>

#include "dl-hugetext-settings.h"
#include "dl-hugetext-ways.h"

struct hugetext_settings _dl_hugetext_set attribute_start_only;

/* The settings.  Only this file may change the settings.  */
static struct hugetext_settings *const own = &_dl_hugetext_set;

struct hugetext_root _dl_hugetext_root;

/* True if the user has set the tunable that was read last; glibc calls
   note_set only if the user has set the tunable.  */
static bool was_set;

static void
note_set (tunable_val_t *value)
{
  was_set = true;
}

/* The largest allowed value of each setting, and its value if neither a
   tunable nor the index sets it.  */
static const uint64_t most[HUGETEXT_VALUES] = {
#define HUGETEXT_SETTING(id, ...) [HUGETEXT_KEY_##id] = HUGETEXT_MOST_##id,
#include "dl-hugetext-settings.def"
};
static const uint64_t standard[HUGETEXT_VALUES] = {
#define HUGETEXT_SETTING(id, ...) [HUGETEXT_KEY_##id] = HUGETEXT_DEFAULT_##id,
#include "dl-hugetext-settings.def"
};

/* Record where the value of KEY comes from: the tunable that has just been
   read with note_set, or the index.  If only the index sets KEY, return the
   index's value; otherwise return VALUE.  */
static uint64_t
note_source (enum hugetext_key key, uint64_t value)
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
  return value;
}

/* Determine the value of the setting KEY in this process.  Store the value in
   _dl_hugetext_root, and return it.  The value is either VALUE, from the
   tunable that has just been read with note_set, or the value in the index.
   Replace a value above the maximum with the default, because a damaged index
   may contain any number.  */
static uint64_t
settings_choose_value (enum hugetext_key key, uint64_t value)
{
  value = note_source (key, value);
  if (value > most[key])
    value = standard[key];
  return _dl_hugetext_root.value[key] = value;
}

/* Read the tunable NAME, whose type in glibc is TYPE.  */
#define READ(name, type) TUNABLE_GET_FULL (glibc, mem, name, type, note_set)

/* READ_KIND reads the tunable NAME of a setting whose kind in
   dl-hugetext-settings.def is KIND.  */
#define READ_MODE(name) READ (name, int32_t)
#define READ_BYTES(name) READ (name, size_t)
#define READ_COUNT(name) READ (name, size_t)
/* If the tunable's value is not the name of a backing, hugetext_choice_of
   returns a number above the largest allowed value of the setting.  */
#define READ_BACKING(name)                                           \
  ({                                                                 \
    size_t length;                                                   \
    const char *text = HUGETEXT_READ_WORD (name, &length, note_set); \
    hugetext_choice_of (text, length);                               \
  })

/* Let the compilation fail if the value of a setting is unused, even with a
   compiler whose warnings scripts/glibc/configure does not turn into
   errors.  */
#pragma GCC diagnostic error "-Wunused-variable"

/* Read all settings except the mode (glibc.mem.hugetext), which the caller has
   already read.  In this function, each setting has a variable value_ID.
   The function must use each variable value_ID; otherwise the setting ID would
   have no effect.  */
static void
read_others (void)
{
#define HUGETEXT_SETTING(id, tunable, word, kind, ...) \
  if (HUGETEXT_KEY_##id != HUGETEXT_KEY_MODE)          \
    settings_choose_value (HUGETEXT_KEY_##id, READ_##kind (tunable));
#include "dl-hugetext-settings.def"
#define HUGETEXT_SETTING_LIST(id, ...) note_source (HUGETEXT_KEY_##id, 0);
#include "dl-hugetext-settings.def"
  /* Load the values of the settings only after all calls of choose and
     note_source; otherwise the compiler would have to save the variables
     across these calls.  */
#define HUGETEXT_SETTING(id, ...) \
  const uint64_t value_##id = _dl_hugetext_root.value[HUGETEXT_KEY_##id];
#include "dl-hugetext-settings.def"
  own->prctl = (value_MODE & HUGETEXT_MODE_PRCTL) != 0;
  own->backing = value_BACKING;
  own->pad_threshold = hugetext_threshold (&own->geo, value_PAD);
  own->cap = value_MAX;
  own->names = hugetext_keeps_names (own->backing, value_NAMES);
  own->names_in_file = hugetext_names_in_file (own->backing, value_NAMES);
  own->places_names = hugetext_places_names (own->backing, value_NAMES);
}

/* Return true if the kernel chooses random addresses for the process (ASLR).
   Without ASLR, the stack ends at the end of user space; its last bytes are
   the name with which the program was executed, followed by a null pointer.
   In one of four million starts, the stack ends at the end of user space by
   chance although ASLR is on.  Call this function before dl_main runs, because
   dl_main may change the auxiliary vector.  */
static bool
is_randomized (void)
{
  const ElfW (auxv_t) *auxv = GLRO (dl_auxv);
  while (auxv->a_type != AT_NULL && auxv->a_type != AT_EXECFN)
    ++auxv;
  if (auxv->a_type == AT_NULL)
    return true;
  const char *name = (const char *) auxv->a_un.a_val;
  uintptr_t end = (uintptr_t) name + strlen (name) + 1 + sizeof name;
  /* On some architectures, user space ends not at a power of two, but one page
     below it.  So check whether END, or END plus a page, is a power of
     two.  */
  uintptr_t page_more = end + GLRO (dl_pagesize);
  return (end & (end - 1)) != 0 && (page_more & (page_more - 1)) != 0;
}

void
_dl_hugetext_read_settings (const ElfW (Phdr) * phdr,
                            const ElfW (auxv_t) * auxv)
{
  if (__libc_enable_secure)
    return;
  int32_t mode = READ_MODE (hugetext);
  const int32_t on = HUGETEXT_MODE_TEXT | HUGETEXT_MODE_CODE;
  own->rehearsal = (mode & HUGETEXT_MODE_REHEARSAL) != 0;
  own->filtered = (mode & HUGETEXT_MODE_FILTERED) != 0;
  /* If the user has switched huge text off, the loader does not read the
     index.  */
  if ((mode & on) == 0 && was_set)
    return;
  if (was_set && !_dl_hugetext_is_meant (phdr, auxv))
    return;
  own->has = _dl_hugetext_lookup (phdr, auxv);
  _dl_hugetext_root.index_error = own->has.error;
  /* Without an index and a tunable, huge text is off.  */
  if (__glibc_likely (own->has.error != 0 && !was_set))
    return;
  mode
      = settings_choose_value (HUGETEXT_KEY_MODE, mode & (HUGETEXT_MODES - 1));
  if ((mode & on) != 0)
    own->geo = hugetext_geometry (GLRO (dl_pagesize));
  /* Huge text is off because the mode is off, or because the loader cannot use
     huge pages of the size that this machine has.  */
  if (__glibc_likely (own->geo.block == 0))
    {
      _dl_hugetext_forget_advice (own->has.advice);
      return;
    }
  read_others ();
  own->steady = !is_randomized ();
  _dl_hugetext_root.advice = own->has.advice;
  _dl_hugetext_root.text = (mode & HUGETEXT_MODE_TEXT) != 0;
  _dl_hugetext_root.code = (mode & HUGETEXT_MODE_CODE) != 0;
  if (_dl_hugetext_root.text)
    _dl_hugetext_keep_index ();
  else
    _dl_hugetext_close_index ();
}
