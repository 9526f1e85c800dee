/* Entries: the settings files that "hugetext enable" writes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An entry contains only settings for the loader.  The first line of an entry
   says that "hugetext enable" has written the file.  */

#include "index/entry.h"
#include "trust/change.h"
#include "util/allocate.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char mark[] = "# hugetext enable: ";
static const char suffix[] = ".conf";

const char *
entry_directory (void)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, "%.*s.d",
            (int) (strlen (CONFIG_PATH) - strlen (suffix)), CONFIG_PATH);
  return path;
}

const char *
entry_file (const char *name)
{
  static char path[PATH_MAX];
  int start = snprintf (path, sizeof path, "%s/", entry_directory ());
  snprintf (path + start, sizeof path - start, "%s%s", name + (name[0] == '/'),
            suffix);
  for (char *p = path + start; (p = strchr (p, '/')) != NULL;)
    *p = '-';
  return path;
}

const char *
entry_bound (const char *name)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, STATE_PATH "/bound/%s", name);
  return path;
}

bool
entry_was_tried (const struct entry *entry)
{
  struct stat status;
  return lstat (entry_bound (entry->name), &status) == 0;
}

bool
entry_is_service (const struct entry *entry)
{
  return entry->name[0] != '/';
}

const char *
entry_common_program (const struct entry *a, const struct entry *b)
{
  for (size_t i = 0; i < a->programs.count; ++i)
    if (file_list_has (&b->programs, a->programs.names[i]))
      return a->programs.names[i];
  return NULL;
}

bool
entry_has_source (const struct entry *entry, const char *source)
{
  const size_t length = strlen (entry->file);
  return (strncmp (source, entry->file, length) == 0 && source[length] == ':');
}

char *
entry_text (const struct entry *entry)
{
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return NULL;
  fprintf (stream, "%s%s\n# To remove this file: hugetext disable %s\n", mark,
           entry->name, entry->name);
  for (size_t i = 0; i < entry->programs.count; ++i)
    {
      fprintf (stream, "[%s]\n", entry->programs.names[i]);
      for (size_t k = 0; k < entry->settings.count; ++k)
        fprintf (stream, "%s\n", entry->settings.names[k]);
    }
  return fclose (stream) == 0 ? text : NULL;
}

bool
entry_can_name (const char *path)
{
  return path[0] == '/' && strpbrk (path, "*?[]\n\\") == NULL;
}

/* Add the setting in LINE, which has no newline, to ENTRY.  */
static void
entry_add_line (struct entry *entry, char *line)
{
  size_t length = strlen (line);
  if (line[0] == '[' && line[length - 1] == ']')
    {
      line[length - 1] = '\0';
      file_list_add (&entry->programs, line + 1);
    }
  else if (line[0] != '#' && line[0] != '\0' && entry->programs.count == 1)
    file_list_add (&entry->settings, line);
}

/* Read FILE into ENTRY.  Leave ENTRY empty if the file was not written by
   "hugetext enable" for this name.  */
static bool
entry_read_file (const char *file, struct entry *entry)
{
  char *line = NULL;
  size_t size = 0;
  *entry = (struct entry){ 0 };
  FILE *stream = fopen (file, "re");
  if (stream == NULL)
    return false;
  bool good = (getline (&line, &size, stream) > 0
               && strncmp (line, mark, strlen (mark)) == 0);
  if (good)
    {
      line[strcspn (line, "\n")] = '\0';
      entry->name = allocate_text (line + strlen (mark));
      entry->file = allocate_text (file);
    }
  good = good && strcmp (entry->file, entry_file (entry->name)) == 0;
  while (good && getline (&line, &size, stream) > 0)
    {
      line[strcspn (line, "\n")] = '\0';
      entry_add_line (entry, line);
    }
  free (line);
  fclose (stream);
  if (!good)
    {
      entry_free (entry);
      errno = EEXIST;
    }
  return good;
}

bool
entry_read (const char *name, struct entry *entry)
{
  if (!entry_read_file (entry_file (name), entry))
    return false;
  if (strcmp (entry->name, name) == 0)
    return true;
  entry_free (entry);
  errno = EEXIST;
  return false;
}

bool
entry_problem (struct problem *problem, const char *name)
{
  if (errno != EEXIST)
    return problem_errno (problem, entry_file (name));
  return problem_set (problem,
                      "%s: this file was not written by hugetext enable, or "
                      "was written for another service or program",
                      entry_file (name));
}

static int
entry_is_own_entry (const struct dirent *file)
{
  size_t length = strlen (file->d_name);
  return (length > strlen (suffix) && file->d_name[0] != '.'
          && strcmp (file->d_name + length - strlen (suffix), suffix) == 0);
}

int
entry_list (struct entry **list)
{
  struct dirent **files;
  int count = 0;
  *list = NULL;
  int n = scandir (entry_directory (), &files, entry_is_own_entry, alphasort);
  if (n < 0)
    return errno == ENOENT ? 0 : -1;
  *list = allocate ((n + 1) * sizeof **list);
  for (int i = 0; i < n; ++i)
    {
      char path[2 * PATH_MAX];
      snprintf (path, sizeof path, "%s/%s", entry_directory (),
                files[i]->d_name);
      count += entry_read_file (path, &(*list)[count]);
      free (files[i]);
    }
  free (files);
  return count;
}

void
entry_list_names (struct file_list *names)
{
  struct entry *list;
  const int count = entry_list (&list);
  for (int i = 0; i < count; ++i)
    {
      file_list_add (names, list[i].name);
      entry_free (&list[i]);
    }
  if (count >= 0)
    free (list);
}

void
entry_free (struct entry *entry)
{
  free (entry->name);
  free (entry->file);
  file_list_free (&entry->programs);
  file_list_free (&entry->settings);
  *entry = (struct entry){ 0 };
}

/* Return true if LINE, which has the form "KEY = VALUE" and is from an entry,
   sets KEY.  */
static bool
is_line_of (const char *line, const char *key)
{
  line += strspn (line, " \t");
  size_t length = strlen (key);
  return (strncmp (line, key, length) == 0
          && line[length + strspn (line + length, " \t")] == '=');
}

char **
entry_line (const struct entry *entry, enum hugetext_key key)
{
  for (size_t i = 0; i < entry->settings.count; ++i)
    if (is_line_of (entry->settings.names[i], settings_key (key)))
      return &entry->settings.names[i];
  return NULL;
}

const char *
entry_value (const struct entry *entry, enum hugetext_key key)
{
  char **line = entry_line (entry, key);
  if (line == NULL)
    return NULL;
  const char *value = strchr (*line, '=') + 1;
  return value + strspn (value, " \t");
}

/* Return true if "hugetext enable" may have written LINE, a setting of an
   entry.  */
static bool
is_written (const char *line)
{
  const size_t length = strcspn (line, " ");
  const enum hugetext_key key = settings_find_key (line, length);
  struct problem ignored;
  uint64_t value;
  return (key < HUGETEXT_VALUES && strncmp (line + length, " = ", 3) == 0
          && settings_read_line (key, line + length + 3, &value, &ignored)
          && strcmp (line + length + 3, settings_print (key, value)) == 0);
}

bool
entry_is_edited (const struct entry *entry)
{
  char *text = entry_text (entry);
  bool same = text != NULL && change_has_text (entry->file, text);
  free (text);
  for (size_t i = 0; i < entry->settings.count && same; ++i)
    same = is_written (entry->settings.names[i]);
  return !same;
}
