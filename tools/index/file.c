/* Read the index file with the loader's own functions, and add settings from
   the index to settings from other sources.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "index/file.h"
#include "host/machine.h"
#include "host/process.h"
#include "host/procfile.h"
#include "trust/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
index_file_read_at (void *closure, void *buffer, size_t length,
                    uint64_t offset)
{
  const int *fd = closure;
  return pread (*fd, buffer, length, offset) == (ssize_t) length;
}

void
index_file_close (struct index_file *file)
{
  if (file->fd >= 0)
    close (file->fd);
  file->fd = -1;
}

bool
index_file_open (struct index_file *file, int fd, uid_t root,
                 struct problem *problem)
{
  struct stat status;
  bool good;
  file->fd = fd;
  file->index = (struct hugetext_index){ .read = index_file_read_at,
                                         .closure = &file->fd };
  if (fd < 0 || fstat (fd, &status) != 0)
    good = problem_system (problem, errno);
  else
    good = identity_check (&status, root, problem)
           && ((hugetext_index_begin (&file->index)
                && file->index.header.size == (uint64_t) status.st_size)
               || problem_set (problem,
                               "the index is damaged, or has a version that "
                               "this command cannot read"));
  if (!good)
    {
      index_file_close (file);
      file->index.header = (struct hugetext_index_header){ .nslots = 0 };
    }
  return good;
}

bool
index_file_open_path (struct index_file *file, const char *path, uid_t root,
                      struct problem *problem)
{
  return index_file_open (
      file, open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), root,
      problem);
}

/* Add to SETTINGS the settings for the program PATH from the index on
   descriptor FD.  */
static void
index_file_add_settings (struct settings *settings, int fd, const char *path)
{
  struct problem problem;
  struct index_file file;
  if (!index_file_open (&file, fd, 0, &problem))
    return;
  hugetext_index_find (&file.index, path, &settings->advice);
  index_file_close (&file);
}

/* Return true if SETTINGS switch huge text off; if so, the loader does not
   read the index.  */
static bool
index_file_is_switched_off (const struct settings *settings)
{
  return (settings->given[SETTING_MODE] && !settings_on (settings));
}

void
advice_add_real (struct settings *settings, const char *real)
{
  if (!index_file_is_switched_off (settings))
    index_file_add_settings (settings, machine_open (INDEX_PATH), real);
}

void
advice_add (struct settings *settings, const char *program)
{
  char real[PATH_MAX];
  if (realpath (program, real) != NULL)
    advice_add_real (settings, real);
}

void
advice_add_process (struct settings *settings, pid_t pid)
{
  char path[PATH_MAX];
  if (!process_exe_read (pid, path, sizeof path))
    return;
  process_cut_deleted (path);
  /* In an AT_SECURE process, or if huge text is off, the loader does not read
     the index.  */
  if (!index_file_is_switched_off (settings) && !process_is_secure (pid)
      && path[0] == '/')
    index_file_add_settings (settings, procfile_index (pid), path);
}
