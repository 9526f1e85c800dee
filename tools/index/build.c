/* Compile settings, images and heats into an index, in memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An index contains its records one after the other, and then the table of
   slots.  */

#include "index/build.h"
#include "trust/trusted.h"
#include "util/allocate.h"

#include "dl-hugetext-index.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The minimum ratio of slots to records in the index.  */
#define LOAD 4

/* The maximum distance, in slots, of a record's slot from the slot that its
   hash selects.  A lookup reads all slots from the selected slot to the
   record's slot.  */
#define REACH 4096

/* An index that is being compiled.  */
struct builder
{
  struct hugetext_index_header header;
  struct hugetext_index_slot *records; /* For each record, its hash and its
                                          offset.  */
  size_t count;
  FILE *stream;
};

/* Add a record whose key has the hash HASH.  The record consists of the SIZE
   bytes at DATA, followed by the MORE_SIZE bytes at MORE.  */
static void
add_record (struct builder *builder, uint32_t hash, const void *data,
            size_t size, const void *more, size_t more_size)
{
  static const char zeros[8];
  builder->records = allocate_more (builder->records, builder->count,
                                    sizeof *builder->records);
  builder->records[builder->count++]
      = (struct hugetext_index_slot){ hash, ftell (builder->stream) };
  fwrite (data, size, 1, builder->stream);
  if (more_size > 0)
    fwrite (more, more_size, 1, builder->stream);
  fwrite (zeros, 1, -(size + more_size) % 8, builder->stream);
}

/* Return the length of the literal part of PATTERN.  The literal part is all
   of PATTERN if PATTERN contains neither a star nor a question mark, otherwise
   the directories before the first star or question mark.  */
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

/* Resolve the symbolic links in the literal part of PATTERN, and return the
   result; the caller frees it.  Resolve only the part of the path that exists.
   In root's index, do not resolve links that other users can change: otherwise
   another user could make the settings apply to another program.  Return NULL
   if no link was resolved, or if the result is too long.  */
static char *
index_build_resolve_literal (const char *pattern)
{
  char path[HUGETEXT_PATTERN_MAX], real[PATH_MAX];
  size_t length = literal_part (pattern);
  if (length >= sizeof path)
    return NULL;
  while (length > 0)
    {
      memcpy (path, pattern, length);
      path[length] = '\0';
      if (trusted_resolve (path, real))
        break;
      while (pattern[--length] != '/')
        ;
    }
  if (length == 0)
    return NULL;
  /* If the literal part ends in the root directory, the resolved path already
     ends with a slash.  */
  size_t start = strcmp (real, "/") == 0 ? 0 : strlen (real);
  size_t rest = strlen (pattern + length);
  if (start + rest >= HUGETEXT_PATTERN_MAX || start + rest == 0)
    return NULL;
  memcpy (real + start, pattern + length, rest + 1);
  return strcmp (real, pattern) != 0 ? strdup (real) : NULL;
}

/* Add SECTION, which is section number ORDER, to BUILDER with the pattern
   PATTERN.  Skip the section if one of its strings is too long for the
   loader.  */
static void
add_section (struct builder *builder, const struct config_section *section,
             uint32_t order, const char *pattern)
{
  const char *objects = section->objects != NULL ? section->objects : "";
  struct hugetext_index_program program
      = { .head = { .kind = HUGETEXT_RECORD_PROGRAM, .order = order },
          .given = section->given };
  if (strlen (pattern) >= sizeof program.pattern
      || strlen (objects) >= sizeof program.objects)
    return;
  memcpy (program.value, section->value, sizeof program.value);
  strcpy (program.pattern, pattern);
  strcpy (program.objects, objects);
  strcpy (program.source, section->source);
  const char *key = hugetext_base_name (pattern);
  size_t length = strlen (key);
  if (strpbrk (key, "*?") != NULL)
    {
      uint64_t *lengths = &builder->header.base_prefixes;
      length = strcspn (key, "*?");
      if (length == 0 || strstr (key, "**") != NULL)
        {
          key = pattern;
          length = strcspn (pattern, "*?");
          lengths = &builder->header.prefixes;
          ++builder->header.general;
        }
      if (length > HUGETEXT_INDEX_PREFIX_MAX)
        length = HUGETEXT_INDEX_PREFIX_MAX;
      *lengths |= (uint64_t) 1 << length;
    }
  add_record (builder, hugetext_index_hash (key, length), &program,
              sizeof program, NULL, 0);
}

static void
add_sections (struct builder *builder, const struct config *config)
{
  for (size_t i = 0; i < config->count; ++i)
    {
      const struct config_section *section = &config->sections[i];
      if (section->given == 0)
        continue;
      char *real = index_build_resolve_literal (section->pattern);
      if (real != NULL)
        add_section (builder, section, i + 1, real);
      add_section (builder, section, i + 1, section->pattern);
      free (real);
    }
}

/* Add the images of STORE to the index.  */
static void
add_images (struct builder *builder, const struct store *store)
{
  for (size_t i = 0; i < store->count; ++i)
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
              .offset = note->offset };
      if (problem_is (&stored->problem)
          || strlen (stored->path) >= sizeof image.name)
        continue;
      memcpy (image.has, note->has, sizeof image.has);
      strcpy (image.name, stored->path);
      ++builder->header.images;
      add_record (builder,
                  hugetext_index_hash (&note->object, sizeof note->object),
                  &image, sizeof image, NULL, 0);
    }
}

/* Add HEATS.  */
static void
add_heats (struct builder *builder, const struct index_heats *heats)
{
  for (size_t i = 0; i < heats->count; ++i)
    {
      const struct index_heat *heat = &heats->list[i];
      if (heat->record.granules > HUGETEXT_HEAT_GRANULES)
        continue;
      ++builder->header.heats;
      add_record (builder, hugetext_heat_key (&heat->record.object),
                  &heat->record, sizeof heat->record, heat->weight,
                  heat->record.granules * sizeof *heat->weight);
    }
}

/* Write the table of slots.  Return false if the table would need too many
   slots.  */
static bool
write_slots (struct builder *builder, struct problem *problem)
{
  struct hugetext_index_header *header = &builder->header;
  header->nslots = HUGETEXT_INDEX_SLOTS;
  while (header->nslots < LOAD * builder->count)
    header->nslots *= 2;
  struct hugetext_index_slot *slots
      = allocate (header->nslots * sizeof *slots);
  for (size_t i = 0; i < builder->count; ++i)
    {
      uint32_t at = builder->records[i].hash & -HUGETEXT_INDEX_SLOTS;
      uint32_t probe = 0;
      while (slots[(at + probe) & (header->nslots - 1)].record != 0)
        if (++probe == REACH)
          {
            free (slots);
            return problem_set (
                problem,
                "too many sections have patterns whose file names are the "
                "same, or contain \"*\" or \"?\": remove some of these "
                "sections");
          }
      slots[(at + probe) & (header->nslots - 1)] = builder->records[i];
    }
  header->slots = ftell (builder->stream);
  fwrite (slots, sizeof *slots, header->nslots, builder->stream);
  header->size = ftell (builder->stream);
  free (slots);
  return header->size <= UINT32_MAX
         || problem_set (problem, "the index would be too large");
}

bool
index_build (const struct config *config, const struct store *store,
             const struct index_heats *heats, char **image, size_t *size,
             struct problem *problem)
{
  struct builder builder = { .header.version = HUGETEXT_INDEX_VERSION,
                             .stream = open_memstream (image, size) };
  static const char no_memory[] = "there is no memory for the index";
  if (builder.stream == NULL)
    return problem_set (problem, no_memory);
  /* The magic fills its whole array and does not end with a null byte.  Some
     compilers reject such an initializer, so copy the magic here.  */
  memcpy (builder.header.magic, HUGETEXT_INDEX_MAGIC,
          sizeof builder.header.magic);
  fwrite (&builder.header, sizeof builder.header, 1, builder.stream);
  add_sections (&builder, config);
  add_images (&builder, store);
  add_heats (&builder, heats);
  bool good = write_slots (&builder, problem);
  if (ferror (builder.stream) | fclose (builder.stream))
    good = problem_set (problem, no_memory);
  if (!good)
    free (*image);
  else
    memcpy (*image, &builder.header, sizeof builder.header);
  free (builder.records);
  return good;
}
