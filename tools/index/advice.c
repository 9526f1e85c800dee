/* Advice: the index's settings for a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "index/advice.h"
#include "index/file.h"
#include "host/machine.h"
#include "host/process.h"
#include "util/regular.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Add the advice about the program PATH of the index FD to SETTINGS.  */
static void
add (struct settings *settings, int fd, const char *path)
{
  struct index_file file;
  if (index_file_open (&file, fd, 0) != NULL)
    return;
  hugetext_index_find (&file.index, path, &settings->advice);
  index_file_close (&file);
}

/* Whether SETTINGS switch huge text off, so that the loader does not look at
   the index.  */
static bool
is_off (const struct settings *settings)
{
  return (settings->given[SETTING_MODE] && !settings_on (settings));
}

void
advice_add (struct settings *settings, const char *program)
{
  char real[PATH_MAX];
  if (!is_off (settings) && realpath (program, real) != NULL)
    add (settings, machine_open (INDEX_PATH), real);
}

void
advice_add_process (struct settings *settings, pid_t pid)
{
  char index[PATH_MAX], path[PATH_MAX];
  snprintf (index, sizeof index, "/proc/%d/root%s", (int) pid, INDEX_PATH);
  process_exe (pid, path, sizeof path);
  process_cut_deleted (path);
  /* The loader does not look at the index of an AT_SECURE process either.  */
  if (!is_off (settings) && !process_is_secure (pid) && path[0] == '/')
    add (settings, regular_open (index, 0), path);
}
