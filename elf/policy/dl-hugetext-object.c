/* The description of an object, shared by the loader and the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#include "dl-hugetext-object.h"

struct hugetext_geometry
hugetext_geometry (uintptr_t page)
{
  uintptr_t block = page * (page / sizeof (uint64_t));
  return (struct hugetext_geometry){ page,
                                     block <= HUGETEXT_BLOCK_MAX ? block : 0 };
}

/* Add the PT_LOAD segment PH to OBJECT.  If OBJECT already has
   HUGETEXT_SEGMENTS_MAX segments, make it invalid.  */
static void
add_segment (struct hugetext_object *object, const ElfW (Phdr) * ph,
             uintptr_t page)
{
  uintptr_t dataend = ph->p_vaddr + ph->p_filesz;
  uintptr_t allocend = ph->p_vaddr + ph->p_memsz;

  if (hugetext_max (allocend, dataend) == (ph->p_vaddr & -page))
    /* The loader maps nothing for an empty segment.  */
    return;
  if (object->nsegments == HUGETEXT_SEGMENTS_MAX)
    {
      /* If p_align is invalid, set the alignment to 0, so that
         hugetext_object_check rejects the object.  */
      object->align = 0;
      return;
    }
  struct hugetext_segment *s = &object->segment[object->nsegments++];
  s->start = ph->p_vaddr & -page;
  s->end = (allocend + page - 1) & -page;
  /* If zero fill begins in the middle of a page, the loader writes zeros to
     the rest of this page, so the page differs from the file.  */
  s->fileend
      = (allocend > dataend ? dataend & -page : (dataend + page - 1) & -page);
  s->datastart = ph->p_vaddr;
  s->dataend = dataend;
  s->offset = ph->p_offset & -(uint64_t) page;
  s->read = (ph->p_flags & PF_R) != 0;
  s->write = (ph->p_flags & PF_W) != 0;
  s->exec = (ph->p_flags & PF_X) != 0;
  if (object->align != 0 && ph->p_align > object->align)
    object->align = ph->p_align;
}

void
hugetext_describe (struct hugetext_object *object, const ElfW (Phdr) * phdr,
                   size_t phnum, uintptr_t page)
{
  object->nsegments = 0;
  object->relro_start = object->relro_end = 0;
  /* The alignment of an object is at least the page size, because the kernel
     maps whole pages.  A segment's p_align may be less than the page size (0
     and 1 mean no alignment).  */
  object->align = page;
  object->bias = 0;
  object->low = object->high = 0;
  object->extra_prot = 0;
  for (size_t i = 0; i < phnum; ++i)
    {
      const ElfW (Phdr) *ph = &phdr[i];
      if (ph->p_type == PT_LOAD)
        add_segment (object, ph, page);
      else if (ph->p_type == PT_GNU_RELRO)
        {
          object->relro_start = ph->p_vaddr & -page;
          object->relro_end = (ph->p_vaddr + ph->p_memsz + page - 1) & -page;
        }
    }
}

const char *
hugetext_object_check (const struct hugetext_object *object,
                       const struct hugetext_geometry *geo)
{
  uintptr_t last = 0;
  uintptr_t blocks = 0;

  if (object->nsegments == 0)
    return "the object has no segments";
  if (object->nsegments > HUGETEXT_SEGMENTS_MAX || object->align == 0)
    return "the object has too many segments";
  if ((object->align & (object->align - 1)) != 0)
    return "the object's p_align is not a power of two";
  if (object->align > HUGETEXT_ALIGN_MAX)
    return "the object's p_align is too large";

  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (s->start >= s->end || s->fileend < s->start || s->fileend > s->end
          || s->datastart < s->start || s->dataend < s->datastart
          || s->dataend > s->end)
        return "a segment is empty, or its bounds are out of order";
      if (((s->start | s->end | s->fileend | s->offset) & (geo->page - 1))
          != 0)
        return "a segment of the object is not page-aligned";
      if (i > 0 && s->start < last)
        return "the object's segments overlap or do not ascend";
      last = s->end;
      if (hugetext_is_text (s))
        blocks += (s->end - s->start) / geo->block + 2;
      if (blocks > HUGETEXT_BLOCKS_MAX)
        return "the object's text is too large";
    }
  if (last > UINTPTR_MAX / 4)
    return "the object does not fit in the address space";
  /* The end of RELRO may be above the last segment, because lld pads
     RELRO.  */
  if (object->relro_start > object->relro_end)
    return "the object's RELRO ends before it begins";
  if (object->relro_start != object->relro_end
      && (object->relro_start < object->segment[0].start
          || object->relro_end > UINTPTR_MAX / 4))
    return "the object's RELRO is outside of the object";
  return NULL;
}

/* Add VALUE to DIGEST as FNV-1a does, but as a whole word instead of single
   bytes.  */
static uint64_t
mix (uint64_t digest, uint64_t value)
{
  digest = (digest ^ value) * UINT64_C (0x100000001b3);
  return digest ^ (digest >> 32);
}

uint64_t
hugetext_object_digest (const struct hugetext_object *object)
{
  uint64_t digest = UINT64_C (0xcbf29ce484222325);
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      digest = mix (digest, s->start);
      digest = mix (digest, s->end);
      digest = mix (digest, s->fileend);
      digest = mix (digest, s->datastart);
      digest = mix (digest, s->dataend);
      digest = mix (digest, s->offset);
      digest = mix (digest, s->read | s->write << 1 | s->exec << 2);
    }
  digest = mix (digest, object->relro_start);
  return mix (digest, object->relro_end);
}

uintptr_t
hugetext_object_text (const struct hugetext_object *object)
{
  uintptr_t text = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    if (hugetext_is_text (&object->segment[i]))
      text += object->segment[i].dataend - object->segment[i].datastart;
  return text;
}

uintptr_t
hugetext_object_start (const struct hugetext_object *object)
{
  return object->segment[0].start;
}

size_t
hugetext_object_length (const struct hugetext_object *object)
{
  return object->segment[object->nsegments - 1].end - object->segment[0].start;
}

bool
hugetext_next_piece (const struct hugetext_object *object, uintptr_t from,
                     uintptr_t end, struct hugetext_piece *piece)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      uintptr_t start = s->start + object->bias;
      uintptr_t stop = s->fileend + object->bias;
      if (start < from)
        start = from;
      if (stop > end)
        stop = end;
      if (start < stop)
        {
          *piece = (struct hugetext_piece){
            start, stop, s->offset + (start - (s->start + object->bias)), s
          };
          return true;
        }
    }
  return false;
}
