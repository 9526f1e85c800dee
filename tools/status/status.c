/* The output of "hugetext status": processes (each with its objects, or all in
   a table), sums over the processes, and the store.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "status/parts.h"
#include "host/group.h"
#include "index/behind.h"
#include "index/entry.h"
#include "object/loader.h"
#include "store/state.h"
#include "text/json.h"
#include "text/several.h"
#include "trust/rewrite.h"
#include "util/allocate.h"
#include "util/output.h"
#include "util/terminal.h"
#include "util/count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
status_begin (struct status *status)
{
  answer_begin (&status->answer, "status", status->json);
  answer_stream (&status->answer, "processes");
}

struct json_object *
status_json (const struct inspection *found)
{
  char code[INSPECT_CODE_WORDS];
  const struct reason_about about = inspect_about (found, &found->settings);
  struct json_object *json = json_process (
      &found->process, found->exe, inspect_loader (found), &found->objects);
  json_set_string (json, "loader_version",
                   found->loader == INSPECTED_OURS ? found->version : NULL);
  json_set_string (json, "loader_build",
                   found->loader == INSPECTED_OURS ? found->build : NULL);
  json_object_object_add (json, "settings", json_settings (&found->settings));
  struct problem off;
  json_set_string (json, "text_left_alone",
                   inspect_set_off (found, &about, &off) ? off.text : NULL);
  json_set_string (json, "code_left_alone",
                   inspect_describe_code (found, &about, code) ? code : NULL);
  json_object_object_add (json, "thp_disabled",
                          json_object_new_boolean (found->thp_disabled));
  json_object_object_add (json, "outdated",
                          json_object_new_boolean (found->outdated));
  json_object_object_add (json, "memory", json_cost (&found->cost));
  return json;
}

void
status_count (struct status *status, const struct inspection *found)
{
  totals_add (&status->totals, found);
  if (status->json)
    answer_item (&status->answer, status_json (found));
}

void
status_print_facts (FILE *stream, const char *subject,
                    const struct inspection *found,
                    const struct reason_about *about)
{
  char code[INSPECT_CODE_WORDS];
  const struct text_sums sums = report_able_sums (&found->objects);
  struct problem off;
  settings_show (stream, &found->settings);
  if (report_is_low (&sums) && inspect_set_off (found, about, &off))
    terminal_say (stream, 4, "%s: %s", report_why_small (), off.text);
  if (inspect_describe_code (found, about, code))
    terminal_say (stream, 4, "code made at run time stays on small pages: %s",
                  code);
  if (found->outdated)
    terminal_say (stream, 4,
                  "the settings for the program have changed since %s was "
                  "started",
                  subject);
  if (inspect_lacks_thp (found))
    terminal_say (stream, 4, "%s %s", subject, inspect_thp_disabled ());
}

static void
print_process (const struct inspection *found)
{
  char cap[INSPECT_CAP_WORDS];
  const struct reason_about about = inspect_about (found, &found->settings);
  inspect_heading (stdout, found);
  status_print_facts (stdout, "the process", found, &about);
  report_objects (stdout, &found->objects);
  if (inspect_describe_cap (found, &about, cap))
    terminal_say (stdout, 4, "%s", cap);
  struct unseen unseen[OBSERVERS];
  report_count_unseen (&found->objects, &about, unseen);
  report_unseen (stdout, 4, "", unseen);
  report_cost (stdout, &found->cost, &found->objects, &about);
}

bool
status_process (struct status *status, pid_t pid, const char *name)
{
  struct inspection found;
  if (!inspect (pid, INSPECT_COST, &found))
    {
      const char *known = found.process.name;
      answer_problem (&status->answer, &found.process,
                      known[0] != '\0' ? known : name, found.problem.text);
      return false;
    }
  status_count (status, &found);
  if (!status->json)
    {
      if (status->printed)
        putchar ('\n');
      print_process (&found);
      status->printed = true;
    }
  inspect_free (&found);
  return true;
}

/* Print the table for the machine: the N LINES of processes, or a line for
   each service.  */
static void
print_table (const struct status *status, const struct several_line *lines,
             size_t n)
{
  const struct totals *totals = &status->totals;
  size_t shown = 0;
  char number[24], services[48] = "", unread[64] = "";
  if (status->each)
    several_print_lines (lines, n);
  else
    report_heading (stdout, "procs", "service");
  for (size_t i = 0; !status->each && i < totals->count; ++i)
    {
      const struct total *total = &totals->list[i];
      /* The last line counts processes that could not be read.  */
      if (total->processes == 0)
        continue;
      ++shown;
      snprintf (number, sizeof number, "%zu", total->processes);
      report_row (stdout, number, group_words (total->service), &total->sums);
    }
  report_row (stdout, "all", "", &totals->all.sums);
  if (!status->each)
    snprintf (services, sizeof services, " of " COUNT_FORMAT,
              COUNT (shown, "service"));
  if (totals->all.unread > 0)
    snprintf (unread, sizeof unread, "; %zu could not be read%s",
              totals->all.unread, geteuid () != 0 ? " (try as root)" : "");
  terminal_say (stdout, 4, COUNT_FORMAT "%s%s",
                COUNT_PLURAL (n, "process", "processes"), services, unread);
}

/* Add FOUND to STATUS, and free FOUND.  Return true, and set LINE, if the
   table contains a line for FOUND.  */
static bool
status_add_found (struct status *status, struct inspection *found,
                  struct several_line *line)
{
  if (problem_is (&found->problem))
    {
      inspect_say_left_out (found);
      if (found->unread)
        {
          totals_add_unread (&status->totals, found);
          answer_note (&status->answer, &found->process, found->process.name,
                       found->problem.text);
        }
      return false;
    }
  *line = several_line (found);
  status_count (status, found);
  inspect_free (found);
  return true;
}

bool
status_machine (struct status *status)
{
  pid_t *list;
  ssize_t n = process_list (&list);
  struct several_line *lines = n > 0 ? calloc (n, sizeof *lines) : NULL;
  if (lines == NULL)
    {
      answer_problem (
          &status->answer, NULL, "/proc",
          n == 0 ? "/proc shows no processes, because it is not mounted"
                 : strerror (errno));
      free (list);
      return false;
    }
  size_t found = 0;
  struct inspection *some = allocate (INSPECT_MANY * sizeof *some);
  for (ssize_t i = 0, k; i < n; i += k)
    {
      k = inspect_many (list + i, n - i, some);
      for (ssize_t j = 0; j < k; ++j)
        found += status_add_found (status, &some[j], &lines[found]);
    }
  free (some);
  several_sort_lines (lines, found);
  totals_sort (&status->totals);
  if (!status->json && !status->metrics)
    {
      print_table (status, lines, found);
      status->printed = true;
    }
  free (lines);
  free (list);
  /* The command does not fail if some processes could not be read: only root
     can read all processes, and in many containers not even root can.  The
     table, the JSON and the metrics show how many processes could not be
     read.  */
  return true;
}

/* Print the metrics that say which services are enabled, and whether "hugetext
   guard" has created their links.  */
static void
print_enabled (FILE *stream)
{
  struct entry *list;
  const int count = entry_list (&list);
  if (count < 0)
    return;
  totals_metric_enabled (stream, list, count);
  totals_metric_adaptive (stream, list, count);
  /* If the system's loader is ld-hugetext.so, print no result, because
     "hugetext guard" tries no loader.  */
  if (!loader_is_ours (loader_system ()))
    totals_metric_trial (stream, list, count);
  for (int i = 0; i < count; ++i)
    entry_free (&list[i]);
  free (list);
}

/* Read the facts about the loader with which this command starts programs.
   Return false if this loader is not ld-hugetext.so.  */
static bool
status_read_loader (struct loader *loader)
{
  return loader_read (loader_wanted (NULL), loader) && loader->ours;
}

/* Return the JSON for the loader with which this command starts programs.
   Return NULL (null in JSON) if this loader is not ld-hugetext.so.  */
static struct json_object *
loader_json (void)
{
  struct loader loader;
  if (!status_read_loader (&loader))
    return NULL;
  struct json_object *json = json_object_new_object ();
  json_set_string (json, "path", loader.path);
  json_set_string (json, "version", loader.own);
  json_set_string (json, "build", loader.build);
  json_set_string (json, "glibc", loader.version);
  return json;
}

/* Print a metric whose labels are the versions of the loader, glibc and the
   command.  */
static void
print_loader_metric (FILE *stream)
{
  struct loader loader;
  if (status_read_loader (&loader))
    totals_info (stream, "loader_info",
                 "Always 1. The labels are the version and the build of the "
                 "loader, the version of the glibc for which the loader was "
                 "built, and the version of the command.",
                 (const char *const[]){ "version", loader.own, "build",
                                        loader.build, "glibc", loader.version,
                                        "command", PACKAGE_VERSION, NULL });
}

/* Print the metrics of STATUS and of STORE.  Return false if the metrics
   cannot be written.  */
static bool
print_metrics (const struct status *status, const struct store_state *store)
{
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return false;
  totals_metrics (stream, &status->totals);
  print_enabled (stream);
  totals_metric (
      stream, "index_behind",
      "1 if the index is outdated, because a settings file is newer or was"
      " removed (run hugetext index); otherwise 0.",
      behind_file () != NULL);
  print_loader_metric (stream);
  totals_metric (stream, "store_images", "Number of images in the store.",
                 store->images);
  totals_metric (
      stream, "store_disk_bytes",
      "Space that the store's images take on disk or, on a tmpfs, in memory.",
      store->disk);
  if (store->known)
    totals_metric (stream, "store_huge_blocks",
                   "Number of blocks of images that are cached in huge pages.",
                   store->huge);
  struct problem problem;
  bool good = fclose (stream) == 0
              && (status->file != NULL || output_lines (stdout, text) >= 0);
  if (!good)
    problem_system (&problem, errno);
  else if (status->file != NULL)
    good = rewrite_data (status->file, text, size, &problem);
  if (!good)
    fprintf (stderr, "hugetext status: %s: %s\n",
             status->file != NULL ? status->file : "metrics", problem.text);
  free (text);
  return good;
}

/* Print how much memory the copies of text in all processes of the service
   TOTAL use together.  Also print how much memory the text would use if its
   files were cached in huge pages, or had images.  */
static void
print_workers (struct totals *totals, const struct total *total)
{
  const double mib = 1048576.0;
  char prime[REASON_SIZE + 64] = "", store[REASON_SIZE + 64] = "";
  char words[REASON_SIZE];
  if (total->copying <= 1)
    return;
  if (total->cost.unfit < total->cost.copies
      && totals_advise (totals, total->service, "[hugetext prime FILE]",
                        words))
    snprintf (
        prime, sizeof prime,
        "; if the files were primed, copies would take only %.1f MiB (%s)",
        total->cost.unfit / mib, words);
  if (totals_advise (totals, total->service, "[hugetext store add FILE]",
                     words))
    snprintf (store, sizeof store,
              "; images, which all processes share, would take %.1f MiB (%s)",
              totals_as_images (totals, total->service) / mib, words);
  terminal_say (
      stdout, 4,
      "%s: copies of text: %.1f MiB of memory in " COUNT_FORMAT "%s%s",
      group_words (total->service), total->cost.copies / mib,
      COUNT_PLURAL (total->copying, "process", "processes"), prime, store);
}

/* Print how much memory the huge text of all processes uses, and how much
   shared huge text would use.  */
static void
print_memory (struct totals *totals)
{
  const double mib = 1048576.0;
  const struct cost *cost = &totals->all.cost;
  char store[REASON_SIZE + 96] = "", words[REASON_SIZE];
  if (cost->copies > 0
      && totals_advise (totals, NULL, "[hugetext store add FILE]", words))
    snprintf (store, sizeof store,
              "; images of the same text, which all processes share, would"
              " take %.1f MiB (%s)",
              totals_as_images (totals, NULL) / mib, words);
  else if (cost->copies > 0 && words[0] != '\0')
    snprintf (store, sizeof store, "; the processes cannot share images: %s",
              words);
  if (cost->copies > 0)
    terminal_say (
        stdout, 4, "copies of text: %.1f MiB of memory in " COUNT_FORMAT "%s",
        cost->copies / mib,
        COUNT_PLURAL (totals->all.copying, "process", "processes"), store);
  report_images (stdout, " of text", cost);
  for (size_t i = 0; i < totals->count; ++i)
    print_workers (totals, &totals->list[i]);
}

/* Return the JSON for the memory of huge text, with the numbers that
   print_memory prints.  */
static struct json_object *
memory_json (struct totals *totals)
{
  struct json_object *json = json_cost (&totals->all.cost);
  json_set_number (json, "processes_with_copies", totals->all.copying);
  json_set_number (json, "copies_as_images_bytes",
                   totals_as_images (totals, NULL));
  return json;
}

bool
status_end (struct status *status)
{
  struct store_state state;
  bool good = true;
  store_state_read (&state);
  if (status->json)
    {
      struct json_object *all = status->answer.all;
      struct json_object *held = json_object_new_object ();
      store_state_json (&state, held);
      json_object_object_add (all, "services", totals_json (&status->totals));
      json_object_object_add (all, "memory", memory_json (&status->totals));
      json_object_object_add (all, "store", held);
      json_object_object_add (all, "loader", loader_json ());
    }
  else if (status->metrics)
    good = print_metrics (status, &state);
  else
    {
      if (status->totals.all.processes > 1)
        print_memory (&status->totals);
      if (state.images > 0 && status->printed)
        terminal_fill (stdout, 0, 4, store_state_words (&state));
    }
  answer_end (&status->answer);
  totals_free (&status->totals);
  return good;
}
