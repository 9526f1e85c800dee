/* Reasons why text is on small pages, and remedies, in words.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The words of the reasons are in elf/policy/dl-hugetext-reasons.def.  This
   file replaces the placeholders in the words of the reasons by figures, and
   adds how the user can change a setting, which depends on whether the process
   is in a service, in a container, or started by a shell command.  */

#include "object/reason.h"
#include "dl-hugetext-ways.h"
#include "host/machine.h"
#include "object/elfask.h"
#include "object/plan.h"
#include "util/count.h"
#include "util/patience.h"
#include "util/printable.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The values of the table's column ADDRESS.  */
enum address
{
  ANY_ADDRESS,
  TEXT_AT_ADDRESS,
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
               "the array 'rows' has an element for each hugetext_reason");

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
reason_has_address (enum hugetext_reason reason)
{
  return (reason < HUGETEXT_REASONS && rows[reason].address != ANY_ADDRESS);
}

bool
reason_counts_text (enum hugetext_reason reason)
{
  static const char figure[] = "{text}";
  if (reason >= HUGETEXT_REASONS)
    return false;
  bool counts = strstr (rows[reason].figures, figure) != NULL;
  for (enum where i = 0; i < WHERES; ++i)
    counts |= (rows[reason].remedies.by[i] != NULL
               && strstr (rows[reason].remedies.by[i], figure) != NULL);
  return counts;
}

/* Return the cap of the process that ABOUT describes.  */
static size_t
present_cap (const struct reason_about *about)
{
  return about->cap != 0 ? about->cap : plan_cap (about->settings);
}

/* Return a cap with which all blocks of the process could be huge, both blocks
   of text and blocks of code made at run time.  Count also blocks that the
   loader failed to make huge, because the user may remove the cause of the
   failure.  If the number of huge blocks has no cap, only the cap on copies
   can have kept blocks small, so use the cap on copies.  */
static size_t
needed_cap (const struct reason_about *about)
{
  const size_t cap = present_cap (about);
  const size_t need
      = ((cap < SIZE_MAX ? cap : plan_copies_cap (about->settings))
         + (about->beyond > 0 ? about->beyond : 1));
  const size_t all = about->candidates + about->code;
  return need > all ? need : all;
}

/* Write to STREAM how many pages the hugetlb pool of the machine must have so
   that all blocks of the process can be in it.  If the number of the process's
   blocks is unknown, assume as many as the process may have.  */
static void
print_pool (FILE *stream, const struct reason_about *about)
{
  const size_t block = elfobject_geometry ().block;
  const long pages = machine_pool (block, "nr_hugepages");
  const size_t cap = plan_cap (about->settings);
  const size_t most = cap < SIZE_MAX ? cap : plan_copies_cap (about->settings);
  size_t need = about->candidates > 0 ? about->candidates : most;
  need = need < cap ? need : cap;
  /* Count the huge pages that the process has now as free, because the process
     returns them to the pool when it restarts.  */
  const size_t ready = about->pooled + machine_pool_free (block);
  need = need > ready ? need - ready : 0;
  fprintf (stream, "%zu", (pages > 0 ? (size_t) pages : 0) + need);
}

/* If the cap that needed_cap returns is larger than the default (the number of
   huge pages that the CPU's TLB holds), write the cost of the larger cap to
   STREAM.  */
static void
print_cost (FILE *stream, const struct reason_about *about)
{
  const struct settings none = { 0 };
  const size_t cap = plan_cap (&none);
  const size_t most = cap < SIZE_MAX ? cap : plan_copies_cap (&none);
  if (needed_cap (about) > most)
    fprintf (stream,
             " (more than the %s of %zu, so measure whether this helps)",
             plan_cpu_says () ? "TLB's capacity" : "default", most);
}

/* Write to STREAM the ID of the process that ABOUT describes, or "PID" if the
   ID is not known.  */
static void
print_pid (FILE *stream, const struct reason_about *about)
{
  if (about->pid > 0)
    fprintf (stream, "%d", (int) about->pid);
  else
    fputs ("PID", stream);
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
  else if (IS ("bytes"))
    fprintf (stream, "%s" COUNT_FORMAT, about->several ? "at most " : "",
             COUNT (about->text > 0 ? about->text : 1, "byte"));
  else if (IS ("pages"))
    fprintf (stream, COUNT_FORMAT, COUNT (present_cap (about), "huge page"));
  else if (IS ("all") && present_cap (about) == 1)
    fprintf (stream, "the only huge page is");
  else if (IS ("all"))
    fprintf (stream, "all " COUNT_FORMAT " are",
             COUNT (present_cap (about), "huge page"));
  else if (IS ("backing"))
    fprintf (stream, "%s", about->backing != NULL ? about->backing : "?");
  else if (IS ("cap"))
    fprintf (stream, "%zu", present_cap (about));
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
  else if (IS ("pid"))
    print_pid (stream, about);
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

static reason_asker *asker, *enable_asker, *attach_asker;

void
reason_ask_with (reason_asker *of_files, reason_asker *of_enable,
                 reason_asker *of_attach)
{
  asker = of_files;
  enable_asker = of_enable;
  attach_asker = of_attach;
}

/* Return true if VERB takes a process.  */
static bool
takes_process (enum reason_verb verb)
{
  return verb == REASON_ATTACH || verb == REASON_ADAPT;
}

/* Find out what VERB would do with the service, program or process that ABOUT
   describes.  VERB takes no file.  */
static enum reason_answer
ask_verb (enum reason_verb verb, const struct reason_about *about,
          struct problem *problem)
{
  reason_asker *const ask = takes_process (verb) ? attach_asker : enable_asker;
  return ask != NULL ? ask (verb, about, NULL, problem) : REASON_UNKNOWN;
}

/* Return the result of ask_verb.  If the answer about ABOUT's service, and
   not about its process, is unknown, because systemd did not answer in time,
   assume that the service must not be restarted.  */
static enum reason_answer
ask_safely (enum reason_verb verb, const struct reason_about *about,
            struct problem *problem)
{
  const enum reason_answer answer = ask_verb (verb, about, problem);
  if (answer != REASON_UNKNOWN || about->service == NULL
      || takes_process (verb))
    return answer;
  return verb == REASON_RESTART ? REASON_HAS_LATER : REASON_TAKES_LATER;
}

/* Return true if "hugetext enable" has written the file in which SOURCE
   ("FILE:LINE") is.  The file may be for the service that ABOUT describes, or
   for another service with the same program.  */
static bool
is_of_entry (const char *source, const struct reason_about *about)
{
  for (size_t i = 0; about->entries != NULL && i < about->entries->count; ++i)
    {
      const char *file = about->entries->names[i];
      const size_t length = strlen (file);
      if (strncmp (source, file, length) == 0 && source[length] == ':')
        return true;
    }
  return false;
}

/* Return the source of KEY's value; if KEY has its default, return the source
   of the mode.  Set *OWN to true if "hugetext enable" can change the value,
   otherwise to false.  "hugetext enable" cannot change a value that is set in
   a settings file of the administrator.  */
static const char *
find_source (enum hugetext_key key, const struct reason_about *about,
             bool *own)
{
  const char *source
      = (key < HUGETEXT_VALUES ? settings_source (about->settings, key)
                               : NULL);
  const bool is_default = source == NULL;
  if (is_default)
    source = settings_source (about->settings, HUGETEXT_KEY_MODE);
  *own = (about->where == WHERE_SERVICE && about->service != NULL
          && ((is_default && about->enabled)
              || (source != NULL && is_of_entry (source, about))));
  return source;
}

/* If the list of other services is longer than this number of characters, the
   remedy does not advise "hugetext enable" for all services, because the
   command would not fit into REASON_SIZE.  */
#define OTHERS_MOST (REASON_SIZE / 2)

/* Find out whether a remedy can advise "hugetext enable" with the option
   --SETTING for the service that ABOUT describes, and for the other services
   with the same program.  The option has LENGTH characters without the dashes.
   Return REASON_REFUSES if the list of other services is too long for the
   remedy.  Ask whether the service may be restarted, unless the service is
   enabled: "hugetext enable" is advised only for services that are not
   enabled.  */
static enum reason_answer
ask_setting (const char *setting, size_t length,
             const struct reason_about *about)
{
  struct reason_about this = *about;
  struct problem ignored;
  char words[64];
  if (about->others != NULL && strlen (about->others) > OTHERS_MOST)
    return REASON_REFUSES;
  snprintf (words, sizeof words, "%.*s", (int) length, setting);
  this.setting = words;
  if (!about->enabled)
    return ask_safely (REASON_RESTART, about, &ignored) == REASON_HAS
               ? REASON_TAKES
               : REASON_TAKES_LATER;
  return ask_verb (REASON_ENABLE, &this, &ignored);
}

/* Write to STREAM the command "hugetext enable" with the option --SETTING for
   the service that ABOUT describes.  The option has LENGTH characters without
   the dashes.  The loader has one value of the setting for each program, so
   the command must name all services with the same program, but should restart
   only the service in ABOUT.  ANSWER says what "hugetext enable" would do with
   the service in ABOUT.  */
static void
print_enable_setting (FILE *stream, const char *setting, size_t length,
                      const struct reason_about *about,
                      enum reason_answer answer)
{
  const bool alone = about->others == NULL;
  fprintf (stream, "hugetext enable %s--%.*s %s%s%s",
           alone && answer == REASON_TAKES ? "--restart " : "", (int) length,
           setting, alone ? "" : about->others,
           alone || !about->enabled ? "" : " ",
           about->enabled ? about->service : "");
  if (!alone && answer == REASON_TAKES)
    fprintf (stream, ", then systemctl restart %s", about->service);
}

/* A verb of the command was asked whether it accepts the process.  It answered
   ANSWER, with PROBLEM.  Write to STREAM under which condition the verb
   accepts the process.  */
static void
print_condition (FILE *stream, enum reason_answer answer,
                 const struct problem *problem)
{
  if (answer == REASON_TAKES && problem_is (problem))
    fprintf (stream, " (this fails if %.120s)", problem->text);
}

/* Return true if this command runs in a container, and only a command on the
   host can change the process that ABOUT describes.  */
static bool
is_only_of_host (const struct reason_about *about)
{
  return about->where == WHERE_CONTAINER && about->process == 0;
}

/* Write to STREAM how "hugetext attach" changes a setting of the process that
   ABOUT describes.  SETTING is the text "KEY=VALUE", which has LENGTH
   characters.  */
static void
print_attach_setting (FILE *stream, const char *setting, size_t length,
                      const struct reason_about *about)
{
  struct reason_about this = *about;
  struct problem problem = { 0 };
  char words[64];
  snprintf (words, sizeof words, "%.*s", (int) length, setting);
  this.setting = words;
  const enum reason_answer answer = ask_verb (REASON_ATTACH, &this, &problem);
  if (answer == REASON_REFUSES)
    {
      fprintf (stream,
               "--%s for hugetext attach, which would now fail: %.200s", words,
               problem.text);
      return;
    }
  fprintf (stream, "%shugetext attach --undo ",
           is_only_of_host (about) ? "on the host, run: " : "");
  print_pid (stream, about);
  fprintf (stream, ", then hugetext attach --%s ", words);
  print_pid (stream, about);
  print_condition (stream, answer, &problem);
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
  bool own;
  const char *source = find_source (known, about, &own);
  /* "hugetext attach" cannot use the hugetlb pool.  */
  const bool attach
      = (about->change == REASON_BY_ATTACH
         && (known != HUGETEXT_KEY_BACKING
             || !hugetext_takes_pool (hugetext_choice_of (value, rest))));
  const bool option
      = (attach || about->change == REASON_BY_OPTION
         || about->change == REASON_BY_RUN || about->where == WHERE_COMMAND
         || known >= HUGETEXT_VALUES);
  const enum reason_answer answer
      = own && !option ? ask_setting (setting, length, about) : REASON_REFUSES;
  if (attach)
    print_attach_setting (stream, setting, length, about);
  else if (option)
    fprintf (stream, "--%.*s", (int) length, setting);
  else if (answer != REASON_REFUSES)
    print_enable_setting (stream, setting, length, about, answer);
  else if (about->where == WHERE_SERVICE && source != NULL && source[0] == '/')
    fprintf (stream,
             "%.*s = %.*s in %.*s (then run hugetext index, and restart the "
             "service)",
             (int) key, setting, rest, value, (int) strcspn (source, ":"),
             source);
  else
    fprintf (stream, "%s=%.*s in GLIBC_TUNABLES",
             settings_name ((enum setting) known), rest, value);
}

/* Write TEXT, a text from the table of reasons, to BUFFER, which has
   REASON_SIZE bytes.  Insert the figures first and the settings afterwards,
   because a figure may be part of the value of a setting.  */
static void
object_reason_expand_text (const char *text, const struct reason_about *about,
                           bool settings, char *buffer)
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
  object_reason_expand_text (reason < HUGETEXT_REASONS ? rows[reason].figures
                                                       : "",
                             about, false, figures);
  snprintf (words, REASON_SIZE, "%s%.256s", reason_words (reason), figures);
}

/* For each verb, its command, and a clause that says why the verb has nothing
   to do.  */
static const struct
{
  const char *command, *state;
} verbs[REASON_VERBS] = {
  [REASON_STORE] = { "hugetext store add", "the store has an image of" },
  [REASON_PRIME] = { "hugetext prime", "the page cache has huge pages of" },
  [REASON_ENABLE] = { "hugetext enable --restart {service}", NULL },
  [REASON_ENABLE_ALSO]
  = { "hugetext enable --restart --program={program} {service}", NULL },
  [REASON_ENABLE_PROGRAM] = { "hugetext enable {program}", NULL },
  [REASON_RESTART] = { "systemctl restart {service}", NULL },
  [REASON_DISABLE] = { "hugetext disable --restart {service}", NULL },
  [REASON_ATTACH] = { "hugetext attach", NULL },
  [REASON_ADAPT] = { "hugetext adapt", NULL },
};

const char *
reason_restart (enum reason_answer answer, const char *service,
                char words[static REASON_RESTART_WORDS])
{
  static const char *const forms[] = {
    [REASON_TAKES] = "hugetext enable --restart %.255s",
    [REASON_TAKES_LATER]
    = "hugetext enable %.255s, which has an effect at the next start",
    [REASON_HAS] = "systemctl restart %.255s",
    [REASON_HAS_LATER] = "wait for the next start of %.255s",
  };
  snprintf (words, REASON_RESTART_WORDS, forms[answer], service);
  return words;
}

/* Return true if VERB takes a service or program, and no file.  */
static bool
is_enable (enum reason_verb verb)
{
  return verbs[verb].state == NULL;
}

/* Return the verb whose command is in TEXT, which has LENGTH characters, or
   REASON_VERBS if there is none.  */
static enum reason_verb
object_reason_find_verb (const char *text, size_t length)
{
  enum reason_verb verb = 0;
  while (verb < REASON_VERBS
         && memmem (text, length, verbs[verb].command,
                    strlen (verbs[verb].command))
                == NULL)
    ++verb;
  return verb;
}

/* Return true if SETTINGS let the loader use the result of VERB (an image, or
   cached huge pages).  */
static bool
may_use (enum reason_verb verb, const struct settings *settings)
{
  const enum hugetext_choice choice
      = settings_value (settings, SETTING_BACKING);
  return verb == REASON_STORE ? hugetext_may_use_store (choice)
                              : hugetext_may_use_file (choice);
}

/* Find out what VERB would do with the files that ABOUT describes.  Set *FILE
   to the first file with the best answer, or to NULL if ABOUT contains no
   file.  If VERB refuses all files, PROBLEM says why it refuses the first
   file.  */
static enum reason_answer
ask_of_files (enum reason_verb verb, const struct reason_about *about,
              const struct reason_file **file, struct problem *problem)
{
  enum reason_answer best = REASON_UNKNOWN;
  *file = NULL;
  for (size_t i = 0; asker != NULL && i < about->nfiles; ++i)
    {
      struct problem why;
      const enum reason_answer answer
          = asker (verb, about, &about->files[i], &why);
      if (i == 0 || answer < best)
        {
          best = answer;
          *file = &about->files[i];
          *problem = why;
        }
      if (best == REASON_TAKES)
        break;
    }
  return best;
}

/* The longest path that a remedy contains.  */
#define PATH_SHOWN 160

/* Write TEXT, which has LENGTH characters, to STREAM.  TEXT contains the
   placeholder "FILE".  If the parameter FILE is not NULL, write the path FILE
   instead of the placeholder, unless the path is too long, or a shell would
   change the path.  Write MORE after the path or the placeholder.  */
static void
print_with_file (FILE *stream, const char *text, size_t length,
                 const struct reason_file *file, const char *more)
{
  static const char word[] = "FILE";
  const char *at = memmem (text, length, word, strlen (word));
  const bool shown = (file != NULL && strlen (file->path) <= PATH_SHOWN
                      && is_plain_word (file->path));
  const char *rest = at + strlen (word);
  fprintf (stream, "%.*s%s%s%.*s", (int) (at - text), text,
           shown ? file->path : word, more, (int) (text + length - rest),
           rest);
}

/* Write TEXT, which has LENGTH characters, to STREAM.  Write NEW instead of
   OLD, which is a part of TEXT.  */
static void
print_instead (FILE *stream, const char *text, size_t length, const char *old,
               const char *new)
{
  const char *at = memmem (text, length, old, strlen (old));
  const char *rest = at + strlen (old);
  fprintf (stream, "%.*s%s%.*s", (int) (at - text), text, new,
           (int) (text + length - rest), rest);
}

/* Write TEXT to STREAM.  TEXT has LENGTH characters, and advises VERB, which
   takes a service or program.  Return false, and set PROBLEM, if the command
   would refuse the service or program.  */
static bool
print_answer (FILE *stream, enum reason_verb verb, const char *text,
              size_t length, const struct reason_about *about,
              struct problem *problem)
{
  static const char option[] = "--restart ";
  char words[REASON_RESTART_WORDS];
  const enum reason_answer answer = ask_safely (verb, about, problem);
  const bool has = answer == REASON_HAS || answer == REASON_HAS_LATER;
  if (answer == REASON_REFUSES)
    return false;
  if (has)
    print_instead (stream, text, length, verbs[verb].command,
                   reason_restart (answer, "{service}", words));
  else if (answer == REASON_TAKES_LATER
           && memmem (text, length, option, strlen (option)) != NULL)
    {
      print_instead (stream, text, length, option, "");
      fputs (", which has an effect at the next start", stream);
    }
  else
    fprintf (stream, "%.*s", (int) length, text);
  if (takes_process (verb))
    print_condition (stream, answer, problem);
  return true;
}

/* Write the alternative TEXT to STREAM.  TEXT has LENGTH characters, and
   advises VERB, which takes a service or program.  If a restart alone would
   not switch huge text on, advise to enable the service instead.  Return
   false, and set PROBLEM, if the command would refuse the service or
   program.  */
static bool
print_enable (FILE *stream, enum reason_verb verb, const char *text,
              size_t length, const struct reason_about *about,
              struct problem *problem)
{
  char words[REASON_SIZE] = "";
  if (verb != REASON_RESTART || !about->off)
    return print_answer (stream, verb, text, length, about, problem);
  FILE *inner = fmemopen (words, sizeof words - 1, "w");
  if (inner == NULL)
    return false;
  print_instead (inner, text, length, verbs[REASON_RESTART].command,
                 verbs[REASON_ENABLE].command);
  fclose (inner);
  return print_answer (stream, REASON_ENABLE, words, strlen (words), about,
                       problem);
}

/* Set WORDS to TEXT, which has LENGTH characters.  If TEXT advises to restart
   the service, but hugetext cannot restart the service, write instead a
   sentence that says that hugetext cannot restart the service.  If a restart
   is known not to help, set PROBLEM and return false.  */
static bool
choose_restart (const char *text, size_t length,
                const struct reason_about *about,
                char words[static REASON_SIZE], struct problem *problem)
{
  const char *command = verbs[REASON_RESTART].command;
  bool good = true;
  memset (words, 0, REASON_SIZE);
  FILE *stream = fmemopen (words, REASON_SIZE - 1, "w");
  if (stream == NULL)
    return false;
  if (memmem (text, length, command, strlen (command)) != NULL)
    good = print_enable (stream, REASON_RESTART, text, length, about, problem);
  else
    fprintf (stream, "%.*s", (int) length, text);
  fclose (stream);
  return good;
}

/* Write the alternative TEXT to STREAM.  TEXT has LENGTH characters, and
   advises VERB.  If VERB is known to be useless for all files that ABOUT
   describes, set PROBLEM and return false.  */
static bool
print_verb (FILE *stream, enum reason_verb verb, const char *text,
            size_t length, const struct reason_about *about,
            struct problem *problem)
{
#define SETTING "{backing=auto}"
  const struct reason_file *file;
  char because[REASON_RESTART_WORDS], words[REASON_SIZE];
  const bool used = may_use (verb, about->settings);
  const char *restart = about->where == WHERE_SERVICE && about->service != NULL
                            ? verbs[REASON_RESTART].command
                            : "restart the process";
  const enum reason_answer answer = ask_of_files (verb, about, &file, problem);
  switch (answer)
    {
    case REASON_HAS:
      if (used && !about->running)
        return problem_set (problem, "%s the file already", verbs[verb].state);
      snprintf (because, sizeof because, "%s, because %s FILE",
                used ? restart : SETTING, verbs[verb].state);
      if (!choose_restart (because, strlen (because), about, words, problem))
        return false;
      print_with_file (stream, words, strlen (words), file, "");
      return true;
    case REASON_REFUSES:
      return false;
    default:
      if (!choose_restart (text, length, about, words, problem))
        return false;
      if (answer == REASON_MAPPED)
        fputs ("replace the file with a copy (cp, sync, mv), then ", stream);
      print_with_file (stream, words, strlen (words), file,
                       used ? "" : ", and " SETTING);
      return true;
    }
#undef SETTING
}

/* Return the description of the object FILE, or NULL if it cannot be read.
   Keep the description of the last object, because most successive questions
   are about blocks of one object.  */
static const struct elf_object *
object_reason_read_object (const struct reason_file *file)
{
  static struct elf_object elf;
  static char path[PATH_MAX];
  static bool good;
  struct problem ignored;
  uint64_t size;
  if (strcmp (path, file->path) != 0)
    {
      snprintf (path, sizeof path, "%s", file->path);
      good = path[0] == '/' && patience_begin ();
      if (good)
        {
          good = (elfask_read_path (path, file->device, file->inode, &elf,
                                    &size, &ignored)
                  && elfobject_check (&elf, &ignored));
          patience_end ();
        }
    }
  return good ? &elf : NULL;
}

/* TEXT is an alternative of a remedy.  It advises a value of the setting
   "pad": the number of bytes of text in the block.  With this value, the
   loader may choose another address for the object, at which the block is also
   small.  Therefore look for a value of "pad" with which more of the object's
   text would be huge, and write this value to STREAM.  If no value of "pad"
   makes more text huge, set PROBLEM and return false.  If the object cannot be
   read, write TEXT, which has LENGTH characters.  */
static bool
print_pad (FILE *stream, const char *text, size_t length,
           const struct reason_about *about, struct problem *problem)
{
  const struct elf_object *elf
      = asker != NULL && about->nfiles == 1
                && (about->change == REASON_AT_START
                    || about->change == REASON_BY_RUN)
                && about->where != WHERE_CONTAINER
            ? object_reason_read_object (&about->files[0])
            : NULL;
  const size_t number
      = elf != NULL ? plan_pad (elf, about->settings, about->text) : 0;
  if (elf == NULL)
    fprintf (stream, "%.*s", (int) length, text);
  else if (number > 0)
    fprintf (stream, "{pad=%zu}", number);
  else
    return problem_set (problem, "no value of \"pad\" would make more of the "
                                 "object's text huge");
  return true;
}

/* The two strings that separate alternatives in a remedy.  */
static const char separator[] = "; or ", comma[] = "; or, ";

/* If TEXT begins with a separator between two alternatives, return the
   separator, otherwise NULL.  */
static const char *
find_separator (const char *text)
{
  return (strncmp (text, separator, strlen (separator)) == 0 ? separator
          : strncmp (text, comma, strlen (comma)) == 0       ? comma
                                                             : NULL);
}

/* Return the length of the first alternative of TEXT.  Set *NEXT to the text
   between the first and the second alternative, or to NULL.  */
static size_t
measure_alternative (const char *text, const char **next)
{
  size_t length = 0;
  *next = NULL;
  while (text[length] != '\0'
         && (*next = find_separator (text + length)) == NULL)
    ++length;
  return length;
}

/* Write the alternative TEXT to STREAM.  TEXT has LENGTH characters, and
   advises VERB.  Call this function only for an alternative that stands in
   brackets in the remedy, or whose verb takes no file.  Return false, and set
   PROBLEM, if the alternative does not help.  */
static bool
print_conditional (FILE *stream, enum reason_verb verb, const char *text,
                   size_t length, const struct reason_about *about,
                   struct problem *problem)
{
  if (verb == REASON_VERBS)
    return print_pad (stream, text, length, about, problem);
  if (is_enable (verb))
    return print_enable (stream, verb, text, length, about, problem);
  return print_verb (stream, verb, text, length, about, problem);
}

/* Write the alternative TEXT, which has LENGTH characters, to STREAM, after
   BEFORE.  If the alternative is left out of the remedy, set PROBLEM and
   return false.  */
static bool
print_alternative (FILE *stream, const char *before, const char *text,
                   size_t length, const struct reason_about *about,
                   struct problem *problem)
{
  char words[REASON_SIZE] = "";
  const enum reason_verb verb = object_reason_find_verb (text, length);
  const bool enables = verb < REASON_VERBS && is_enable (verb);
  const size_t mark = text[0] == '[' && text[length - 1] == ']';
  bool good = true;
  if ((enables || mark > 0) && !about->later)
    {
      FILE *inner = fmemopen (words, sizeof words - 1, "w");
      good = inner == NULL
             || print_conditional (inner, verb, text + mark, length - 2 * mark,
                                   about, problem);
      if (inner != NULL)
        fclose (inner);
    }
  else
    snprintf (words, sizeof words, "%.*s", (int) length, text);
  if (good)
    fprintf (stream, "%s%s", before, words);
  return good;
}

/* Return true, and set PROBLEM, if the alternative TEXT, which has LENGTH
   characters, advises names=1 although the settings in force say names=0.
   Whoever has set names=0 has preferred more huge text to names.  */
static bool
is_declined (const char *text, size_t length, const struct reason_about *about,
             struct problem *problem)
{
  static const char setting[] = "names=1";
  if (memmem (text, length, setting, strlen (setting)) == NULL
      || settings_value (about->settings, SETTING_NAMES) != HUGETEXT_NAMES_NO)
    return false;
  const char *source = settings_source (about->settings, HUGETEXT_KEY_NAMES);
  const bool file = source != NULL && source[0] == '/';
  problem_set (problem, "names=0 is set%s%s", file ? " in " : "",
               file ? source : "");
  return true;
}

/* The reasons why alternatives of a remedy are left out.  OF_PROCESS is the
   reason for the alternative that advises VERB, a verb that takes a process.
   DECLINED is the reason for an alternative that is_declined.  OTHER is the
   reason for the last of the other alternatives.  */
struct left_out
{
  enum reason_verb verb;
  struct problem of_process, declined, other;
};

/* Set WORDS to REST, a remedy.  Omit an alternative that does not help if it
   is in brackets, or if its verb takes no file.  Omit also an alternative that
   is_declined.  Add the reason for the omission to LEFT_OUT.  Return false if
   no alternative is left.  */
static bool
object_reason_choose_remedy (const char *rest,
                             const struct reason_about *about,
                             char words[static REASON_SIZE],
                             struct left_out *left_out)
{
  bool any = false;
  memset (words, 0, REASON_SIZE);
  FILE *stream = fmemopen (words, REASON_SIZE - 1, "w");
  if (stream == NULL)
    return false;
  for (const char *next, *before = ""; rest != NULL; before = next)
    {
      struct problem why = { 0 };
      const size_t length = measure_alternative (rest, &next);
      const enum reason_verb verb = object_reason_find_verb (rest, length);
      if (is_declined (rest, length, about, &why))
        left_out->declined = why;
      else if (print_alternative (stream, any ? before : "", rest, length,
                                  about, &why))
        any = true;
      else if (takes_process (verb))
        {
          left_out->verb = verb;
          left_out->of_process = why;
        }
      else
        left_out->other = why;
      rest = next != NULL ? rest + length + strlen (next) : NULL;
    }
  fclose (stream);
  return any;
}

/* WORDS is a remedy, from which the alternatives LEFT_OUT were omitted.  Add
   the reasons to WORDS.  ANY is false if no alternative is left.  If ANY is
   true, add only the reason for the verb that takes a process, because this
   verb would need no restart.  */
static void
say_left_out (bool any, const struct left_out *left_out,
              char words[static REASON_SIZE])
{
  const size_t length = any ? strlen (words) : 0;
  const bool declined = problem_is (&left_out->declined);
  const struct problem *why
      = declined ? &left_out->declined : &left_out->other;
  const bool other = !any && problem_is (why);
  const bool process = problem_is (&left_out->of_process);
  if (!any || process)
    snprintf (words + length, REASON_SIZE - length, "%s%.280s%s%s%s%.200s",
              any        ? ""
              : declined ? "none, because "
                         : "nothing helps here: ",
              other ? why->text : "", process && (any || other) ? "; " : "",
              process ? verbs[left_out->verb].command : "",
              process ? " would fail: " : "", left_out->of_process.text);
}

bool
reason_advise (const char *remedy, const struct reason_about *about,
               char words[static REASON_SIZE])
{
  char chosen[REASON_SIZE], figured[REASON_SIZE];
  struct left_out left_out = { .verb = REASON_VERBS };
  const bool any
      = object_reason_choose_remedy (remedy, about, chosen, &left_out);
  object_reason_expand_text (chosen, about, false, figured);
  object_reason_expand_text (figured, about, true, words);
  say_left_out (any, &left_out, words);
  return any;
}

bool
reason_advise_enable (const char *service, char words[static REASON_SIZE])
{
  static const struct settings none;
  struct reason_about about = reason_about (&none, WHERE_SERVICE);
  about.service = service;
  return reason_advise ("hugetext enable --restart {service}", &about, words);
}

void
reason_remedy (enum hugetext_reason reason, const struct reason_about *about,
               char words[static REASON_SIZE])
{
  const char *remedy = NULL;
  if (reason < HUGETEXT_REASONS)
    remedy = rows[reason].remedies.by[about->where];
  words[0] = '\0';
  if (remedy != NULL)
    reason_advise (remedy, about, words);
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
