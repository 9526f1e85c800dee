/* Make an index of a configuration, in memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Records first come one behind the other, those without a key last; then the
   table of slots is made as large as it takes for the loader's limit of
   probes.  Whoever finds no place even so goes to those without a key, which
   the loader tries for every program.  */

#include "index-build.h"

#include "dl-hugetext-pattern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* At most so many records with one hash have slots: the others' programs
   would have to read over them.  */
#define SAME_HASH (HUGETEXT_INDEX_PROBES / 2)

/* Slots are made for that many records, and at most for 8 times as many.  */
#define LOAD 2
#define LOAD_LIMIT 16

/* A record to be: of a section, an image, or an object's heat.  */
struct entry
{
  const struct config_section *section;
  const struct stored *stored;
  const struct index_heat *heat;
  char *pattern;
  uint32_t order;
  uint32_t hash;
  bool general;    /* It has no key, or no slot.  */
  uint32_t record; /* Its offset.  */
};

struct builder
{
  struct entry *entries;
  size_t count;
  char *image;
  size_t size, room;
};

/* Append SIZE zeros to BUILDER's image.  Returns their offset, 0 if there is
   no memory.  */
static size_t
append (struct builder *builder, size_t size)
{
  if (builder->room - builder->size < size)
    {
      size_t room = 2 * (builder->size + size);
      char *image = realloc (builder->image, room);
      if (image == NULL)
        return 0;
      builder->image = image;
      builder->room = room;
    }
  size_t offset = builder->size;
  memset (builder->image + offset, 0, size);
  builder->size += size;
  return offset;
}

/* The length of what leads to a place in PATTERN, without stars and question
   marks: the directories before the first of them, or all of it.  */
static size_t
literal_part (const char *pattern)
{
  size_t length = strcspn (pattern, "*?");
  if (pattern[length] == '\0')
    return length;
  while (pattern[length] != '/')
    length--;
  return length;
}

/* PATTERN with the links resolved in its literal part, as far as that exists;
   NULL if that is PATTERN, or too long.  To be freed.  */
static char *
resolve (const char *pattern)
{
  char path[HUGETEXT_PATTERN_MAX], real[PATH_MAX];
  size_t length = literal_part (pattern);
  if (length >= sizeof path)
    return NULL;
  while (length > 0)
    {
      memcpy (path, pattern, length);
      path[length] = '\0';
      if (realpath (path, real) != NULL)
        break;
      while (pattern[--length] != '/')
        ;
    }
  if (length == 0)
    return NULL;
  /* What is in the root has its slash already.  */
  size_t start = strcmp (real, "/") == 0 ? 0 : strlen (real);
  size_t rest = strlen (pattern + length);
  if (start + rest >= HUGETEXT_PATTERN_MAX || start + rest == 0)
    return NULL;
  memcpy (real + start, pattern + length, rest + 1);
  return strcmp (real, pattern) != 0 ? strdup (real) : NULL;
}

/* Give ENTRY its key.  */
static void
set_key (struct entry *entry)
{
  const char *key = hugetext_base_name (entry->pattern);
  entry->general = strpbrk (key, "*?") != NULL;
  entry->hash = hugetext_index_hash (key, strlen (key));
}

/* Add ENTRY to BUILDER.  */
static bool
add_entry (struct builder *builder, const struct entry *entry)
{
  struct entry *entries = reallocarray (builder->entries, builder->count + 1,
                                        sizeof *entries);
  if (entries == NULL)
    return false;
  builder->entries = entries;
  entries[builder->count++] = *entry;
  return true;
}

/* Add SECTION to BUILDER, for PATTERN, which is BUILDER's from now on.  */
static bool
add_section (struct builder *builder, const struct config_section *section,
             uint32_t order, char *pattern)
{
  struct entry entry
      = { .section = section, .pattern = pattern, .order = order };
  if (pattern == NULL)
    return false;
  set_key (&entry);
  if (add_entry (builder, &entry))
    return true;
  free (pattern);
  return false;
}

static bool
add_entries (struct builder *builder, const struct config *config)
{
  for (size_t i = 0; i < config->count; i++)
    {
      const struct config_section *section = &config->sections[i];
      if (section->given == 0)
        continue;
      char *real = resolve (section->pattern);
      if ((real != NULL && !add_section (builder, section, i + 1, real))
          || !add_section (builder, section, i + 1,
                           strdup (section->pattern)))
        return false;
    }
  return true;
}

/* Add the images of STORE.  */
static bool
add_images (struct builder *builder, const struct store *store)
{
  for (size_t i = 0; i < store->count; i++)
    {
      const struct stored *stored = &store->files[i];
      const struct hugetext_identity *object = &stored->image.note.object;
      const struct entry entry
          = { .stored = stored,
              .hash = hugetext_index_hash (object, sizeof *object) };
      if (stored->problem == NULL && !add_entry (builder, &entry))
        return false;
    }
  return true;
}

/* Add HEATS.  */
static bool
add_heats (struct builder *builder, const struct index_heats *heats)
{
  for (size_t i = 0; i < heats->count; i++)
    {
      const struct index_heat *heat = &heats->list[i];
      const struct entry entry
          = { .heat = heat, .hash = hugetext_heat_key (&heat->object) };
      if (heat->granules <= HUGETEXT_HEAT_GRANULES
          && !add_entry (builder, &entry))
        return false;
    }
  return true;
}

static int
by_hash (const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  if (x->hash != y->hash)
    return x->hash < y->hash ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Take keys from those of BUILDER that share one with too many.  */
static void
limit_keys (struct builder *builder)
{
  size_t same = 0;
  if (builder->count > 0)
    qsort (builder->entries, builder->count, sizeof *builder->entries,
           by_hash);
  for (size_t i = 0; i < builder->count; i++)
    {
      struct entry *entry = &builder->entries[i];
      if (i > 0 && entry->hash != entry[-1].hash)
        same = 0;
      if (!entry->general && ++same > SAME_HASH)
        entry->general = true;
    }
}

/* A place for ENTRY among NSLOTS SLOTS; NULL if the loader would not get
   there.  */
static struct hugetext_index_slot *
find_place (struct hugetext_index_slot *slots, uint32_t nslots,
            const struct entry *entry)
{
  for (uint32_t i = 0; i < HUGETEXT_INDEX_PROBES && i < nslots; i++)
    {
      struct hugetext_index_slot *slot
          = &slots[(entry->hash + i) & (nslots - 1)];
      if (slot->record == 0)
        return slot;
    }
  return NULL;
}

/* Fill SLOTS with BUILDER's entries; those that find no place lose their keys
   if FORCE.  False if there are any.  */
static bool
fill_slots (struct builder *builder, struct hugetext_index_slot *slots,
            uint32_t nslots, bool force)
{
  bool good = true;
  memset (slots, 0, nslots * sizeof *slots);
  for (size_t i = 0; i < builder->count; i++)
    {
      struct entry *entry = &builder->entries[i];
      if (entry->general)
        continue;
      struct hugetext_index_slot *slot = find_place (slots, nslots, entry);
      if (slot == NULL)
        {
          entry->general = force;
          good = false;
        }
      else
        *slot = (struct hugetext_index_slot){ entry->hash, i + 1 };
    }
  return good;
}

/* Make slots in which BUILDER's entries have their numbers plus one instead of
   their offsets.  Sets *NSLOTS; NULL if there is no memory.  */
static struct hugetext_index_slot *
make_slots (struct builder *builder, uint32_t *nslots)
{
  struct hugetext_index_slot *slots = NULL;
  uint32_t n = 16;
  while (n < LOAD * builder->count)
    n *= 2;
  for (uint32_t limit = n * LOAD_LIMIT / LOAD;; n *= 2)
    {
      struct hugetext_index_slot *larger
          = reallocarray (slots, n, sizeof *slots);
      if (larger == NULL)
        {
          free (slots);
          return NULL;
        }
      slots = larger;
      *nslots = n;
      if (fill_slots (builder, slots, n, n >= limit) || n >= limit)
        return slots;
    }
}

/* Put RECORD, the beginning of one of LENGTH bytes, into DATA, where the rest
   of it is already.  */
static void
seal_record (char *data, struct hugetext_index_record *record, size_t size,
             size_t length)
{
  const size_t before = offsetof (struct hugetext_index_record, kind);
  record->length = length;
  memcpy (data, record, size);
  record->check = hugetext_index_hash (data + before, length - before);
  memcpy (data, record, sizeof *record);
}

/* Append the record of ENTRY, which is of a section.  */
static bool
append_section (struct builder *builder, struct entry *entry)
{
  const struct config_section *section = entry->section;
  const char *objects = section->objects != NULL ? section->objects : "";
  struct hugetext_index_program program
      = { .head = { .kind = HUGETEXT_RECORD_PROGRAM, .order = entry->order },
          .given = section->given,
          .pattern = strlen (entry->pattern) + 1,
          .objects = strlen (objects) + 1,
          .source = strlen (section->source) + 1 };
  memcpy (program.value, section->value, sizeof program.value);
  size_t length = (sizeof program + program.pattern + program.objects
                   + program.source + 7)
                  & -8;
  size_t offset = append (builder, length);
  if (offset == 0)
    return false;
  char *record = builder->image + offset;
  char *text = record + sizeof program;
  text = mempcpy (text, entry->pattern, program.pattern);
  text = mempcpy (text, objects, program.objects);
  memcpy (text, section->source, program.source);
  seal_record (record, &program.head, sizeof program, length);
  entry->record = offset;
  return true;
}

/* Append the record of ENTRY, which is of an image.  */
static bool
append_image (struct builder *builder, struct entry *entry)
{
  const struct stored *stored = entry->stored;
  const struct image_note *note = &stored->image.note;
  struct hugetext_index_image image
      = { .head = { .kind = HUGETEXT_RECORD_IMAGE },
          .object = note->object,
          .image = stored->image.identity,
          .digest = note->digest,
          .block = note->block,
          .first = note->first,
          .offset = note->offset,
          .path = strlen (stored->path) + 1 };
  memcpy (image.has, note->has, sizeof image.has);
  const size_t size = offsetof (struct hugetext_index_image, name);
  size_t length = (size + image.path + 7) & -8;
  size_t offset = append (builder, length);
  if (offset == 0)
    return false;
  char *record = builder->image + offset;
  memcpy (record + size, stored->path, image.path);
  seal_record (record, &image.head, size, length);
  entry->record = offset;
  return true;
}

/* Append the record of ENTRY, which is of heat.  */
static bool
append_heat (struct builder *builder, struct entry *entry)
{
  const struct index_heat *from = entry->heat;
  struct hugetext_index_heat heat
      = { .head = { .kind = HUGETEXT_RECORD_HEAT },
          .object = from->object,
          .digest = from->digest,
          .first = from->first,
          .time = from->time,
          .granules = from->granules,
          .build_id_length = from->build_id_length };
  memcpy (heat.build_id, from->build_id, sizeof heat.build_id);
  size_t weights = from->granules * sizeof *from->weight;
  size_t length = (sizeof heat + weights + 7) & -8;
  size_t offset = append (builder, length);
  if (offset == 0)
    return false;
  char *record = builder->image + offset;
  if (weights > 0)
    memcpy (record + sizeof heat, from->weight, weights);
  seal_record (record, &heat.head, sizeof heat, length);
  entry->record = offset;
  return true;
}

static bool
append_record (struct builder *builder, struct entry *entry)
{
  return entry->stored != NULL ? append_image (builder, entry)
         : entry->heat != NULL ? append_heat (builder, entry)
                               : append_section (builder, entry);
}

/* Append the records that are GENERAL, or all others.  Only programs' are
   found without a slot.  */
static bool
append_records (struct builder *builder, bool general)
{
  for (size_t i = 0; i < builder->count; i++)
    if (builder->entries[i].general == general
        && (!general || builder->entries[i].section != NULL)
        && !append_record (builder, &builder->entries[i]))
      return false;
  return true;
}

/* Fill BUILDER's image.  Returns NULL, or what is wrong.  */
static const char *
fill_image (struct builder *builder, struct hugetext_index_slot *slots,
            uint32_t nslots)
{
  struct hugetext_index_header header
      = { .version = HUGETEXT_INDEX_VERSION, .nslots = nslots };
  append (builder, sizeof header);
  if (builder->size == 0 || !append_records (builder, false))
    return "there is no memory for it";
  size_t general = builder->size;
  if (!append_records (builder, true))
    return "there is no memory for it";
  if (builder->size - general > HUGETEXT_GENERAL_MAX)
    return "there are too many programs with * or ? behind the last slash, or"
           " with one name there; must be fewer";
  header.general = general;
  header.general_length = builder->size - general;

  for (uint32_t i = 0; i < nslots; i++)
    if (slots[i].record != 0)
      slots[i].record = builder->entries[slots[i].record - 1].record;
  size_t offset = append (builder, nslots * sizeof *slots);
  if (offset == 0 || builder->size > UINT32_MAX)
    return "it would be too large";
  memcpy (builder->image + offset, slots, nslots * sizeof *slots);
  for (size_t i = 0; i < builder->count; i++)
    if (!builder->entries[i].general)
      {
        header.images += builder->entries[i].stored != NULL;
        header.heats += builder->entries[i].heat != NULL;
      }
  header.slots = offset;
  header.size = builder->size;
  memcpy (header.magic, HUGETEXT_INDEX_MAGIC, sizeof header.magic);
  header.check = hugetext_index_hash (&header, sizeof header);
  memcpy (builder->image, &header, sizeof header);
  return NULL;
}

const char *
index_build (const struct config *config, const struct store *store,
             const struct index_heats *heats, char **image, size_t *size)
{
  struct builder builder = { 0 };
  const char *problem = "there is no memory for it";
  uint32_t nslots;
  if (add_entries (&builder, config) && add_images (&builder, store)
      && add_heats (&builder, heats))
    {
      limit_keys (&builder);
      struct hugetext_index_slot *slots = make_slots (&builder, &nslots);
      if (slots != NULL)
        problem = fill_image (&builder, slots, nslots);
      free (slots);
    }
  for (size_t i = 0; i < builder.count; i++)
    free (builder.entries[i].pattern);
  free (builder.entries);
  if (problem != NULL)
    {
      free (builder.image);
      return problem;
    }
  *image = builder.image;
  *size = builder.size;
  return NULL;
}
