/* The command hugetext: which of its commands is meant.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "command.h"
#include "options.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

static const struct
{
  const char *name;
  int (*function) (int argc, char **argv);
} commands[] = {
  { "run", command_run },
  { "attach", command_attach },
  { "status", command_status },
  { "explain", command_explain },
  { "doctor", command_doctor },
  { "index", command_index },
  { "enable", command_enable },
  { "disable", command_disable },
  { "list", command_list },
  { "store", command_store },
  { "guard", command_guard }, /* Not for people: systemd runs it.  */
  { "prime", command_prime },
  { "profile", command_profile },
  { "measure", command_measure },
  { "survey", command_survey },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  (void)arg;
  char ***words = state->input;
  switch (key)
    {
    case ARGP_KEY_ARGS:
      *words = state->argv + state->next;
      state->next = state->argc;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .parser = parse_option,
  .args_doc = "COMMAND [OPTION...] [ARG...]",
  .doc
  = "Program text on huge pages, by ld-hugetext.so.\v"
    "Commands, each with a --help of its own:\n"
    "  run PROGRAM [ARG...]    run PROGRAM and its children on huge text\n"
    "  survey                  which of the programs that run would gain\n"
    "  attach PID|NAME...      put text of processes that run on huge pages\n"
    "  status [PID|NAME...]    what text is on huge pages, and what is"
    " not\n"
    "  explain FILE...|PID...  what the loader does with these, and why\n"
    "  doctor [PROGRAM...]     what this machine and PROGRAM lack for it\n"
    "  index                   compile the settings of programs for the"
    " loader\n"
    "  enable SERVICE|PROGRAM  have it start on huge text from now on\n"
    "  disable SERVICE|PROGRAM have it start as before\n"
    "  list                    what is enabled, and what has come of it\n"
    "  prime FILE...           have files cached in huge pages\n"
    "  store                   keep images of text that processes share\n"
    "  profile COMMAND|-p PID  find out where its text is hot\n"
    "  measure COMMAND         find out whether huge text makes it faster",
};

int
main (int argc, char **argv)
{
  static char name[] = "hugetext";
  char **words = NULL;
  argv[0] = name;
  output_watch ();
  options_parse (&argp, argc, argv, STATUS_USAGE, &words);
  if (words == NULL || words[0] == NULL)
    usage_fail (STATUS_USAGE,
                "which command? run, attach, status, explain, doctor, index,"
                " enable, disable, list, prime, store, profile, measure or"
                " survey; --help says more");
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
    if (strcmp (words[0], commands[i].name) == 0)
      {
        char own_name[64];
        snprintf (own_name, sizeof own_name, "%s %s", name, words[0]);
        words[0] = own_name;
        return commands[i].function (argc - (words - argv), words);
      }
  usage_fail (STATUS_USAGE,
              "%s is no command; there are run, attach, status, explain, doctor,"
              " index, enable, disable, list, prime, store, profile, measure"
              " and survey",
              words[0]);
}
