/* The programs that run, and what was seen of each.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "survey-rows.h"
#include "group.h"
#include "process.h"

#include <search.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A process that was seen.  */
struct seen_process
{
  pid_t pid;
  struct survey_row *row;
  double before; /* Seconds that it had had at the beginning.  */
};

static int
by_pid (const void *a, const void *b)
{
  const struct seen_process *x = a, *y = b;
  return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Note that PID is of ROW.  */
static void
set_row (struct survey *survey, pid_t pid, struct survey_row *row)
{
  struct seen_process key = { .pid = pid };
  void *found = tfind (&key, &survey->processes, by_pid);
  struct seen_process *process
      = found != NULL ? *(struct seen_process **)found
                      : calloc (1, sizeof *process);
  if (process == NULL)
    {
      survey->failed = true;
      return;
    }
  process->pid = pid;
  process->row = row;
  if (found == NULL && tsearch (process, &survey->processes, by_pid) == NULL)
    {
      free (process);
      survey->failed = true;
    }
}

/* What is known of PID, or NULL.  */
static struct seen_process *
find_process (struct survey *survey, pid_t pid)
{
  struct seen_process key = { .pid = pid };
  void *found = tfind (&key, &survey->processes, by_pid);
  return found != NULL ? *(struct seen_process **)found : NULL;
}

/* The row that PID is known to be of, or NULL.  */
static struct survey_row *
known_row (struct survey *survey, pid_t pid)
{
  struct seen_process *process = find_process (survey, pid);
  return process != NULL ? process->row : NULL;
}

void
survey_free_row (struct survey_row *row)
{
  free (row->name);
  free (row->path);
  free (row->service);
  free (row->pages);
  free (row);
}

/* The row of SERVICE and the program NAME, which the kernel may have CUT off, a
   new one if there is none; NULL if there is no memory.  */
static struct survey_row *
find_row (struct survey *survey, const char *service, const char *name,
          bool cut)
{
  enum
  {
    COMM = 15, /* Bytes that the kernel keeps of a name.  */
  };
  for (size_t i = 0; i < survey->count; i++)
    {
      struct survey_row *row = survey->rows[i];
      if (strcmp (row->service, service) == 0
          && (strcmp (row->name, name) == 0
              || (cut && strncmp (row->name, name, COMM) == 0)))
        return row;
    }
  struct survey_row **rows
      = reallocarray (survey->rows, survey->count + 1, sizeof *rows);
  struct survey_row *row = calloc (1, sizeof *row);
  if (rows != NULL)
    survey->rows = rows;
  if (row != NULL)
    {
      row->name = strdup (name);
      row->service = strdup (service);
    }
  if (rows == NULL || row == NULL || row->name == NULL || row->service == NULL)
    {
      survey->failed = true;
      if (row != NULL)
        survey_free_row (row);
      return NULL;
    }
  rows[survey->count++] = row;
  return row;
}

/* Find out which row PID is of.  What is no longer there is what SERVICE, if
   that is not NULL, had as NAME.  */
static struct survey_row *
resolve (struct survey *survey, pid_t pid, const char *service,
         const char *name)
{
  char path[PATH_MAX], group[PATH_MAX];
  struct process process;
  process_exe (pid, path, sizeof path);
  process_cut_deleted (path);
  group_of (pid, group);
  const char *slash = strrchr (path, '/');
  struct survey_row *row = NULL;
  if (slash != NULL && group[0] != '\0')
    {
      row = find_row (survey, group, slash + 1, false);
      if (row != NULL && row->path == NULL)
        row->path = strdup (path);
    }
  else if (name != NULL && name[0] != '\0')
    row = find_row (survey, service, name, true);
  else if (process_read (pid, &process) && !process.kernel)
    row = find_row (survey, group[0] != '\0' ? group : "/", process.name,
                    true);
  if (row != NULL)
    set_row (survey, pid, row);
  return row;
}

struct survey_row *
survey_row_of (struct survey *survey, pid_t pid)
{
  struct survey_row *row = known_row (survey, pid);
  return row != NULL ? row : resolve (survey, pid, NULL, NULL);
}

/* Add a sample of PAGE to ROW.  */
static void
add_page (struct survey *survey, struct survey_row *row, survey_page page)
{
  size_t count = row->in_text + row->in_made;
  /* Its room is doubled whenever it is a power of two.  */
  if ((count & (count - 1)) == 0)
    {
      survey_page *pages = reallocarray (
          row->pages, count > 0 ? 2 * count : 1, sizeof *pages);
      if (pages == NULL)
        {
          survey->failed = true;
          return;
        }
      row->pages = pages;
    }
  row->pages[count] = page;
}

static void
hear_sample (struct profile_witness *witness, pid_t pid,
             enum profile_place place, const struct profile_counted *object,
             uint64_t address)
{
  struct survey *survey = (struct survey *)witness;
  /* What nobody runs, and we.  */
  if (pid <= 0 || pid == getpid ())
    return;
  struct survey_row *row = survey_row_of (survey, pid);
  if (row == NULL)
    return;
  row->all++;
  survey->samples++;
  if (place == PROFILE_TEXT)
    {
      add_page (survey, row, survey_page_of (object->number, address));
      row->in_text++;
    }
  else if (place == PROFILE_MADE)
    {
      add_page (survey, row, survey_page_made (pid, address));
      row->in_made++;
    }
}

/* The survey whose walker WITNESS is.  */
static struct survey *
of_walker (struct profile_witness *witness)
{
  return (struct survey *)((char *)witness - offsetof (struct survey, walker));
}

static void
hear_walk (struct profile_witness *witness, pid_t pid,
           enum profile_place place, const struct profile_counted *object,
           uint64_t address)
{
  struct survey *survey = of_walker (witness);
  (void)place;
  (void)object;
  (void)address;
  if (pid <= 0 || pid == getpid ())
    return;
  struct survey_row *row = survey_row_of (survey, pid);
  if (row == NULL)
    return;
  row->walks++;
  survey->walks++;
}

static void
hear_fork (struct profile_witness *witness, pid_t pid, pid_t parent)
{
  struct survey *survey = (struct survey *)witness;
  struct survey_row *row = survey_row_of (survey, parent);
  if (row != NULL)
    set_row (survey, pid, row);
}

static void
hear_exec (struct profile_witness *witness, pid_t pid, const char *name)
{
  struct survey *survey = (struct survey *)witness;
  const struct survey_row *before = known_row (survey, pid);
  struct survey_row *row
      = resolve (survey, pid, before != NULL ? before->service : "/", name);
  if (row != NULL)
    row->starts++;
}

void
survey_begin (struct survey *survey)
{
  *survey = (struct survey){ .witness = { .sample = hear_sample,
                                          .fork = hear_fork,
                                          .exec = hear_exec },
                              .walker = { .sample = hear_walk } };
}

unsigned long long
survey_stat (pid_t pid, unsigned int number)
{
  char path[64], line[1024] = "";
  unsigned int field = 3;
  snprintf (path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *stream = fopen (path, "re");
  if (stream == NULL)
    return 0;
  const char *p = fgets (line, sizeof line, stream);
  fclose (stream);
  p = p != NULL ? strrchr (line, ')') : NULL;
  if (p == NULL)
    return 0;
  /* ") S 1 ...": the state is the third field.  */
  for (p += 2; field < number && (p = strchr (p, ' ')) != NULL; p++)
    field++;
  return p != NULL ? strtoull (p, NULL, 10) : 0;
}

void
survey_note_times (struct survey *survey, bool at_end)
{
  /* proc(5): utime.  */
  enum
  {
    USER_TIME = 14,
  };
  pid_t *list;
  ssize_t n = process_list (NULL, &list);
  for (ssize_t i = 0; i < n; i++)
    {
      if (list[i] == getpid ())
        continue;
      survey_row_of (survey, list[i]);
      struct seen_process *process = find_process (survey, list[i]);
      double seconds = ((double)survey_stat (list[i], USER_TIME)
                        / sysconf (_SC_CLK_TCK));
      if (process == NULL)
        continue;
      if (!at_end)
        process->before = seconds;
      else if (seconds > process->before)
        process->row->seconds += seconds - process->before;
    }
  free (list);
}

void
survey_free (struct survey *survey)
{
  for (size_t i = 0; i < survey->count; i++)
    survey_free_row (survey->rows[i]);
  free (survey->rows);
  free (survey->objects);
  tdestroy (survey->processes, free);
}
