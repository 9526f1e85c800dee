/* The index: what the loader remembers of programs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>
#include <sys/sysmacros.h>

#include "dl-hugetext-index.h"

_Static_assert(sizeof (struct hugetext_index_header) == 64,
               "the header has no padding");
_Static_assert(sizeof (struct hugetext_index_heat) == 120, "nor has heat");
_Static_assert(sizeof (struct hugetext_index_program) + HUGETEXT_PATTERN_MAX
                       + HUGETEXT_OBJECTS_MAX + HUGETEXT_SOURCE_MAX + 8
                   <= HUGETEXT_RECORD_MAX,
               "every program fits in a record");

uint32_t
hugetext_index_hash (const void *data, size_t length)
{
  /* FNV-1a, from Fowler, Noll and Vo, with 32 bits.  */
  const unsigned char *p = data;
  uint32_t hash = 0x811c9dc5;
  while (length-- > 0)
    hash = (hash ^ *p++) * 0x01000193;
  return hash;
}

/* Whether LENGTH bytes at OFFSET are in INDEX, behind the header.  */
static bool
is_within (const struct hugetext_index *index, uint64_t offset,
           uint64_t length)
{
  return (offset >= sizeof index->header && offset % 8 == 0
          && offset <= index->size && length <= index->size - offset);
}

static bool
read_at (const struct hugetext_index *index, void *buffer, size_t length,
         uint64_t offset)
{
  return index->read (index->closure, buffer, length, offset);
}

bool
hugetext_index_begin (struct hugetext_index *index)
{
  struct hugetext_index_header *header = &index->header;
  if (!read_at (index, header, sizeof *header, 0)
      || memcmp (header->magic, HUGETEXT_INDEX_MAGIC, sizeof header->magic)
             != 0
      || header->version != HUGETEXT_INDEX_VERSION)
    return false;
  index->size = header->size;
  return ((header->nslots & (header->nslots - 1)) == 0
          && (header->nslots == 0
              || is_within (index, header->slots,
                            (uint64_t) header->nslots
                                * sizeof (struct hugetext_index_slot)))
          && header->general_length <= HUGETEXT_GENERAL_MAX
          && (header->general_length == 0
              || is_within (index, header->general, header->general_length)));
}

/* Whether PROGRAM, a whole record, has its strings in their places and
   possible values.  */
static bool
is_program (const struct hugetext_index_program *program)
{
  const char *text = (const char *) (program + 1);
  if (program->head.length < sizeof *program || program->pattern == 0
      || program->pattern > HUGETEXT_PATTERN_MAX || program->objects == 0
      || program->objects > HUGETEXT_OBJECTS_MAX || program->source == 0
      || program->source > HUGETEXT_SOURCE_MAX
      || ((size_t) program->pattern + program->objects + program->source
          > program->head.length - sizeof *program)
      || text[program->pattern - 1] != '\0'
      || text[program->pattern + program->objects - 1] != '\0'
      || text[program->pattern + program->objects + program->source - 1]
             != '\0')
    return false;
  for (int key = 0; key < HUGETEXT_VALUES; ++key)
    if ((program->given & 1u << key) != 0
        && program->value[key] > hugetext_key_max (key))
      return false;
  return true;
}

/* Whether IMAGE, a whole record, has its path in its place and possible
   offsets.  */
static bool
is_image (const struct hugetext_index_image *image)
{
  return (image->head.length >= sizeof *image && image->path > 1
          && image->path <= HUGETEXT_SOURCE_MAX
          && image->path <= image->head.length - sizeof *image
          && image->name[0] == '/' && image->name[image->path - 1] == '\0'
          && image->block != 0 && (image->block & (image->block - 1)) == 0
          && image->offset % image->block == 0
          && image->offset <= image->image.size);
}

/* Whether RECORD, of which LENGTH bytes have been read, is whole and right. */
static bool
is_good (const union hugetext_index_buffer *record, size_t length)
{
  const struct hugetext_index_record *head = &record->head;
  return (head->length <= length && head->length >= sizeof *head
          && head->length % 8 == 0
          && ((head->kind == HUGETEXT_RECORD_PROGRAM
               && is_program (&record->program))
              || (head->kind == HUGETEXT_RECORD_IMAGE
                  && is_image (&record->image))));
}

bool
hugetext_index_record (const struct hugetext_index *index, uint64_t offset,
                       union hugetext_index_buffer *record)
{
  uint64_t length = sizeof *record;
  if (!is_within (index, offset, sizeof record->head))
    return false;
  if (length > index->size - offset)
    length = index->size - offset;
  /* Read the strings by their lengths, but never beyond the record.  */
  return (length >= sizeof record->head
          && read_at (index, record->bytes, length, offset)
          && is_good (record, length));
}

/* Set the keys of ADVICE that RECORD gives with a higher order, if it is the
   record of a program and about PATH.  */
static void
consider (struct hugetext_advice *advice,
          const union hugetext_index_buffer *record, const char *path)
{
  const struct hugetext_index_program *program = &record->program;
  const char *pattern = (const char *) (program + 1);
  const char *objects = pattern + program->pattern;
  if (record->head.kind != HUGETEXT_RECORD_PROGRAM
      || !hugetext_match (pattern, program->pattern - 1, path))
    return;
  if (advice->given == 0)
    memset (&advice->text, 0, sizeof advice->text);
  for (int key = 0; key < HUGETEXT_KEYS; ++key)
    {
      uint32_t bit = 1u << key;
      if ((program->given & bit) == 0
          || ((advice->given & bit) != 0
              && advice->order[key] > program->head.order))
        continue;
      advice->given |= bit;
      advice->order[key] = program->head.order;
      if (key < HUGETEXT_VALUES)
        advice->value[key] = program->value[key];
      else
        memcpy (advice->text.objects, objects, program->objects);
      memcpy (advice->text.source[key], objects + program->objects,
              program->source);
    }
}

/* The number of slots that one read takes.  */
#define SLOTS 16

/* A walk over the slots of a hash.  */
struct walk
{
  uint32_t hash;
  uint32_t done;       /* Slots seen.  */
  uint32_t have, next; /* Slots read, and the next of them.  */
  struct hugetext_index_slot slot[SLOTS];
};

/* Return the record of the next slot with the hash of WALK, 0 if there is
   none.  */
static uint32_t
next_record (const struct hugetext_index *index, struct walk *walk)
{
  const struct hugetext_index_header *header = &index->header;
  while (walk->done < HUGETEXT_INDEX_PROBES && walk->done < header->nslots)
    {
      if (walk->next == walk->have)
        {
          uint32_t at = (walk->hash + walk->done) & (header->nslots - 1);
          uint32_t left = header->nslots - at;
          walk->next = 0;
          walk->have = left < SLOTS ? left : SLOTS;
          if (!read_at (index, walk->slot, walk->have * sizeof *walk->slot,
                        header->slots + (uint64_t) at * sizeof *walk->slot))
            return 0;
        }
      const struct hugetext_index_slot *slot = &walk->slot[walk->next++];
      ++walk->done;
      if (slot->record == 0)
        return 0;
      if (slot->hash == walk->hash)
        return slot->record;
    }
  return 0;
}

bool
hugetext_index_may_know (const struct hugetext_index *index, const char *base)
{
  struct walk walk = { .hash = hugetext_index_hash (base, strlen (base)) };
  return (index->header.general_length != 0
          || next_record (index, &walk) != 0);
}

/* Consider the records with the key BASE.  */
static void
find_key (const struct hugetext_index *index, const char *base,
          const char *path, struct hugetext_advice *advice)
{
  struct walk walk = { .hash = hugetext_index_hash (base, strlen (base)) };
  union hugetext_index_buffer record;
  uint32_t offset;

  while ((offset = next_record (index, &walk)) != 0)
    if (hugetext_index_record (index, offset, &record))
      consider (advice, &record, path);
}

/* Consider the records without a key.  One read takes as many as fit into a
   record's buffer.  */
static void
find_general (const struct hugetext_index *index, const char *path,
              struct hugetext_advice *advice)
{
  uint64_t offset = index->header.general;
  uint64_t end = offset + index->header.general_length;
  union hugetext_index_buffer chunk;

  while (offset < end)
    {
      size_t length
          = end - offset < sizeof chunk ? end - offset : sizeof chunk;
      size_t done = 0;
      if (!read_at (index, &chunk, length, offset))
        return;
      while (length - done >= sizeof chunk.head)
        {
          const union hugetext_index_buffer *record
              = (const void *) (chunk.bytes + done);
          if (!is_good (record, length - done))
            break;
          consider (advice, record, path);
          done += record->head.length;
        }
      /* The length of a wrong record is not known, so the next one cannot be
         found.  */
      if (done == 0)
        return;
      offset += done;
    }
}

bool
hugetext_index_find (const struct hugetext_index *index, const char *path,
                     struct hugetext_advice *advice)
{
  advice->given = 0;
  find_key (index, hugetext_base_name (path), path, advice);
  find_general (index, path, advice);
  return advice->given != 0;
}

bool
hugetext_same_file (const struct hugetext_identity *a,
                    const struct hugetext_identity *b)
{
  return (a->device == b->device && a->inode == b->inode && a->size == b->size
          && a->mtime == b->mtime && a->ctime == b->ctime);
}

bool
hugetext_is_anonymous (const struct hugetext_identity *file)
{
  return major (file->device) == 0;
}

bool
hugetext_index_image (const struct hugetext_index *index,
                      const struct hugetext_identity *object, uint64_t block,
                      union hugetext_index_buffer *record)
{
  struct walk walk = { .hash = hugetext_index_hash (object, sizeof *object) };
  uint32_t offset;

  while ((offset = next_record (index, &walk)) != 0)
    if (hugetext_index_record (index, offset, record)
        && record->head.kind == HUGETEXT_RECORD_IMAGE
        && record->image.block == block
        && hugetext_same_file (&record->image.object, object))
      return true;
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

/* Whether HEAT, without its weights, has possible values.  */
static bool
is_heat (const struct hugetext_index_heat *heat)
{
  return (heat->head.kind == HUGETEXT_RECORD_HEAT
          && heat->granules <= HUGETEXT_HEAT_GRANULES
          && heat->head.length
                 == (sizeof *heat + heat->granules * sizeof (uint16_t) + 7) / 8
                        * 8
          && heat->first % HUGETEXT_GRANULE == 0
          && heat->first
                 <= (UINT64_MAX - (uint64_t) heat->granules * HUGETEXT_GRANULE)
          && heat->build_id_length <= HUGETEXT_BUILD_ID_MAX);
}

bool
hugetext_index_heat_at (const struct hugetext_index *index, uint64_t offset,
                        struct hugetext_index_heat *record, uint16_t weight[],
                        size_t room)
{
  return (is_within (index, offset, sizeof *record)
          && read_at (index, record, sizeof *record, offset)
          && is_heat (record) && record->granules <= room
          && is_within (index, offset, record->head.length)
          && (record->granules == 0
              || read_at (index, weight, record->granules * sizeof *weight,
                          offset + sizeof *record)));
}

bool
hugetext_index_heat (const struct hugetext_index *index,
                     const struct hugetext_identity *object,
                     struct hugetext_index_heat *record, uint16_t weight[],
                     size_t room)
{
  struct walk walk = { .hash = hugetext_heat_key (object) };
  uint32_t offset;

  while ((offset = next_record (index, &walk)) != 0)
    if (hugetext_index_heat_at (index, offset, record, weight, room)
        && hugetext_same_file (&record->object, object))
      return true;
  return false;
}
