/* "hugetext index": compile the settings of programs for the loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "index/file.h"
#include "index/write.h"
#include "object/program.h"
#include "object/settings.h"
#include "service/service.h"
#include "util/options.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct options
{
  const char *config, *output;
  bool print, restart;
  char **programs;
};

static const struct command_option option_list[] = {
  { "print", 0, NULL, "Print the settings of each PROGRAM in the index",
    take_flag, offsetof (struct options, print) },
  { "config", 0, "FILE",
    "Compile FILE (NAME.conf), and NAME.d/*.conf beside it, instead "
    "of " CONFIG_PATH " and hugetext.d/*.conf",
    take_word, offsetof (struct options, config) },
  { "output", 0, "FILE",
    "Write the index to FILE, or with --print read it from FILE, instead "
    "of " INDEX_PATH,
    take_word, offsetof (struct options, output) },
  { "restart", 0, NULL,
    "After writing the index, restart the enabled services that run with "
    "older settings",
    take_flag, offsetof (struct options, restart) },
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[--print PROGRAM...]",
  .words = "programs",
  .field = offsetof (struct options, programs),
  .doc
  = "Compile the settings files into the index, the file from which the "
    "loader reads settings. The settings files are " CONFIG_PATH " and, "
    "beside it, hugetext.d/*.conf.\vIf a settings file has an error, the "
    "index does not change. The exit status is 0 on success, 1 if a settings "
    "file has an error or a step failed, 2 if an option is wrong.",
};

/* Report LINE, as an error if WRONG is true, otherwise as a warning.  */
static void
cmd_index_report_line (void *closure, bool wrong, const char *line)
{
  (void) closure;
  fflush (stdout);
  fprintf (stderr, "hugetext index: %s%s\n", wrong ? "" : "warning: ", line);
}

/* Print the settings that FILE has for PROGRAM.  */
static bool
print_program (const struct index_file *file, const char *program)
{
  struct hugetext_advice advice = { .given = 0 };
  struct problem problem;
  char real[PATH_MAX];
  if (!program_resolve (program, real, &problem))
    {
      config_tell (cmd_index_report_line, NULL, true, "%s: %s", program,
                   problem.text);
      return false;
    }
  hugetext_index_find (&file->index, real, &advice);
  printf ("%s:%s\n", real, advice.given != 0 ? "" : " nothing");
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    if ((advice.given & 1u << key) != 0)
      printf ("  %s = %s  (%s)\n", settings_key (key),
              key == HUGETEXT_KEY_OBJECTS
                  ? advice.objects
                  : settings_print (key, advice.value[key]),
              advice.source[key]);
  return true;
}

/* Print the settings that the index file NAME has for PROGRAMS.  */
static bool
cmd_index_print_settings (const char *name, char **programs)
{
  struct index_file file;
  struct problem problem;
  bool good = index_file_open_path (&file, name, 0, &problem);
  if (!good && access (name, F_OK) < 0 && errno == ENOENT)
    config_tell (cmd_index_report_line, NULL, true,
                 "%s: there is no index yet, so programs have default "
                 "settings; to compile settings files into an index: hugetext "
                 "index%s%s",
                 name, strcmp (name, INDEX_PATH) != 0 ? " --output=" : "",
                 strcmp (name, INDEX_PATH) != 0 ? name : "");
  else if (!good)
    config_tell (cmd_index_report_line, NULL, true,
                 "%s: %s; the loader ignores this index", name, problem.text);
  for (; good && *programs != NULL; ++programs)
    good = print_program (&file, *programs);
  index_file_close (&file);
  return good;
}

/* Return false and print an error if this user cannot replace the index that
   the loader reads.  Without this early check, the user would see the error
   only after all warnings about settings and profiles.  */
static bool
can_replace (const char *output)
{
  char directory[PATH_MAX];
  snprintf (directory, sizeof directory, "%s", output);
  if (geteuid () == 0 || strcmp (output, INDEX_PATH) != 0
      || access (dirname (directory), W_OK) == 0 || errno != EACCES)
    return true;
  config_tell (cmd_index_report_line, NULL, true,
               "%s: only root can replace this index: try as root, or write "
               "another index with --output=FILE",
               output);
  return false;
}

int
command_index (int argc, char **argv)
{
  struct options options = { .config = CONFIG_PATH, .output = INDEX_PATH };
  struct problem problem;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  if (options.print && options.programs == NULL)
    options_fail ("--print needs the name of a program: use hugetext index "
                  "--print PROGRAM...");
  if (!options.print && options.programs != NULL)
    options_fail (
        "%s: hugetext index accepts the name of a program only with --print; "
        "without --print, it compiles all settings in %s into the index",
        options.programs[0], options.config);
  if (options.restart
      && (options.print || strcmp (options.output, INDEX_PATH) != 0))
    options_fail ("--restart cannot be used with --print, and works only with "
                  "the index " INDEX_PATH);
  if (options.print)
    return cmd_index_print_settings (options.output, options.programs)
               ? STATUS_OK
               : STATUS_PARTLY;
  if (!can_replace (options.output))
    return STATUS_PARTLY;
  /* Take the lock.  Without the lock on the index, a command that has read
     older settings could overwrite the index later.  If the user is not root,
     continue without the lock.  */
  const bool locked = service_lock (&problem);
  if (!index_update (options.config, options.output, cmd_index_report_line,
                     NULL))
    return STATUS_PARTLY;
  if (!options.restart)
    return STATUS_OK;
  if (locked)
    return service_restart_outdated ();
  cmd_index_report_line (NULL, true, problem.text);
  return STATUS_PARTLY;
}
