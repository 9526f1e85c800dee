/* The compilation of a configuration to an index, in memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Records come one behind the other, those without a key last.  A program that
   finds no place in the table of slots, within the loader's limit of probes,
   joins the records without a key, which the loader tries for every
   program.  */

#include "index/build.h"

#include "dl-hugetext-index.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least number of slots for each record.  */
#define LOAD 4

/* A record, and its key.  */
struct entry
{
  uint32_t hash;
  bool general;                       /* The record has no key, or no slot.  */
  struct hugetext_index_record *data; /* The record.  */
  uint32_t record;                    /* Its offset in the index.  */
};

struct builder
{
  struct entry *entries;
  size_t count;
};

/* The rest of a record.  */
struct part
{
  const void *data;
  size_t size;
};

/* Add a record with the key HASH, or without one if it is GENERAL: HEAD, the
   beginning of SIZE bytes, and COUNT PARTS behind it.  False if there is no
   memory.  */
static bool
add_record (struct builder *builder, uint32_t hash, bool general,
            struct hugetext_index_record *head, size_t size,
            const struct part *parts, size_t count)
{
  struct entry *entries
      = reallocarray (builder->entries, builder->count + 1, sizeof *entries);
  if (entries == NULL)
    return false;
  builder->entries = entries;
  size_t length = size;
  for (size_t i = 0; i < count; ++i)
    length += parts[i].size;
  length = (length + 7) & -8;
  char *data = calloc (1, length);
  if (data == NULL)
    return false;
  head->length = length;
  char *to = mempcpy (data, head, size);
  for (size_t i = 0; i < count; ++i)
    if (parts[i].size > 0)
      to = mempcpy (to, parts[i].data, parts[i].size);
  entries[builder->count++]
      = (struct entry){ .hash = hash,
                        .general = general,
                        .data = (struct hugetext_index_record *) data };
  return true;
}

/* Return the length of PATTERN's literal part: the directories before the
   first star or question mark, or all of it.  */
static size_t
literal_part (const char *pattern)
{
  size_t length = strcspn (pattern, "*?");
  if (pattern[length] == '\0')
    return length;
  while (pattern[length] != '/')
    --length;
  return length;
}

/* Return PATTERN with the links in its literal part resolved, as far as that
   exists; NULL if that is PATTERN, or too long.  The caller frees it.  */
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
  /* For a file in the root directory the slash is there already.  */
  size_t start = strcmp (real, "/") == 0 ? 0 : strlen (real);
  size_t rest = strlen (pattern + length);
  if (start + rest >= HUGETEXT_PATTERN_MAX || start + rest == 0)
    return NULL;
  memcpy (real + start, pattern + length, rest + 1);
  return strcmp (real, pattern) != 0 ? strdup (real) : NULL;
}

/* Add SECTION, number ORDER, to BUILDER, for PATTERN.  */
static bool
add_section (struct builder *builder, const struct config_section *section,
             uint32_t order, const char *pattern)
{
  const char *objects = section->objects != NULL ? section->objects : "";
  struct hugetext_index_program program
      = { .head = { .kind = HUGETEXT_RECORD_PROGRAM, .order = order },
          .given = section->given,
          .pattern = strlen (pattern) + 1,
          .objects = strlen (objects) + 1,
          .source = strlen (section->source) + 1 };
  const struct part parts[] = { { pattern, program.pattern },
                                { objects, program.objects },
                                { section->source, program.source } };
  memcpy (program.value, section->value, sizeof program.value);
  const char *key = hugetext_base_name (pattern);
  return add_record (builder, hugetext_index_hash (key, strlen (key)),
                     strpbrk (key, "*?") != NULL, &program.head,
                     sizeof program, parts, 3);
}

static bool
add_sections (struct builder *builder, const struct config *config)
{
  bool good = true;
  for (size_t i = 0; good && i < config->count; ++i)
    {
      const struct config_section *section = &config->sections[i];
      if (section->given == 0)
        continue;
      char *real = resolve (section->pattern);
      good = ((real == NULL || add_section (builder, section, i + 1, real))
              && add_section (builder, section, i + 1, section->pattern));
      free (real);
    }
  return good;
}

/* Add the images of STORE.  */
static bool
add_images (struct builder *builder, const struct store *store)
{
  bool good = true;
  for (size_t i = 0; good && i < store->count; ++i)
    {
      const struct stored *stored = &store->files[i];
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
      const struct part name = { stored->path, image.path };
      memcpy (image.has, note->has, sizeof image.has);
      if (stored->problem == NULL)
        good = add_record (
            builder, hugetext_index_hash (&note->object, sizeof note->object),
            false, &image.head, offsetof (struct hugetext_index_image, name),
            &name, 1);
    }
  return good;
}

/* Add HEATS.  */
static bool
add_heats (struct builder *builder, const struct index_heats *heats)
{
  bool good = true;
  for (size_t i = 0; good && i < heats->count; ++i)
    {
      const struct index_heat *from = &heats->list[i];
      struct hugetext_index_heat heat
          = { .head = { .kind = HUGETEXT_RECORD_HEAT },
              .object = from->object,
              .digest = from->digest,
              .first = from->first,
              .time = from->time,
              .granules = from->granules,
              .build_id_length = from->build_id_length };
      const struct part weights
          = { from->weight, from->granules * sizeof *from->weight };
      memcpy (heat.build_id, from->build_id, sizeof heat.build_id);
      if (from->granules <= HUGETEXT_HEAT_GRANULES)
        good = add_record (builder, hugetext_heat_key (&heat.object), false,
                           &heat.head, sizeof heat, &weights, 1);
    }
  return good;
}

/* Fill the NSLOTS SLOTS with the numbers of BUILDER's entries, plus one.
   Entries that the loader would not reach lose their keys.  */
static void
fill_slots (struct builder *builder, struct hugetext_index_slot *slots,
            uint32_t nslots)
{
  for (size_t i = 0; i < builder->count; ++i)
    {
      struct entry *entry = &builder->entries[i];
      uint32_t probe = 0;
      while (probe < HUGETEXT_INDEX_PROBES && probe < nslots
             && slots[(entry->hash + probe) & (nslots - 1)].record != 0)
        ++probe;
      if (probe == HUGETEXT_INDEX_PROBES || probe == nslots)
        entry->general = true;
      if (!entry->general)
        slots[(entry->hash + probe) & (nslots - 1)]
            = (struct hugetext_index_slot){ entry->hash, i + 1 };
    }
}

/* Write the GENERAL records, or all others, to STREAM, and count images and
   heats in HEADER.  Of records without a slot the loader finds only programs'.
   Return the number of bytes.  */
static size_t
write_records (const struct builder *builder, FILE *stream, bool general,
               struct hugetext_index_header *header)
{
  size_t start = ftell (stream);
  for (size_t i = 0; i < builder->count; ++i)
    {
      struct entry *entry = &builder->entries[i];
      uint32_t kind = entry->data->kind;
      if (entry->general != general
          || (general && kind != HUGETEXT_RECORD_PROGRAM))
        continue;
      entry->record = ftell (stream);
      fwrite (entry->data, entry->data->length, 1, stream);
      header->images += kind == HUGETEXT_RECORD_IMAGE;
      header->heats += kind == HUGETEXT_RECORD_HEAT;
    }
  return ftell (stream) - start;
}

/* Write all of BUILDER to STREAM, with SLOTS.  Return NULL, or what is
   wrong.  */
static const char *
write_index (const struct builder *builder, FILE *stream,
             struct hugetext_index_slot *slots,
             struct hugetext_index_header *header)
{
  fwrite (header, sizeof *header, 1, stream);
  header->general
      = sizeof *header + write_records (builder, stream, false, header);
  header->general_length = write_records (builder, stream, true, header);
  if (header->general_length > HUGETEXT_GENERAL_MAX)
    return "there are too many programs with * or ? behind the last slash, or"
           " with one name there; must be fewer";
  header->slots = ftell (stream);
  for (uint32_t i = 0; i < header->nslots; ++i)
    if (slots[i].record != 0)
      slots[i].record = builder->entries[slots[i].record - 1].record;
  fwrite (slots, sizeof *slots, header->nslots, stream);
  header->size = ftell (stream);
  memcpy (header->magic, HUGETEXT_INDEX_MAGIC, sizeof header->magic);
  return header->size > UINT32_MAX ? "it would be too large" : NULL;
}

/* Set *IMAGE to the *SIZE bytes of BUILDER's index.  */
static const char *
make_index (struct builder *builder, char **image, size_t *size)
{
  struct hugetext_index_header header
      = { .version = HUGETEXT_INDEX_VERSION, .nslots = 16 };
  while (header.nslots < LOAD * builder->count)
    header.nslots *= 2;
  struct hugetext_index_slot *slots = calloc (header.nslots, sizeof *slots);
  FILE *stream = slots != NULL ? open_memstream (image, size) : NULL;
  const char *problem = "there is no memory for it";
  if (stream != NULL)
    {
      fill_slots (builder, slots, header.nslots);
      problem = write_index (builder, stream, slots, &header);
      if (ferror (stream) | fclose (stream))
        problem = "there is no memory for it";
      if (problem != NULL)
        free (*image);
      else
        memcpy (*image, &header, sizeof header);
    }
  free (slots);
  return problem;
}

const char *
index_build (const struct config *config, const struct store *store,
             const struct index_heats *heats, char **image, size_t *size)
{
  struct builder builder = { .count = 0 };
  const char *problem = "there is no memory for it";
  if (add_sections (&builder, config) && add_images (&builder, store)
      && add_heats (&builder, heats))
    problem = make_index (&builder, image, size);
  for (size_t i = 0; i < builder.count; ++i)
    free (builder.entries[i].data);
  free (builder.entries);
  return problem;
}
