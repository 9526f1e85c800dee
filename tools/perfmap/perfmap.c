/* Maps for perf: write the functions that the inspector has found to the map
   of a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "perfmap/perfmap.h"
#include "host/inspector.h"
#include "host/process.h"
#include "host/userfile.h"
#include "util/terminal.h"
#include "util/count.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The largest error number.  */
#define ERRNO_MOST 4095

/* Write the lines of ANSWER to STREAM. Return the number of lines.  */
static size_t
write_lines (struct message *answer, FILE *stream)
{
  uint64_t start;
  size_t count = 0;
  while ((start = message_get_number (answer, INT64_MAX)) != 0)
    {
      char name[PERFMAP_NAME];
      const uint64_t size = message_get_number (answer, INT64_MAX - start);
      message_get_printable (answer, name, sizeof name);
      fprintf (stream, "%" PRIx64 " %" PRIx64 " %s\n", start, size, name);
      ++count;
    }
  return count;
}

/* The perf map of a process, as text.  */
struct map
{
  char *text;
  size_t count;      /* The number of lines.  */
  bool memory_files; /* True if a copy of the process is in a memfd.  */
};

/* Set MAP to the map of process PID; the caller frees its text.  */
static bool
read_map (pid_t pid, struct map *map, struct problem *problem)
{
  struct message asked = { 0 }, answer;
  struct process process = { .pid = pid };
  message_put_number (&asked, pid);
  if (!inspector_ask (INSPECTOR_SYMBOLS, pid, 0, &asked, &answer, problem))
    return false;
  const int error = message_get_number (&answer, ERRNO_MOST);
  size_t size;
  FILE *stream = open_memstream (&map->text, &size);
  map->count = stream != NULL ? write_lines (&answer, stream) : 0;
  const bool written = stream != NULL && fclose (stream) == 0;
  map->memory_files = message_get_bool (&answer);
  const bool good = message_is_done (&answer);
  message_free (&answer);
  if (error == EDQUOT)
    return problem_set (
        problem,
        "inspecting the process would take too long, or too much memory");
  if (error != 0)
    return process_explain (&process, error, problem);
  if (!good)
    return problem_set (problem, "hugetext's helper process, which inspects "
                                 "other processes, sent an invalid answer");
  return written || problem_errno (problem, "the map");
}

bool
perfmap_write (pid_t pid, struct problem *problem)
{
  struct userfile file
      = { .pid = pid, .process = syscall (__NR_pidfd_open, pid, 0) };
  struct map map = { .text = NULL };
  if (file.process < 0 && errno != ESRCH)
    return problem_errno (problem, "pidfd_open");
  bool good = read_map (pid, &map, problem);
  if (good && map.count == 0)
    terminal_say (
        stdout, 4,
        "%d: perf needs no map of this process: all its text is mapped from "
        "files, and perf finds the names of functions in these files",
        (int) pid);
  else if (good)
    {
      good = userfile_append (&file, map.text, problem);
      if (good)
        terminal_say (
            stdout, 4, "%s: " COUNT_FORMAT " of process %d%s%s", file.path,
            COUNT (map.count, "function"), (int) pid,
            file.added ? "" : " (the file already contained their names)",
            map.memory_files
                ? "; perf finds no names for text in memfd copies, because "
                  "for memfd text perf reads the memfd instead of this file"
                : "; perf report reads this file");
    }
  if (file.process >= 0)
    close (file.process);
  free (map.text);
  return good;
}
