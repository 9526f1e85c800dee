/* The application of changes: one hugetext at a time changes services and
   programs, and tells systemd and the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "index/write.h"
#include "service/parts.h"
#include "text/json.h"
#include "util/exit-status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

bool
service_lock (struct problem *problem)
{
  /* The lock is a file and no folder: a user who can read a folder can lock
     it, and make the command wait.  The file is gone at the next boot.  */
  static const char path[] = "/run/hugetext.lock";
  if (change_is_simulated ())
    return true;
  int fd = open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  return ((fd >= 0 && flock (fd, LOCK_EX) == 0)
          || problem_errno (problem, path));
}

/* Keep the first error LINE in CLOSURE.  */
static void
keep_line (void *closure, bool wrong, const char *line)
{
  struct problem *problem = closure;
  if (wrong && problem->text[0] == '\0')
    problem_set (problem, "%s", line);
}

bool
service_index (struct problem *problem)
{
  struct problem first = { "" };
  if (change_is_simulated ())
    puts ("would run: hugetext index");
  else if (!index_update (CONFIG_PATH, INDEX_PATH, keep_line, &first))
    {
      *problem = first;
      return false;
    }
  return true;
}

bool
apply_units (struct problem *problem)
{
  if (!change_is_simulated ())
    return (!unit_systemd_runs ()
            || problem_take (problem, unit_do ("daemon-reload", NULL)));
  puts ("would run: systemctl daemon-reload");
  return true;
}

/* Whether the unit NAME, which has just been restarted, stays up.  A service
   of Type=simple counts as started before it is executed.  */
static bool
watch (const char *name, struct problem *problem)
{
  for (int i = 0; i < 10; ++i)
    {
      struct unit unit;
      if (!problem_take (problem, unit_read (name, &unit)))
        return false;
      /* A restart by hand sets the count of systemd's own restarts to 0.  */
      bool good = (unit_is_up (&unit) || strcmp (unit.result, "success") == 0)
                  && unit.restarts == 0;
      unit_free (&unit);
      if (!good)
        return problem_set (problem, "it started, and failed at once");
      nanosleep (&(struct timespec){ .tv_nsec = 100 * 1000 * 1000 }, NULL);
    }
  return true;
}

bool
apply_restart (const char *name, struct problem *problem)
{
  if (!change_is_simulated ())
    return (problem_take (problem, unit_do ("restart", name))
            && watch (name, problem));
  printf ("would run: systemctl restart %s\n", name);
  return true;
}

/* The lines of TEXT.  */
static struct json_object *
lines_json (const char *text)
{
  struct json_object *array = json_object_new_array ();
  while (*text != '\0')
    {
      size_t length = strcspn (text, "\n");
      char *line = strndup (text, length);
      json_object_array_add (array, json_string (line));
      free (line);
      text += length + (text[length] == '\n');
    }
  return array;
}

static struct json_object *
report_json (const struct service_report *report, const char *said)
{
  struct json_object *json = json_object_new_object ();
  bool failed = report->problem.text[0] != '\0';
  json_set_string (json, "name", report->name);
  json_set_string (json, "state",
                   failed            ? "failed"
                   : report->changed ? "changed"
                                     : "unchanged");
  json_set_string (json, "restart",
                   report->restarted ? "done"
                   : report->due     ? "due"
                                     : "none");
  json_object_object_add (json, "programs", json_names (&report->programs));
  json_object_object_add (json, "settings", json_names (&report->settings));
  json_object_object_add (json, "messages", lines_json (said));
  json_set_string (json, "problem", failed ? report->problem.text : NULL);
  return json;
}

/* Do ACTION to WORD.  Earlier changes stay.  */
static void
act (service_action *action, const struct service_options *options,
     const char *word, struct service_report *report)
{
  snprintf (report->name, sizeof report->name, "%s", word);
  if (geteuid () != 0 && !change_is_simulated ())
    problem_set (&report->problem, "this takes root; --dry-run does not");
  else
    action (options, word, report);
  report->changed = change_is_done ();
  change_keep ();
}

int
service_each (const char *verb, service_action *action,
              const struct service_options *options, char **words, bool json)
{
  struct json_object *all = json_begin ();
  struct json_object *array = json_object_new_array ();
  struct problem problem;
  FILE *real = stdout;
  int status = STATUS_OK;
  if (geteuid () == 0 && !service_lock (&problem))
    {
      fprintf (stderr, "hugetext %s: %s\n", verb, problem.text);
      return STATUS_PARTLY;
    }
  for (char **word = words; *word != NULL; ++word)
    {
      struct service_report report = { .changed = false };
      char *said = NULL;
      size_t size;
      /* The JSON contains all output of the action.  */
      FILE *kept = json ? open_memstream (&said, &size) : NULL;
      if (kept != NULL)
        stdout = kept;
      act (action, options, *word, &report);
      if (kept != NULL)
        fclose (kept);
      stdout = real;
      if (report.problem.text[0] != '\0')
        {
          status = STATUS_PARTLY;
          fflush (stdout);
          fprintf (stderr, "hugetext %s: %s: %s\n", verb, *word,
                   report.problem.text);
        }
      json_object_array_add (array,
                             report_json (&report, said != NULL ? said : ""));
      free (said);
      file_list_free (&report.programs);
      file_list_free (&report.settings);
    }
  json_set_true_false (all, "dry_run", change_is_simulated ());
  json_object_object_add (all, "changes", array);
  if (json)
    json_print (stdout, all, false);
  else
    json_object_put (all);
  return status;
}
