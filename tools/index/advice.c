/* Advice: the index's settings for a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "index/advice.h"
#include "index/file.h"
#include "object/loader.h"
#include "host/machine.h"
#include "host/process.h"
#include "util/regular.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Add the advice about the program PATH of the index that is open as FD to
   SETTINGS.  ROOT is the index's user root.  */
static void
add (struct settings *settings, int fd, uid_t root, const char *path)
{
  struct index_file file;
  if (index_file_open (&file, fd, root) != NULL)
    return;
  if (!hugetext_index_find (&file.index, path, &settings->advice)
      || !hugetext_index_text (&file.index, &settings->advice,
                               &settings->text))
    settings->advice.given = 0;
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
    add (settings, machine_open (INDEX_PATH), 0, real);
}

/* Remove the root directory of process PID from the beginning of PATH.  False
   if PATH is not below it.  */
static bool
cut_root (pid_t pid, char path[static PATH_MAX])
{
  char link[64], root[PATH_MAX];
  snprintf (link, sizeof link, "/proc/%d/root", (int) pid);
  ssize_t n = readlink (link, root, sizeof root - 1);
  if (n <= 0)
    return false;
  root[n] = '\0';
  if (n == 1)
    return true;
  if (strncmp (path, root, n) != 0 || path[n] != '/')
    return false;
  memmove (path, path + n, strlen (path + n) + 1);
  return true;
}

/* Open the index of process PID, below the process's root directory.  */
static int
open_index (pid_t pid)
{
  char link[64];
  struct open_how how
      = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
  snprintf (link, sizeof link, "/proc/%d/root", (int) pid);
  int root = open (link, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0)
    return -1;
  int fd = syscall (__NR_openat2, root, INDEX_PATH, &how, sizeof how);
  close (root);
  return fd < 0 ? -1 : regular_reopen (fd, 0);
}

/* Return the user who is root in the user namespace of process PID.  */
static uid_t
find_root (pid_t pid)
{
  char path[64];
  struct stat theirs, ours;
  unsigned int inside, outside, count;
  uid_t root = 0;
  snprintf (path, sizeof path, "/proc/%d/ns/user", (int) pid);
  if (stat (path, &theirs) != 0 || stat ("/proc/self/ns/user", &ours) != 0
      || theirs.st_ino == ours.st_ino)
    return 0;
  snprintf (path, sizeof path, "/proc/%d/uid_map", (int) pid);
  FILE *stream = fopen (path, "re");
  while (stream != NULL
         && fscanf (stream, "%u %u %u", &inside, &outside, &count) == 3)
    if (inside == 0)
      root = outside;
  if (stream != NULL)
    fclose (stream);
  return root;
}

/* Whether the file that process PID runs, called NAME, is a loader.  */
static bool
runs_loader (pid_t pid, const char *name)
{
  char link[64];
  snprintf (link, sizeof link, "/proc/%d/exe", (int) pid);
  int fd = regular_open (link, 0);
  bool loader = fd >= 0 && loader_is_loader (name, fd);
  if (fd >= 0)
    close (fd);
  return loader;
}

/* Set PATH to the program that process PID has given to its loader as an
   argument, "" if it is not found.  */
static void
find_argument (pid_t pid, char path[static PATH_MAX])
{
  static const char *const with_value[] = { "--argv0",
                                            "--audit",
                                            "--glibc-hwcaps-mask",
                                            "--glibc-hwcaps-prepend",
                                            "--inhibit-rpath",
                                            "--library-path",
                                            "--preload" };
  char name[64], *word = NULL;
  size_t size = 0;
  bool skip = true;
  path[0] = '\0';
  snprintf (name, sizeof name, "/proc/%d/cmdline", (int) pid);
  FILE *stream = fopen (name, "re");
  while (stream != NULL && getdelim (&word, &size, '\0', stream) > 0)
    {
      bool option = strncmp (word, "--", 2) == 0;
      if (!skip && !option)
        {
          snprintf (path, PATH_MAX, "%s", word);
          break;
        }
      /* The first word is the loader.  */
      bool value = skip;
      skip = false;
      for (size_t i = 0; i < sizeof with_value / sizeof with_value[0]; ++i)
        if (!value && strcmp (word, with_value[i]) == 0)
          skip = true;
    }
  free (word);
  if (stream != NULL)
    fclose (stream);
}

/* Set PATH to the path by which the loader of process PID knows its
   program.  */
static bool
find_program (pid_t pid, char path[static PATH_MAX])
{
  static const char deleted[] = " (deleted)";
  process_exe (pid, path, PATH_MAX);
  size_t length = strlen (path), end = strlen (deleted);
  if (length > end && strcmp (path + length - end, deleted) == 0)
    path[length - end] = '\0';
  if (runs_loader (pid, path))
    {
      find_argument (pid, path);
      return path[0] == '/';
    }
  return path[0] == '/' && cut_root (pid, path);
}

void
advice_add_process (struct settings *settings, pid_t pid)
{
  char path[PATH_MAX];
  /* The loader does not look at the index of an AT_SECURE process either.  */
  if (!is_off (settings) && !process_is_secure (pid)
      && find_program (pid, path))
    add (settings, open_index (pid), find_root (pid), path);
}

/* Whether the USER, not root, has the RIGHT, a bit of the mode of others, to
   the file NAME in the directory ROOT.  Groups are left out: they have no use
   here.  */
static bool
has_right (int root, const char *name, uid_t user, mode_t right)
{
  struct stat status;
  return (fstatat (root, name, &status, 0) == 0
          && (status.st_mode & (status.st_uid == user ? right << 6 : right))
                 == right);
}

const char *
advice_obstacle (pid_t pid)
{
  char link[64], part[] = INDEX_PATH;
  long user = process_number (pid, "Uid:");
  if (access (INDEX_PATH, F_OK) != 0)
    return NULL;
  int fd = open_index (pid);
  if (fd < 0)
    return "it does not see the index, " INDEX_PATH ", which something hides"
           " from it, as InaccessiblePaths= does";
  close (fd);
  snprintf (link, sizeof link, "/proc/%d/root", (int) pid);
  int root = user > 0 ? open (link, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  if (root < 0)
    return NULL;
  bool good = has_right (root, part + 1, user, S_IROTH);
  for (char *slash; good && (slash = strrchr (part, '/')) != part;)
    {
      *slash = '\0';
      good = has_right (root, part + 1, user, S_IXOTH);
    }
  close (root);
  return good ? NULL
              : "its user may not read the index: chmod go+rX " INDEX_PATH
                ", and the directories that it is in";
}
