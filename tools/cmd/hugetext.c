/* The command "hugetext": find the verb, and call its function.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "host/brief.h"
#include "host/inspector.h"
#include "host/process.h"
#include "object/attachable.h"
#include "perfmap/perfmap.h"
#include "run/launch.h"
#include "sample/sample.h"
#include "service/service.h"
#include "store/advice.h"
#include "text/collect.h"
#include "util/options.h"
#include "util/output.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

/* The functions that the inspector runs to answer this program's
   questions.  */
static inspector_work *const inspector_works[INSPECTOR_KINDS] = {
  [INSPECTOR_PROCESS] = process_answer, [INSPECTOR_BRIEF] = brief_answer,
  [INSPECTOR_MAPS] = collect_maps,      [INSPECTOR_TEXT] = collect_text,
  [INSPECTOR_FILE] = sample_answer,     [INSPECTOR_SYMBOLS] = perfmap_answer,
};

/* The verbs of "hugetext", in the order in which --help prints them.  A verb
   with a TASK begins a new group; TASK is the heading of the group.  */
static const struct verb
{
  const char *task; /* The heading, if the verb begins a new group.  TASK is
                       NULL if the verb belongs to the group of the previous
                       verb.  */
  const char *name;
  const char *arguments;
  const char *purpose; /* The verb's purpose in one line, or NULL if users do
                          not run the verb themselves.  */
  int (*function) (int argc, char **argv);
} verbs[] = {
  { "Try", "doctor", "[PROGRAM...]", "check whether text can be on huge pages",
    command_doctor },
  { NULL, "survey", "", "list running programs that would gain speed",
    command_survey },
  { NULL, "run", "PROGRAM [ARG...]",
    "run PROGRAM and its children with huge text", command_run },
  { NULL, "attach", "PID|NAME...",
    "put the text of running processes on huge pages", command_separate },
  { NULL, "adapt", "PID|COMMAND",
    "put the hottest text of a process on huge pages", command_separate },
  { "Enable", "enable", "SERVICE",
    "use huge text at the next and all later starts", command_enable },
  { NULL, "disable", "SERVICE", "undo enable", command_disable },
  { NULL, "list", "", "list enabled services, and how much text is huge",
    command_list },
  { "Inspect", "status", "[PID|NAME...]",
    "print how much text is on huge pages", command_status },
  { NULL, "explain", "FILE...|PID...",
    "print which blocks are huge, and why others are not", command_explain },
  { NULL, "report", "PID|SERVICE",
    "print an HTML page about the text of a process", command_report },
  { NULL, "perf-map", "PID|NAME...",
    "give perf the names of functions in copied text", command_perf_map },
  { "Tune", "store", "", "manage images of text that processes share",
    command_store },
  { NULL, "prime", "FILE|DIR...", "cache files in huge pages", command_prime },
  { NULL, "profile", "COMMAND|-p PID", "find the hot text by sampling",
    command_profile },
  { NULL, "measure", "COMMAND", "compare COMMAND with and without huge text",
    command_measure },
  { NULL, "index", "", "compile the settings files for the loader",
    command_index },
  /* Only systemd runs "hugetext guard", and only a shell's completion runs
     "hugetext complete".  */
  { NULL, "guard", "", NULL, command_guard },
  { NULL, "complete", "", NULL, command_complete },
};

enum
{
  VERBS = sizeof verbs / sizeof verbs[0]
};

/* Return the last part of the help: the verbs, grouped by task.  argp frees
   the result.  */
static char *
describe_verbs (int key, const char *text, void *input)
{
  (void) input;
  if (key != ARGP_KEY_HELP_POST_DOC)
    return (char *) text;
  char *help = NULL;
  size_t size;
  FILE *stream = open_memstream (&help, &size);
  if (stream == NULL)
    return NULL;
  fputs ("Commands; each has its own --help:", stream);
  for (const struct verb *verb = verbs; verb < verbs + VERBS; ++verb)
    {
      if (verb->task != NULL)
        fprintf (stream, "\n\n%s:", verb->task);
      if (verb->purpose != NULL)
        {
          int width = 24 - (int) strlen (verb->name);
          fprintf (stream, "\n  %s %-*s %s", verb->name, width - 1,
                   verb->arguments, verb->purpose);
        }
    }
  return fclose (stream) == 0 ? help : NULL;
}

static const struct command_usage usage = {
  .arguments = "COMMAND [OPTION...] [ARG...]",
  .doc = "Put the text of programs on huge pages, with "
         "ld-hugetext.so.\v(describe_verbs replaces this text by the list of "
         "commands.)",
  .help_filter = describe_verbs,
};

/* Report that WORD is not a valid verb, with the reason WHY.  List all verbs
   of "hugetext", and exit.  */
static void __attribute__ ((noreturn))
fail_without_verb (const char *word, const char *why)
{
  char names[256] = "";
  size_t length = 0;
  for (const struct verb *verb = verbs; verb < verbs + VERBS; ++verb)
    if (verb->purpose != NULL && length < sizeof names)
      length += snprintf (names + length, sizeof names - length, "%s%s",
                          length != 0 ? ", " : "", verb->name);
  options_fail ("%s%s; the commands are %s; --help describes them", word, why,
                names);
}

/* Return the verb NAME, or NULL if there is none.  */
static const struct verb *
hugetext_find_verb (const char *name)
{
  for (const struct verb *verb = verbs; verb < verbs + VERBS; ++verb)
    if (strcmp (name, verb->name) == 0)
      return verb;
  return NULL;
}

/* Call the function of VERB with the COUNT arguments at WORDS, whose first
   word is the verb's name.  */
static int
hugetext_call_verb (const struct verb *verb, int count, char **words)
{
  char own_name[64];
  snprintf (own_name, sizeof own_name, "hugetext %s", verb->name);
  words[0] = own_name;
  return verb->function (count, words);
}

/* People who do not know the options try "hugetext help", "hugetext help VERB"
   and "hugetext version".  For the words "help", "help VERB" and "version",
   print the output of the corresponding option.  For other WORDS, return
   -1.  */
static int
call_by_word (char **words)
{
  static char name[] = "hugetext", help[] = "--help", version[] = "--version";
  const bool is_help = strcmp (words[0], "help") == 0;
  const struct verb *verb
      = is_help && words[1] != NULL ? hugetext_find_verb (words[1]) : NULL;
  if (!is_help && strcmp (words[0], "version") != 0)
    return -1;
  if (words[1] != NULL && verb == NULL)
    return -1;
  char *argv[] = { name, is_help ? help : version, NULL };
  if (verb != NULL)
    return hugetext_call_verb (verb, 2, argv);
  options_parse (&usage, 2, argv, STATUS_USAGE, &words);
  return STATUS_OK;
}

int
main (int argc, char **argv)
{
  static char name[] = "hugetext";
  char **words = NULL;
  argv[0] = name;
  inspector_begin (inspector_works);
  reason_ask_with (advice_ask, service_advise, attachable_ask);
  output_watch ();
  launch_keep_children ();
  options_parse (&usage, argc, argv, STATUS_USAGE, &words);
  if (words == NULL || words[0] == NULL)
    fail_without_verb ("", "no command was given to hugetext");
  const struct verb *verb = hugetext_find_verb (words[0]);
  if (verb != NULL)
    return hugetext_call_verb (verb, argc - (words - argv), words);
  const int status = call_by_word (words);
  if (status >= 0)
    return status;
  if (strcmp (words[0], "help") == 0 && words[1] != NULL)
    ++words;
  fail_without_verb (words[0], " is no command");
}
