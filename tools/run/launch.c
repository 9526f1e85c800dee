/* Launch a program under ld-hugetext.so, or in another way if the kind of its
   file requires this.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usually the program's file is executed directly.  Before the execve, this
   process bind-mounts ld-hugetext.so over the system's loader, in a new mount
   namespace.  The program's children inherit the namespace and the tunables.

   A static program has no loader; a helper moves its text to huge pages
   before its first instruction (helper.h).  */

#include "run/launch.h"
#include "run/helper.h"
#include "host/namespace.h"
#include "object/loader.h"
#include "object/filter.h"
#include "util/exit-status.h"

#include "dl-hugetext-index.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The words with which messages begin, such as "hugetext run".  */
static const char *caller;

void
launch_say (const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  fprintf (stderr, "%s: ", caller);
  vfprintf (stderr, format, ap);
  fputc ('\n', stderr);
  va_end (ap);
}

int
launch_find (struct launch *launch, const char *name_of_caller, char **argv)
{
  const char *name = argv[0];
  caller = name_of_caller;
  *launch = (struct launch){ .argv = argv };
  char *file = program_find (name);
  bool good = file != NULL && program_read (file, &launch->program);
  const int error = errno;
  struct problem problem;
  if (!good)
    {
      program_cannot_run (launch->program.script[0] == '\0' ? file : NULL,
                          error, &problem);
      launch_say ("%s: %s", name, problem.text);
    }
  free (file);
  if (good)
    return 0;
  return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

/* Return true if LIST, of LENGTH characters, contains the program FILE, which
   is executed under the name NAME.  */
static bool
launch_is_in_list (const char *list, size_t length, const char *name,
                   const char *file)
{
  char *real = file != NULL ? realpath (file, NULL) : NULL;
  const bool named
      = (hugetext_words_match (list, length, name, false)
         || (real != NULL && hugetext_words_match (list, length, real, true)));
  free (real);
  return named;
}

/* Return true if LIST, of LENGTH characters, contains LAUNCH's program.  */
static bool
names_program (const struct launch *launch, const char *list, size_t length)
{
  const struct program *program = &launch->program;
  return (launch_is_in_list (list, length, launch->argv[0], program->file)
          || (program->script[0] != '\0'
              && launch_is_in_list (list, length, program->file, NULL)));
}

/* If LAUNCH's program is a script whose interpreter is env, set NAME to the
   name of the program that env executes, and return true.  */
static bool
find_after_env (const struct launch *launch, char name[static 256])
{
  const struct program *program = &launch->program;
  const char *word = program->argument;
  if (program->script[0] == '\0'
      || strcmp (hugetext_base_name (program->file), "env") != 0)
    return false;
  /* Skip assignments of variables, and options that have no argument.  After
     another option, this loop stops, because the next word may be the argument
     of the option instead of the program.  */
  size_t length;
  while ((length = strcspn (word, " \t")) > 0
         && (memchr (word, '=', length) != NULL
             || (length == 2
                 && (memcmp (word, "-S", 2) == 0
                     || memcmp (word, "-i", 2) == 0))))
    word += length + strspn (word + length, " \t");
  if (*word == '-')
    return false;
  snprintf (name, 256, "%.*s", (int) length, word);
  return length > 0;
}

/* LIST, of LENGTH characters, is a list of names of programs.  Return true if
   LAUNCH's program is a script whose interpreter is env, and the program that
   env executes for this script is in LIST.  */
static bool
names_after_env (const struct launch *launch, const char *list, size_t length)
{
  char name[256];
  if (!find_after_env (launch, name))
    return false;
  char *file = program_find (name);
  const bool named = launch_is_in_list (list, length, name, file);
  free (file);
  return named;
}

/* LIST, of LENGTH characters, is a list of names of programs.  If LAUNCH's
   program is a script whose interpreter is env, and the program that env
   executes is not in LIST, print a warning.  Call this function if LIST
   contains LAUNCH's program itself.  */
static void
warn_of_env (const struct launch *launch, const char *list, size_t length)
{
  char name[256];
  if (find_after_env (launch, name) && !names_after_env (launch, list, length))
    launch_say ("%s is a script whose #! line makes env execute %s: add "
                "--only=%s, otherwise the text of %s stays on small pages",
                launch->argv[0], name, name, name);
}

void
launch_limit (struct launch *launch, const char *only)
{
  size_t length;
  const char *list = settings_list (getenv ("GLIBC_TUNABLES"), &length);
  if (only != NULL)
    {
      list = only;
      length = strlen (only);
    }
  launch->other = list != NULL && !names_program (launch, list, length);
  if (launch->other && only == NULL && !launch->program.secure
      && !names_after_env (launch, list, length))
    launch_say (
        "GLIBC_TUNABLES has %s=%.*s, which does not name %s: %s runs on "
        "small pages",
        settings_list_name (), (int) length, list, launch->argv[0],
        launch->argv[0]);
  else if (only != NULL && !launch->other)
    warn_of_env (launch, list, length);
}

/* Return true if the system's loader would load LAUNCH's program.  */
static bool
uses_system_loader (const struct launch *launch)
{
  return (launch->program.kind == PROGRAM_DYNAMIC
          && same_path (launch->program.interpreter, loader_system ()));
}

/* Return true if LAUNCH's program itself names ld-hugetext.so as its
   loader.  */
static bool
has_our_loader (const struct launch *launch)
{
  return (launch->program.kind == PROGRAM_DYNAMIC
          && !uses_system_loader (launch)
          && loader_is_ours (launch->program.interpreter));
}

/* Return true if LAUNCH's program is itself a loader, for example that of a
   bundle.  A bundle's own loader has no PT_INTERP, and ld-hugetext.so cannot
   load the objects of the bundle.  */
static bool
is_other_loader (const struct launch *launch)
{
  struct loader loader;
  return (launch->program.kind == PROGRAM_STATIC
          && !same_path (launch->program.file, loader_system ())
          && loader_read (launch->program.file, &loader) && loader.loads
          && !loader.ours);
}

/* Find the loader for LAUNCH.  Return false and set PROBLEM if no loader can
   be bind-mounted over the system's loader.  */
static bool
launch_find_loader (struct launch *launch, const char *given,
                    struct problem *problem)
{
  struct loader loader;

  launch->loader = loader_wanted (given);
  if (loader_read (launch->loader, &loader))
    return loader_check (&loader, problem);
  if (given != NULL)
    {
      launch_say ("--loader=%s: %s; give the path of an ld-hugetext.so", given,
                  strerror (errno));
      exit (STATUS_RUN_ERROR);
    }
  return problem_errno (problem, launch->loader);
}

/* Choose another way to run LAUNCH, because PROBLEM prevents a bind mount over
   the system's loader.  EXPLICIT is true if the loader itself works, so that
   the command "LOADER PROGRAM" can run the program.  */
static void
choose_without (struct launch *launch, const struct problem *problem,
                bool explicit)
{
  const char *name = launch->argv[0], *why = problem->text;
  launch->way = LAUNCH_AS_IT_IS;
  if (launch->other && !loader_is_ours (loader_system ()))
    {
      launch->way = LAUNCH_PLAIN;
      launch_say ("%s: programs that %s starts get no huge text", why, name);
    }
  else if (loader_is_ours (loader_system ()))
    launch_say ("%s: without a bind mount, %s runs under the system's loader, "
                "which is an ld-hugetext.so too",
                why, name);
  else if (has_our_loader (launch) || launch->program.kind == PROGRAM_STATIC)
    launch_say (
        "%s: only %s gets huge text, and programs that it starts do not", why,
        name);
  else if (explicit && uses_system_loader (launch))
    {
      launch->way = LAUNCH_EXPLICIT;
      launch_say ("%s: only %s gets huge text, and programs that it starts do "
                  "not; in this process, /proc/self/exe is the loader",
                  why, name);
    }
  else
    {
      launch->way = LAUNCH_PLAIN;
      launch_say ("%s: %s runs on small pages, under the system's loader", why,
                  name);
    }
}

void
launch_choose_way (struct launch *launch, const char *loader)
{
  const struct program *program = &launch->program;
  struct problem problem;
  const bool found = launch_find_loader (launch, loader, &problem);
  launch->way = program->secure ? LAUNCH_PLAIN : LAUNCH_BOUND;
  if (program->secure)
    /* Do not use a user namespace: a program that is executed in a user
       namespace gains no privileges.  */
    launch_say ("%s gains privileges when it is executed, so the loader "
                "ignores tunables: the program runs on small pages",
                program->file);
  else if (!found)
    choose_without (launch, &problem, false);
  else if (program->kind == PROGRAM_FOREIGN)
    launch_say ("%s: %s: the program runs on small pages; only programs that "
                "it starts get huge text",
                program->file, program->foreign);
  else if (is_other_loader (launch))
    launch_say ("%s is a loader other than ld-hugetext.so: the program that "
                "it loads runs on small pages; only programs that this "
                "program starts get huge text",
                program->file);
  else if (program->kind == PROGRAM_DYNAMIC && !uses_system_loader (launch)
           && !has_our_loader (launch))
    launch_say ("%s names another loader, %s: the program runs on small "
                "pages; only programs that it starts get huge text",
                program->file, program->interpreter);
}

static void
launch_print_setting (void *closure, const char *problem, const char *right)
{
  (void) closure;
  launch_say ("GLIBC_TUNABLES: %s; must be %s", problem, right);
}

char *
launch_tunables (const struct launch *launch, const struct settings *given)
{
  struct settings settings = *given, before;
  const char *old = getenv ("GLIBC_TUNABLES");
  char *kept = settings_merge (&settings, old);
  settings_complain (kept, launch_print_setting, NULL);
  free (kept);
  settings_read (&before, old);
  if (!before.given[SETTING_MODE] && !settings.given[SETTING_MODE])
    {
      settings.given[SETTING_MODE] = true;
      settings.value[SETTING_MODE]
          = (SETTINGS_TEXT
             | (filter_allows (launch->loader) ? SETTINGS_PRCTL : 0));
    }
  else if (!settings.given[SETTING_MODE] && !settings_on (&before))
    launch_say ("GLIBC_TUNABLES has %s=%llu, which this command does not "
                "change: no text will be on huge pages",
                settings_name (SETTING_MODE),
                (unsigned long long) before.value[SETTING_MODE]);
  return settings_merge (&settings, old);
}

/* Return true if LAUNCH needs a mount namespace.  */
static bool
takes_namespace (const struct launch *launch)
{
  return (launch->way == LAUNCH_BOUND
          && !same_path (loader_system (), launch->loader));
}

void
launch_try (struct launch *launch)
{
  struct problem problem;
  if (takes_namespace (launch)
      && !namespace_try (launch->loader, loader_system (), &problem))
    choose_without (launch, &problem, true);
}

/* Remove the list of programs from GLIBC_TUNABLES.  The list contains the name
   of LAUNCH's program.  With the command "LOADER PROGRAM", the loader might
   not find its program in the list, because PROGRAM may be the name of a
   script's interpreter or of a link.  Programs that LAUNCH's program starts do
   not run under ld-hugetext.so, so they need no list of programs.  */
static void
drop_list (void)
{
  const struct settings none = { .only = "" };
  char *merged = settings_merge (&none, getenv ("GLIBC_TUNABLES"));
  if (merged != NULL)
    setenv ("GLIBC_TUNABLES", merged, 1);
  free (merged);
}

/* Execute the program of LAUNCH by the command "LOADER PROGRAM".  For a
   script, PROGRAM is the interpreter.  */
static void
execute_explicitly (const struct launch *launch)
{
  const struct program *program = &launch->program;
  size_t count = 0;
  while (launch->argv[count] != NULL)
    ++count;
  const char *argv[count + 8];
  size_t n = 0;
  argv[n++] = launch->loader;
  /* Loaders of glibc before 2.33 have no option --argv0, so argv[0] is the
     path of the program.  */
  if (program->script[0] == '\0'
      && strverscmp (gnu_get_libc_version (), "2.33") >= 0)
    {
      argv[n++] = "--argv0";
      argv[n++] = launch->argv[0];
    }
  argv[n++] = program->file;
  if (program->script[0] != '\0')
    {
      if (program->argument[0] != '\0')
        argv[n++] = program->argument;
      argv[n++] = program->script;
    }
  memcpy (argv + n, launch->argv + 1, count * sizeof *argv);
  drop_list ();
  execv (launch->loader, (char **) argv);
}

void
launch_prepare (struct launch *launch)
{
  struct problem problem;
  if (takes_namespace (launch)
      && !namespace_bind (launch->loader, loader_system (), &problem))
    choose_without (launch, &problem, true);
  if (launch->program.kind != PROGRAM_STATIC || launch->way == LAUNCH_PLAIN
      || launch->other)
    return;
  /* The helper process puts the program's text on huge pages after this
     process has called execve.  */
  if (!helper_start (launch->program.file, launch->argv[0], caller, &problem))
    launch_say ("%s runs on small pages: %s", launch->argv[0], problem.text);
}

int
launch_execute (const struct launch *launch)
{
  if (launch_children_ignored)
    signal (SIGCHLD, SIG_IGN);
  if (launch->way == LAUNCH_EXPLICIT)
    execute_explicitly (launch);
  else
    execvp (launch->argv[0], launch->argv);
  const int error = errno;
  launch_say ("%s: %s", launch->argv[0], strerror (error));
  return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}
