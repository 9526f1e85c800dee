/* Read samples that "perf record" has taken.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   perf itself reads the file: its format has changed often, and "perf script"
   prints what is in it in the order of time, a line for each event:

     1234/1234  PERF_RECORD_COMM exec: clang:1234/1234
     1234/1234  PERF_RECORD_MMAP2 1234/1234: [0x55d0(0x2000) @ 0x1000 fe:00
                267 0]: r-xp /usr/bin/clang       (all on one line)
     1234/1234  PERF_RECORD_FORK(1235:1235):(1234:1234)
     1234/1234      55d012f3

   With build IDs from the kernel <...> stands for the file's device, inode and
   generation; else "perf buildid-list" has those of objects with samples.  */

#include "profile-perf.h"
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static const char missing[]
    = "perf is missing, which has to read it: install it (Debian has it in"
      " linux-perf)";

/* The first of what perf had to say.  */
static char complaint[256];

static void
keep_complaint (const char *text)
{
  snprintf (complaint, sizeof complaint, "perf: %.*s",
            (int)strcspn (text, "\n"), text);
}

/* Which build a file was.  */
struct build
{
  char *name;
  char id[2 * PROFILE_BUILD_ID_MAX + 1]; /* "" if it was several.  */
};

struct builds
{
  struct build *list;
  size_t count;
};

static void
free_builds (struct builds *builds)
{
  for (size_t i = 0; i < builds->count; i++)
    free (builds->list[i].name);
  free (builds->list);
}

static struct build *
find_build (const struct builds *builds, const char *name)
{
  for (size_t i = 0; i < builds->count; i++)
    if (strcmp (builds->list[i].name, name) == 0)
      return &builds->list[i];
  return NULL;
}

/* Add that NAME was the build ID.  */
static bool
add_build (struct builds *builds, const char *id, const char *name)
{
  struct build *found = find_build (builds, name);
  if (found != NULL)
    {
      if (strcmp (found->id, id) != 0)
        found->id[0] = '\0';
      return true;
    }
  struct build *list
      = reallocarray (builds->list, builds->count + 1, sizeof *list);
  if (list == NULL)
    return false;
  builds->list = list;
  struct build build = { .name = strdup (name) };
  if (build.name == NULL)
    return false;
  strcpy (build.id, id);
  list[builds->count++] = build;
  return true;
}

/* Set BUILDS to those that are known in PERF_DATA.  */
static const char *
read_builds (struct builds *builds, const char *perf_data)
{
  const char *const argv[]
      = { "perf", "buildid-list", "-i", perf_data, NULL };
  char *text, *rest = NULL;
  int status = child_run (argv, environ, &text);
  if (status < 0)
    return errno == ENOENT ? missing : strerror (errno);
  bool good = true;
  if (status != 0)
    keep_complaint (text);
  else
    for (char *line = strtok_r (text, "\n", &rest); good && line != NULL;
         line = strtok_r (NULL, "\n", &rest))
      {
        size_t length = strspn (line, "0123456789abcdef");
        if (length > 0 && length <= 2 * PROFILE_BUILD_ID_MAX
            && line[length] == ' ')
          {
            line[length] = '\0';
            good = add_build (builds, line, line + length + 1);
          }
      }
  free (text);
  return status != 0 ? complaint : good ? NULL : strerror (ENOMEM);
}

/* Tell COUNTS what WORDS, those behind PERF_RECORD_MMAP or _MMAP2, say.  */
static void
tell_map (struct profile_counts *counts, const struct builds *builds,
          const char *words)
{
  int pid, at = 0, name = 0;
  uint64_t start, size, offset, inode = 0;
  unsigned int major = 0, minor = 0;
  char id[2 * PROFILE_BUILD_ID_MAX + 1] = "", protection[8] = "";
  if (sscanf (words,
              " %d/%*d: [0x%" SCNx64 "(0x%" SCNx64 ") @ %" SCNi64 "%n", &pid,
              &start, &size, (int64_t *)&offset, &at)
          != 4
      || at == 0 || pid <= 0)
    return;
  words += at;
  if (sscanf (words, " <%64[0-9a-f]>", id) != 1)
    sscanf (words, " %x:%x %" SCNu64, &major, &minor, &inode);
  const char *rest = strstr (words, "]: ");
  if (rest == NULL || sscanf (rest, "]: %7s %n", protection, &name) != 1
      || name == 0 || strchr (protection, 'x') == NULL)
    return;
  rest += name;
  struct profile_file file = { .name = rest,
                               .device = makedev (major, minor),
                               .inode = inode };
  const struct build *build = find_build (builds, rest);
  if (id[0] != '\0')
    file.build_id = id;
  else if (build != NULL && build->id[0] != '\0')
    file.build_id = build->id;
  profile_count_map (counts, pid, start, size, offset, &file);
}

/* Tell COUNTS what LINE says.  */
static void
tell_line (struct profile_counts *counts, const struct builds *builds,
           const char *line)
{
  static const char record[] = "PERF_RECORD_";
  const char *what = strstr (line, record);
  int pid, parent;
  uint64_t n;
  if (what == NULL)
    {
      if (sscanf (line, " %d/%*d %" SCNx64, &pid, &n) == 2)
        profile_count_sample (counts, pid, n);
      return;
    }
  what += strlen (record);
  if (strncmp (what, "MMAP", 4) == 0)
    tell_map (counts, builds, what + strcspn (what, " "));
  else if (strncmp (what, "COMM exec:", 10) == 0)
    {
      /* The name may hold anything.  */
      const char *colon = strrchr (what, ':');
      if (sscanf (colon, ":%d/", &pid) == 1)
        profile_count_exec (counts, pid, "");
    }
  else if (sscanf (what, "FORK(%d:%*d):(%d:", &pid, &parent) == 2)
    profile_count_fork (counts, pid, parent);
  else if (sscanf (what, "EXIT(%d:", &pid) == 1)
    profile_count_exit (counts, pid);
  else if (strncmp (what, "LOST", 4) == 0)
    {
      const char *lost = strstr (what, "lost");
      lost = lost != NULL ? lost + strcspn (lost, "0123456789") : "";
      counts->lost += strtoull (lost, NULL, 10);
    }
}

/* Run perf, to print to *OUTPUT what is in PERF_DATA and to ERRORS what is
   wrong.  Returns errno.  */
static int
start_perf (const char *perf_data, int errors, pid_t *pid, int *output)
{
  const char *const argv[]
      = { "perf", "script", "-i", perf_data, "-G", "-F", "pid,tid,ip",
          "--show-mmap-events", "--show-task-events", "--show-lost-events",
          NULL };
  int ends[2];
  if (pipe2 (ends, O_CLOEXEC) != 0)
    return errno;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_addopen (&actions, STDIN_FILENO, "/dev/null",
                                    O_RDONLY, 0);
  posix_spawn_file_actions_adddup2 (&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2 (&actions, errors, STDERR_FILENO);
  int error = posix_spawnp (pid, argv[0], &actions, NULL,
                            (char *const *)argv, environ);
  posix_spawn_file_actions_destroy (&actions);
  close (ends[1]);
  if (error != 0)
    close (ends[0]);
  else
    *output = ends[0];
  return error;
}

/* Tell COUNTS what perf prints to OUTPUT, which is closed.  */
static bool
tell_lines (struct profile_counts *counts, const struct builds *builds,
            int output)
{
  char *line = NULL;
  size_t size = 0;
  FILE *stream = fdopen (output, "r");
  if (stream == NULL)
    {
      close (output);
      return false;
    }
  ssize_t n;
  while ((n = getline (&line, &size, stream)) > 0)
    {
      if (line[n - 1] == '\n')
        line[n - 1] = '\0';
      tell_line (counts, builds, line);
    }
  free (line);
  bool good = ferror (stream) == 0;
  fclose (stream);
  return good;
}

/* Why perf ended with STATUS, from what it wrote to ERRORS.  */
static const char *
perf_problem (int status, int errors)
{
  char text[sizeof complaint];
  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return NULL;
  ssize_t n = pread (errors, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  keep_complaint (n > 0 ? text : "it has failed");
  return complaint;
}

const char *
profile_perf (struct profile_counts *counts, const char *perf_data)
{
  struct builds builds = { .count = 0 };
  const char *problem
      = access (perf_data, R_OK) == 0 ? read_builds (&builds, perf_data)
                                      : strerror (errno);
  int output = -1, status = 0;
  pid_t pid;
  int errors = memfd_create ("hugetext", MFD_CLOEXEC);
  if (problem == NULL && errors < 0)
    problem = strerror (errno);
  if (problem == NULL)
    {
      int error = start_perf (perf_data, errors, &pid, &output);
      if (error != 0)
        problem = error == ENOENT ? missing : strerror (error);
    }
  if (problem == NULL)
    {
      bool read = tell_lines (counts, &builds, output);
      while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
        ;
      problem = perf_problem (status, errors);
      if (problem == NULL && !read)
        problem = "perf's words cannot be read";
    }
  if (errors >= 0)
    close (errors);
  free_builds (&builds);
  profile_counts_end (counts);
  return problem;
}
