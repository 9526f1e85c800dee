/* Reasons why text is on small pages, and remedies, in words.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The words of the reasons are in elf/policy/dl-hugetext-reasons.def.  This
   file inserts figures into them, and adds how a setting can be changed, which
   depends on the kind of user.  */

#include "object/reason.h"
#include "host/machine.h"
#include "object/plan.h"

#include <stdio.h>
#include <string.h>

/* The values of the table's column ADDRESS.  */
enum address
{
  ANY_ADDRESS,
  THIS_ADDRESS
};

static const struct row
{
  const char *code;
  enum address address;
  const char *text, *figures;
  struct remedies remedies;
} rows[] = {
#define HUGETEXT_VERDICT(id, code, address, text, figures, remedy, manual) \
  [HUGETEXT_##id] = { code, address, text, figures, REMEDIES_##remedy },
#define HUGETEXT_OUTCOME HUGETEXT_VERDICT
#define HUGETEXT_NO_REASON HUGETEXT_VERDICT
#define HUGETEXT_FINDING(id, code, address, text, figures, remedy, manual) \
  [REASON_##id] = { code, address, text, figures, REMEDIES_##remedy },
#include "dl-hugetext-reasons.def"
};

_Static_assert(sizeof rows / sizeof rows[0] == HUGETEXT_REASONS,
               "each reason has a row");

struct reason_about
reason_about (const struct settings *settings, enum where where)
{
  return (struct reason_about){ .settings = settings, .where = where };
}

const char *
reason_code (enum hugetext_reason reason)
{
  return reason < HUGETEXT_REASONS ? rows[reason].code : "unknown";
}

const char *
reason_words (enum hugetext_reason reason)
{
  return reason < HUGETEXT_REASONS ? rows[reason].text : "";
}

bool
reason_set (struct problem *problem, enum hugetext_reason reason)
{
  return problem_set (problem, "%s", reason_words (reason));
}

bool
reason_is_of_address (enum hugetext_reason reason)
{
  return (reason < HUGETEXT_REASONS && rows[reason].address == THIS_ADDRESS);
}

bool
reason_counts_text (enum hugetext_reason reason)
{
  return (reason < HUGETEXT_REASONS
          && strstr (rows[reason].figures, "{text}") != NULL);
}

/* Return a cap with which all blocks of the process could be huge.  Also count
   blocks that the loader failed to make huge, because the user may remove the
   reason.  If the CPU's TLB sets no cap, it is the cap for copies that has
   left blocks small.  */
static size_t
needed_cap (const struct reason_about *about)
{
  const size_t cap = plan_cap (about->settings);
  const size_t need
      = ((cap < SIZE_MAX ? cap : plan_copies_cap (about->settings))
         + (about->beyond > 0 ? about->beyond : 1));
  return need > about->candidates ? need : about->candidates;
}

/* Write to STREAM how many pages the hugetlb pool of the machine must have so
   that all blocks of the process can be in it.  If the number of these blocks
   is unknown, write "N".  */
static void
print_pool (FILE *stream, const struct reason_about *about)
{
  const size_t block = elfobject_geometry ().block;
  const long pages = machine_pool (block, "nr_hugepages");
  const size_t cap = plan_cap (about->settings);
  size_t need = about->candidates < cap ? about->candidates : cap;
  if (need == 0)
    {
      fputc ('N', stream);
      return;
    }
  /* When the process starts again, it has given back its pages.  */
  const size_t ready = about->pooled + machine_pool_free (block);
  need = need > ready ? need - ready : 0;
  fprintf (stream, "%zu", (pages > 0 ? (size_t) pages : 0) + need);
}

/* If the cap that needed_cap returns is larger than the default, which is what
   the CPU's TLB holds, write to STREAM what this costs.  */
static void
print_cost (FILE *stream, const struct reason_about *about)
{
  const struct settings none = { 0 };
  const size_t cap = plan_cap (&none);
  const size_t most = cap < SIZE_MAX ? cap : plan_copies_cap (&none);
  if (needed_cap (about) > most)
    fprintf (stream, " (more than the %zu %s, so measure whether they help)",
             most,
             plan_cpu_says () ? "that the CPU's TLB holds" : "of the default");
}

/* Write to STREAM the figure with the name NAME, which has LENGTH characters.
   Return false if no figure has this name.  */
static bool
print_figure (FILE *stream, const char *name, size_t length,
              const struct reason_about *about)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
#define IS(word) (length == strlen (word) && memcmp (name, word, length) == 0)
  if (IS ("text"))
    fprintf (stream, "%zu", about->text > 0 ? about->text : 1);
  else if (IS ("backing"))
    fprintf (stream, "%s", about->backing != NULL ? about->backing : "?");
  else if (IS ("cap"))
    fprintf (stream, "%zu", plan_cap (about->settings));
  else if (IS ("need"))
    fprintf (stream, "%zu", needed_cap (about));
  else if (IS ("cost"))
    print_cost (stream, about);
  else if (IS ("pool"))
    print_pool (stream, about);
  else if (IS ("service"))
    fprintf (stream, "%s",
             about->service != NULL ? about->service : "SERVICE");
  else if (IS ("program"))
    fprintf (stream, "%s",
             about->program != NULL ? about->program : "PROGRAM");
  else if (IS ("source"))
    fprintf (stream, "%s", about->source != NULL ? about->source : "?");
  else if (IS ("block"))
    fprintf (stream, "0x%zx", (size_t) geo.block);
  else if (IS ("small"))
    fprintf (stream, "%zu",
             (size_t) (HUGETEXT_SMALL_PAGES * geo.page) / (1024 * 1024));
  else if (IS ("switch"))
    fprintf (stream, "%s", machine_thp_switch (geo.block));
  else
    return false;
#undef IS
  return true;
}

/* Write to STREAM how to change a setting of the process that ABOUT describes.
   SETTING is the text "KEY=VALUE", which has LENGTH characters.  */
static void
print_setting (FILE *stream, const char *setting, size_t length,
               const struct reason_about *about)
{
  const size_t key = strcspn (setting, "=");
  const char *value = setting + key + 1;
  const int rest = length - key - 1;
  const enum hugetext_key known = settings_find_key (setting, key);
  const char *source = settings_source (about->settings, HUGETEXT_KEY_MODE);
  if (about->change == REASON_BY_ATTACH)
    fprintf (stream,
             "hugetext attach --undo PID, then hugetext attach --%.*s PID",
             (int) length, setting);
  else if (about->change == REASON_BY_OPTION || about->where == WHERE_COMMAND
           || known >= HUGETEXT_VALUES)
    fprintf (stream, "--%.*s", (int) length, setting);
  else if (about->where == WHERE_SERVICE && about->service != NULL
           && (about->enabled || source == NULL))
    fprintf (stream, "hugetext enable --restart --%.*s %s", (int) length,
             setting, about->service);
  else if (about->where == WHERE_SERVICE && source != NULL && source[0] == '/')
    fprintf (
        stream, "%.*s = %.*s in %.*s (then run hugetext index, and restart)",
        (int) key, setting, rest, value, (int) strcspn (source, ":"), source);
  else
    fprintf (stream, "%s=%.*s in GLIBC_TUNABLES",
             settings_name ((enum setting) known), rest, value);
}

/* Write TEXT, a text from the table of reasons, to BUFFER, which has
   REASON_SIZE bytes.  Insert the figures first and the settings afterwards,
   because a figure may be part of the value of a setting.  */
static void
expand (const char *text, const struct reason_about *about, bool settings,
        char *buffer)
{
  memset (buffer, 0, REASON_SIZE);
  FILE *stream = fmemopen (buffer, REASON_SIZE - 1, "w");
  if (stream == NULL)
    return;
  for (size_t length; *text != '\0'; text += length)
    {
      length = strcspn (text + 1, "{}") + 1;
      if (*text != '{' || text[length] != '}')
        length = 1;
      else if (settings)
        print_setting (stream, text + 1, length - 1, about), ++length;
      else if (print_figure (stream, text + 1, length - 1, about))
        ++length;
      else
        length = 1;
      if (length == 1)
        fputc (*text, stream);
    }
  fclose (stream);
}

void
reason_describe (enum hugetext_reason reason, const struct reason_about *about,
                 char words[static REASON_SIZE])
{
  char figures[REASON_SIZE];
  expand (reason < HUGETEXT_REASONS ? rows[reason].figures : "", about, false,
          figures);
  snprintf (words, REASON_SIZE, "%s%.256s", reason_words (reason), figures);
}

void
reason_remedy (enum hugetext_reason reason, const struct reason_about *about,
               char words[static REASON_SIZE])
{
  char figured[REASON_SIZE];
  const char *remedy = NULL;
  if (reason < HUGETEXT_REASONS)
    remedy = rows[reason].remedies.by[about->where];
  expand (remedy != NULL ? remedy : "", about, false, figured);
  expand (figured, about, true, words);
}

bool
reason_problem (struct problem *problem, enum hugetext_reason reason,
                const struct reason_about *about)
{
  char words[REASON_SIZE], remedy[REASON_SIZE];
  reason_describe (reason, about, words);
  reason_remedy (reason, about, remedy);
  return problem_set (problem, "%s%s%s", words, remedy[0] != '\0' ? ": " : "",
                      remedy);
}
