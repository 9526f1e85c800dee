/* Rows: the running programs, and the samples of each.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "survey/survey.h"
#include "host/group.h"
#include "host/process.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A process that has samples.  */
struct seen_process
{
  pid_t pid;
  struct survey_row *row;
};

static int
by_pid (const void *a, const void *b)
{
  const struct seen_process *x = a, *y = b;
  return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Note that PID belongs to ROW.  */
static void
set_row (struct survey *survey, pid_t pid, struct survey_row *row)
{
  struct seen_process key = { .pid = pid };
  void *found = tfind (&key, &survey->processes, by_pid);
  struct seen_process *process = found != NULL
                                     ? *(struct seen_process **) found
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

/* Return the row to which PID is known to belong, or NULL.  */
static struct survey_row *
known_row (struct survey *survey, pid_t pid)
{
  struct seen_process key = { .pid = pid };
  void *found = tfind (&key, &survey->processes, by_pid);
  return found != NULL ? (*(struct seen_process **) found)->row : NULL;
}

/* Return the row of SERVICE and the program NAME, which the kernel may have
   CUT off, a new one if there is none; NULL if there is no memory.  */
static struct survey_row *
find_row (struct survey *survey, const char *service, const char *name,
          bool cut)
{
  enum
  {
    COMM = 15, /* Bytes of a name that the kernel keeps.  */
  };
  for (size_t i = 0; i < survey->count; ++i)
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

/* Find the row of PID.  A process that is gone had the program NAME in
   SERVICE, if SERVICE is not NULL.  */
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

/* The small page of ADDRESS in the object NUMBER, or in what process NUMBER
   has MADE at run time.  */
static uint64_t
page_of (uint64_t number, bool made, uint64_t address)
{
  enum
  {
    PAGE_SHIFT = 12,
    ADDRESS_BITS = 36,
  };
  const uint64_t mask = (UINT64_C (1) << ADDRESS_BITS) - 1;
  return ((uint64_t) made << 63 | number << ADDRESS_BITS
          | ((address >> PAGE_SHIFT) & mask));
}

static void
hear_sample (struct profile_witness *witness, pid_t pid,
             enum profile_place place, const struct profile_counted *object,
             uint64_t address)
{
  struct survey *survey = (struct survey *) witness;
  /* Files that no process executes, and this command.  */
  if (pid <= 0 || pid == getpid ())
    return;
  struct survey_row *row = survey_row_of (survey, pid);
  if (row == NULL)
    return;
  ++row->samples;
  ++survey->samples;
  row->in_text += place == PROFILE_TEXT;
  row->in_made += place == PROFILE_MADE;
  if (place == PROFILE_TEXT)
    survey_execute (row, page_of (object->number, false, address));
  else if (place == PROFILE_MADE)
    survey_execute (row, page_of (pid, true, address));
}

static void
hear_fork (struct profile_witness *witness, pid_t pid, pid_t parent)
{
  struct survey *survey = (struct survey *) witness;
  struct survey_row *row = survey_row_of (survey, parent);
  if (row != NULL)
    set_row (survey, pid, row);
}

static void
hear_exec (struct profile_witness *witness, pid_t pid, const char *name)
{
  struct survey *survey = (struct survey *) witness;
  const struct survey_row *before = known_row (survey, pid);
  struct survey_row *row
      = resolve (survey, pid, before != NULL ? before->service : "/", name);
  if (row != NULL)
    ++row->starts;
}

void
survey_begin (struct survey *survey)
{
  *survey = (struct survey){
    .witness = { .sample = hear_sample, .fork = hear_fork, .exec = hear_exec },
  };
}

void
survey_free (struct survey *survey)
{
  for (size_t i = 0; i < survey->count; ++i)
    survey_free_row (survey->rows[i]);
  free (survey->rows);
  tdestroy (survey->processes, free);
}
