/* The reader of the index: settings of programs, records of images and heat of
   objects.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#include <string.h>
#include <sys/sysmacros.h>

#include "dl-hugetext-index.h"

_Static_assert(sizeof (struct hugetext_index_header) == 56,
               "struct hugetext_index_header has no padding");
_Static_assert(sizeof (struct hugetext_index_heat) == 72,
               "struct hugetext_index_heat has no padding");

uint32_t
hugetext_index_hash (const void *data, size_t length)
{
  /* Compute the hash FNV-1a (Fowler, Noll, Vo) with 32 bits.  */
  const unsigned char *p = data;
  uint32_t hash = 0x811c9dc5;
  while (length-- > 0)
    hash = (hash ^ *p++) * 0x01000193;
  return hash;
}

static bool
index_read_at (const struct hugetext_index *index, void *buffer, size_t length,
               uint64_t offset)
{
  return index->read (index->closure, buffer, length, offset);
}

bool
hugetext_index_begin (struct hugetext_index *index)
{
  struct hugetext_index_header *header = &index->header;
  return (index_read_at (index, header, sizeof *header, 0)
          && memcmp (header->magic, HUGETEXT_INDEX_MAGIC, sizeof header->magic)
                 == 0
          && header->version == HUGETEXT_INDEX_VERSION
          && header->nslots >= HUGETEXT_INDEX_SLOTS
          && (header->nslots & (header->nslots - 1)) == 0);
}

/* The state of a search in the table of slots for records with a given
   hash.  */
struct walk
{
  uint32_t hash;
  uint32_t done; /* The number of slots that the search has already
                    visited.  */
  struct hugetext_index_slot slot[HUGETEXT_INDEX_SLOTS];
};

/* Return the offset of the next record with the hash that WALK looks for, or 0
   if there is no further record.  */
static uint32_t
next_record (const struct hugetext_index *index, struct walk *walk)
{
  const struct hugetext_index_header *header = &index->header;
  while (walk->done < header->nslots)
    {
      uint32_t i = walk->done % HUGETEXT_INDEX_SLOTS;
      uint32_t at = ((walk->hash & -HUGETEXT_INDEX_SLOTS) + walk->done++)
                    & (header->nslots - 1);
      if (i == 0
          && !index_read_at (index, walk->slot, sizeof walk->slot,
                             header->slots
                                 + (uint64_t) at * sizeof *walk->slot))
        return 0;
      if (walk->slot[i].record == 0)
        return 0;
      if (walk->slot[i].hash == walk->hash)
        return walk->slot[i].record;
    }
  return 0;
}

/* Copy the next record of WALK whose kind is KIND to RECORD, which has SIZE
   bytes.  Return the offset of the record in the index, or 0 if WALK has no
   further record of kind KIND.  */
static uint32_t
read_next (const struct hugetext_index *index, struct walk *walk,
           enum hugetext_index_kind kind, struct hugetext_index_record *record,
           size_t size)
{
  uint32_t offset;
  while ((offset = next_record (index, walk)) != 0)
    if (index_read_at (index, record, size, offset) && record->kind == kind)
      break;
  return offset;
}

bool
hugetext_index_may_know (const struct hugetext_index *index, const char *base)
{
  const size_t size = strlen (base);
  struct walk walk = { .hash = hugetext_index_hash (base, size) };
  if (index->header.general != 0 || next_record (index, &walk) != 0)
    return true;
  for (uint64_t left = index->header.base_prefixes; left != 0;
       left &= left - 1)
    {
      const size_t n = __builtin_ctzll (left);
      if (n > size)
        break;
      walk = (struct walk){ .hash = hugetext_index_hash (base, n) };
      if (next_record (index, &walk) != 0)
        return true;
    }
  return false;
}

/* Copy to ADVICE each setting of PROGRAM, unless ADVICE already has the
   setting from a record with a higher order (precedence).  */
static void
index_copy_settings (struct hugetext_advice *advice,
                     const struct hugetext_index_program *program)
{
  if (program->given != 0 && hugetext_names (program->pattern))
    advice->named = 1;
  for (int key = 0; key < HUGETEXT_KEYS; ++key)
    {
      if ((program->given & 1u << key) == 0
          || program->head.order < advice->order[key])
        continue;
      advice->given |= 1u << key;
      advice->order[key] = program->head.order;
      if (key < HUGETEXT_VALUES)
        advice->value[key] = program->value[key];
      else
        memcpy (advice->objects, program->objects, sizeof advice->objects);
      memcpy (advice->source[key], program->source, sizeof program->source);
    }
}

/* Call the function "consider" for each record whose key is the LENGTH
   characters at KEY, and whose pattern matches PATH.  */
static void
find_key (const struct hugetext_index *index, const char *key, size_t length,
          const char *path, struct hugetext_advice *advice)
{
  struct walk walk = { .hash = hugetext_index_hash (key, length) };
  struct hugetext_index_program program;
  while (read_next (index, &walk, HUGETEXT_RECORD_PROGRAM, &program.head,
                    sizeof program)
         != 0)
    {
      program.pattern[sizeof program.pattern - 1] = '\0';
      program.objects[sizeof program.objects - 1] = '\0';
      program.source[sizeof program.source - 1] = '\0';
      if (hugetext_match (program.pattern, strlen (program.pattern), path))
        index_copy_settings (advice, &program);
    }
}

/* For each N, if bit N of LENGTHS is set, call the function "find_key" for the
   first N bytes of NAME.  */
static void
find_prefixes (const struct hugetext_index *index, uint64_t lengths,
               const char *name, const char *path,
               struct hugetext_advice *advice)
{
  const size_t size = strlen (name);
  for (; lengths != 0; lengths &= lengths - 1)
    {
      const size_t n = __builtin_ctzll (lengths);
      if (n > size)
        break;
      find_key (index, name, n, path, advice);
    }
}

bool
hugetext_index_find (const struct hugetext_index *index, const char *path,
                     struct hugetext_advice *advice)
{
  const char *base = hugetext_base_name (path);
  find_key (index, base, strlen (base), path, advice);
  find_prefixes (index, index->header.base_prefixes, base, path, advice);
  find_prefixes (index, index->header.prefixes, path, path, advice);
  return advice->given != 0;
}

bool
hugetext_same_file (const struct hugetext_identity *a,
                    const struct hugetext_identity *b)
{
  return memcmp (a, b, sizeof *a) == 0;
}

bool
hugetext_is_anonymous (const struct hugetext_identity *file)
{
  return major (file->device) == 0;
}

bool
hugetext_index_image (const struct hugetext_index *index,
                      const struct hugetext_identity *object, uint64_t block,
                      struct hugetext_index_image *record)
{
  struct walk walk = { .hash = hugetext_index_hash (object, sizeof *object) };
  while (read_next (index, &walk, HUGETEXT_RECORD_IMAGE, &record->head,
                    sizeof *record)
         != 0)
    {
      record->name[sizeof record->name - 1] = '\0';
      if (record->block == block
          && hugetext_same_file (&record->object, object))
        return true;
    }
  return false;
}

bool
hugetext_image_block (const struct hugetext_index_image *image, uint64_t link,
                      uint64_t *offset)
{
  uint64_t distance = link - image->first;
  uint64_t i = distance / image->block;
  if (distance % image->block != 0 || i >= HUGETEXT_IMAGE_BLOCKS
      || (image->has[i / 64] & (uint64_t) 1 << i % 64) == 0)
    return false;
  *offset = image->offset + distance;
  return (*offset <= image->image.size
          && image->block <= image->image.size - *offset);
}

uint32_t
hugetext_heat_key (const struct hugetext_identity *object)
{
  return ~hugetext_index_hash (object, sizeof *object);
}

bool
hugetext_index_heat (const struct hugetext_index *index,
                     const struct hugetext_identity *object,
                     struct hugetext_index_heat *record, uint16_t weight[],
                     size_t room)
{
  struct walk walk = { .hash = hugetext_heat_key (object) };
  uint32_t offset;
  while ((offset = read_next (index, &walk, HUGETEXT_RECORD_HEAT,
                              &record->head, sizeof *record))
         != 0)
    if (hugetext_same_file (&record->object, object)
        && record->granules <= room
        && (record->granules == 0
            || index_read_at (index, weight, record->granules * sizeof *weight,
                              offset + sizeof *record)))
      return true;
  return false;
}
