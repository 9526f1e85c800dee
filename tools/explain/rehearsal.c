/* Rehearsals: our loader starts a program and ends it before any of its code
   runs; meanwhile the command looks at it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A loader that maps a hostile file can be made to run code of it: a segment
   may lie at the loader's own address, and a file may name a library for
   audits.  So root rehearses only files that are root's (trust/trusted.h),
   with an empty environment; the command checks the segments of all files that
   will be mapped; and the loader ends where an auditor would run.  A rehearsal
   is killed after some seconds and has no terminal.  */

#include "explain/rehearsal.h"
#include "dl-hugetext-plan.h"
#include "dl-hugetext-rooms.h"
#include "host/filecache.h"
#include "host/namespace.h"
#include "object/dependencies.h"
#include "object/elfobject.h"
#include "object/loader.h"
#include "object/program.h"
#include "text/inspect.h"
#include "text/record.h"
#include "util/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program to which a library is preloaded.  */
#define STUB "/bin/true"

/* The limit of a rehearsal, in seconds.  Copies take 0.5 to 5 ms a block, and
   a process has some hundred at most (doc/experiments/start).  */
#define PATIENCE 10

/* The start of a rehearsal.  */
struct start
{
  const char *loader;
  const char *program;
  bool own;            /* The program names LOADER itself.  */
  const char *preload; /* A library, or NULL.  */
  char *tunables;
};

static int
open_allowed (const char *path, const char **problem)
{
  return (geteuid () == 0 ? trusted_open (path, problem)
                          : readable_open (path, problem));
}

/* Whether a loader may map PATH: if this user is root, the file must not be
   another user's, and its segments must not overwrite other mappings.  */
static bool
check_file (const char *path, struct problem *problem)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  struct elf_object elf;
  const char *why;
  int fd = open_allowed (path, &why);
  if (fd >= 0)
    {
      why = elfobject_read (fd, &elf);
      if (why == NULL)
        why = hugetext_object_check (&elf.object, &geo);
      close (fd);
    }
  return (why == NULL
          || problem_set (problem, "unknown: %s cannot be rehearsed%s: %s",
                          path, geteuid () == 0 ? " by root" : "", why));
}

/* Check the file NAME and all that it needs in this way.  */
static bool
check_closure (const char *name, struct problem *problem)
{
  struct file_list all = { 0 };
  char *path = realpath (name, NULL);
  if (path == NULL)
    return problem_errno (problem, name);
  file_list_add (&all, path);
  free (path);
  const char *why = file_list_dependencies (&all, readable_open);
  bool good = (why == NULL || problem_set (problem, "unknown: %s", why));
  for (size_t i = 0; good && i < all.count; ++i)
    good = check_file (all.names[i], problem);
  file_list_free (&all);
  return good;
}

/* Whether the loader PATH can rehearse, and leaves a record that this command
   can read.  An older loader would run the program.  */
static bool
check_loader (const char *path, struct problem *problem)
{
  struct loader loader;
  const char *why = NULL;
  int fd = open_allowed (path, &why);
  if (fd < 0)
    return problem_set (problem, "unknown: %s: %s", path, why);
  close (fd);
  if (!loader_read (path, &loader))
    return problem_errno (problem, path);
  why = loader_problem (&loader);
  if (why == NULL)
    why = record_unknown (path);
  return why == NULL || problem_set (problem, "unknown: %s", why);
}

/* Whether START's program would be loaded by its loader, and gives no rights.
   If the program names a loader of ours itself, START gets that loader.  */
static bool
check_program (struct start *start, struct problem *problem)
{
  static struct program program;
  const char *path = start->program;
  if (!program_read (path, &program))
    return problem_errno (problem, path);
  if (program.kind != PROGRAM_DYNAMIC)
    return problem_set (problem,
                        "unknown: %s is no program that a loader"
                        " loads",
                        path);
  if (program.secure)
    return problem_set (problem, "it gets rights of its own when it is"
                                 " executed (AT_SECURE): the loader takes no"
                                 " tunables then");
  if (same_path (program.interpreter, loader_system ()))
    return true;
  if (!loader_is_ours (program.interpreter))
    return problem_set (problem, "it has a loader of its own, %.256s",
                        program.interpreter);
  start->loader = program.interpreter;
  start->own = true;
  return true;
}

/* Run in the child: set the environment, which has the settings, and those of
   our variables that decide which libraries are loaded; none of these for
   root.  */
static bool
set_environment (const struct start *start)
{
  static const char *const kept[]
      = { "LD_LIBRARY_PATH", "LD_HWCAP_MASK", "LD_AUDIT", "LD_PRELOAD" };
  char *value[sizeof kept / sizeof kept[0]] = { NULL };
  const size_t preload = sizeof kept / sizeof kept[0] - 1;
  for (size_t i = 0; geteuid () != 0 && i <= preload; ++i)
    value[i] = getenv (kept[i]);
  if (start->preload != NULL
      && asprintf (&value[preload], "%s:%s", start->preload,
                   value[preload] != NULL ? value[preload] : "")
             < 0)
    return false;
  bool good
      = clearenv () == 0 && setenv ("GLIBC_TUNABLES", start->tunables, 1) == 0;
  for (size_t i = 0; i <= preload; ++i)
    good = good && (value[i] == NULL || setenv (kept[i], value[i], 1) == 0);
  return good;
}

/* Return GLIBC_TUNABLES for a rehearsal by SETTINGS, without its other words:
   for a malformed one glibc may ignore all, and would run the program.  For a
   LIBRARY the backing is named: the programs that use it have more text than
   the stub, which the loader would leave alone.  */
static char *
rehearsal_tunables (const struct settings *given, bool library)
{
  struct settings settings = *given;
  settings.value[SETTING_BACKING] = settings_value (given, SETTING_BACKING);
  settings.given[SETTING_BACKING] |= library;
  settings.given[SETTING_MODE] = true;
  settings.value[SETTING_MODE] = ((settings_value (given, SETTING_MODE)
                                   & (SETTINGS_CODE | SETTINGS_PRCTL))
                                  | SETTINGS_TEXT | HUGETEXT_MODE_REHEARSAL);
  return settings_merge (&settings, NULL);
}

/* Run in the child: become START's program, with SOCKET as its standard input,
   output and error.  */
static void __attribute__ ((noreturn))
become (const struct start *start, int socket, pid_t parent)
{
  static const struct rlimit none = { 0, 0 };
  char *const by_kernel[] = { (char *) start->program, NULL };
  char *const by_loader[]
      = { (char *) start->loader, (char *) start->program, NULL };
  setsid ();
  setrlimit (RLIMIT_CORE, &none);
  const bool in_place
      = (start->own || same_path (start->loader, loader_system ())
         || namespace_bind (start->loader, loader_system ()) == NULL);
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () == parent && dup2 (socket, STDIN_FILENO) >= 0
      && dup2 (socket, STDOUT_FILENO) >= 0 && dup2 (socket, STDERR_FILENO) >= 0
      && set_environment (start))
    {
      if (in_place)
        execv (start->program, by_kernel);
      else
        execv (start->loader, by_loader);
    }
  dprintf (STDERR_FILENO, "%s\n", strerror (errno));
  _exit (127);
}

/* Wait for the byte of the loader of REHEARSAL.  Return NULL, or why the
   rehearsal has failed, by what it wrote to standard error; in static
   memory.  */
static const char *
wait_for (const struct rehearsal *rehearsal)
{
  static char text[512];
  struct pollfd pollfd = { .fd = rehearsal->hold, .events = POLLIN };
  size_t used = 0;
  ssize_t n = 1;
  while (used < sizeof text - 1 && n > 0)
    {
      if (poll (&pollfd, 1, PATIENCE * 1000) != 1)
        return "it takes too many seconds";
      n = read (rehearsal->hold, text + used, sizeof text - 1 - used);
      used += n > 0 ? n : 0;
      if (memchr (text, HUGETEXT_REHEARSED, used) != NULL)
        return NULL;
      if (memchr (text, HUGETEXT_AUDITED, used) != NULL)
        return "a library for audits is named, whose code would run";
    }
  text[used] = '\0';
  text[strcspn (text, "\n")] = '\0';
  printable_string (text);
  return used > 0 ? text : "it ran to its end";
}

/* Touch REHEARSAL's mappings of files that are cached as a whole: the kernel
   then shows whether it uses huge pages for them by itself.  */
static void
touch (const struct rehearsal *rehearsal)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  struct inspection found;
  char path[64], byte;
  snprintf (path, sizeof path, "/proc/%d/mem", (int) rehearsal->pid);
  int memory = open (path, O_RDONLY | O_CLOEXEC);
  if (memory < 0 || inspect (rehearsal->pid, false, &found) != NULL)
    {
      if (memory >= 0)
        close (memory);
      return;
    }
  for (size_t i = 0; i < found.objects.count; ++i)
    {
      const struct object_text *object = &found.objects.list[i];
      struct elf_object elf;
      int fd = objtext_open (rehearsal->pid, object);
      bool good = (fd >= 0 && elfobject_read (fd, &elf) == NULL
                   && elfobject_problem (&elf) == NULL);
      elf.object.bias = object->bias;
      for (size_t k = 0; good && k < object->nblocks; ++k)
        {
          const struct text_block *block = &object->blocks[k];
          if (block->huge != 0 || block->small != 0)
            continue;
          const struct hugetext_block judged
              = hugetext_block_judge (&elf.object, &geo, 0, block->start);
          if (judged.congruent && filecache_is_whole (fd, judged.offset)
              && pread (memory, &byte, 1, block->start) != 1)
            break;
        }
      if (fd >= 0)
        close (fd);
    }
  inspect_free (&found);
  close (memory);
}

void
rehearsal_end (struct rehearsal *rehearsal)
{
  kill (rehearsal->pid, SIGKILL);
  while (waitpid (rehearsal->pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  close (rehearsal->hold);
}

/* Start START as REHEARSAL.  */
static bool
launch (struct rehearsal *rehearsal, const struct start *start,
        struct problem *problem)
{
  int ends[2];
  const pid_t parent = getpid ();
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
    return problem_errno (problem, "socketpair");
  rehearsal->hold = ends[0];
  rehearsal->pid = fork ();
  if (rehearsal->pid == 0)
    become (start, ends[1], parent);
  close (ends[1]);
  if (rehearsal->pid < 0)
    {
      close (ends[0]);
      return problem_errno (problem, "fork");
    }
  const char *why = wait_for (rehearsal);
  if (why == NULL)
    {
      touch (rehearsal);
      return true;
    }
  rehearsal_end (rehearsal);
  return problem_set (problem, "unknown: its rehearsal has failed: %s", why);
}

bool
rehearsal_start (struct rehearsal *rehearsal, const struct file_list *files,
                 bool library, const char *loader,
                 const struct settings *settings, struct problem *problem)
{
  char *file = realpath (files->names[0], NULL);
  struct start start
      = { .loader = loader_wanted (loader),
          .program = library ? STUB : file,
          .preload = library           ? file
                     : files->late > 0 ? files->names[files->count - 1]
                                       : NULL,
          .tunables = rehearsal_tunables (settings, library) };
  bool good = ((file != NULL || problem_errno (problem, files->names[0]))
               && (start.tunables != NULL
                   || problem_set (problem, "%s", strerror (ENOMEM))));
  if (good && start.preload != NULL && strpbrk (start.preload, " :") != NULL)
    good = problem_set (problem, "unknown: its path has a space or a colon,"
                                 " which LD_PRELOAD takes for a separator");
  good = (good && check_program (&start, problem)
          && check_loader (start.loader, problem)
          && check_closure (start.program, problem)
          && (start.preload == NULL || check_closure (start.preload, problem))
          && launch (rehearsal, &start, problem));
  free (start.tunables);
  free (file);
  return good;
}
