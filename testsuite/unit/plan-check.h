/* Checks that the policy treats any bytes, interpreted as an object, without
   harm.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The fuzzer uses these checks, and so does a program with random bytes, for
   compilers without a fuzzer.  The bytes are interpreted in three ways: as
   the members of the object, which may then have any value; as lengths and
   distances, which are more likely to give a valid object; or as program
   headers, which are converted in the same way as by the loader.  */

#ifndef PLAN_CHECK_H
#define PLAN_CHECK_H 1

#include "plan-reference.h"

struct bytes
{
  const uint8_t *at;
  size_t left;
};

/* Return the next N bytes as a little-endian number.  After the last byte,
   return zeros.  */
static inline uint64_t
get (struct bytes *bytes, unsigned int n)
{
  uint64_t value = 0;
  for (unsigned int i = 0; i < n && bytes->left > 0; ++i)
    {
      value |= (uint64_t) *bytes->at++ << (8 * i);
      --bytes->left;
    }
  return value;
}

/* Return a number of any size: a small number, some pages, some blocks, a
   number near a power of two, or any 64 bits.  */
static inline uint64_t
get_any (struct bytes *bytes, const struct hugetext_geometry *geo)
{
  unsigned int how = get (bytes, 1);
  switch (how % 8)
    {
    case 0:
      return get (bytes, 1);
    case 1:
      return get (bytes, 8);
    case 2:
      return ((uint64_t) 1 << how / 8) + (int8_t) get (bytes, 1);
    case 3:
      return ((uint64_t) 1 << (32 + how / 8)) + (int8_t) get (bytes, 1);
    case 4:
      return get (bytes, 2) * geo->block;
    case 5:
      return get (bytes, 2) * geo->page + (int8_t) get (bytes, 1);
    default:
      return get (bytes, 1) * geo->page;
    }
}

static inline void
get_permissions (struct bytes *bytes, struct hugetext_segment *s)
{
  unsigned int bits = get (bytes, 1);
  s->read = (bits & 1) == 0;
  s->write = (bits & 6) == 6;
  s->exec = (bits & 8) != 0;
}

/* Take the members directly from the bytes.  */
static inline void
get_members (struct bytes *bytes, const struct hugetext_geometry *geo,
             struct hugetext_object *object)
{
  object->nsegments = get_any (bytes, geo);
  object->relro_start = get_any (bytes, geo);
  object->relro_end = get_any (bytes, geo);
  object->align = get_any (bytes, geo);
  for (size_t i = 0; i < HUGETEXT_SEGMENTS_MAX && i < object->nsegments; ++i)
    {
      struct hugetext_segment *s = &object->segment[i];
      s->start = get_any (bytes, geo);
      s->end = get_any (bytes, geo);
      s->fileend = get_any (bytes, geo);
      s->datastart = get_any (bytes, geo);
      s->dataend = get_any (bytes, geo);
      s->offset = get_any (bytes, geo);
      get_permissions (bytes, s);
    }
}

/* Make segments that mostly ascend, and that begin and end anywhere in
   pages.  */
static inline void
get_layout (struct bytes *bytes, const struct hugetext_geometry *geo,
            struct hugetext_object *object)
{
  uintptr_t end = get (bytes, 1) * geo->page;
  object->nsegments = get (bytes, 1) % 12;
  object->align = geo->page << get (bytes, 1) % 12;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      struct hugetext_segment *s = &object->segment[i];
      unsigned int how = get (bytes, 1);
      s->start = end + (how & 1 ? get (bytes, 1) * geo->page : 0);
      uintptr_t length = (1 + get (bytes, 1)) * geo->page;
      if ((how & 14) == 14)
        length *= 1 + get (bytes, 2);
      end = s->end = s->fileend = s->dataend = s->start + length;
      s->datastart = s->start;
      if (how & 16)
        s->dataend -= get (bytes, 2) % geo->page;
      if (how & 32)
        s->datastart += get (bytes, 2) % geo->page;
      if ((how & 0xc0) == 0xc0)
        {
          s->dataend -= get (bytes, 1) * geo->page;
          s->fileend = s->dataend & -geo->page;
        }
      if ((how & 0x78) == 0x38)
        {
          /* No linker makes such a segment.  */
          s->datastart = s->start + get (bytes, 2) % length;
          s->dataend = s->datastart + get (bytes, 3) % (end - s->datastart);
          s->fileend = s->start + get (bytes, 2) * geo->page % length;
        }
      if (i == 0 || how & 2)
        s->offset = get (bytes, 2) * geo->page;
      else
        s->offset = s[-1].offset + (s->start - s[-1].start);
      get_permissions (bytes, s);
    }
  object->relro_start = get (bytes, 1) % 32;
  if (object->relro_start < object->nsegments)
    {
      object->relro_start = object->segment[object->relro_start].start;
      object->relro_start += get (bytes, 1) * geo->page;
      object->relro_end
          = object->relro_start + get (bytes, 2) * (geo->page / 4);
    }
  else
    object->relro_start = 0;
}

/* Make program headers.  Their number may be a little too large.  */
static inline size_t
get_phdrs (struct bytes *bytes, const struct hugetext_geometry *geo,
           Elf64_Phdr *phdr, size_t max)
{
  size_t n = 0;
  uintptr_t end = 0;
  while (n < max && bytes->left > 0)
    {
      unsigned int how = get (bytes, 1);
      Elf64_Phdr *p = &phdr[n++];
      p->p_type = how % 8 == 0 ? PT_GNU_RELRO : PT_LOAD;
      p->p_flags = get (bytes, 1);
      p->p_align = how & 8 ? get_any (bytes, geo) : geo->page;
      p->p_vaddr = end + get_any (bytes, geo);
      p->p_memsz = get_any (bytes, geo);
      p->p_filesz = how & 16 ? get_any (bytes, geo) : p->p_memsz;
      p->p_offset = how & 32 ? get_any (bytes, geo) : p->p_vaddr;
      p->p_paddr = 0;
      if (how & 64)
        end = (p->p_vaddr + p->p_memsz + geo->page - 1) & -geo->page;
    }
  return n;
}

/* Check what hugetext_object_check promises about an object.  */
static inline void
check_promises (const struct hugetext_object *object,
                const struct hugetext_geometry *geo)
{
  EXPECT (object->nsegments >= 1);
  EXPECT (object->nsegments <= HUGETEXT_SEGMENTS_MAX);
  EXPECT (__builtin_popcountll (object->align) == 1);
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      EXPECT_EQUAL (s->start % geo->page, 0);
      EXPECT_EQUAL (s->end % geo->page, 0);
      EXPECT_EQUAL (s->fileend % geo->page, 0);
      EXPECT (s->start < s->end);
      EXPECT (s->start <= s->fileend && s->fileend <= s->end);
      EXPECT (s->start <= s->datastart && s->datastart <= s->dataend
              && s->dataend <= s->end);
      EXPECT (i == 0 || s[-1].end <= s->start);
    }
  /* At any smaller bias, there is space for one modulus below the object and
     for one above it.  */
  uintptr_t end = object->segment[object->nsegments - 1].end;
  uintptr_t sum;
  EXPECT (!__builtin_add_overflow (end, 2 * object->align, &sum));
  EXPECT (!__builtin_add_overflow (sum, 2 * geo->block, &sum));
  EXPECT (object->relro_start <= object->relro_end);
  EXPECT (object->relro_end <= UINTPTR_MAX / 2
          || object->relro_end == object->relro_start);
}

/* Make the map of a small OBJECT from its members.  */
static inline bool
paint_object (struct page_map *map, const struct hugetext_object *object,
              const struct hugetext_geometry *geo)
{
  Elf64_Phdr phdr[HUGETEXT_SEGMENTS_MAX + 1];
  uintptr_t start = object->segment[0].start;
  uintptr_t end = object->segment[object->nsegments - 1].end;
  bool relro = object->relro_start < object->relro_end;
  if (relro && end < object->relro_end)
    end = object->relro_end;
  if ((end - start) / geo->page > 1024)
    return false;
  size_t n = 0;
  memset (phdr, 0, sizeof phdr);
  for (; n < object->nsegments; ++n)
    {
      const struct hugetext_segment *s = &object->segment[n];
      phdr[n].p_type = PT_LOAD;
      phdr[n].p_flags = ((s->read ? PF_R : 0) | (s->write ? PF_W : 0)
                         | (s->exec ? PF_X : 0));
      phdr[n].p_vaddr = s->start;
      phdr[n].p_filesz = s->fileend - s->start;
      phdr[n].p_memsz = s->end - s->start;
    }
  if (relro)
    {
      phdr[n].p_type = PT_GNU_RELRO;
      phdr[n].p_vaddr = object->relro_start;
      phdr[n++].p_memsz = object->relro_end - object->relro_start;
    }
  if (!paint (map, geo->page, phdr, n))
    return false;

  /* Data may begin and end anywhere within a page.  */
  for (size_t k = 0; k < map->count; ++k)
    map->page[k].text = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (s->exec && !s->write)
        for (uintptr_t at = s->start; at < s->end; at += geo->page)
          map->page[(at - map->base) / geo->page].text
              = bytes_in (s->datastart, s->dataend, at, at + geo->page);
    }
  return true;
}

/* Compare everything about a small object with the reference.  */
static inline void
check_small (const struct page_map *map, struct hugetext_object *object,
             const struct hugetext_geometry *geo, uintptr_t threshold)
{
  uintptr_t start = map->base + object->bias;
  uintptr_t end = map->end + object->bias;
  uintptr_t text = 0;
  for (uintptr_t block = start - start % geo->block; block < end;
       block += geo->block)
    {
      struct block_facts facts = look_at_block (map, geo, object->bias, block);
      enum hugetext_reason verdict
          = hugetext_block_judge (object, geo, threshold, block).verdict;
      EXPECT_EQUAL (hugetext_block_judge (object, geo, 0, block).text,
                    facts.text);
      if (facts.pages[PAGE_ZERO_FILL] == 0)
        EXPECT_EQUAL (
            hugetext_block_judge (object, geo, 0, block).execute_only,
            facts.pages[PAGE_HIDDEN_TEXT] > 0);
      EXPECT_EQUAL (verdict == HUGETEXT_TAKE,
                    reference_take (&facts, geo, threshold, object->low,
                                    object->high, block));
      EXPECT (verdict_is_true (verdict, &facts, geo, threshold, object->low,
                               object->high, block));
      text += facts.text;
    }
  EXPECT_EQUAL (text, hugetext_object_text (object));
}

/* Check what can be checked quickly for an object of any size.  */
static inline void
check_large (const struct hugetext_object *object,
             const struct hugetext_geometry *geo, uintptr_t threshold)
{
  uintptr_t block = 0;
  uintptr_t last = 0;
  uintptr_t text = 0;
  size_t count = 0;
  bool skipped = false;
  for (uintptr_t from = 0; hugetext_next_block (object, geo, from, &block);
       from = block + geo->block)
    {
      EXPECT_EQUAL (block % geo->block, 0);
      EXPECT (count == 0 || block > last);
      last = block;
      ++count;
      EXPECT (count <= HUGETEXT_BLOCKS_MAX);
      if (count % 256 == 0)
        {
          /* Skip the middle of long text.  */
          skipped = true;
          block += 1000 * geo->block;
          continue;
        }
      uintptr_t here = hugetext_block_judge (object, geo, 0, block).text;
      EXPECT (here > 0 && here <= geo->block);
      text += here;
      enum hugetext_reason verdict
          = hugetext_block_judge (object, geo, threshold, block).verdict;
      EXPECT (verdict <= HUGETEXT_BELOW_THRESHOLD
              && verdict != HUGETEXT_NO_TEXT);
      if (verdict != HUGETEXT_TAKE)
        continue;
      EXPECT (block >= object->low && block + geo->block <= object->high);
      uintptr_t text_pages = 0;
      for (size_t i = 0; i < object->nsegments; ++i)
        {
          const struct hugetext_segment *s = &object->segment[i];
          uintptr_t start = s->start + object->bias;
          uintptr_t end = s->end + object->bias;
          if (!touches (start, end, block, block + geo->block))
            continue;
          EXPECT (!s->write && (s->read || s->exec));
          EXPECT (!touches (s->fileend + object->bias, end, block,
                            block + geo->block));
          if (s->exec)
            text_pages
                += ((end < block + geo->block ? end : block + geo->block)
                    - (start > block ? start : block));
          if (!s->read)
            EXPECT (hugetext_block_judge (object, geo, 0, block).execute_only);
          else
            EXPECT (
                !hugetext_block_judge (object, geo, 0, block).execute_only);
        }
      EXPECT (!touches (object->relro_start + object->bias,
                        object->relro_end + object->bias, block,
                        block + geo->block));
      EXPECT (text_pages == geo->block
              || (threshold > 0 && here >= threshold));
    }
  EXPECT (skipped || text == hugetext_object_text (object));
}

/* Check everything about OBJECT, which hugetext_object_check has
   accepted.  */
static inline void
check_object (struct hugetext_object *object,
              const struct hugetext_geometry *geo, uintptr_t threshold,
              struct bytes *bytes)
{
  static struct page_map map;

  check_promises (object, geo);
  uintptr_t start = object->segment[0].start;
  uintptr_t end = object->segment[object->nsegments - 1].end;

  struct hugetext_placement placed;
  bool any = place (object, geo, threshold, &placed);
  EXPECT_EQUAL (any, placed.blocks > 0);
  EXPECT_EQUAL (any, placed.text > 0);
  EXPECT (placed.modulus >= geo->block && placed.modulus >= object->align);
  EXPECT (placed.residue < placed.modulus);
  EXPECT_EQUAL (placed.residue % object->align, 0);
  EXPECT (placed.before < geo->block && placed.after < geo->block);
  EXPECT (placed.text <= hugetext_object_text (object));
  EXPECT (placed.blocks <= HUGETEXT_BLOCKS_MAX);

  bool small = paint_object (&map, object, geo);
  if (small && geo->block / geo->page <= 16)
    check_place (&map, object, geo, threshold);

  /* Choose a bias at which the object neither wraps around nor comes near the
     ends of the address space.  */
  unsigned int how = get (bytes, 1);
  object->bias = get (bytes, 2) * geo->page;
  if (how & 1)
    object->bias = placed.modulus + placed.residue;
  if (how & 2 && start >= 2 * geo->block)
    object->bias = -(start - 2 * geo->block) + get (bytes, 1) * geo->page;
  if (how & 4)
    object->bias += placed.modulus;
  if (object->bias + start < geo->block)
    object->bias += geo->block;
  object->low = object->bias + start;
  object->high = object->bias + end;
  if (how & 8)
    object->low -= get (bytes, 1) % (geo->block / geo->page) * geo->page;
  if (how & 16)
    object->high += get (bytes, 1) % (geo->block / geo->page) * geo->page;
  if (how & 32)
    object->low -= object->low % geo->block;
  check_large (object, geo, threshold);
  if (small)
    check_small (&map, object, geo, threshold);
}

/* Try the SIZE bytes at DATA.  Return true if the policy accepted the bytes as
   an object.  */
static inline bool
check_bytes (const uint8_t *data, size_t size)
{
  static const struct hugetext_geometry geos[] = {
    { .page = 16, .block = 64 },
    { .page = 64, .block = 512 },
    { .page = 0x1000, .block = 0x8000 },
    { .page = 0x1000, .block = 0x200000 },
    { .page = 0x4000, .block = 0x2000000 },
    { .page = 0x10000, .block = 0x20000000 },
  };
  struct bytes bytes = { data, size };
  unsigned int how = get (&bytes, 1);
  /* The policy tries each place: 2048 places with
     the fifth of the six GEOS, 8192 with the sixth.  Use these two for a few
     objects only; otherwise they would take most of the time.  */
  unsigned int n = how / 4;
  unsigned int which = n < 60 ? n % 4 : n < 63 ? 4 : 5;
  const struct hugetext_geometry *geo = &geos[which];
  uintptr_t threshold = get_any (&bytes, geo);

  struct hugetext_object object;
  memset (&object, 0, sizeof object);
  test_object = &object;
  test_geo = geo;
  test_threshold = threshold;
  switch (how % 4)
    {
    case 0:
      get_members (&bytes, geo, &object);
      break;
    case 1:
      {
        Elf64_Phdr phdr[HUGETEXT_SEGMENTS_MAX + 4];
        size_t n = get_phdrs (&bytes, geo, phdr, sizeof phdr / sizeof phdr[0]);
        object_from_phdrs (&object, geo->page, phdr, n);
        break;
      }
    default:
      get_layout (&bytes, geo, &object);
      break;
    }

  bool good = hugetext_object_check (&object, geo) == NULL;
  if (good)
    check_object (&object, geo, threshold, &bytes);
  test_object = NULL;
  test_geo = NULL;
  return good;
}

#endif /* plan-check.h */
