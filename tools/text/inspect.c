/* Inspection of one process: who it is, its objects, its loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/inspect.h"
#include "host/group.h"
#include "text/record.h"
#include "hugetext-code.h"
#include "index/file.h"
#include "object/loader.h"
#include "tracee/refusal.h"
#include "util/budget.h"
#include "util/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pid_t
inspect_pid (const char *word)
{
  if (word[0] == '\0' || word[strspn (word, "0123456789")] != '\0')
    return -1;
  errno = 0;
  long pid = strtol (word, NULL, 10);
  return errno == 0 && pid > 0 && pid <= INT_MAX ? pid : INT_MAX;
}

/* Return why process PID has no text of files that we know of.  */
static const char *
no_text (pid_t pid)
{
  const char *foreign = tracee_foreign (pid);
  return (foreign != NULL ? foreign
                          : "none of what it has mapped as text is a file's");
}

/* Return the loader among OBJECTS of process PID.  */
static enum inspected_loader
find_loader (pid_t pid, const struct object_list *objects)
{
  enum inspected_loader result = INSPECTED_NONE;
  for (size_t i = 0; i < objects->count; ++i)
    {
      const struct object_text *object = &objects->list[i];
      struct loader loader;
      /* Look at the name before reading the file; "/" is the name of a file
         that was mounted on a file that has been replaced since.  */
      if (strstr (object->name, "/ld") == NULL
          && strcmp (object->name, "/") != 0)
        continue;
      int fd = objtext_open (pid, object);
      if (fd < 0)
        return INSPECTED_UNKNOWN;
      bool is_loader = loader_is_loader (object->name, fd);
      bool ours = (is_loader && loader_read_fd (fd, &loader) && loader.ours);
      close (fd);
      if (ours)
        return INSPECTED_OURS;
      if (is_loader)
        result = INSPECTED_OTHER;
    }
  return budget_problem () == NULL ? result : INSPECTED_UNKNOWN;
}

const char *
inspect_loader (const struct inspection *found)
{
  static const char *const words[] = { [INSPECTED_NONE] = "none",
                                       [INSPECTED_OTHER] = "other",
                                       [INSPECTED_OURS] = "ld-hugetext" };
  return words[found->loader];
}

/* Whether FOUND takes settings: its loader is ours, or it has none and
   hugetext run takes them.  */
static bool
takes_settings (const struct inspection *found)
{
  return ((found->loader == INSPECTED_OURS || found->loader == INSPECTED_NONE)
          && !process_is_secure (found->process.pid));
}

/* Set SETTINGS to those of FOUND's process.  */
static void
read_settings (const struct inspection *found, struct settings *settings)
{
  const pid_t pid = found->process.pid;
  struct record record;
  *settings = (struct settings){ 0 };
  if (!takes_settings (found))
    return;
  if (found->loader == INSPECTED_OURS
      && record_of_process (pid, &found->objects, &record) == NULL)
    {
      if (record.kept)
        record_settings (&record, settings);
      record_free (&record);
      if (record.kept)
        return;
    }
  char *tunables = process_tunables (pid);
  settings_read (settings, tunables);
  free (tunables);
  advice_add_process (settings, pid);
}

/* Inspect the process of CLOSURE, an inspection, in the looker.  */
static void
look (void *closure)
{
  struct inspection *found = closure;
  const pid_t pid = found->process.pid;
  const char *problem;
  struct process now;
  char root[64];
  budget_begin ();
  process_exe (pid, found->exe, sizeof found->exe);
  if (!process_read (pid, &found->process))
    problem = "there is no such process";
  else if (objtext_read (pid, false, &found->objects) < 0)
    {
      int error = errno;
      found->unread
          = (error != ESRCH && error != ENOENT && process_read (pid, &now)
             && !now.ended && !now.kernel);
      found->left_out = error == EDQUOT;
      problem = process_problem (&found->process, error);
    }
  /* The process may have ended during the inspection.  */
  else if (!process_read (pid, &now) || now.ended)
    problem = process_problem (&found->process, ESRCH);
  else if (found->objects.count == 0)
    problem = no_text (pid);
  else
    {
      found->loader = find_loader (pid, &found->objects);
      read_settings (found, &found->settings);
      if (found->with_cost)
        cost_read (pid, &found->objects, &found->cost);
      snprintf (root, sizeof root, "/proc/%d/root", (int) pid);
      found->elsewhere = !same_path (root, "/");
      return;
    }
  snprintf (found->problem, sizeof found->problem, "%s", problem);
  inspect_free (found);
}

static void
pass (struct parcel *parcel, void *closure)
{
  struct inspection *found = closure;
  if (found->problem[0] == '\0')
    objtext_pass (parcel, &found->objects);
  if (parcel_is_sent (parcel))
    inspect_free (found);
}

/* Prepare FOUND for a look at process PID.  */
static void
begin (pid_t pid, bool cost, struct inspection *found)
{
  *found = (struct inspection){ .process.pid = pid, .with_cost = cost };
  /* Ask first: the process may end during the inspection.  */
  group_of (pid, found->group);
}

/* Return why FOUND's process cannot be inspected, or NULL; PROBLEM is the
   looker's.  */
static const char *
finish (struct inspection *found, const char *problem)
{
  if (problem != NULL)
    {
      process_brief (found->process.pid, &found->process);
      found->unread = found->left_out = true;
      snprintf (found->problem, sizeof found->problem, "%s", problem);
    }
  return found->problem[0] != '\0' ? found->problem : NULL;
}

const char *
inspect (pid_t pid, bool cost, struct inspection *found)
{
  begin (pid, cost, found);
  return finish (found, looker_ask (pid, look, pass, found, sizeof *found));
}

size_t
inspect_many (const pid_t *pids, size_t count, struct inspection *found)
{
  if (count > INSPECT_MANY)
    count = INSPECT_MANY;
  for (size_t i = 0; i < count; ++i)
    begin (pids[i], true, &found[i]);
  size_t i = looker_ask_many (pids, look, pass, found, sizeof *found, count);
  for (; i < count; ++i)
    finish (&found[i],
            looker_ask (pids[i], look, pass, &found[i], sizeof *found));
  return count;
}

void
inspect_free (struct inspection *found)
{
  objtext_free (&found->objects);
  budget_end ();
}

void
inspect_say_left_out (const struct inspection *found, const char *problem)
{
  if (found->left_out)
    terminal_say (stderr, 4, "hugetext: process %d (%s) is left out: %s",
                  (int) found->process.pid, found->process.name, problem);
}

bool
inspect_follows_code (const struct inspection *found)
{
  for (size_t i = 0; i < found->objects.count; ++i)
    {
      const char *slash = strrchr (found->objects.list[i].name, '/');
      if (slash != NULL && strcmp (slash + 1, HUGETEXT_CODE_FILE) == 0)
        return true;
    }
  return false;
}

void
inspect_heading (FILE *stream, const struct inspection *found)
{
  static const char *const words[]
      = { [INSPECTED_UNKNOWN] = "loader unknown",
          [INSPECTED_NONE] = "without a loader",
          [INSPECTED_OTHER] = "loaded by another loader than ld-hugetext.so",
          [INSPECTED_OURS] = "loaded by ld-hugetext.so" };
  char name[PATH_MAX];
  terminal_say (
      stream, 4, "%d %s, %s", (int) found->process.pid,
      terminal_text (found->exe[0] != '\0' ? found->exe : found->process.name,
                     0, name, sizeof name),
      words[found->loader]);
}
