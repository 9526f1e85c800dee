/* Settings files: hugetext.conf and the files in hugetext.d.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command reads only settings files that belong to root (as sudo and cron
   do), because a user who can write settings files can change the behaviour of
   every process of the machine.  The command reports all errors of the files,
   not only the first, and does not guess what a wrong line means.  */

#include "index/config.h"
#include "object/settings.h"
#include "trust/identity.h"
#include "util/allocate.h"
#include "util/count.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The state of one call of config_read.  */
struct reader
{
  struct config *config;
  config_say *say;
  void *closure;
  bool good;
  /* The file and the line being read.  The line number 0 stands for the whole
     file.  */
  const char *file;
  unsigned int line;
  struct config_section *section; /* The section being read, or NULL before
                                     the first section and after a wrong
                                     header.  */
  bool in_wrong;                  /* True if the header of the present section
                                     is wrong.  */
};

void
config_tell (config_say *say, void *closure, bool wrong, const char *format,
             ...)
{
  char *line = NULL;
  va_list ap;
  va_start (ap, format);
  if (vasprintf (&line, format, ap) >= 0)
    {
      /* Replace unprintable characters, because the error message quotes a
         word of the line.  */
      for (char *c = line; *c != '\0'; ++c)
        if (iscntrl ((unsigned char) *c))
          *c = '?';
      say (closure, wrong, line);
      free (line);
    }
  va_end (ap);
}

/* Report that the line that READER is reading is wrong.  */
static void __attribute__ ((format (printf, 2, 3)))
wrong (struct reader *reader, const char *format, ...)
{
  char what[4096], place[16] = "";
  va_list ap;
  va_start (ap, format);
  vsnprintf (what, sizeof what, format, ap);
  va_end (ap);
  if (reader->line != 0)
    snprintf (place, sizeof place, ":%u", reader->line);
  reader->good = false;
  config_tell (reader->say, reader->closure, true, "%s%s: %s", reader->file,
               place, what);
}

/* Return true if PATTERN can match the path of a program.  */
static bool
check_pattern (const char *pattern, struct problem *problem)
{
  static const char *const parts[] = { "//", "/./", "/../" };
  const char *base = strrchr (pattern, '/');
  bool good = (pattern[0] == '/' && base[1] != '\0' && strcmp (base, "/.") != 0
               && strcmp (base, "/..") != 0);
  for (size_t i = 0; good && i < sizeof parts / sizeof parts[0]; ++i)
    good = strstr (pattern, parts[i]) == NULL;
  return !good
             ? problem_set (
                 problem,
                 "is not the path of a program; a path must begin with "
                 "/, not end with /, and not contain //, /./ or /../")
             : !(strlen (pattern) >= HUGETEXT_PATTERN_MAX)
                   || problem_set (
                       problem,
                       "is too long; a path must be shorter than 1024 bytes");
}

/* Begin a section.  PATTERN is the text between the brackets of the line that
   begins the section.  */
static void
begin_section (struct reader *reader, const char *pattern)
{
  struct config *config = reader->config;
  struct problem problem;
  bool good = check_pattern (pattern, &problem);
  config->sections = allocate_more (config->sections, config->count,
                                    sizeof *config->sections);
  reader->section = NULL;
  reader->in_wrong = !good;
  if (!good)
    {
      wrong (reader, "[%s] %s", pattern, problem.text);
      return;
    }
  reader->section = &config->sections[config->count++];
  *reader->section
      = (struct config_section){ .pattern = allocate_text (pattern) };
  /* If the name of the settings file is too long, keep the end of the name,
     which is more useful than its beginning.  */
  size_t length = strlen (reader->file), room = HUGETEXT_SOURCE_MAX - 16;
  snprintf (reader->section->source, sizeof reader->section->source, "%s%s:%u",
            length > room ? "..." : "",
            reader->file + (length > room ? length - room : 0), reader->line);
  /* Replace control characters in the source of the section ("FILE:LINE"),
     because messages contain the source in the middle of a line.  */
  for (char *p = reader->section->source; *p != '\0'; ++p)
    if (iscntrl ((unsigned char) *p))
      *p = '?';
}

/* Set the list of objects of READER's section to the words in TEXT, with one
   blank between two words.  */
static void
set_objects (struct reader *reader, char *text)
{
  char list[HUGETEXT_OBJECTS_MAX], *rest = NULL;
  size_t length = 0;
  list[0] = '\0';
  if (strchr (text, ',') != NULL)
    wrong (reader, "objects = %s: separate the names by blanks, not by commas",
           text);
  for (char *word = strtok_r (text, " \t", &rest);
       word != NULL && length < sizeof list;
       word = strtok_r (NULL, " \t", &rest))
    length += snprintf (list + length, sizeof list - length, "%s%s",
                        length > 0 ? " " : "", word);
  if (length >= sizeof list)
    wrong (reader,
           "the value of \"objects\" is too long; it must be shorter "
           "than " COUNT_FORMAT,
           COUNT (HUGETEXT_OBJECTS_MAX, "byte"));
  reader->section->objects = allocate_text (list);
}

/* Store the setting of a line NAME = VALUE.  */
static void
config_take_setting (struct reader *reader, const char *name, char *value)
{
  struct config_section *section = reader->section;
  enum hugetext_key key = settings_find_key (name, strlen (name));
  uint64_t number = 0;
  if (key == HUGETEXT_KEYS)
    {
      wrong (reader, "there is no setting \"%s\"; use %s", name,
             settings_keys ());
      return;
    }
  struct problem right;
  if (key < HUGETEXT_VALUES
      && !settings_read_line (key, value, &number, &right))
    wrong (reader, "%s = %s: must be %s", name, value, right.text);
  if (section == NULL && !reader->in_wrong)
    wrong (reader,
           "%s is in no section; write it below a line [/path/of/a/program]",
           name);
  if (section == NULL)
    return;
  if ((section->given & 1u << key) != 0)
    {
      wrong (reader, "%s is set twice in a section; set it only once", name);
      return;
    }
  section->given |= 1u << key;
  if (key == HUGETEXT_KEY_OBJECTS)
    set_objects (reader, value);
  else
    section->value[key] = number;
}

/* Remove blanks at both ends of TEXT.  */
static char *
config_trim_text (char *text)
{
  static const char blanks[] = " \t\r\n";
  text += strspn (text, blanks);
  size_t length = strlen (text);
  while (length > 0 && strchr (blanks, text[length - 1]) != NULL)
    text[--length] = '\0';
  return text;
}

/* Parse LINE of a settings file.  */
static void
take_line (struct reader *reader, char *line)
{
  char *text = config_trim_text (line);
  size_t length = strlen (text);
  char *equals = strchr (text, '=');
  if (length == 0 || text[0] == '#')
    return;
  if (text[0] == '[' && text[length - 1] == ']')
    {
      text[length - 1] = '\0';
      begin_section (reader, text + 1);
    }
  else if (text[0] == '[')
    {
      wrong (reader, "%s: must end with ]", text);
      reader->section = NULL;
      reader->in_wrong = true;
    }
  else if (equals != NULL)
    {
      *equals = '\0';
      config_take_setting (reader, config_trim_text (text),
                           config_trim_text (equals + 1));
    }
  else
    wrong (reader,
           "%s: must be [/path/of/a/program], NAME = VALUE, or begin"
           " with #",
           text);
}

/* Open PATH, which is a directory if DIRECTORY is true, otherwise a file.
   Check that the owner and the mode of PATH make it trustworthy.  On failure
   report the problem and return -1.  LISTED is true if the user has named
   PATH.  If PATH is missing, report an error only if LISTED is true.  Do not
   block in open, even if PATH is not a regular file.  */
static int
open_trusted (struct reader *reader, const char *path, bool directory,
              bool listed)
{
  struct stat status;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
                           | (directory ? O_DIRECTORY : 0));
  reader->file = path;
  reader->line = 0;
  if (fd < 0 && errno == ENOENT && !listed)
    return -1;
  struct problem problem;
  bool good = true;
  if (fd < 0 || fstat (fd, &status) != 0)
    good = problem_system (&problem, errno);
  else
    {
      if (directory)
        status.st_mode = S_IFREG | (status.st_mode & 07777);
      good = identity_check (&status, geteuid (), &problem);
    }
  if (good)
    return fd;
  wrong (reader, "%s", problem.text);
  if (fd >= 0)
    close (fd);
  return -1;
}

/* Read the settings file PATH.  If PATH is missing, report this only if LISTED
   is true.  */
static void
config_read_file (struct reader *reader, const char *path, bool listed)
{
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  int fd = open_trusted (reader, path, false, listed);
  FILE *stream = fd >= 0 ? fdopen (fd, "r") : NULL;
  if (stream == NULL)
    return;
  reader->section = NULL;
  reader->in_wrong = false;
  while ((length = getline (&line, &size, stream)) >= 0)
    {
      ++reader->line;
      if (strlen (line) < (size_t) length)
        wrong (reader,
               "the settings file contains a null byte; it must be text");
      else
        take_line (reader, line);
    }
  reader->line = 0;
  if (ferror (stream))
    wrong (reader, "%s", strerror (errno));
  free (line);
  fclose (stream);
}

/* Return true if the directory entry ENTRY is a settings file.  */
static int
config_is_settings_file (const struct dirent *entry)
{
  const char *end = strrchr (entry->d_name, '.');
  return (entry->d_name[0] != '.' && end != NULL
          && strcmp (end, ".conf") == 0);
}

/* Read the settings files in the directory PATH, if it exists.  */
static void
config_read_directory (struct reader *reader, const char *path)
{
  struct dirent **list;
  int fd = open_trusted (reader, path, true, false);
  if (fd < 0)
    return;
  int count = scandirat (fd, ".", &list, config_is_settings_file, alphasort);
  close (fd);
  if (count < 0)
    {
      wrong (reader, "%s", strerror (errno));
      return;
    }
  for (int i = 0; i < count; ++i)
    {
      char name[2 * PATH_MAX];
      snprintf (name, sizeof name, "%s/%s", path, list[i]->d_name);
      config_read_file (reader, name, true);
      free (list[i]);
    }
  free (list);
}

bool
config_read (const char *path, struct config *config, config_say *say,
             void *closure)
{
  struct reader reader
      = { .config = config, .say = say, .closure = closure, .good = true };
  char directory[PATH_MAX];
  const size_t length = strlen (path), end = strlen (".conf");
  bool conf = length > end && strcmp (path + length - end, ".conf") == 0;
  *config = (struct config){ 0 };
  config_read_file (&reader, path, false);
  snprintf (directory, sizeof directory, "%.*s.d",
            (int) (conf ? length - end : length), path);
  config_read_directory (&reader, directory);
  return reader.good;
}

void
config_free (struct config *config)
{
  for (size_t i = 0; i < config->count; ++i)
    {
      free (config->sections[i].pattern);
      free (config->sections[i].objects);
    }
  free (config->sections);
  *config = (struct config){ 0 };
}
