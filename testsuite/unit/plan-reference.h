/* A second, independent implementation of the plan: slow, page by page, from
   the text of the design.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The reference draws the program headers onto a map that says what each small
   page contains.  The reference then answers each question about a block by
   looking at all pages of the block.  The reference has nothing in common with
   dl-hugetext-plan.c except the types of the interface.  */

#ifndef PLAN_REFERENCE_H
#define PLAN_REFERENCE_H 1

#include <elf.h>
#include <string.h>

#include "plan-test.h"

enum page_kind
{
  PAGE_HOLE,        /* The page is between segments or around them.  */
  PAGE_TEXT,        /* Executable, readable, and not writable.  */
  PAGE_HIDDEN_TEXT, /* Executable, neither readable nor writable.  */
  PAGE_READ_ONLY,   /* Readable only, with contents of the file.  */
  PAGE_WRITABLE,
  PAGE_ZERO_FILL,   /* At least one byte belongs to a segment that is not
                       writable, and lies behind the part of the segment that
                       the file contains.  */
  PAGE_INACCESSIBLE /* The page belongs to a segment without any
                       permission.  */
};

struct page
{
  unsigned char kind;
  bool relro;
  uint32_t text; /* The number of text bytes in the page.  */
};

#define MAP_PAGES 65536

/* The pages from link-time address BASE on.  All pages outside of the map are
   holes.  */
struct page_map
{
  uintptr_t page_size;
  uintptr_t base;
  uintptr_t end; /* The end of the last PT_LOAD segment, rounded up to a
                    page.  */
  size_t count;
  struct page page[MAP_PAGES];
};

/* Return the program header flags for which LETTER stands.  */
static inline unsigned int
flags_of (char letter)
{
  static const char letters[] = "nVvWxXwr";
  static const unsigned char flags[]
      = { 0,           PF_W | PF_X, PF_W,        PF_R | PF_W | PF_X,
          PF_R | PF_X, PF_X,        PF_R | PF_W, PF_R };
  return flags[strchr (letters, letter) - letters];
}

/* Return true if [START, END) and [FROM, TO) have a byte in common.  */
static inline bool
touches (uintptr_t start, uintptr_t end, uintptr_t from, uintptr_t to)
{
  return (start >= from && start < to && start < end)
         || (from >= start && from < end && from < to);
}

/* Return how many of the bytes [FROM, TO) are in [START, END).  */
static inline uint32_t
bytes_in (uintptr_t start, uintptr_t end, uintptr_t from, uintptr_t to)
{
  uint32_t bytes = 0;
  if (start <= from && to <= end)
    return to - from;
  if (end <= from || to <= start)
    return 0;
  for (; from < to; ++from)
    bytes += start <= from && from < end;
  return bytes;
}

/* Draw the PT_LOAD and PT_GNU_RELRO headers among the N in PHDR onto MAP.
   Return false if MAP is too small for them.  */
static inline bool
paint (struct page_map *map, uintptr_t page_size, const Elf64_Phdr *phdr,
       size_t n)
{
  uintptr_t lowest = UINTPTR_MAX;
  uintptr_t highest = 0;
  for (size_t i = 0; i < n; ++i)
    {
      if (phdr[i].p_vaddr < lowest)
        lowest = phdr[i].p_vaddr;
      if (phdr[i].p_vaddr + phdr[i].p_memsz > highest)
        highest = phdr[i].p_vaddr + phdr[i].p_memsz;
    }
  map->page_size = page_size;
  map->base = lowest - lowest % page_size;
  if (n == 0 || (highest - map->base) / page_size >= MAP_PAGES)
    return false;
  map->count = (highest - map->base + page_size - 1) / page_size;
  map->end = 0;
  memset (map->page, 0, map->count * sizeof map->page[0]);

  for (size_t i = 0; i < n; ++i)
    {
      uintptr_t start = phdr[i].p_vaddr;
      uintptr_t file_end = start + phdr[i].p_filesz;
      uintptr_t end = start + phdr[i].p_memsz;
      for (size_t k = (start - map->base) / page_size; k < map->count; ++k)
        {
          uintptr_t from = map->base + k * page_size;
          uintptr_t to = from + page_size;
          if (!touches (start, end, from, to))
            break;
          struct page *page = &map->page[k];
          if (phdr[i].p_type == PT_GNU_RELRO)
            page->relro = true;
          if (phdr[i].p_type != PT_LOAD)
            continue;
          if (map->end < to)
            map->end = to;
          if (phdr[i].p_flags & PF_W)
            {
              page->kind = PAGE_WRITABLE;
              continue;
            }
          if (touches (file_end, end, from, to))
            page->kind = PAGE_ZERO_FILL;
          else if (phdr[i].p_flags & PF_X)
            page->kind
                = (phdr[i].p_flags & PF_R ? PAGE_TEXT : PAGE_HIDDEN_TEXT);
          else
            page->kind = (phdr[i].p_flags & PF_R ? PAGE_READ_ONLY
                                                 : PAGE_INACCESSIBLE);
          if (phdr[i].p_flags & PF_X)
            page->text = bytes_in (start, file_end, from, to);
        }
    }
  return true;
}

/* Return the page that contains the run-time address ADDRESS if the load bias
   is BIAS.  */
static inline struct page
page_at (const struct page_map *map, uintptr_t bias, uintptr_t address)
{
  static const struct page hole;
  size_t k = (address - bias - map->base) / map->page_size;
  return k < map->count ? map->page[k] : hole;
}

/* What a block contains.  */
struct block_facts
{
  uintptr_t text;                      /* The number of text bytes.  */
  size_t pages[PAGE_INACCESSIBLE + 1]; /* The number of pages of each
                                          kind.  */
  size_t all_pages;
  size_t relro_pages;
};

static inline struct block_facts
look_at_block (const struct page_map *map, const struct hugetext_geometry *geo,
               uintptr_t bias, uintptr_t block)
{
  struct block_facts facts = { .text = 0 };
  for (uintptr_t at = 0; at < geo->block; at += geo->page)
    {
      struct page page = page_at (map, bias, block + at);
      facts.text += page.text;
      ++facts.pages[page.kind];
      facts.relro_pages += page.relro;
      ++facts.all_pages;
    }
  return facts;
}

static inline bool
all_text (const struct block_facts *facts)
{
  return (facts->pages[PAGE_TEXT] + facts->pages[PAGE_HIDDEN_TEXT]
          == facts->all_pages);
}

/* Decide as section 4 of the design says.  The design does not mention
   execute-only text; its rule is that it must not share a block with anything
   else, not even with a hole.  */
static inline bool
reference_take (const struct block_facts *facts,
                const struct hugetext_geometry *geo, uintptr_t threshold,
                uintptr_t low, uintptr_t high, uintptr_t block)
{
  if (facts->text == 0)
    return false;
  if (facts->pages[PAGE_WRITABLE] > 0 || facts->relro_pages > 0
      || facts->pages[PAGE_ZERO_FILL] > 0
      || facts->pages[PAGE_INACCESSIBLE] > 0)
    return false;
  if (facts->pages[PAGE_HIDDEN_TEXT] > 0
      && facts->pages[PAGE_HIDDEN_TEXT] < facts->all_pages)
    return false;
  for (uintptr_t at = 0; at < geo->block; at += geo->page)
    if (block + at < low || block + at + geo->page > high)
      return false;
  return all_text (facts) || (threshold > 0 && facts->text >= threshold);
}

/* Return true if VERDICT is true of a block with FACTS.  If several verdicts
   are true, any of them is right, except that NO_TEXT takes precedence.  */
static inline bool
verdict_is_true (enum hugetext_reason verdict, const struct block_facts *facts,
                 const struct hugetext_geometry *geo, uintptr_t threshold,
                 uintptr_t low, uintptr_t high, uintptr_t block)
{
  if (facts->text == 0)
    return verdict == HUGETEXT_NO_TEXT;
  switch (verdict)
    {
    case HUGETEXT_TAKE:
      return reference_take (facts, geo, threshold, low, high, block);
    case HUGETEXT_OUTSIDE:
      return block < low || block + geo->block > high;
    case HUGETEXT_WRITABLE:
      return facts->pages[PAGE_WRITABLE] > 0;
    case HUGETEXT_RELRO:
      return facts->relro_pages > 0;
    case HUGETEXT_ZERO_FILL:
      return facts->pages[PAGE_ZERO_FILL] > 0;
    case HUGETEXT_EXECUTE_ONLY:
      return ((facts->pages[PAGE_HIDDEN_TEXT] > 0
               && facts->pages[PAGE_HIDDEN_TEXT] < facts->all_pages)
              || facts->pages[PAGE_INACCESSIBLE] > 0);
    case HUGETEXT_BELOW_THRESHOLD:
      return (!all_text (facts)
              && (threshold == 0 || facts->text < threshold));
    default:
      /* No other verdict depends on the block alone.  */
      return false;
    }
}

/* Convert program headers as the loader does before it calls the policy:
   rounded to pages.  RELRO is not rounded, because this makes no
   difference.  */
static inline void
object_from_phdrs (struct hugetext_object *object, uintptr_t page,
                   const Elf64_Phdr *phdr, size_t n)
{
  memset (object, 0, sizeof *object);
  object->align = page;
  for (size_t i = 0; i < n; ++i)
    {
      uintptr_t start = phdr[i].p_vaddr;
      uintptr_t file_end = start + phdr[i].p_filesz;
      uintptr_t end = start + phdr[i].p_memsz;
      if (phdr[i].p_type == PT_GNU_RELRO)
        {
          object->relro_start = start;
          object->relro_end = end;
        }
      if (phdr[i].p_type != PT_LOAD || end == (start & -page))
        continue;
      if (phdr[i].p_align > object->align)
        object->align = phdr[i].p_align;
      if (object->nsegments == HUGETEXT_SEGMENTS_MAX)
        {
          object->align = 0;
          return;
        }
      object->segment[object->nsegments++] = (struct hugetext_segment){
        .start = start & -page,
        .end = (end + page - 1) & -page,
        .fileend
        = (end > file_end ? file_end & -page : (file_end + page - 1) & -page),
        .datastart = start,
        .dataend = file_end,
        .offset = phdr[i].p_offset & -page,
        .read = (phdr[i].p_flags & PF_R) != 0,
        .write = (phdr[i].p_flags & PF_W) != 0,
        .exec = (phdr[i].p_flags & PF_X) != 0,
      };
    }
}

/* Fill in PLACEMENT: the amount of text and the number of blocks that OBJECT,
   drawn on MAP, has at the residue in PLACEMENT.  */
static inline void
reference_evaluate (const struct page_map *map,
                    const struct hugetext_object *object,
                    const struct hugetext_geometry *geo, uintptr_t threshold,
                    struct hugetext_placement *placement)
{
  uintptr_t bias = placement->modulus * 4 + placement->residue;
  uintptr_t start = bias + map->base;
  uintptr_t end = bias + map->end;

  placement->text = 0;
  placement->blocks = 0;
  placement->before = 0;
  placement->after = 0;
  placement->header = false;
  for (uintptr_t block = start - start % geo->block; block < end;
       block += geo->block)
    {
      struct block_facts facts = look_at_block (map, geo, bias, block);
      if (!reference_take (&facts, geo, threshold, 0, UINTPTR_MAX, block))
        continue;
      placement->text += facts.text;
      ++placement->blocks;
      /* The ELF header is at the beginning of the file, which is either
         mapped with the first segment or not at all.  */
      if (object->segment[0].offset == 0 && block <= start
          && start < block + geo->block)
        placement->header = true;
      if (block < start)
        placement->before = start - block;
      if (block + geo->block > end)
        placement->after = block + geo->block - end;
    }
}

/* Return the best placement among all residues: the most text, then the
   fewest blocks.  */
static inline struct hugetext_placement
reference_place (const struct page_map *map,
                 const struct hugetext_object *object,
                 const struct hugetext_geometry *geo, uintptr_t threshold)
{
  struct hugetext_placement best = { .text = 0 };
  uintptr_t modulus = geo->block > object->align ? geo->block : object->align;
  uintptr_t step = geo->page > object->align ? geo->page : object->align;
  for (uintptr_t residue = 0; residue < modulus; residue += step)
    {
      struct hugetext_placement this
          = { .residue = residue, .modulus = modulus };
      reference_evaluate (map, object, geo, threshold, &this);
      if (residue == 0 || this.text > best.text
          || (this.text == best.text && this.blocks < best.blocks))
        best = this;
    }
  return best;
}

/* Return the end of the first page of text on MAP, or the beginning of the
   last one if LAST.  */
static inline uintptr_t
reference_text_edge (const struct page_map *map, bool last)
{
  uintptr_t edge = 0;
  for (size_t k = 0; k < map->count && (last || edge == 0); ++k)
    if (map->page[k].kind == PAGE_TEXT
        || map->page[k].kind == PAGE_HIDDEN_TEXT)
      edge = map->base + (k + !last) * map->page_size;
  return edge;
}

/* Check which blocks keep the name of MAPPED.  The object is where PLACED
   says, with all the slack of this placement.  */
static inline void
check_name (const struct hugetext_object *mapped,
            const struct hugetext_geometry *geo, uintptr_t threshold,
            const struct hugetext_placement *placed)
{
  const struct hugetext_heat heat = { .weight = NULL };
  const struct hugetext_name name = hugetext_name_blocks (
      mapped, geo, threshold, &heat, HUGETEXT_NAMES_ALL);
  const struct hugetext_name none = hugetext_name_blocks (
      mapped, geo, threshold, &heat, HUGETEXT_NAMES_NO);
  const struct hugetext_name cheap = hugetext_name_blocks (
      mapped, geo, threshold, &heat, HUGETEXT_NAMES_CHEAPLY);
  EXPECT (none.header == HUGETEXT_NO_BLOCK && none.text == HUGETEXT_NO_BLOCK);

  /* One block must stay mapped from the file so that tools find the object's
     name: the block with the ELF header or, of the blocks that could be
     copies, the one with the least text.  No block is needed for this if other
     text of the object stays outside of blocks.  */
  EXPECT_EQUAL (name.header != HUGETEXT_NO_BLOCK, placed->header);
  const bool others
      = (placed->header || placed->text != hugetext_object_text (mapped));
  EXPECT_EQUAL (name.text == HUGETEXT_NO_BLOCK, others);
  uintptr_t cost = 0;
  for (uintptr_t block = mapped->low - mapped->low % geo->block;
       block < mapped->high; block += geo->block)
    {
      struct hugetext_block judged
          = hugetext_block_judge (mapped, geo, threshold, block);
      if (hugetext_is_name (&name, block))
        cost += judged.text;
      EXPECT (others || judged.text == 0 || block == name.text
              || judged.text + geo->block / HUGETEXT_RANKS
                     >= hugetext_block_judge (mapped, geo, 0, name.text).text);
    }
  const bool kept = cost * 8 <= placed->text;
  EXPECT_EQUAL (cheap.header, kept ? name.header : HUGETEXT_NO_BLOCK);
  EXPECT_EQUAL (cheap.text, kept ? name.text : HUGETEXT_NO_BLOCK);
}

/* Ask the policy for a place for OBJECT, and compare it with the
   reference.  */
static inline void
check_place (const struct page_map *map, const struct hugetext_object *object,
             const struct hugetext_geometry *geo, uintptr_t threshold)
{
  struct hugetext_placement best
      = reference_place (map, object, geo, threshold);
  struct hugetext_placement placed;
  memset (&placed, 0x5a, sizeof placed);
  struct hugetext_object asked = *object;
  bool any = place (&asked, geo, threshold, &placed);
  EXPECT (memcmp (&asked, object, sizeof asked) == 0);

  /* The place must be as good as the best place.  But the place may have a
     little less text than the best place: at most 1/128 of all text, and at
     most 1/32 of a block, because so little text is not worth another
     block.  */
  uintptr_t tolerance
      = hugetext_min (hugetext_object_text (object) / 128, geo->block / 32);
  EXPECT (any ? best.blocks > 0 : best.text <= tolerance);
  EXPECT (placed.text <= best.text && placed.text + tolerance >= best.text);
  EXPECT (placed.blocks <= best.blocks + 1);
  EXPECT_EQUAL (placed.modulus, best.modulus);
  EXPECT (placed.residue < placed.modulus);
  EXPECT_EQUAL (placed.residue % object->align, 0);
  EXPECT_EQUAL (placed.residue % geo->page, 0);

  /* The policy's figures for the chosen residue are right, including those of
     the slack before and after the object.  */
  struct hugetext_placement here = placed;
  reference_evaluate (map, object, geo, threshold, &here);
  EXPECT_EQUAL (placed.text, here.text);
  EXPECT_EQUAL (placed.blocks, here.blocks);
  EXPECT_EQUAL (placed.before, here.before);
  EXPECT_EQUAL (placed.after, here.after);
  EXPECT_EQUAL (placed.header, here.header);
  if (!any)
    return;

  /* If a block boundary directly behind the page of the ELF header keeps the
     header out of the blocks, without needing more blocks, then the chosen
     place keeps the header out.  */
  uintptr_t behind = -(object->segment[0].start + geo->page);
  here.residue = (behind % placed.modulus + object->align - 1) / object->align
                 * object->align % placed.modulus;
  reference_evaluate (map, object, geo, threshold, &here);
  uintptr_t all = hugetext_object_text (object);
  uintptr_t most = best.text + tolerance < all ? best.text : all;
  EXPECT (!placed.header || here.header || here.blocks > placed.blocks
          || here.text + tolerance < most);

  /* If a boundary behind the first page of text, or before the last, keeps
     both the header and some text out of the blocks, without needing more
     blocks, then the object keeps its name.  */
  const bool named = !placed.header && placed.text < all;
  const uintptr_t edges[]
      = { reference_text_edge (map, false), reference_text_edge (map, true) };
  for (int i = 0; i < 2; ++i)
    {
      here.residue = (-edges[i] % placed.modulus + object->align - 1)
                     / object->align * object->align % placed.modulus;
      reference_evaluate (map, object, geo, threshold, &here);
      EXPECT (named || here.header || here.text == all
              || here.blocks > placed.blocks || here.text + tolerance < most);
    }

  /* If huge pages of the file can be used without any loss, the chosen place
     allows this.  */
  for (size_t i = 0; i < object->nsegments; ++i)
    if (object->segment[i].exec && !object->segment[i].write)
      {
        here.residue = ((object->segment[i].offset - object->segment[i].start)
                        % placed.modulus);
        if (here.residue % object->align != 0)
          break;
        reference_evaluate (map, object, geo, threshold, &here);
        if (here.text == best.text && here.blocks == placed.blocks
            && here.header == placed.header
            && (here.text < all || here.header || !named))
          EXPECT_EQUAL (placed.residue, here.residue);
        break;
      }

  /* An object that is mapped at this place with this slack has exactly these
     blocks.  */
  struct hugetext_object mapped = *object;
  mapped.bias = placed.modulus * 16 + placed.residue;
  mapped.low = mapped.bias + map->base - placed.before;
  mapped.high = mapped.bias + map->end + placed.after;
  uintptr_t text = 0;
  size_t blocks = 0;
  for (uintptr_t block = mapped.low - mapped.low % geo->block;
       block < mapped.high; block += geo->block)
    if (hugetext_block_judge (&mapped, geo, threshold, block).verdict
        == HUGETEXT_TAKE)
      {
        text += hugetext_block_judge (&mapped, geo, 0, block).text;
        ++blocks;
      }
  EXPECT_EQUAL (text, placed.text);
  EXPECT_EQUAL (blocks, placed.blocks);

  check_name (&mapped, geo, threshold, &placed);
}

#endif /* plan-reference.h */
