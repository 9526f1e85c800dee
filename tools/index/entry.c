/* Entries: the settings files that "hugetext enable" writes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An entry has nothing but the settings for the loader; its first line tells
   it from files that people write.  */

#include "index/entry.h"
#include "dl-hugetext-pattern.h"
#include "index/config.h"
#include "object/settings.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char mark[] = "# hugetext enable: ";
static const char no_store[] = "# Without images in the store";
static const char suffix[] = ".conf";

const char *
entry_folder (void)
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
  int start = snprintf (path, sizeof path, "%s/", entry_folder ());
  snprintf (path + start, sizeof path - start, "%s%s", name + (name[0] == '/'),
            suffix);
  for (char *p = path + start; (p = strchr (p, '/')) != NULL;)
    *p = '-';
  return path;
}

bool
entry_is_service (const struct entry *entry)
{
  return entry->name[0] != '/';
}

char *
entry_text (const struct entry *entry)
{
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return NULL;
  fprintf (stream, "%s%s\n# Gone with: hugetext disable %s\n", mark,
           entry->name, entry->name);
  if (entry->no_store)
    fprintf (stream, "%s\n", no_store);
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

/* Add the setting in LINE, without its end, to ENTRY.  */
static bool
add_line (struct entry *entry, char *line)
{
  size_t length = strlen (line);
  entry->no_store |= strcmp (line, no_store) == 0;
  if (line[0] == '[' && line[length - 1] == ']')
    {
      line[length - 1] = '\0';
      return file_list_add (&entry->programs, line + 1);
    }
  if (line[0] == '#' || line[0] == '\0' || entry->programs.count != 1)
    return true;
  return file_list_add (&entry->settings, line);
}

/* Read FILE into ENTRY.  Keep nothing of it if hugetext enable has not written
   it.  */
static bool
read_file (const char *file, struct entry *entry)
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
      entry->name = strdup (line + strlen (mark));
      entry->file = strdup (file);
      good = entry->name != NULL && entry->file != NULL;
    }
  while (good && getline (&line, &size, stream) > 0)
    {
      line[strcspn (line, "\n")] = '\0';
      good = add_line (entry, line);
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
  if (!read_file (entry_file (name), entry))
    return false;
  if (strcmp (entry->name, name) == 0)
    return true;
  entry_free (entry);
  errno = EEXIST;
  return false;
}

static int
is_ours (const struct dirent *file)
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
  int n = scandir (entry_folder (), &files, is_ours, alphasort);
  if (n < 0)
    return errno == ENOENT ? 0 : -1;
  *list = calloc (n + 1, sizeof **list);
  for (int i = 0; i < n; ++i)
    {
      char path[2 * PATH_MAX];
      snprintf (path, sizeof path, "%s/%s", entry_folder (), files[i]->d_name);
      if (*list != NULL && read_file (path, &(*list)[count]))
        ++count;
      free (files[i]);
    }
  free (files);
  return *list != NULL ? count : -1;
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

/* Settings belong to a program, whichever service starts it.  All sections
   that match the program count, setting by setting, and later ones win
   (hugetext.conf(5)).  So a user who enables a service is told which section's
   setting wins.  */

static void
say_nothing (void *closure, bool wrong, const char *line)
{
  (void) closure;
  (void) wrong;
  (void) line;
}

/* Whether SECTION is in ENTRY's file.  */
static bool
is_own (const struct config_section *section, const struct entry *entry)
{
  const char *file = entry_file (entry->name);
  size_t length = strlen (file);
  return (strncmp (section->source, file, length) == 0
          && section->source[length] == ':');
}

/* Return the last section of CONFIG outside ENTRY's file that has KEY for
   PROGRAM; NULL if there is none.  */
static const struct config_section *
find (const struct config *config, const struct entry *entry,
      const char *program, enum hugetext_key key)
{
  for (size_t i = config->count; i-- > 0;)
    {
      const struct config_section *section = &config->sections[i];
      if ((section->given & 1u << key) != 0 && !is_own (section, entry)
          && hugetext_match (section->pattern, strlen (section->pattern),
                             program))
        return section;
    }
  return NULL;
}

uint64_t
entry_other_mode (const struct entry *entry)
{
  struct config config;
  uint64_t mode = 0;
  config_read (CONFIG_PATH, &config, say_nothing, NULL);
  for (size_t i = 0; i < entry->programs.count; ++i)
    {
      const struct config_section *section
          = find (&config, entry, entry->programs.names[i], HUGETEXT_KEY_MODE);
      if (section != NULL)
        mode |= section->value[HUGETEXT_KEY_MODE];
    }
  config_free (&config);
  return mode;
}

bool
entry_is_of (const char *line, const char *key)
{
  line += strspn (line, " \t");
  size_t length = strlen (key);
  return (strncmp (line, key, length) == 0
          && line[length + strspn (line + length, " \t")] == '=');
}

/* Return the value of KEY in ENTRY; NULL if it has none.  */
static const char *
own_value (const struct entry *entry, enum hugetext_key key)
{
  const char *value = NULL;
  for (size_t i = 0; i < entry->settings.count; ++i)
    if (entry_is_of (entry->settings.names[i], settings_key (key)))
      {
        value = strchr (entry->settings.names[i], '=') + 1;
        value += strspn (value, " \t");
      }
  return value;
}

/* Report which section's KEY wins for PROGRAM.  */
static void
say_key (const struct config *config, const struct entry *entry,
         const char *who, const char *program, enum hugetext_key key)
{
  const struct config_section *other = find (config, entry, program, key);
  if (other == NULL)
    return;
  const char *own = own_value (entry, key);
  const char *value = key == HUGETEXT_KEY_OBJECTS
                          ? other->objects
                          : settings_print (key, other->value[key]);
  if (own != NULL && strcmp (own, value) == 0)
    return;
  /* The later file wins: files are read by name, CONFIG_PATH first.  */
  bool counts
      = own == NULL || strcmp (other->source, entry_file (entry->name)) > 0;
  fprintf (stderr, "%s: %s: %s = %s of %s %s for %s%s\n", who, entry->name,
           settings_key (key), value, other->source,
           counts ? "counts" : "does not count", program,
           own == NULL ? ""
           : counts    ? ": it is the stronger one, by its file's name"
                       : ": this is the stronger one, by its file's name");
}

void
entry_say_others (const struct entry *entry, const char *who)
{
  struct config config;
  config_read (CONFIG_PATH, &config, say_nothing, NULL);
  fflush (stdout);
  for (size_t i = 0; i < entry->programs.count; ++i)
    for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
      say_key (&config, entry, who, entry->programs.names[i], key);
  config_free (&config);
}
