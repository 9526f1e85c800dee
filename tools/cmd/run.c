/* "hugetext run": run a program and its children with text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The program replaces this process by execve (launch.h), so that the program
   inherits the signals, standard streams and process ID of this process, and
   the caller gets the program's exit status.  */

#include "cmd/command.h"
#include "cmd/shared-options.h"
#include "dl-hugetext-ways.h"
#include "explain/explain.h"
#include "host/process.h"
#include "host/where.h"
#include "index/file.h"
#include "object/elfask.h"
#include "object/loader.h"
#include "run/launch.h"
#include "run/supervise.h"
#include "store/prime.h"
#include "text/inspect.h"
#include "text/report.h"
#include "util/options.h"
#include "util/regular.h"
#include "util/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options
{
  struct settings settings;
  const char *loader;
  bool report;
  struct file_list only;
  char **program;
};

/* Return true if the executable FILE is a script, according to its first two
   bytes.  */
static bool
cmd_run_is_script (const char *file)
{
  char bytes[2];
  const int fd = regular_open (file);
  const bool script
      = (fd >= 0 && pread (fd, bytes, sizeof bytes, 0) == sizeof bytes
         && memcmp (bytes, "#!", sizeof bytes) == 0);
  if (fd >= 0)
    close (fd);
  return script;
}

/* Return true if WORD can be the path of a program's file.  REAL is WORD with
   symbolic links resolved.  If WORD is not the path of an existing file, REAL
   is NULL, and WORD may be a pattern for paths.  */
static bool
is_path (const char *word, const char *real)
{
  struct stat status;
  if (real != NULL)
    return stat (real, &status) == 0 && S_ISREG (status.st_mode);
  return *word == '/' && strpbrk (word, "*?") != NULL;
}

/* Handle the argument of --only, which selects the programs that get huge
   text.  The argument is a pattern for names or paths, or the path of a
   program's file.  If the argument is the path of a file, resolve symbolic
   links in the path.  */
static bool
take_program (void *field, const char *argument, struct problem *problem)
{
  const bool path = strchr (argument, '/') != NULL;
  char *real = path ? realpath (argument, NULL) : NULL;
  const char *word = real != NULL ? real : argument;
  /* In GLIBC_TUNABLES, colons separate the tunables.  In the value of the
     tunable hugetext_only, spaces separate the words.  From glibc 2.39 on, the
     value of a tunable must not contain "=".  */
  bool good = *word != '\0' && word[strcspn (word, " :=")] == '\0';
  if (!good || (path && !is_path (word, real)))
    good = problem_set (problem, "the name of a program or the path of its "
                                 "file, without spaces, ':' or '='");
  else if (real != NULL && cmd_run_is_script (real))
    /* If FILE is a script, the kernel maps the interpreter instead of
       FILE.  */
    good = problem_set (problem, "the name of the script, without a slash, or "
                                 "the path of the script's interpreter");
  else
    file_list_add (field, word);
  free (real);
  return good;
}

static const struct command_option option_list[] = {
#define SETTING_FIELD offsetof (struct options, settings)
#include "cmd/setting-options.def"
#undef SETTING_FIELD
  OPTION_LOADER (offsetof (struct options, loader)),
  { "only", 0, "PROGRAM",
    "Put text on huge pages only in processes that run PROGRAM, which is a "
    "name or a path; may be given several times",
    take_program, offsetof (struct options, only) },
  { "report", 0, NULL,
    "Inspect PROGRAM while it runs. When PROGRAM ends, print on stderr how "
    "much of its text was huge at the last inspection. If PROGRAM ended "
    "before the first inspection, do a dry run of its file, and print how "
    "much text is huge in the dry run. Also print why no text is huge, or "
    "which text stays on small pages because of --max",
    take_flag, offsetof (struct options, report) },
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[--] PROGRAM [ARG...]",
  .field = offsetof (struct options, program),
  .missing
  = "no program is named: use hugetext run [OPTION...] PROGRAM [ARG...]",
  .doc = "Run PROGRAM, and the processes that it starts, with their text on "
         "huge pages.\vFor PROGRAM and the processes that it starts, the "
         "command mounts ld-hugetext.so over the system's loader. A file that "
         "is covered by a mount cannot be replaced, so a package manager "
         "among these processes cannot update libc6. In a new user namespace "
         "(unshare -Urm), these processes can neither bind-mount /usr without "
         "the mounts below it, nor use /usr as a lower directory of an "
         "overlay.\n\nTo put code made at run time (JIT) on huge pages, too, "
         "set GLIBC_TUNABLES=glibc.mem.hugetext=3.\n\nThe exit status is that "
         "of PROGRAM, or 125 if hugetext itself fails, 126 if PROGRAM cannot "
         "be executed, 127 if PROGRAM is not found.",
};

/* Put the settings for LAUNCH into the environment.  */
static void
set_tunables (const struct launch *launch, const struct settings *settings)
{
  char *merged = launch_tunables (launch, settings);
  if (merged == NULL || setenv ("GLIBC_TUNABLES", merged, 1) != 0)
    {
      launch_say ("GLIBC_TUNABLES: no memory");
      exit (STATUS_RUN_ERROR);
    }
  free (merged);
}

/* The maximum time, in seconds, for which the start of a program waits until
   files are cached.  */
#define PATIENCE 5

/* Make the kernel use huge pages to cache LAUNCH's program, and the libraries
   of the program that the caller owns.  Do nothing if another user owns the
   program, or if the settings in the environment do not let the loader use
   huge pages of files.  */
static void
prime_own (const struct launch *launch)
{
  struct settings settings;
  settings_read (&settings, getenv ("GLIBC_TUNABLES"));
  if ((launch->program.kind == PROGRAM_DYNAMIC
       || launch->program.kind == PROGRAM_STATIC)
      && hugetext_may_use_file (settings_value (&settings, SETTING_BACKING)))
    prime_program (launch->program.file,
                   launch->program.kind == PROGRAM_DYNAMIC, PATIENCE);
}

/* Return NAMES, separated by spaces, in the format of the tunable
   hugetext_only.  Return NULL if NAMES is empty.  */
static char *
cmd_run_join_names (const struct file_list *names)
{
  char *text = NULL;
  size_t size;
  FILE *stream = names->count > 0 ? open_memstream (&text, &size) : NULL;
  if (stream == NULL)
    return NULL;
  for (size_t i = 0; i < names->count; ++i)
    fprintf (stream, "%s%s", i > 0 ? " " : "", names->names[i]);
  fclose (stream);
  return text;
}

/* Execute the program of LAUNCH.  On failure return an exit status.  */
static int
cmd_run_execute_program (struct launch *launch)
{
  launch_prepare (launch);
  return launch_execute (launch);
}

/* A program that runs as a child, and its last inspection.  */
struct reported
{
  struct launch *launch;
  /* The last inspection of the process (valid if INSPECTED), and the sums of
     the text and of the code at the time of this inspection.  */
  bool inspected;
  struct inspection found;
  struct text_sums sums, made;
};

/* In the child: execute the program of CLOSURE.  */
static int
cmd_run_start_program (void *closure)
{
  const struct reported *reported = closure;
  return cmd_run_execute_program (reported->launch);
}

/* Return true if A and B contain equal sizes of text.  */
static bool
are_same_sizes (const struct text_sums *a, const struct text_sums *b)
{
  return (a->text == b->text && a->huge == b->huge && a->small == b->small);
}

/* Inspect process PID, the program of CLOSURE, for the reasons why text is on
   small pages.  PID has OBJECTS.  Repeat the inspection if the sizes of the
   program's text have changed since the last inspection, because another block
   may now have the most text on small pages, or because the loader may not
   have been ready at the last inspection.  Only after the program has ended,
   print_reasons determines the words and remedies, because the answers about
   files may take seconds.  */
static void
see (pid_t pid, const struct object_list *objects, void *closure)
{
  struct reported *reported = closure;
  static struct inspection found;
  const struct text_sums sums = report_sums (objects);
  if ((reported->inspected && are_same_sizes (&sums, &reported->sums)
       && are_same_sizes (&objects->made.sums, &reported->made))
      || !inspect (pid, sums.huge > 0 ? INSPECT_BRIEF : EXPLAIN_INSPECTS,
                   &found))
    return;
  if (reported->inspected)
    inspect_free (&reported->found);
  reported->found = found;
  reported->inspected = true;
  reported->sums = sums;
  reported->made = objects->made.sums;
}

/* OLD and NOW are lists of the objects of the same process, and NOW was made
   later.  For each block in OLD, replace the amount of text on small pages by
   the amount in NOW.  */
static void
update_sizes (struct object_list *old, const struct object_list *now)
{
  for (size_t i = 0; i < old->count; ++i)
    for (size_t k = 0; k < now->count; ++k)
      {
        const struct object_text *from = &now->list[k];
        struct object_text *to = &old->list[i];
        if (from->bias != to->bias || from->nblocks != to->nblocks)
          continue;
        for (size_t n = 0; n < to->nblocks; ++n)
          to->blocks[n].small = from->blocks[n].small;
      }
}

/* Print why text of REPORTED's program is on small pages, and return true.
   OBJECTS are the program's objects at the last inspection of its text.  If a
   part of the text is huge, or the reason is not known, print nothing and
   return false.  SETTINGS are those with which the program was started.  */
static bool
print_why (struct reported *reported, const struct object_list *objects,
           const struct settings *settings)
{
  struct explanation all;
  struct explained_why why;
  if (reported->sums.huge > 0 || report_sums (objects).huge > 0)
    return false;
  /* The program may have ended before it could be inspected for the reasons
     once more.  Choose the reason by the sizes that the printed table
     shows.  */
  update_sizes (&reported->found.objects, objects);
  explain_inspected_own (&reported->found, &all);
  const bool known = explain_why (&all, &why);
  explain_free (&all);
  if (known)
    {
      explain_advise (&why, settings);
      explain_print_why (stderr, &why);
    }
  return known;
}

/* Print why text of REPORTED's program is on small pages, or that the cap has
   left blocks on small pages.  Also print why code made at run time is on
   small pages.  SETTINGS are those with which the program was started.  Return
   false if all text is on small pages, and it is unknown why.  */
static bool
print_reasons (struct reported *reported, const struct object_list *objects,
               const struct settings *settings)
{
  char cap[INSPECT_CAP_WORDS], code[INSPECT_CODE_WORDS];
  if (!reported->inspected)
    return report_sums (objects).huge > 0;
  const struct reason_about about
      = inspect_about_run (&reported->found, &reported->found.settings);
  const bool why = print_why (reported, objects, settings);
  if (!why && inspect_describe_cap (&reported->found, &about, cap))
    terminal_say (stderr, 4, "%s", cap);
  if (inspect_describe_code (&reported->found, &about, code))
    terminal_say (stderr, 4, "code made at run time stays on small pages: %s",
                  code);
  return why || reported->sums.huge > 0 || report_sums (objects).huge > 0;
}

/* If one of OBJECTS is a loader other than ld-hugetext.so, report that this
   other loader has loaded the objects, and return true.  A bundled
   application, for example, may contain its own loader.  */
static bool
report_loader (const struct object_list *objects)
{
  bool other = false;
  for (size_t i = 0; i < objects->count; ++i)
    {
      const char *name = objects->list[i].name;
      if (loader_named (name) && elfask_loader (name) == ELFASK_OTHER
          && !same_path (name, loader_system ()))
        {
          launch_say ("the program was loaded by %s, not by ld-hugetext.so, "
                      "so it has no huge text",
                      name);
          other = true;
        }
    }
  return other;
}

/* Make a dry run of LAUNCH's program with SETTINGS, and report how much text
   is on huge pages in the dry run.  The report says that the program itself
   has ended before BEFORE, for example before "it could be inspected".  */
static void
report_dry_run (const struct launch *launch, const struct settings *settings,
                const char *before)
{
  struct explanation found;
  struct explained_why why;
  struct problem problem = { 0 };
  launch_say ("%s ended before %s; in a dry run of this program, the "
              "following text is huge:",
              launch->argv[0], before);
  const bool good = explain_file (launch->argv[0], EXPLAINED_PROGRAM, true,
                                  launch->loader, settings, &found, &problem);
  if (good && explain_print_sums (stderr, &found) == 0)
    problem = found.list[0].problem;
  else if (good && explain_is_small (&found) && explain_why (&found, &why))
    explain_print_why (stderr, &why);
  if (problem_is (&problem))
    launch_say ("%s: %s", launch->argv[0], problem.text);
  explain_free (&found);
}

/* Return true if a dry run of LAUNCH's program is possible.  */
static bool
has_dry_run (const struct launch *launch)
{
  return (launch->way != LAUNCH_PLAIN && !launch->other
          && launch->program.kind == PROGRAM_DYNAMIC);
}

/* Run the program of LAUNCH as a child, and report how much of its text was on
   huge pages.  */
static void __attribute__ ((noreturn))
execute_and_report (struct launch *launch)
{
  struct object_list objects;
  struct settings settings, given;
  struct problem problem, misnamed;
  static struct reported reported;
  reported.launch = launch;
  settings_read (&settings, getenv ("GLIBC_TUNABLES"));
  given = settings;
  if (launch->way != LAUNCH_PLAIN && !launch->program.secure)
    {
      advice_add (&settings, launch->program.file);
      settings_show (stderr, &settings);
    }
  /* Remedies depend on whether this process runs in a container.  where_own
     starts an unprivileged child to find out whether this process runs in a
     container, and keeps the answer.  Call where_own before the program
     starts, because a short program may end before the child of where_own
     answers.  */
  (void) where_own ();
  int status
      = supervise (cmd_run_start_program, see, &reported, &objects, &problem);
  if (objects.count > 0)
    {
      report_objects (stderr, &objects);
      /* For a program that does not start under our loader, the command has
         already printed the reason.  */
      if (!report_loader (&objects) && launch->way != LAUNCH_PLAIN
          && !print_reasons (&reported, &objects, &settings)
          && has_dry_run (launch))
        report_dry_run (launch, &given,
                        "hugetext could find out why text is on small pages");
    }
  else if (!process_check_ids (&misnamed))
    launch_say ("%s: %s", launch->argv[0], misnamed.text);
  else if (problem.text[0] != '\0')
    launch_say ("%s could not be inspected: %s", launch->argv[0],
                problem.text);
  else if (!has_dry_run (launch))
    launch_say ("%s ended before it could be inspected", launch->argv[0]);
  else
    report_dry_run (launch, &given, "it could be inspected");
  objtext_free (&objects);
  end_like (status);
}

int
command_run (int argc, char **argv)
{
  struct options options = { 0 };
  options_parse (&usage, argc, argv, STATUS_RUN_ERROR, &options);

  struct launch launch;
  int status = launch_find (&launch, argv[0], options.program);
  if (status != 0)
    return status;
  options.settings.only = cmd_run_join_names (&options.only);
  launch_limit (&launch, options.settings.only);
  launch_choose_way (&launch, options.loader);
  if (launch.way != LAUNCH_PLAIN)
    {
      set_tunables (&launch, &options.settings);
      if (!launch.other)
        prime_own (&launch);
    }
  if (options.report)
    execute_and_report (&launch);
  return cmd_run_execute_program (&launch);
}
