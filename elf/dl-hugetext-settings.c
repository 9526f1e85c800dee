/* The settings of this program, from tunables and index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <hugetext-glibc.h>
#include <string.h>
#include <unistd.h>

#include "dl-hugetext-chain.h"
#include "dl-hugetext-index.h"
#include "dl-hugetext-plan.h"
#include "dl-hugetext-settings.h"
#include "dl-hugetext-sys.h"

struct hugetext_settings _dl_hugetext_set;

/* The settings, which only this file writes.  */
static struct hugetext_settings *const own = &_dl_hugetext_set;

/* The index, if it has images or heat and is still open.  */
static struct hugetext_open_index kept = { .fd = -1 };

struct hugetext_root _dl_hugetext_root;

/* The note that says where the root is: struct hugetext_record_note.  */
_Static_assert(HUGETEXT_RECORD_VERSION == 5 && HUGETEXT_RECORD_NOTE_TYPE == 1,
               "the note has these numbers");
asm(".pushsection .note." HUGETEXT_RECORD_NOTE ", \"a\", %note\n"
    "  .balign 4\n"
    "  .long 2f - 1f, 4f - 3f, 1\n"
    "1:.asciz \"" HUGETEXT_RECORD_NOTE "\"\n"
    "2:.balign 4\n"
    "3:.long 5\n"
    "  .long _dl_hugetext_root - .\n"
    "  .long __ehdr_start - .\n"
    "4:.popsection\n");

/* Note that a tunable is set: glibc calls note_set with the value of a tunable
   that has been set.  */
static bool was_set;

static void
note_set (tunable_val_t *value)
{
  was_set = true;
}

/* Note whether the tunable for KEY, which has just been read with note_set, is
   set.  */
static void
note_key (enum hugetext_key key)
{
  if (was_set)
    own->from_tunable |= 1u << key;
  was_set = false;
}

/* Read the tunable NAME, of TYPE, for KEY.  */
#define READ(name, type, key)                                          \
  ({                                                                   \
    type value_ = TUNABLE_GET_FULL (glibc, mem, name, type, note_set); \
    note_key (key);                                                    \
    value_;                                                            \
  })

/* Return the value of KEY in ADVICE, or VALUE if ADVICE has none or a tunable
   is set.  */
static uint64_t
choose (const struct hugetext_advice *advice, enum hugetext_key key,
        uint64_t value)
{
  uint32_t bit = 1u << key;
  if ((own->from_tunable & bit) != 0 || (advice->given & bit) == 0)
    return value;
  own->from_index |= bit;
  return advice->value[key];
}

/* Read all settings but the mode, which is on.  */
static void
read_others (const struct hugetext_geometry *geo,
             const struct hugetext_advice *advice)
{
  size_t length;
  const char *backing = hugetext_backing_tunable (&length, note_set);
  note_key (HUGETEXT_KEY_BACKING);
  enum hugetext_choice choice = hugetext_choice_of (backing, length);
  own->backing = choose (advice, HUGETEXT_KEY_BACKING,
                         choice == HUGETEXT_CHOICES ? HUGETEXT_AUTO : choice);
  own->pad_threshold = hugetext_threshold (
      geo, choose (advice, HUGETEXT_KEY_PAD,
                   READ (hugetext_pad_threshold, size_t, HUGETEXT_KEY_PAD)));
  own->cap = choose (advice, HUGETEXT_KEY_MAX,
                     READ (hugetext_max, size_t, HUGETEXT_KEY_MAX));
  own->lock = choose (advice, HUGETEXT_KEY_LOCK,
                      READ (hugetext_lock, int32_t, HUGETEXT_KEY_LOCK));
}

void
_dl_hugetext_read_settings (const struct hugetext_program *program)
{
  if (__libc_enable_secure)
    return;
  int32_t mode = READ (hugetext, int32_t, HUGETEXT_KEY_MODE);
  /* Bit 0 is for programs and libraries, bit 1 for code made at run time, bit
     2 says that filters allow prctl.  If huge text is off, the loader does not
     look at the index.  */
  own->rehearsal = (mode & HUGETEXT_MODE_REHEARSAL) != 0;
  if ((mode & 3) == 0 && own->from_tunable != 0)
    return;
  struct hugetext_advice advice;
  advice.given = 0;
  struct hugetext_memory *memory
      = _dl_hugetext_lookup (program, &advice, &own->has, &kept);
  _dl_hugetext_root.index_error = kept.error;
  mode = choose (&advice, HUGETEXT_KEY_MODE, mode);
  struct hugetext_geometry geo = hugetext_geometry (GLRO (dl_pagesize));
  if (__glibc_likely ((mode & 3) == 0) || geo.block == 0)
    {
      if (memory != NULL)
        sys_munmap ((uintptr_t) memory, sizeof *memory);
      _dl_hugetext_close_index (&kept);
      return;
    }
  read_others (&geo, &advice);
  own->prctl = (mode & 4) != 0;
  if ((mode & 1) == 0
      || (!hugetext_may_use_store (own->backing) && !own->has.heats))
    _dl_hugetext_close_index (&kept);
  own->memory = memory;
  if ((advice.given & 1u << HUGETEXT_KEY_OBJECTS) != 0)
    own->from_index |= 1u << HUGETEXT_KEY_OBJECTS;
  own->geo = geo;
  _dl_hugetext_root.text = mode & 1;
  _dl_hugetext_root.code = mode >> 1 & 1;
  own->text = (mode & 1) != 0;
  own->code = (mode & 2) != 0;
}

void
_dl_hugetext_take_index (struct hugetext_open_index *open)
{
  *open = kept;
  kept.fd = -1;
}

void
_dl_hugetext_drop_index (void)
{
  _dl_hugetext_close_index (&kept);
}

bool
_dl_hugetext_allows (const struct hugetext_settings *set, const char *name)
{
  if ((set->from_index & 1u << HUGETEXT_KEY_OBJECTS) == 0)
    return true;
  return hugetext_objects_allow (set->memory->text.objects,
                                 *name != '\0' ? name : set->memory->program);
}
