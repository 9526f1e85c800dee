/* The output of "hugetext explain".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/explain.h"
#include "host/procmaps.h"
#include "text/json.h"
#include "text/report.h"
#include "util/terminal.h"

#include <stdlib.h>
#include <string.h>

void
explained_free (struct explained *explained)
{
  free (explained->blocks);
  free (explained->file_remedy);
  if (explained->in_process)
    free ((char *) explained->name);
}

/* Return ADDRESS, which may be negative, as text in BUFFER.  */
static const char *
address_text (intptr_t address, char buffer[static 24])
{
  if (address < 0)
    snprintf (buffer, 24, "-0x%zx", (size_t) -address);
  else
    snprintf (buffer, 24, "0x%zx", (size_t) address);
  return buffer;
}

/* Whether B follows A and has the same explanation.  */
static bool
continues (const struct explained_block *a, const struct explained_block *b)
{
  return (b->address == a->address + (intptr_t) procmaps_block ()
          && a->heat == b->heat
          && (a->heat == 0 || a->heat == HUGETEXT_HEAT_UNKNOWN)
          && a->backing == b->backing && strcmp (a->reason, b->reason) == 0
          && strcmp (a->remedy, b->remedy) == 0);
}

/* Return the words for BLOCK's heat, in BUFFER.  */
static const char *
heat_words (const struct explained_block *block, char buffer[static 48])
{
  buffer[0] = '\0';
  if (block->heat == 0)
    strcpy (buffer, "cold; ");
  else if (block->heat != HUGETEXT_HEAT_UNKNOWN)
    {
      int n = snprintf (buffer, 48, "heat %.2f %%; ", block->heat / 655.35);
      if (block->rank > 0)
        snprintf (buffer + n - 2, 48 - n, ", rank %u; ", block->rank);
    }
  return buffer;
}

/* Columns before a continued line.  */
#define HANG 6

/* Print a line for the N blocks from BLOCK, which have the same
   explanation.  */
static void
print_blocks (FILE *stream, const struct explained_block *block, size_t n)
{
  const char *state = (block->backing != 0                    ? "huge"
                       : strcmp (block->verdict, "made") == 0 ? "made"
                                                              : "small");
  char start[24], end[24], heat[48];
  size_t text = 0;
  for (size_t i = 0; i < n; ++i)
    text += block[i].text;
  bool change = block->remedy[0] != '\0';
  bool split = change && terminal_columns () > 0;
  char size[24] = "-";
  if (text > 0)
    snprintf (size, sizeof size, "%zu", text / 1024);
  terminal_say (stream, HANG, "  %14s-%-14s %8s KiB  %-5s  %s%s%s%s",
                address_text (block->address, start),
                address_text (block->address + n * procmaps_block (), end),
                size, state, heat_words (block, heat), block->reason,
                change && !split ? ". Change: " : "",
                split ? "" : block->remedy);
  /* Do not break the remedy, since it may have a command in it.  */
  if (split)
    fprintf (stream, "      Change: %s\n", block->remedy);
}

/* Return the bytes that the copies of EXPLAINED, a file, would take.  */
static size_t
copies_of (const struct explained *explained)
{
  size_t n = 0;
  for (size_t i = 0; i < explained->nblocks; ++i)
    n += (explained->blocks[i].backing
          & (BACKING_THP | BACKING_MEMFD | BACKING_HUGETLB))
         != 0;
  return n * procmaps_block ();
}

void
explain_print (FILE *stream, const struct explained *explained)
{
  size_t text = 0, huge = 0, blocks = 0;
  terminal_say (stream, HANG, "%s: %s", explained->name,
                explained->kind[0] != '\0' ? explained->kind
                                           : explained->problem);
  if (explained->settings != NULL)
    settings_show (stream, explained->settings);
  if (explained->kind[0] != '\0' && explained->problem[0] != '\0')
    terminal_say (stream, HANG, "  left alone: %s", explained->problem);
  if (explained->late)
    terminal_say (stream, HANG, "  opened by the program when it runs");
  if (explained->profile[0] != '\0')
    terminal_say (stream, HANG, "  profile: %s", explained->profile);
  if (explained->no_image[0] != '\0')
    terminal_say (stream, HANG, "  not of the store: %s", explained->no_image);
  if (explained->file[0] != '\0')
    terminal_say (stream, HANG, "  the file's own huge pages: %s",
                  explained->file);
  if (explained->file_remedy != NULL)
    /* Print the commands on one line, so that a user can copy it from a
       terminal.  */
    fprintf (stream, "  for more of them: %s\n", explained->file_remedy);
  if (!explained->in_process && explained->left != NULL)
    terminal_say (stream, HANG,
                  "  where that is differs from start to start, and which"
                  " blocks are huge:");
  for (size_t i = 0, n; i < explained->nblocks; i += n)
    {
      for (n = 1; i + n < explained->nblocks
                  && continues (&explained->blocks[i + n - 1],
                                &explained->blocks[i + n]);
           n++)
        ;
      print_blocks (stream, &explained->blocks[i], n);
    }
  for (size_t i = 0; i < explained->nblocks; ++i)
    {
      text += explained->blocks[i].text;
      if (explained->blocks[i].backing != 0)
        {
          huge += explained->blocks[i].text;
          ++blocks;
        }
    }
  if (explained->nblocks > 1 && !explained->in_core)
    fprintf (stream, "  %zu of %zu KiB in %zu huge pages\n", huge / 1024,
             text / 1024, blocks);
  report_cost (stream, "  ", &explained->cost);
  if (!explained->in_process && copies_of (explained) > 0)
    fprintf (stream, "  copies: %.1f MiB of memory for each process\n",
             copies_of (explained) / 1048576.0);
}

/* Add the kernel's account of BLOCK to JSON.  */
static void
add_kernel (struct json_object *json, const struct explained_block *block,
            bool in_process)
{
  char buffer[40];
  if (in_process)
    {
      json_set_number (json, "huge_bytes", block->huge);
      json_set_number (json, "small_bytes", block->small);
    }
  json_set_true_false (json, "huge", block->backing != 0);
  json_set_string (json, "backing",
                   block->backing != 0 ? backing_names (block->backing, buffer)
                                       : NULL);
}

static struct json_object *
one_block (const struct explained_block *block,
           const struct explained *explained)
{
  char buffer[24];
  struct json_object *json = json_object_new_object ();
  json_set_string (json, "address", address_text (block->address, buffer));
  if (block->text > 0 || !explained->in_core)
    json_set_number (json, "text_bytes", block->text);
  if (explained->in_core)
    json_set_true_false (json, "made", block->made);
  else
    add_kernel (json, block, explained->in_process);
  if (block->heat != HUGETEXT_HEAT_UNKNOWN)
    json_object_object_add (json, "heat",
                            json_object_new_double (block->heat / 65535.0));
  if (block->rank > 0)
    json_set_number (json, "rank", block->rank);
  json_set_string (json, "verdict", block->verdict);
  json_set_string (json, "reason", block->reason);
  json_set_string (json, "remedy",
                   block->remedy[0] != '\0' ? block->remedy : NULL);
  return json;
}

struct json_object *
explain_json (const struct explained *explained)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *blocks = json_object_new_array ();
  json_set_string (json, "name", explained->name);
  if (explained->settings != NULL)
    json_object_object_add (json, "settings",
                            json_settings (explained->settings));
  json_set_string (json, "what",
                   explained->kind[0] != '\0' ? explained->kind : NULL);
  json_set_string (json, "problem",
                   explained->problem[0] != '\0' ? explained->problem : NULL);
  json_set_string (json, "profile",
                   explained->profile[0] != '\0' ? explained->profile : NULL);
  json_set_string (json, "not_stored",
                   explained->no_image[0] != '\0' ? explained->no_image
                                                  : NULL);
  if (explained->in_core)
    json_set_address (json, "bias", explained->bias);
  else if (explained->in_process)
    {
      json_set_address (json, "bias", explained->bias);
      json_object_object_add (json, "memory", json_cost (&explained->cost));
    }
  else
    {
      json_set_number (json, "copies_bytes", copies_of (explained));
      json_set_string (json, "file",
                       explained->file[0] != '\0' ? explained->file : NULL);
      json_set_string (json, "file_remedy", explained->file_remedy);
      json_set_true_false (json, "opened_late", explained->late);
      json_set_string (json, "left", explained->left);
    }
  for (size_t i = 0; i < explained->nblocks; ++i)
    json_object_array_add (blocks,
                           one_block (&explained->blocks[i], explained));
  json_object_object_add (json, "blocks", blocks);
  return json;
}
