/* Advice: does "hugetext enable" accept a service or a program?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   Before another verb advises "hugetext enable" for a service or program, the
   verb calls service_advise.  service_advise calls the same functions as
   "hugetext enable", so that "hugetext enable" accepts what the other verbs
   advise.  Only unprivileged processes open the program's file, because a user
   may have chosen the path of the program.  */

#include "service/parts.h"
#include "host/unprivileged.h"
#include "util/allocate.h"
#include "util/patience.h"

#include <stdlib.h>
#include <string.h>

/* An answer that this process has already given.  */
struct known
{
  enum reason_verb verb;
  char *service, *others, *program, *setting; /* The names and the setting that
                                                 service_advise was asked
                                                 about.  A member is "" if no
                                                 such name or setting was
                                                 given.  */
  enum reason_answer answer;
  struct problem problem;
};

/* Set SETTINGS to SETTING, a text of the form "KEY=VALUE".  */
static void
set_setting (struct settings *settings, const char *setting)
{
  const size_t length = strcspn (setting, "=");
  const enum hugetext_key key = settings_find_key (setting, length);
  struct problem ignored;
  uint64_t value;
  if (setting[length] == '\0' || key >= HUGETEXT_VALUES
      || !settings_read_line (key, setting + length + 1, &value, &ignored))
    return;
  settings->value[key] = value;
  settings->given[key] = true;
}

/* Return NOW if hugetext may restart UNIT, LATER if hugetext may not restart
   UNIT, and REASON_UNKNOWN if the command cannot find out.  */
static enum reason_answer
service_advise_choose_restart (const struct unit *unit, enum reason_answer now,
                               enum reason_answer later)
{
  struct problem problem;
  if (accept_restart (unit, &problem))
    return now;
  return problem.code == PROBLEM_PLAIN ? later : REASON_UNKNOWN;
}

/* Return true if the service SERVICE is enabled, so that a restart suffices.
   For an enabled service, set *ANSWER to REASON_HAS if hugetext may restart
   the service, to REASON_HAS_LATER if not, and to REASON_UNKNOWN if the
   command cannot find out.  */
static bool
is_restart_enough (const char *service, enum reason_answer *answer)
{
  struct unit unit;
  struct problem ignored;
  if (!unit_read (service, &unit, &ignored))
    return false;
  *answer = accept_how (&unit);
  const bool enough = *answer == REASON_HAS || *answer == REASON_HAS_LATER;
  if (*answer == REASON_HAS_LATER)
    *answer
        = service_advise_choose_restart (&unit, REASON_HAS, REASON_HAS_LATER);
  unit_free (&unit);
  return enough;
}

/* Return the arguments of the command line "hugetext enable SERVICE OTHER...",
   without options, as a list that ends with NULL.  SERVICE is the service of
   QUESTION.  OTHERS is a copy of the member "others" of QUESTION: the other
   services and programs, separated by spaces.  The list points into OTHERS, in
   which the function replaces spaces by null bytes.  The caller frees the
   list.  */
static char **
list_words (const struct known *question, char *others)
{
  char **words = allocate_more (NULL, 0, sizeof *words);
  size_t count = 0;
  words[count++] = question->service;
  for (char *rest = others; *rest != '\0';)
    {
      words = allocate_more (words, count, sizeof *words);
      words[count++] = rest;
      rest += strcspn (rest, " ");
      if (*rest == ' ')
        *rest++ = '\0';
    }
  words = allocate_more (words, count, sizeof *words);
  words[count] = NULL;
  return words;
}

/* Return true if "hugetext enable" accepts all words of OPTIONS but the
   first.  */
static bool
accepts_others (const struct service_options *options, struct problem *problem)
{
  bool good = true;
  for (char **word = options->words + 1; good && *word != NULL; ++word)
    good = prepare_accepts (options, *word, problem);
  return good;
}

/* QUESTION is about a service.  Find out whether "hugetext enable" would
   accept the arguments WORDS (list_words).  */
static enum reason_answer
ask_about_words (const struct known *question, char **words,
                 struct problem *problem)
{
  char *programs[] = { question->program };
  struct service_options options = { .words = words };
  struct enabling it = { .options = &options, .problem = problem };
  enum reason_answer answer = REASON_REFUSES;
  if (question->program[0] != '\0')
    options.programs = (struct file_list){ .names = programs, .count = 1 };
  else if (question->setting[0] == '\0'
           && is_restart_enough (question->service, &answer))
    return answer;
  set_setting (&options.settings, question->setting);
  answer = REASON_REFUSES;
  if (accepts_others (&options, problem)
      && prepare_word (&it, question->service))
    answer = service_advise_choose_restart (&it.unit, REASON_TAKES,
                                            REASON_TAKES_LATER);
  prepare_free (&it);
  return answer;
}

/* Ask QUESTION, which is about a service.  */
static enum reason_answer
ask_of_service (const struct known *question, struct problem *problem)
{
  char *others = allocate_text (question->others);
  char **words = list_words (question, others);
  const enum reason_answer answer = ask_about_words (question, words, problem);
  free (words);
  free (others);
  return answer;
}

/* Find out whether hugetext may restart SERVICE.  VERB is REASON_RESTART or
   REASON_DISABLE.  */
static enum reason_answer
ask_of_restart (enum reason_verb verb, const char *service,
                struct problem *problem)
{
  struct unit unit;
  if (!unit_read (service, &unit, problem))
    return REASON_UNKNOWN;
  const enum reason_answer answer
      = verb == REASON_DISABLE
            ? service_advise_choose_restart (&unit, REASON_TAKES,
                                             REASON_TAKES_LATER)
            : service_advise_choose_restart (&unit, REASON_HAS,
                                             REASON_HAS_LATER);
  unit_free (&unit);
  return answer;
}

/* Find out whether "hugetext enable" would accept the program PROGRAM.  */
static enum reason_answer
ask_of_program (char *program, struct problem *problem)
{
  char *words[] = { program, NULL };
  const struct service_options options = { .words = words };
  return prepare_accepts (&options, program, problem) ? REASON_TAKES
                                                      : REASON_REFUSES;
}

/* Set the member "answer" of QUESTION.  If the time limit for advice has
   passed (util/patience.h), or if an unprivileged process has been killed or
   blocked, the answer is REASON_UNKNOWN, because the missing facts might
   change the answer.  */
static void
service_advise_answer_question (struct known *question)
{
  const size_t failures = unprivileged_failures ();
  struct problem *problem = &question->problem;
  question->answer = REASON_UNKNOWN;
  if (!patience_begin ())
    return;
  question->answer
      = question->verb == REASON_ENABLE_PROGRAM
            ? ask_of_program (question->program, problem)
        : question->verb == REASON_RESTART || question->verb == REASON_DISABLE
            ? ask_of_restart (question->verb, question->service, problem)
            : ask_of_service (question, problem);
  if ((question->answer == REASON_REFUSES && problem->code != PROBLEM_PLAIN)
      || unprivileged_failures () != failures || patience_left () == 0)
    question->answer = REASON_UNKNOWN;
  patience_end ();
}

enum reason_answer
service_advise (enum reason_verb verb, const struct reason_about *about,
                const struct reason_file *file, struct problem *problem)
{
  static struct known *list;
  static size_t count;
  const bool of_program = verb == REASON_ENABLE_PROGRAM;
  const bool names_program = of_program || verb == REASON_ENABLE_ALSO;
  const char *service = of_program ? "" : about->service;
  const char *program = names_program ? about->program : "";
  const char *setting = about->setting != NULL ? about->setting : "";
  const char *others
      = about->setting != NULL && about->others != NULL ? about->others : "";
  size_t i = 0;
  (void) file;
  if (service == NULL || program == NULL)
    return REASON_UNKNOWN;
  while (i < count
         && (list[i].verb != verb || strcmp (list[i].service, service) != 0
             || strcmp (list[i].others, others) != 0
             || strcmp (list[i].program, program) != 0
             || strcmp (list[i].setting, setting) != 0))
    ++i;
  if (i == count)
    {
      struct known known = { .verb = verb,
                             .service = allocate_text (service),
                             .others = allocate_text (others),
                             .program = allocate_text (program),
                             .setting = allocate_text (setting) };
      service_advise_answer_question (&known);
      list = allocate_more (list, count, sizeof *list);
      list[count++] = known;
    }
  *problem = list[i].problem;
  return list[i].answer;
}
