/* Settings files: hugetext.conf and the files in hugetext.d.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A user who can write these files decides about every process of the machine,
   so the command reads only root's, as sudo and cron do.  It reports all
   errors at once, and guesses nothing.  */

#include "index/config.h"
#include "object/settings.h"

#include <dirent.h>
#include <ctype.h>
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
  /* The present place.  */
  const char *file;
  unsigned int line;
  struct config_section *section; /* The present section, NULL before the first
                                     and after a wrong one.  */
  bool in_wrong;                  /* The present section's header is wrong.  */
  unsigned int at[HUGETEXT_KEYS]; /* The lines of the section's keys.  */
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
      /* A quoted word may have any characters.  */
      for (char *c = line; *c != '\0'; ++c)
        if ((unsigned char) *c < ' ' || *c == '\177')
          *c = '?';
      say (closure, wrong, line);
      free (line);
    }
  va_end (ap);
}

/* Report that READER's present line is wrong; with line 0, that all of the
   file is.  */
static void __attribute__ ((format (printf, 2, 3)))
wrong (struct reader *reader, const char *format, ...)
{
  char *what = NULL, place[16] = "";
  va_list ap;
  va_start (ap, format);
  if (vasprintf (&what, format, ap) < 0)
    what = NULL;
  va_end (ap);
  if (reader->line != 0)
    snprintf (place, sizeof place, ":%u", reader->line);
  reader->good = false;
  config_tell (reader->say, reader->closure, true, "%s%s: %s", reader->file,
               place, what != NULL ? what : strerror (ENOMEM));
  free (what);
}

/* Return the fault of PATTERN as a program's pattern; NULL if it has none.  */
static const char *
pattern_problem (const char *pattern)
{
  if (pattern[0] != '/')
    return "is not the path of a program; must begin with /";
  if (strlen (pattern) >= HUGETEXT_PATTERN_MAX)
    return "is too long; must be shorter than 1024 bytes";
  const char *base = strrchr (pattern, '/');
  if (base[1] == '\0')
    return "is not the path of a program; must not end with /";
  if (strstr (pattern, "//") != NULL)
    return "can match no path; must not have //";
  if (strstr (pattern, "/./") != NULL || strstr (pattern, "/../") != NULL
      || strcmp (base, "/.") == 0 || strcmp (base, "/..") == 0)
    return "can match no path; must not have . or .. between slashes";
  return NULL;
}

/* Report READER's section, which ends, if it has no effect.  */
static void
end_section (struct reader *reader)
{
  const struct config_section *section = reader->section;
  if (section != NULL && section->given == 0)
    config_tell (reader->say, reader->closure, false,
                 "%s: [%s] has no settings", section->source,
                 section->pattern);
  reader->section = NULL;
}

/* Begin a section with the PATTERN between the brackets.  */
static void
begin_section (struct reader *reader, const char *pattern)
{
  struct config *config = reader->config;
  const char *problem = pattern_problem (pattern);
  reader->in_wrong = true;
  if (problem != NULL)
    {
      wrong (reader, "[%s] %s", pattern, problem);
      return;
    }
  struct config_section *sections
      = reallocarray (config->sections, config->count + 1, sizeof *sections);
  char *copy = strdup (pattern);
  if (sections != NULL)
    config->sections = sections;
  if (sections == NULL || copy == NULL)
    {
      free (copy);
      wrong (reader, "%s", strerror (ENOMEM));
      return;
    }
  reader->section = &sections[config->count++];
  *reader->section = (struct config_section){ .pattern = copy };
  reader->in_wrong = false;
  memset (reader->at, 0, sizeof reader->at);
  /* The end of a long name tells more than its beginning.  */
  size_t length = strlen (reader->file), room = HUGETEXT_SOURCE_MAX - 16;
  snprintf (reader->section->source, sizeof reader->section->source, "%s%s:%u",
            length > room ? "..." : "",
            reader->file + (length > room ? length - room : 0), reader->line);
  /* The source is printed in lines, and as a comment in one line.  */
  for (char *p = reader->section->source; *p != '\0'; ++p)
    if (iscntrl ((unsigned char) *p))
      *p = '?';
}

/* Read the number TEXT into *VALUE.  False if TEXT is no number.  */
static bool
read_number (const char *text, bool suffix, uint64_t *value)
{
  size_t digits = strspn (text, "0123456789");
  const char *rest = text + digits;
  uint64_t unit = 1;
  if (suffix && (*rest == 'K' || *rest == 'M'))
    unit = *rest++ == 'K' ? 1024 : 1024 * 1024;
  errno = 0;
  *value = strtoull (text, NULL, 10);
  return (digits > 0 && *rest == '\0' && errno == 0
          && !__builtin_mul_overflow (*value, unit, value));
}

/* Read TEXT as the value of KEY into *VALUE.  Return NULL, or what would be
   right.  */
static const char *
read_value (enum hugetext_key key, const char *text, uint64_t *value)
{
  switch (key)
    {
    case HUGETEXT_KEY_MODE:
      *value = settings_mode (text);
      return *value != 0 || strcmp (text, "off") == 0
                 ? NULL
                 : "off, on, code or on+code, or one of these three and"
                   " +prctl";
    case HUGETEXT_KEY_LOCK:
      *value = strcmp (text, "on") == 0;
      return *value || strcmp (text, "off") == 0 ? NULL : "on or off";
    case HUGETEXT_KEY_BACKING:
      *value = hugetext_choice_of (text, strlen (text));
      return strcmp (text, hugetext_choice_name (*value)) == 0
                 ? NULL
                 : "one of auto, file, thp, hugetlb, store";
    case HUGETEXT_KEY_PAD:
      return read_number (text, true, value)
                     && *value <= hugetext_key_max (key)
                 ? NULL
                 : "a number of bytes from 0 to 2097151 (64K, 1M)";
    default:
      return read_number (text, false, value)
                 ? NULL
                 : "a number of huge pages, or 0 for what the CPU holds";
    }
}

/* Return the fault of WORD, of LENGTH bytes, in a list of objects.  */
static const char *
object_problem (const char *word, size_t length)
{
  if (word[0] == '!')
    {
      ++word;
      --length;
    }
  if (length == 0 || word[0] == '!')
    return "! must be followed by the name of an object";
  if (word[length - 1] == ',' || word[0] == ',')
    return "there must be blanks between names, no commas";
  return NULL;
}

/* Set the objects of READER's section from TEXT: words, with one blank between
   them.  */
static void
set_objects (struct reader *reader, const char *text)
{
  char *list = malloc (strlen (text) + 1), *to = list;
  if (list == NULL)
    {
      wrong (reader, "%s", strerror (ENOMEM));
      return;
    }
  for (const char *word = text; *word != '\0';)
    {
      size_t length = strcspn (word, " \t");
      const char *problem = length > 0 ? object_problem (word, length) : NULL;
      if (problem != NULL)
        wrong (reader, "objects = %s: %s", text, problem);
      if (length > 0 && to > list)
        *to++ = ' ';
      to = mempcpy (to, word, length);
      word += length;
      word += strspn (word, " \t");
    }
  *to = '\0';
  if (to - list >= HUGETEXT_OBJECTS_MAX)
    wrong (reader, "objects is too long; must be shorter than %d bytes",
           HUGETEXT_OBJECTS_MAX);
  reader->section->objects = list;
}

/* Take the line NAME = VALUE.  */
static void
take_setting (struct reader *reader, const char *name, const char *value)
{
  struct config_section *section = reader->section;
  enum hugetext_key key;
  for (key = 0; key < HUGETEXT_KEYS; ++key)
    if (strcmp (settings_key (key), name) == 0)
      break;
  if (key == HUGETEXT_KEYS)
    {
      wrong (reader,
             "there is no setting \"%s\"; must be one of hugetext,"
             " backing, max, pad, lock, objects",
             name);
      return;
    }
  uint64_t number = 0;
  const char *right
      = key != HUGETEXT_KEY_OBJECTS ? read_value (key, value, &number) : NULL;
  if (right != NULL)
    wrong (reader, "%s = %s: must be %s", name, value, right);
  if (section == NULL)
    {
      if (!reader->in_wrong)
        wrong (reader,
               "%s is in no section; must be below a line"
               " [/path/of/a/program]",
               name);
      return;
    }
  if (reader->at[key] != 0)
    {
      wrong (reader,
             "%s is there twice; must be once in a section, and line"
             " %u has it",
             name, reader->at[key]);
      return;
    }
  reader->at[key] = reader->line;
  section->given |= 1u << key;
  if (key == HUGETEXT_KEY_OBJECTS)
    set_objects (reader, value);
  else
    section->value[key] = number;
}

/* Cut blanks off both ends of TEXT.  */
static char *
trim (char *text)
{
  static const char blanks[] = " \t\r\n";
  text += strspn (text, blanks);
  size_t length = strlen (text);
  while (length > 0 && strchr (blanks, text[length - 1]) != NULL)
    text[--length] = '\0';
  return text;
}

/* Take LINE.  */
static void
take_line (struct reader *reader, char *line)
{
  char *text = trim (line);
  size_t length = strlen (text);
  if (length == 0 || text[0] == '#')
    return;
  if (text[0] == '[')
    {
      end_section (reader);
      if (text[length - 1] == ']')
        {
          text[length - 1] = '\0';
          begin_section (reader, text + 1);
          return;
        }
      wrong (reader, "%s: must end with ]", text);
      reader->in_wrong = true;
      return;
    }
  char *equals = strchr (text, '=');
  if (equals == NULL)
    {
      wrong (reader,
             "%s: must be [/path/of/a/program], NAME = VALUE, or begin"
             " with #",
             text);
      return;
    }
  *equals = '\0';
  take_setting (reader, trim (text), trim (equals + 1));
}

/* Return the fault of the owner or mode in STATUS of a file; NULL if there is
   none.  */
static const char *
trust_problem (const struct stat *status)
{
  if (status->st_uid != 0 && status->st_uid != geteuid ())
    return "is another user's; must be owned by root";
  if ((status->st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "can be written by others; must be writable by its owner only"
           " (chmod go-w)";
  return NULL;
}

/* Read the lines of STREAM.  */
static void
read_stream (struct reader *reader, FILE *stream)
{
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  reader->section = NULL;
  reader->in_wrong = false;
  for (reader->line = 1; (length = getline (&line, &size, stream)) >= 0;
       reader->line++)
    if (strlen (line) < (size_t) length)
      wrong (reader, "there is a null byte; must be text");
    else
      take_line (reader, line);
  end_section (reader);
  reader->line = 0;
  if (ferror (stream))
    wrong (reader, "%s", strerror (errno));
  free (line);
}

/* Open PATH with FLAGS, if its owner and mode let it count.  A file that is
   not LISTED may be missing.  Return -1 if it does not count, after a report.
   Opening must not wait for what is not a regular file.  */
static int
open_trusted (struct reader *reader, const char *path, int flags, bool listed)
{
  struct stat status;
  const char *problem = NULL;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
  reader->file = path;
  reader->line = 0;
  if (fd < 0 && errno == ENOENT && !listed)
    return -1;
  if (fd < 0 || fstat (fd, &status) != 0)
    problem = strerror (errno);
  else if ((flags & O_DIRECTORY) == 0 && !S_ISREG (status.st_mode))
    problem = "must be a regular file";
  else
    problem = trust_problem (&status);
  if (problem == NULL)
    return fd;
  wrong (reader, "%s", problem);
  if (fd >= 0)
    close (fd);
  return -1;
}

/* Read the file PATH.  A file that is not LISTED may be missing.  */
static void
read_file (struct reader *reader, const char *path, bool listed)
{
  int fd = open_trusted (reader, path, 0, listed);
  FILE *stream = fd >= 0 ? fdopen (fd, "r") : NULL;
  if (stream != NULL)
    {
      read_stream (reader, stream);
      fclose (stream);
    }
  else if (fd >= 0)
    {
      wrong (reader, "%s", strerror (errno));
      close (fd);
    }
}

/* Whether ENTRY of the folder is a settings file.  */
static int
is_ours (const struct dirent *entry)
{
  const char *end = strrchr (entry->d_name, '.');
  return (entry->d_name[0] != '.' && end != NULL
          && strcmp (end, ".conf") == 0);
}

/* Compare names by bytes, whatever the locale.  */
static int
by_name (const struct dirent **a, const struct dirent **b)
{
  return strcmp ((*a)->d_name, (*b)->d_name);
}

/* Read the files of the folder PATH, if there is one.  */
static void
read_folder (struct reader *reader, const char *path)
{
  struct dirent **list;
  int fd = open_trusted (reader, path, O_DIRECTORY, false);
  if (fd < 0)
    return;
  int count = scandirat (fd, ".", &list, is_ours, by_name);
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
      read_file (reader, name, true);
      free (list[i]);
    }
  free (list);
}

/* Set FOLDER to the folder that belongs to the file PATH.  */
static void
name_folder (const char *path, char folder[static PATH_MAX])
{
  size_t length = strlen (path), end = strlen (".conf");
  if (length > end && strcmp (path + length - end, ".conf") == 0)
    length -= end;
  snprintf (folder, PATH_MAX, "%.*s.d", (int) length, path);
}

bool
config_read (const char *path, struct config *config, config_say *say,
             void *closure)
{
  struct reader reader
      = { .config = config, .say = say, .closure = closure, .good = true };
  char folder[PATH_MAX];
  *config = (struct config){ 0 };
  read_file (&reader, path, false);
  name_folder (path, folder);
  read_folder (&reader, folder);
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
