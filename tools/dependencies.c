/* The libraries that a program or library needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dependencies.h"
#include "loader.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool
file_list_add (struct file_list *files, const char *name)
{
  char **names = reallocarray (files->names, files->count + 1, sizeof *names);
  if (names == NULL)
    return false;
  files->names = names;
  names[files->count] = strdup (name);
  return names[files->count] != NULL && ++files->count > 0;
}

void
file_list_free (struct file_list *files)
{
  for (size_t i = 0; i < files->count; i++)
    free (files->names[i]);
  free (files->names);
}

/* Add what LINE of the loader's list, "NAME => PATH (ADDRESS)", says.  */
static bool
add_line (struct file_list *files, char *line)
{
  char *path = strstr (line, " => ");
  path = path != NULL ? path + 4 : line + strspn (line, " \t");
  char *end = strstr (path, " (0x");
  if (path[0] != '/' || end == NULL)
    /* The vdso, or something not found.  */
    return true;
  *end = '\0';
  return file_list_add (files, path);
}

/* Start the loader so that its list of what FILE needs can be read from the
   stream returned.  */
static FILE *
start_loader (const char *file, pid_t *pid)
{
  int ends[2];
  if (pipe (ends) < 0)
    return NULL;
  const char *argv[] = { loader_system (), "--list", file, NULL };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_adddup2 (&actions, ends[1], STDOUT_FILENO);
  /* What it has to say is our business, not for whoever looks on; and a root
     directory need not have a /dev/null.  */
  posix_spawn_file_actions_addclose (&actions, STDERR_FILENO);
  posix_spawn_file_actions_addclose (&actions, ends[0]);
  posix_spawn_file_actions_addclose (&actions, ends[1]);
  int error
      = posix_spawn (pid, argv[0], &actions, NULL, (char **)argv, environ);
  posix_spawn_file_actions_destroy (&actions);
  close (ends[1]);
  FILE *stream = error == 0 ? fdopen (ends[0], "r") : NULL;
  if (stream == NULL)
    close (ends[0]);
  errno = error != 0 ? error : errno;
  return stream;
}

const char *
file_list_dependencies (struct file_list *files)
{
  char *file = realpath (files->names[0], NULL);
  char *line = NULL;
  size_t size = 0;
  bool good = true;
  pid_t pid;
  int status;

  FILE *stream = file != NULL ? start_loader (file, &pid) : NULL;
  free (file);
  if (stream == NULL)
    return strerror (errno);
  while (good && getline (&line, &size, stream) > 0)
    good = add_line (files, line);
  free (line);
  fclose (stream);
  if (waitpid (pid, &status, 0) < 0)
    return strerror (errno);
  return good && status == 0 ? NULL
                             : "the libraries it needs cannot be listed";
}

/* Programs that do hardly more than to open a library which is their real
   text: the program is in a directory BESIDE, and the library is at PATH from
   there.  */
static const struct
{
  const char *beside, *path;
} launchers[] = {
  /* java and the other tools of a JDK, version 9 and later; 8.  */
  { "bin", "../lib/server/libjvm.so" },
  { "bin", "../lib/amd64/server/libjvm.so" },
  { "bin", "../lib/aarch64/server/libjvm.so" },
};

bool
file_list_opened (struct file_list *files)
{
  char *program = realpath (files->names[0], NULL);
  char *name = program != NULL ? strrchr (program, '/') : NULL;
  if (name == NULL || name == program)
    {
      free (program);
      return true;
    }
  *name = '\0';
  const char *beside = strrchr (program, '/');
  bool good = true;
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
    {
      char *path;
      if (strcmp (beside + 1, launchers[i].beside) != 0
          || asprintf (&path, "%s/%s", program, launchers[i].path) < 0)
        continue;
      char *library = realpath (path, NULL);
      free (path);
      if (library == NULL)
        continue;
      good = file_list_add (files, library);
      files->late += good;
      free (library);
      break;
    }
  free (program);
  return good;
}
