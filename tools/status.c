/* "hugetext status": how much of the text of processes is on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "command.h"
#include "cost.h"
#include "inspect.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "profiled.h"
#include "report.h"
#include "store-state.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Processes in the table of the machine, without --all: a screen.  */
#define TABLE_LENGTH 20

struct options
{
  bool all, json;
  unsigned int flags; /* Of inspect.  */
  double interval;    /* Seconds, 0: look once.  */
  char **names;       /* PIDs and names, or none.  */
};

enum
{
  KEY_ALL = 0x100,
  KEY_NO_SCAN,
  KEY_WATCH,
};

static const struct argp_option option_list[] = {
  { "all", KEY_ALL, NULL, 0,
    "List every process, not only the 20 with most text on small pages", 0 },
  { "watch", KEY_WATCH, "SECONDS", OPTION_ARG_OPTIONAL,
    "Look again every SECONDS (2)", 0 },
  { "no-pagemap-scan", KEY_NO_SCAN, NULL, OPTION_HIDDEN, NULL, 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &options_json, 0, NULL, 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  char *end;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->json;
      return 0;
    case KEY_ALL:
      options->all = true;
      return 0;
    case KEY_NO_SCAN:
      options->flags = OBJTEXT_NO_SCAN;
      return 0;
    case KEY_WATCH:
      options->interval = arg != NULL ? strtod (arg, &end) : 2;
      if (arg != NULL
          && (end == arg || *end != '\0' || !(options->interval >= 0.1)
              || options->interval > 86400))
        options_fail ("--watch=%s: must be a number of seconds, 0.1 or more",
                      arg);
      return 0;
    case ARGP_KEY_ARGS:
      options->names = options_words (state, "processes");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "[PID|NAME...]",
  .doc = "Print how much text of processes is on huge pages, as the kernel has"
         " it: object by object for those named, else a table of the machine's"
         " processes, most text on small pages first. Any loader will do."
         "\vOf text in use, share is how much is on huge pages; what has not"
         " been touched is on neither kind. The exit status is 0, 1 if a"
         " process, named or of the machine's, could not be read, 2 if an"
         " option is wrong.",
};

/* What comes out, in JSON, and sums.  */
struct output
{
  struct json_object *processes, *problems;
  bool first; /* Nothing has been printed.  */
  struct cost_total total;
};

static void
begin_output (const struct options *options, struct output *output)
{
  *output = (struct output){ .first = true };
  if (options->json)
    {
      output->processes = json_object_new_array ();
      output->problems = json_object_new_array ();
    }
}

/* What all processes shown cost together.  */
static struct json_object *
total_json (const struct cost_total *total)
{
  struct json_object *json = json_cost (&total->sum);
  json_set_number (json, "shared_once_bytes", total->once);
  json_set_number (json, "processes", total->processes);
  return json;
}

/* End with what the processes shown cost together, if they are SEVERAL, and
   with what the store holds.  */
static void
end_output (const struct options *options, struct output *output, bool several)
{
  char path[PATH_MAX];
  struct store store;
  struct store_state state;
  store_path (INDEX_PATH, path);
  store_state_read (&state, &store, path);
  if (options->json)
    {
      struct json_object *all = json_object_new_object ();
      struct json_object *held = json_object_new_object ();
      store_state_json (&state, held);
      json_object_object_add (all, "processes", output->processes);
      json_object_object_add (all, "memory", total_json (&output->total));
      json_object_object_add (all, "store", held);
      json_object_object_add (all, "problems", output->problems);
      json_print (stdout, all, options->interval > 0);
    }
  else
    {
      if (several)
        report_total (stdout, &output->total);
      if (state.images > 0 && !output->first)
        puts (store_state_words (&state));
    }
  store_free (&store);
  cost_free (&output->total);
}

/* Find out what FOUND's text costs, SUM, and add that to OUTPUT.  */
static void
count_cost (struct output *output, const struct inspection *found,
            struct cost *sum)
{
  struct cost *each = calloc (found->objects.count, sizeof *each);
  *sum = (struct cost){ 0 };
  if (each == NULL
      || !cost_read (found->process.pid, &found->objects, each))
    {
      free (each);
      return;
    }
  for (size_t i = 0; i < found->objects.count; i++)
    cost_add (sum, &each[i]);
  cost_count (&output->total, &found->objects, each);
  free (each);
}

/* Add to OUTPUT, if that is JSON, that PROCESS or NAME has PROBLEM.  */
static void
add_problem (const struct options *options, struct output *output,
             const struct process *process, const char *name,
             const char *problem)
{
  if (options->json)
    json_object_array_add (output->problems,
                           json_problem (process, name, problem));
}

/* Say that PROCESS, or what was asked for as NAME, has PROBLEM.  */
static void
say_problem (const struct options *options, struct output *output,
             const struct process *process, const char *name,
             const char *problem)
{
  add_problem (options, output, process, name, problem);
  output_flush ();
  if (process != NULL && process->name[0] != '\0')
    fprintf (stderr, "hugetext status: %d (%s): %s\n", (int)process->pid,
             process->name, problem);
  else
    fprintf (stderr, "hugetext status: %s: %s\n", name, problem);
}

static void
print_setting (void *closure, const char *problem, const char *right)
{
  (void)closure;
  printf ("GLIBC_TUNABLES: %s; must be %s\n", problem, right);
}

/* FOUND, which costs COST, in JSON.  */
static struct json_object *
process_json (const struct inspection *found, const struct cost *cost)
{
  struct json_object *json = json_process (
      &found->process, found->exe, inspect_loader (found), &found->objects);
  struct json_object *settings = json_object_new_array ();
  inspect_settings (found, json_add_setting, settings);
  json_object_object_add (json, "bad_settings", settings);
  struct settings set;
  inspect_read_settings (found, &set);
  json_object_object_add (json, "settings", json_settings (&set));
  json_object_object_add (json, "memory", json_cost (cost));
  json_object_object_add (
      json, "profiles", profiled_json (found->process.pid, &found->objects));
  return json;
}

/* Print all about PID, which was asked for as NAME.  False if that cannot be
   done.  */
static bool
show_process (const struct options *options, struct output *output, pid_t pid,
              const char *name)
{
  struct inspection found;
  struct cost cost;
  const char *problem = inspect (pid, options->flags, &found);
  if (problem != NULL)
    {
      say_problem (options, output, &found.process,
                   found.process.name[0] != '\0' ? found.process.name : name,
                   problem);
      return false;
    }

  count_cost (output, &found, &cost);
  if (options->json)
    json_object_array_add (output->processes, process_json (&found, &cost));
  else
    {
      if (!output->first)
        putchar ('\n');
      output->first = false;
      inspect_heading (stdout, &found);
      inspect_settings (&found, print_setting, NULL);
      struct settings settings;
      inspect_read_settings (&found, &settings);
      settings_show (stdout, &settings);
      report_objects (stdout, &found.objects);
      report_cost (stdout, "", &cost);
      profiled_print (stdout, pid, &found.objects);
    }
  inspect_free (&found);
  return true;
}

/* Show what was named.  COUNT gets how many processes there are.  */
static bool
show_named (const struct options *options, struct output *output,
            size_t *count)
{
  bool good = true;
  *count = 0;
  for (char **name = options->names; *name != NULL; name++)
    {
      pid_t pid = inspect_pid (*name);
      if (pid > 0)
        {
          bool shown = show_process (options, output, pid, *name);
          *count += shown;
          good = good && shown;
          continue;
        }
      pid_t *list;
      ssize_t n = process_list (*name, &list);
      if (n <= 0)
        {
          say_problem (options, output, NULL, *name,
                       n < 0 ? strerror (errno)
                             : "there is no process of that name");
          good = false;
        }
      for (ssize_t i = 0; i < n; i++)
        {
          bool shown = show_process (options, output, list[i], *name);
          *count += shown;
          good = good && shown;
        }
      free (list);
    }
  return good;
}

/* A line of the table of the machine.  */
struct line
{
  struct process process;
  struct text_sums sums;
};

static int
by_small (const void *a, const void *b)
{
  const struct line *x = a, *y = b;
  if (x->sums.small != y->sums.small)
    return x->sums.small < y->sums.small ? 1 : -1;
  return x->process.pid < y->process.pid ? -1 : 1;
}

/* How to say that UNREAD processes could not be read.  */
static const char *
unread_text (size_t unread)
{
  static char text[64];
  snprintf (text, sizeof text, "%zu could not be read%s", unread,
            geteuid () != 0 ? " (try as root)" : "");
  return text;
}

static void
print_table (const struct options *options, const struct line *lines,
             size_t count, size_t unread)
{
  size_t shown = options->all || count < TABLE_LENGTH ? count : TABLE_LENGTH;
  struct text_sums sums = { 0 };
  report_process_heading (stdout);
  for (size_t i = 0; i < count; i++)
    {
      sums.text += lines[i].sums.text;
      sums.huge += lines[i].sums.huge;
      sums.small += lines[i].sums.small;
      if (i < shown)
        {
          char pid[16];
          snprintf (pid, sizeof pid, "%d", (int)lines[i].process.pid);
          report_process (stdout, pid, lines[i].process.name, &lines[i].sums);
        }
    }
  report_process (stdout, "all", "", &sums);
  printf ("%zu processes", count);
  if (shown < count)
    printf ("; %zu with less text on small pages are left out (--all)",
            count - shown);
  if (unread > 0)
    printf ("; %s", unread_text (unread));
  putchar ('\n');
}

/* Show all processes that can be read.  False if there are others.  */
static bool
show_machine (const struct options *options, struct output *output)
{
  pid_t *list;
  ssize_t n = process_list (NULL, &list);
  struct line *lines = n > 0 ? calloc (n, sizeof *lines) : NULL;
  if (lines == NULL)
    {
      say_problem (options, output, NULL, "/proc",
                   n == 0 ? "there are no processes: it is not mounted"
                          : strerror (errno));
      free (list);
      return false;
    }

  size_t count = 0, unread = 0;
  for (ssize_t i = 0; i < n; i++)
    {
      struct inspection found;
      struct cost cost;
      const char *problem = inspect (list[i], options->flags, &found);
      if (problem != NULL)
        {
          unread += found.unread;
          if (found.unread)
            add_problem (options, output, &found.process, found.process.name,
                         problem);
          continue;
        }
      lines[count].process = found.process;
      lines[count].sums = report_sums (&found.objects);
      count++;
      count_cost (output, &found, &cost);
      if (options->json)
        json_object_array_add (output->processes,
                               process_json (&found, &cost));
      inspect_free (&found);
    }
  qsort (lines, count, sizeof *lines, by_small);
  output->first = false;
  if (!options->json)
    print_table (options, lines, count, unread);
  else if (unread > 0)
    fprintf (stderr, "hugetext status: of the machine's processes %s\n",
             unread_text (unread));
  free (lines);
  free (list);
  return unread == 0;
}

/* Look once.  MORE: whether there is anything to look at again.  */
static bool
show (const struct options *options, bool *more)
{
  struct output output;
  /* A machine has several.  */
  size_t count = 2;
  begin_output (options, &output);
  bool good = options->names != NULL ? show_named (options, &output, &count)
                                     : show_machine (options, &output);
  end_output (options, &output, count > 1);
  *more = output_flush () && count > 0;
  return good;
}

int
command_status (int argc, char **argv)
{
  struct options options = { 0 };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);

  bool more, good;
  while (true)
    {
      if (options.interval > 0 && !options.json && isatty (STDOUT_FILENO))
        /* ECMA-48: to the upper left corner, erase the screen.  */
        fputs ("\033[H\033[2J", stdout);
      good = show (&options, &more);
      if (options.interval == 0 || !more)
        break;
      if (!options.json && !isatty (STDOUT_FILENO))
        putchar ('\n');
      double whole = (time_t)options.interval;
      nanosleep (
          &(struct timespec){ .tv_sec = whole,
                              .tv_nsec = (options.interval - whole) * 1e9 },
          NULL);
    }
  return good ? STATUS_OK : STATUS_PARTLY;
}
