/* Advice: whether "hugetext enable" accepts a service or a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The answers come from the functions with which "hugetext enable" itself
   decides, so that it does not refuse what other verbs advise.  A process may
   have chosen the path of the program; unprivileged processes read it.  */

#include "service/parts.h"
#include "host/unprivileged.h"
#include "util/allocate.h"
#include "util/clock.h"

#include <stdlib.h>
#include <string.h>

/* After this many milliseconds of work on all answers together, every further
   answer is REASON_UNKNOWN.  Processes may run any number of programs.  */
#define PATIENCE 5000

/* An answer that this process has already given.  */
struct known
{
  enum reason_verb verb;
  char *service, *program; /* The names in the question; "" if there is
                              none.  */
  enum reason_answer answer;
  struct problem problem;
};

/* Ask about SERVICE, with PROGRAM unless it is "".  */
static enum reason_answer
ask_of_service (const char *service, char *program, struct problem *problem)
{
  char *programs[] = { program };
  struct service_options options = { .words = NULL };
  if (program[0] != '\0')
    options.programs = (struct file_list){ .names = programs, .count = 1 };
  if (!prepare_accepts (&options, service, problem))
    return REASON_REFUSES;
  options.restart = true;
  return prepare_accepts (&options, service, problem) ? REASON_TAKES
                                                      : REASON_TAKES_LATER;
}

/* Ask about the program PROGRAM.  */
static enum reason_answer
ask_of_program (const char *program, struct problem *problem)
{
  const struct service_options options = { .words = NULL };
  return prepare_accepts (&options, program, problem) ? REASON_TAKES
                                                      : REASON_REFUSES;
}

/* Ask what VERB would do with SERVICE or PROGRAM, which are "" if VERB has
   none.  */
static enum reason_answer
ask (enum reason_verb verb, const char *service, char *program,
     struct problem *problem)
{
  static int64_t spent;
  const int64_t begin = clock_milliseconds ();
  const size_t failures = unprivileged_failures ();
  *problem = (struct problem){ 0 };
  if (spent > PATIENCE)
    return REASON_UNKNOWN;
  enum reason_answer answer = verb == REASON_ENABLE_PROGRAM
                                  ? ask_of_program (program, problem)
                                  : ask_of_service (service, program, problem);
  if (answer == REASON_REFUSES
      && (problem->code != PROBLEM_PLAIN
          || unprivileged_failures () != failures))
    answer = REASON_UNKNOWN;
  spent += clock_milliseconds () - begin;
  return answer;
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
  size_t i = 0;
  (void) file;
  if (service == NULL || program == NULL)
    return REASON_UNKNOWN;
  while (i < count
         && (list[i].verb != verb || strcmp (list[i].service, service) != 0
             || strcmp (list[i].program, program) != 0))
    ++i;
  if (i == count)
    {
      struct known known = { .verb = verb,
                             .service = allocate_text (service),
                             .program = allocate_text (program) };
      known.answer = ask (verb, service, known.program, &known.problem);
      list = allocate_more (list, count, sizeof *list);
      list[count++] = known;
    }
  *problem = list[i].problem;
  return list[i].answer;
}
