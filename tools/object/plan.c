/* Plans: the command computes what the loader would do with an object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader's own policy code (elf/policy) makes the decisions, so that a
   plan and the loader agree.  If the policy asks for facts that only the
   loader can know, this file answers with assumptions.  */

#include "object/plan.h"
#include "util/allocate.h"
#include "util/count.h"

#include <hugetext-cpu.h>
#include <stdio.h>
#include <stdlib.h>

/* An arbitrary load bias for a position-independent object, far from both
   ends of the address space.  */
#define SOMEWHERE ((uintptr_t) 1 << 40)

/* Return the default number of blocks for this CPU.  Execute CPUID only once,
   because it takes long in a virtual machine.  */
static size_t
cpu_blocks (void)
{
  static size_t blocks;
  if (blocks == 0)
    blocks = hugetext_cpu_blocks ();
  return blocks;
}

bool
plan_is_small (size_t text)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  return hugetext_is_small (&geo, text, false);
}

bool
plan_cpu_says (void)
{
  return hugetext_cpu_entries () != 0;
}

size_t
plan_cap (const struct settings *settings)
{
  size_t cap = settings_value (settings, SETTING_MAX);
  return cap != 0 ? cap : cpu_blocks ();
}

size_t
plan_copies_cap (const struct settings *settings)
{
  size_t cap = settings_value (settings, SETTING_MAX);
  return cap != 0 ? cap : hugetext_cpu_copies (cpu_blocks ());
}

/* Of all CPUs in the manual's table, the largest number of huge pages that a
   first-level instruction TLB holds.  */
#define TLB_MOST 64

bool
plan_max_fits (const struct settings *settings, struct problem *problem)
{
  static const struct settings none;
  const size_t most = plan_cpu_says () ? plan_cap (&none) : TLB_MOST;
  const size_t cap = settings_value (settings, SETTING_MAX);
  if (cap <= most || plan_cap (&none) == SIZE_MAX)
    return true;
  return problem_set (
      problem,
      "max = %zu is more than the " COUNT_FORMAT " that the first-level "
      "instruction TLB of %s can hold; a program with so many huge pages may "
      "become slower; to measure this: hugetext measure",
      cap, COUNT (most, "huge page"),
      plan_cpu_says () ? "this CPU" : "any known CPU");
}

bool
plan_hot_fits (size_t hot, const struct settings *settings,
               struct problem *problem)
{
  const size_t cap = plan_cap (settings);
  if (hot <= cap)
    return true;
  return problem_set (
      problem,
      settings_value (settings, SETTING_MAX) == 0 && plan_cpu_says ()
          ? "nine tenths of the samples are in " COUNT_FORMAT
            " of %zu MiB, but the "
            "CPU's TLB holds %zu"
          : "nine tenths of the samples are in " COUNT_FORMAT
            " of %zu MiB, but the "
            "limit is %zu",
      COUNT (hot, "block"), (size_t) elfobject_geometry ().block >> 20, cap);
}

/* Return the minimum number of bytes of text in an edge block (a block that
   contains text and other data).  */
static uintptr_t
threshold_of (const struct settings *settings)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  return hugetext_threshold (&geo, settings_value (settings, SETTING_PAD));
}

/* The facts about one object that the policy's functions read and change.  */
struct question
{
  struct hugetext_object object;
  struct hugetext_geometry geo;
  struct hugetext_site site;
  struct hugetext_place_room room;
  bool needs_path; /* True if the object must not be copied, because it may
                      look for its own path.  */
};

/* Return true if FACT, which the loader's policy needs for a decision, is
   true.  Assume that the page cache has no huge pages of the object's file,
   and that the process can have copies of all objects that do not need their
   paths.  */
static bool
object_plan_answer_question (void *closure, enum hugetext_fact fact)
{
  const struct question *question = closure;
  switch (fact)
    {
    case HUGETEXT_IS_READABLE:
    case HUGETEXT_MAY_COLLAPSE:
    case HUGETEXT_MAY_ANONYMOUS:
    case HUGETEXT_HAS_ROOM:
      return true;
    case HUGETEXT_LOOKS_FOR_PATH:
      return question->needs_path;
    default:
      return false;
    }
}

/* Return true if FACT, which the loader's policy needs for a decision, is
   true.  Assume that the page cache holds the object's file in huge pages
   (primed).  */
static bool
answer_primed (void *closure, enum hugetext_fact fact)
{
  return (fact == HUGETEXT_HAS_FILE_BLOCK || fact == HUGETEXT_HAS_FILE_BLOCKS
          || object_plan_answer_question (closure, fact));
}

static enum hugetext_choice
choice_of (const struct settings *settings)
{
  return settings_value (settings, SETTING_BACKING);
}

/* Return which objects must keep the name of their file in /proc/PID/maps
   according to SETTINGS.  CHOICE is the backing that SETTINGS choose.  */
static enum hugetext_naming
object_plan_get_naming (const struct settings *settings,
                        enum hugetext_choice choice)
{
  return hugetext_keeps_names (choice,
                               settings_value (settings, SETTING_NAMES));
}

/* Return true if the loader must not copy the text of ELF, because copies have
   no path in /proc/PID/maps: ELF may look for its own path there, and NAMING
   is not HUGETEXT_NAMES_NO.  */
static bool
must_keep_path (const struct elf_object *elf, enum hugetext_naming naming)
{
  return elf->needs_path && naming != HUGETEXT_NAMES_NO;
}

/* Initialize QUESTION (about ELF) with SETTINGS and HEAT.  CHOICE is the
   backing that SETTINGS choose.  */
static void
object_plan_prepare_question (struct question *question,
                              const struct elf_object *elf,
                              const struct settings *settings,
                              enum hugetext_choice choice,
                              const struct plan_heat *heat)
{
  *question = (struct question){
    .object = elf->object,
    .geo = elfobject_geometry (),
    .needs_path
    = must_keep_path (elf, object_plan_get_naming (settings, choice))
  };
  question->site = (struct hugetext_site){
    .object = &question->object,
    .geo = &question->geo,
    .pad_threshold = threshold_of (settings),
    .names
    = hugetext_places_names (choice, settings_value (settings, SETTING_NAMES)),
    .choice = choice,
    .heat
    = heat != NULL && !heat->stays ? heat->heat : (struct hugetext_heat){ 0 },
    .fixed = elf->fixed,
    .ask = object_plan_answer_question,
    .closure = question,
  };
}

/* Return the block of PLAN's object that contains the function by which tools
   recognize the object's mapping; the loader must not copy this block.  Return
   HUGETEXT_NO_BLOCK if tools recognize no mapping of the object by a function,
   or if NAMING is HUGETEXT_NAMES_NO.  */
static uintptr_t
object_plan_find_looked_up (const struct plan *plan,
                            enum hugetext_naming naming)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  return (naming == HUGETEXT_NAMES_NO || plan->elf.looked_up == 0
              ? HUGETEXT_NO_BLOCK
              : hugetext_round_down (
                  plan->elf.looked_up + plan->elf.object.bias, geo.block));
}

/* Fill the list of blocks in PLAN.  The address of PLAN's object is known, and
   CHOICE is the chosen backing.  */
static void
add_blocks (struct plan *plan, const struct settings *settings,
            enum hugetext_choice choice)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  const struct hugetext_object *object = &plan->elf.object;
  const enum hugetext_naming naming
      = object_plan_get_naming (settings, choice);
  const struct hugetext_name name = hugetext_name_blocks (
      object, &geo, plan->threshold, &plan->heat.heat, naming);
  const uintptr_t looked_up = object_plan_find_looked_up (plan, naming);
  plan->needs_path = must_keep_path (&plan->elf, naming);
  uintptr_t start;
  /* After the last block of the address space, the address overflows to 0.  */
  for (uintptr_t from = 0; hugetext_next_block (object, &geo, from, &start)
                           && start < UINTPTR_MAX - geo.block;
       from = start + geo.block)
    {
      plan->blocks
          = allocate_more (plan->blocks, plan->nblocks, sizeof *plan->blocks);
      const struct hugetext_block block
          = hugetext_block_judge (object, &geo, plan->threshold, start);
      plan->blocks[plan->nblocks++] = (struct plan_block){
        .start = start,
        .text = block.text,
        .heat = hugetext_block_heat (object, &geo, &plan->heat.heat, start),
        .verdict = block.verdict,
        .name = start == name.header || start == looked_up,
        .spare = start == name.text,
        .congruent = block.congruent,
        .offset = block.offset
      };
    }
}

/* The range of addresses that the blocks of an object may use.  */
enum range
{
  RANGE_OBJECT,   /* From the beginning of the object's first segment to the
                     end of its last segment.  */
  RANGE_RESERVED, /* Like RANGE_OBJECT, but the range includes the addresses
                     before and after the object that are reserved for it.  */
  RANGE_BELOW,    /* From the lowest possible address to the end of the
                     object's last segment: the addresses below the object may
                     be free.  */
};

/* Set the range of addresses for the blocks of PLAN's object.  */
static void
object_plan_set_range (struct plan *plan, enum range range)
{
  struct hugetext_object *object = &plan->elf.object;
  object->low = object->segment[0].start + object->bias;
  object->high = object->segment[object->nsegments - 1].end + object->bias;
  if (range == RANGE_RESERVED)
    {
      object->low -= plan->placement.before;
      object->high += plan->placement.after;
    }
  else if (range == RANGE_BELOW)
    object->low = elfobject_geometry ().block;
}

/* Make the plan for ELF with SETTINGS and HEAT.  CHOICE is the backing in
   SETTINGS.  The policy calls ASK to find out whether a fact is true.  */
static void
object_plan_make_plan (struct plan *plan, const struct elf_object *elf,
                       const struct settings *settings,
                       enum hugetext_choice choice,
                       const struct plan_heat *heat, hugetext_ask *ask)
{
  struct question question;
  *plan = (struct plan){ .elf = *elf,
                         .threshold = threshold_of (settings),
                         .place = PLACE_FIXED };
  if (heat != NULL)
    plan->heat = *heat;
  object_plan_prepare_question (&question, elf, settings, choice, heat);
  question.site.ask = ask;
  if (!elf->fixed
      && hugetext_place (&question.site, &question.room, &plan->placement))
    {
      plan->place = PLACE_BEST;
      hugetext_choose (&question.site, &plan->placement);
      plan->elf.object.bias
          = (SOMEWHERE & -plan->placement.modulus) + plan->placement.residue;
    }
  else if (!elf->fixed)
    {
      plan->place = PLACE_ANY;
      plan->elf.object.bias = SOMEWHERE;
    }
  object_plan_set_range (plan, plan->place == PLACE_BEST ? RANGE_RESERVED
                                                         : RANGE_BELOW);
  add_blocks (plan, settings, choice);
}

void
plan_make (struct plan *plan, const struct elf_object *elf,
           const struct settings *settings, const struct plan_heat *heat)
{
  object_plan_make_plan (plan, elf, settings, choice_of (settings), heat,
                         object_plan_answer_question);
}

void
plan_make_primed (struct plan *plan, const struct elf_object *elf,
                  const struct settings *settings)
{
  object_plan_make_plan (plan, elf, settings, HUGETEXT_AUTO, NULL,
                         answer_primed);
}

/* Return how many bytes of ELF's text the loader would make huge with
   SETTINGS.  */
static size_t
count_taken (const struct elf_object *elf, const struct settings *settings)
{
  struct plan plan;
  size_t taken = 0;
  plan_make (&plan, elf, settings, NULL);
  for (size_t i = 0; i < plan.nblocks; ++i)
    taken
        += (plan.blocks[i].verdict == HUGETEXT_TAKE ? plan.blocks[i].text : 0);
  plan_free (&plan);
  return taken;
}

size_t
plan_pad (const struct elf_object *elf, const struct settings *settings,
          size_t most)
{
  struct settings changed = *settings;
  const size_t before = count_taken (elf, settings);
  changed.given[SETTING_PAD] = true;
  for (size_t pad = most; pad > 0; pad /= 2)
    {
      changed.value[SETTING_PAD] = pad;
      if (count_taken (elf, &changed) > before)
        return pad;
    }
  return 0;
}

/* A huge page in the page cache cannot extend beyond the last page of the
   file.  */
bool
plan_fits_file (const struct plan_block *block, uint64_t size)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  const uint64_t end = (size + geo.page - 1) & -(uint64_t) geo.page;
  return block->congruent && block->offset + geo.block <= end;
}

bool
plan_gains_by_file (const struct elf_object *elf, uint64_t size,
                    const struct settings *settings)
{
  struct plan plan;
  bool gains = false;
  plan_make_primed (&plan, elf, settings);
  for (size_t i = 0; i < plan.nblocks; ++i)
    gains |= (plan.blocks[i].verdict == HUGETEXT_TAKE
              && plan_fits_file (&plan.blocks[i], size));
  plan_free (&plan);
  return gains;
}

/* Return true if PLAN's object is at an address that its placement allows.  */
static bool
is_at_placement (const struct plan *plan)
{
  return (plan->elf.object.bias & (plan->placement.modulus - 1))
         == plan->placement.residue;
}

/* Return true if the loader, with SETTINGS, has chosen the address of PLAN's
   object, for any reason.  Set the placement of the object in PLAN.  */
static bool
is_placed (struct plan *plan, const struct settings *settings)
{
  struct question question;
  if (plan->elf.fixed)
    return false;
  object_plan_prepare_question (&question, &plan->elf, settings,
                                choice_of (settings), &plan->heat);
  if (hugetext_place (&question.site, &question.room, &plan->placement))
    {
      if (is_at_placement (plan))
        return true;
      hugetext_choose (&question.site, &plan->placement);
      if (is_at_placement (plan))
        return true;
      question.object = plan->elf.object;
    }
  return (hugetext_place_congruent (&question.site, &plan->placement)
          && is_at_placement (plan));
}

void
plan_found (struct plan *plan, const struct elf_object *elf,
            const struct settings *settings, uintptr_t bias, bool slack,
            const struct plan_heat *heat)
{
  *plan = (struct plan){ .elf = *elf,
                         .place = PLACE_FOUND,
                         .threshold = threshold_of (settings) };
  plan->elf.object.bias = bias;
  if (heat != NULL)
    plan->heat = *heat;
  plan->placed = slack && is_placed (plan, settings);
  object_plan_set_range (plan, !slack         ? RANGE_OBJECT
                               : plan->placed ? RANGE_RESERVED
                                              : RANGE_BELOW);
  add_blocks (plan, settings, choice_of (settings));
}

void
plan_static (struct plan *plan, const struct elf_object *elf,
             const struct settings *settings, bool aligned,
             const struct plan_heat *heat)
{
  if (elf->fixed || !aligned)
    plan_make (plan, elf, settings, heat);
  else
    plan_found (plan, elf, settings, SOMEWHERE, true, heat);
}

void
plan_free (struct plan *plan)
{
  free (plan->blocks);
  plan->blocks = NULL;
  plan->nblocks = 0;
}

/* Return the facts about BLOCK that the policy's ranking of blocks needs.  */
static struct hugetext_candidate
object_plan_get_candidate (const struct plan_block *block)
{
  return (struct hugetext_candidate){ .text = block->text,
                                      .heat = block->heat,
                                      .free = block->free };
}

void
plan_cut (struct plan plans[], size_t count, size_t cap)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  struct hugetext_ranking ranking = { 0 };
  hugetext_ranking_init (&ranking);
  for (size_t i = 0; i < count; ++i)
    {
      hugetext_ranking_next_object (&ranking);
      for (size_t k = 0; k < plans[i].nblocks; ++k)
        {
          const struct hugetext_candidate candidate
              = object_plan_get_candidate (&plans[i].blocks[k]);
          if (plans[i].blocks[k].verdict == HUGETEXT_TAKE)
            hugetext_ranking_add (&ranking, &geo, &candidate);
        }
    }
  hugetext_ranking_cut (&ranking, cap);
  for (size_t i = 0; i < count; ++i)
    {
      hugetext_ranking_next_object (&ranking);
      for (size_t k = 0; k < plans[i].nblocks; ++k)
        {
          struct plan_block *block = &plans[i].blocks[k];
          const struct hugetext_candidate candidate
              = object_plan_get_candidate (block);
          if (block->verdict == HUGETEXT_TAKE)
            block->verdict
                = hugetext_ranking_take (&ranking, &geo, &candidate);
        }
    }
}

bool
plan_check_name (const struct settings *settings, const char *name,
                 struct problem *problem)
{
  if ((settings->advice.given & 1u << HUGETEXT_KEY_OBJECTS) == 0
      || hugetext_objects_allow (settings->advice.objects, name))
    return true;
  return problem_set (problem, "objects = %.60s (%s) excludes the object",
                      settings->advice.objects,
                      settings_source (settings, HUGETEXT_KEY_OBJECTS));
}
