/* The loader's own plan for an object, asked from outside.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader's policy decides; this file answers its questions with
   assumptions in place of the loader's facts.  */

#include "object/plan.h"

#include <hugetext-cpu.h>
#include <stdio.h>
#include <stdlib.h>

/* An arbitrary load bias for a position-independent object, with room on both
   sides.  */
#define SOMEWHERE ((uintptr_t) 1 << 40)

/* Return the cap of SETTINGS, or ASK's answer, which *KNOWN keeps: in a
   virtual machine asking the CPU takes long.  */
static size_t
cap_or (const struct settings *settings, size_t *known, size_t (*ask) (void))
{
  size_t cap = settings_value (settings, SETTING_MAX);
  if (cap != 0)
    return cap;
  if (*known == 0)
    *known = ask ();
  return *known;
}

size_t
plan_cap (const struct settings *settings)
{
  static size_t blocks;
  return cap_or (settings, &blocks, hugetext_cpu_blocks);
}

size_t
plan_copies_cap (const struct settings *settings)
{
  static size_t copies;
  return cap_or (settings, &copies, hugetext_cpu_copies);
}

/* Return the bytes of text that an edge block needs.  */
static uintptr_t
threshold_of (const struct settings *settings)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  return hugetext_threshold (&geo, settings_value (settings, SETTING_PAD));
}

/* Find the placement of OBJECT with FIND, a function of the loader's, which
   changes an object for a while.  */
static bool
place_by (bool (*find) (const struct hugetext_site *,
                        struct hugetext_placement *),
          const struct hugetext_object *object, uintptr_t threshold,
          struct hugetext_placement *placement)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  struct hugetext_object copy = *object;
  const struct hugetext_site site
      = { .object = &copy, .geo = &geo, .pad_threshold = threshold };
  return find (&site, placement);
}

static bool
place (const struct hugetext_object *object, uintptr_t threshold,
       struct hugetext_placement *placement)
{
  return place_by (hugetext_place, object, threshold, placement);
}

static bool
place_congruent (const struct hugetext_object *object, uintptr_t threshold,
                 struct hugetext_placement *placement)
{
  return place_by (hugetext_place_congruent, object, threshold, placement);
}

/* Answer the policy's question FACT: CLOSURE says whether the huge pages of
   the object's file can be had.  */
static bool
answer (void *closure, enum hugetext_fact fact)
{
  const bool *file_fits = closure;
  return (*file_fits
          && (fact == HUGETEXT_HAS_FILE_BLOCK
              || fact == HUGETEXT_HAS_FILE_BLOCKS));
}

/* Change PLACEMENT of ELF, made by place, to the loader's choice.  Return
   whether the loader would choose it for the file's huge pages.  */
static bool
choose (const struct elf_object *elf, const struct settings *settings,
        bool fixed, bool file_fits, const struct plan_heat *heat,
        struct hugetext_placement *placement)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  struct hugetext_object copy = elf->object;
  const struct hugetext_site site = {
    .object = &copy,
    .geo = &geo,
    .pad_threshold = threshold_of (settings),
    .choice = settings_value (settings, SETTING_BACKING),
    .heat
    = heat != NULL && !heat->stays ? heat->heat : (struct hugetext_heat){ 0 },
    .fixed = fixed,
    .ask = answer,
    .closure = &file_fits,
  };
  return hugetext_choose (&site, placement).file;
}

bool
plan_prefers_file (const struct elf_object *elf,
                   const struct settings *settings)
{
  struct hugetext_placement placement;
  return (place (&elf->object, threshold_of (settings), &placement)
          && choose (elf, settings, elf->fixed || elf->statically_linked, true,
                     NULL, &placement));
}

const char *
plan_hopeless (const struct plan *plan, const char **remedy)
{
  static char reason[96], change[64];
  struct hugetext_placement placement;
  size_t text = elfobject_text (&plan->elf);
  if (place (&plan->elf.object, plan->threshold, &placement))
    return NULL;
  if (text >= plan->threshold && plan->threshold != 0)
    return NULL;
  snprintf (reason, sizeof reason,
            "the object has only %zu bytes of text (--pad=%zu)", text,
            (size_t) plan->threshold);
  snprintf (change, sizeof change, "--pad=%zu or less", text);
  *remedy
      = text > 0 && place (&plan->elf.object, text, &placement) ? change : "";
  return reason;
}

/* Add the blocks of PLAN's object, whose place is known.  */
static bool
add_blocks (struct plan *plan)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  const struct hugetext_object *object = &plan->elf.object;
  uintptr_t start;
  for (uintptr_t from = 0; hugetext_next_block (object, &geo, from, &start);
       from = start + geo.block)
    {
      if ((plan->nblocks & (plan->nblocks - 1)) == 0)
        {
          size_t room = plan->nblocks > 0 ? 2 * plan->nblocks : 1;
          struct plan_block *blocks
              = reallocarray (plan->blocks, room, sizeof *blocks);
          if (blocks == NULL)
            {
              plan_free (plan);
              return false;
            }
          plan->blocks = blocks;
        }
      struct plan_block *block = &plan->blocks[plan->nblocks++];
      block->start = start;
      block->text = hugetext_block_text (object, &geo, start);
      block->verdict
          = hugetext_block_judge (object, &geo, plan->threshold, start);
      block->heat
          = hugetext_block_heat (object, &geo, &plan->heat.heat, start);
      block->congruent
          = hugetext_block_file_offset (object, &geo, start, &block->offset);
    }
  return true;
}

/* Set the range of PLAN's object to the addresses that its segments cover.  */
static void
set_range (struct plan *plan)
{
  struct hugetext_object *object = &plan->elf.object;
  object->low = elfobject_geometry ().block;
  object->high = object->segment[object->nsegments - 1].end + object->bias;
}

/* Set the range of PLAN's object to the addresses that its placement
   reserves.  */
static void
set_reservation (struct plan *plan)
{
  struct hugetext_object *object = &plan->elf.object;
  const struct hugetext_segment *last
      = &object->segment[object->nsegments - 1];
  object->low
      = object->segment[0].start + object->bias - plan->placement.before;
  object->high = last->end + object->bias + plan->placement.after;
}

bool
plan_make (struct plan *plan, const struct elf_object *elf,
           const struct settings *settings, const struct plan_heat *heat)
{
  *plan = (struct plan){ .elf = *elf, .threshold = threshold_of (settings) };
  if (heat != NULL)
    plan->heat = *heat;
  bool gains = place (&elf->object, plan->threshold, &plan->placement);
  if (elf->fixed)
    {
      plan->place = PLACE_FIXED;
      set_range (plan);
      return add_blocks (plan);
    }
  if (!gains)
    {
      plan->place = PLACE_ANY;
      plan->elf.object.bias = SOMEWHERE;
      set_range (plan);
      return add_blocks (plan);
    }

  plan->place = PLACE_BEST;
  choose (elf, settings, false, false, heat, &plan->placement);
  plan->elf.object.bias
      = (SOMEWHERE & -plan->placement.modulus) + plan->placement.residue;
  set_reservation (plan);
  return add_blocks (plan);
}

/* Whether PLAN's object is at an address that PLACEMENT allows.  */
static bool
is_at (const struct plan *plan, const struct hugetext_placement *placement)
{
  return (plan->elf.object.bias & (placement->modulus - 1))
         == placement->residue;
}

/* Whether the loader has chosen the address of PLAN's object, by SETTINGS and
   for whatever reason.  Sets its placement.  */
static bool
is_placed (struct plan *plan, const struct settings *settings)
{
  const struct elf_object *elf = &plan->elf;
  if (elf->fixed)
    return false;
  if (place (&elf->object, plan->threshold, &plan->placement))
    {
      if (is_at (plan, &plan->placement))
        return true;
      choose (elf, settings, false, false, &plan->heat, &plan->placement);
      if (is_at (plan, &plan->placement))
        return true;
    }
  return (place_congruent (&elf->object, plan->threshold, &plan->placement)
          && is_at (plan, &plan->placement));
}

bool
plan_found (struct plan *plan, const struct elf_object *elf,
            const struct settings *settings, uintptr_t bias,
            const struct plan_heat *heat)
{
  *plan = (struct plan){ .elf = *elf,
                         .place = PLACE_FOUND,
                         .threshold = threshold_of (settings) };
  plan->elf.object.bias = bias;
  if (heat != NULL)
    plan->heat = *heat;
  set_range (plan);
  /* An object that the loader has placed may have slack around it.  */
  if (is_placed (plan, settings))
    set_reservation (plan);
  return add_blocks (plan);
}

bool
plan_static (struct plan *plan, const struct elf_object *elf,
             const struct settings *settings, bool aligned,
             const struct plan_heat *heat)
{
  if (elf->fixed || !aligned)
    return plan_make (plan, elf, settings, heat);
  return plan_found (plan, elf, settings, SOMEWHERE, heat);
}

size_t
plan_samples (const struct elf_object *elf, const struct settings *settings,
              uint64_t offset[static 3])
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  uintptr_t threshold = threshold_of (settings), block;
  struct hugetext_object object = elf->object;
  struct hugetext_placement placement;
  size_t n = 0;
  /* The loader does not place a static program, see plan_static.  */
  if (elf->fixed || elf->statically_linked)
    object.bias = 0;
  else if (place_congruent (&object, threshold, &placement))
    object.bias = placement.modulus + placement.residue;
  else
    return 0;
  /* Assume that the addresses around the object are its own.  */
  object.low = 0;
  object.high = UINTPTR_MAX;
  for (uintptr_t from = 0;
       n < 3 && hugetext_next_block (&object, &geo, from, &block);
       from = block + geo.block)
    if (hugetext_block_judge (&object, &geo, threshold, block) == HUGETEXT_TAKE
        && hugetext_block_file_offset (&object, &geo, block, &offset[n]))
      ++n;
  return n;
}

void
plan_free (struct plan *plan)
{
  free (plan->blocks);
  plan->blocks = NULL;
  plan->nblocks = 0;
}

/* Cut the COUNT PLANS by RANKING, which is empty, at BUDGET blocks.  */
static void
cut (struct plan plans[], size_t count, struct hugetext_ranking *ranking,
     size_t budget)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < plans[i].nblocks; ++k)
      if (plans[i].blocks[k].verdict == HUGETEXT_TAKE)
        hugetext_ranking_add (ranking, &geo, plans[i].blocks[k].text,
                              plans[i].blocks[k].heat);
  hugetext_ranking_cut (ranking, budget);
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < plans[i].nblocks; ++k)
      {
        struct plan_block *block = &plans[i].blocks[k];
        if (block->verdict == HUGETEXT_TAKE)
          block->verdict = hugetext_ranking_take (ranking, &geo, block->text,
                                                  block->heat);
      }
}

void
plan_cut (struct plan plans[], size_t count, size_t cap)
{
  struct hugetext_ranking ranking = { 0 };
  cut (plans, count, &ranking, cap);
}

const char *
plan_forbidden (const struct settings *settings, const char *name)
{
  static char problem[352];
  if (settings_allow (settings, name))
    return NULL;
  snprintf (problem, sizeof problem, "objects = %.60s (%s) leaves it out",
            settings->advice.text.objects,
            settings_source (settings, HUGETEXT_KEY_OBJECTS));
  return problem;
}

const char *
plan_reason (const struct plan_block *block, const struct settings *settings)
{
  static char text[128];
  size_t threshold = threshold_of (settings);
  switch (block->verdict)
    {
    case HUGETEXT_TAKE:
      return "it can be huge";
    case HUGETEXT_NO_TEXT:
      return "it holds no text";
    case HUGETEXT_OUTSIDE:
      return "it reaches beyond the object, to what may be another's";
    case HUGETEXT_WRITABLE:
      return "it holds writable data, too";
    case HUGETEXT_RELRO:
      return "it holds data that relocation writes (RELRO), too";
    case HUGETEXT_ZERO_FILL:
      return "it holds zero fill of a read-only segment, too";
    case HUGETEXT_EXECUTE_ONLY:
      return "text in it that must not be readable would become so";
    case HUGETEXT_BELOW_THRESHOLD:
      if (threshold == 0)
        return "it is not all text, and --pad=0 wants none such";
      snprintf (text, sizeof text,
                "it holds %zu bytes of text, fewer than --pad=%zu",
                block->text, threshold);
      return text;
    case HUGETEXT_KEPT_FREE:
      return "it came by dlopen, and what is left is for fuller blocks";
    case HUGETEXT_OVER_CAP:
      snprintf (text, sizeof text, "better blocks have used up %zu",
                plan_cap (settings));
      return text;
    }
  return "";
}

const char *
plan_remedy (const struct plan_block *block, const struct settings *settings)
{
  static char text[128];
  switch (block->verdict)
    {
    case HUGETEXT_OUTSIDE:
      return "link it with -pie: then the loader chooses its place";
    case HUGETEXT_WRITABLE:
    case HUGETEXT_RELRO:
      snprintf (text, sizeof text,
                "link it with -Wl,-z,max-page-size=0x%zx: data then begins in"
                " another block",
                (size_t) elfobject_geometry ().block);
      return text;
    case HUGETEXT_ZERO_FILL:
      return "link it without zero fill in read-only segments";
    case HUGETEXT_EXECUTE_ONLY:
      return "link its text readable";
    case HUGETEXT_BELOW_THRESHOLD:
      snprintf (text, sizeof text, "--pad=%zu or less",
                block->text > 0 ? block->text : 1);
      return text;
    case HUGETEXT_KEPT_FREE:
    case HUGETEXT_OVER_CAP:
      snprintf (text, sizeof text, "--max with more than %zu",
                plan_cap (settings));
      return text;
    default:
      return "";
    }
}
