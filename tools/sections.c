/* What other sections say of the programs of an entry.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Settings are a program's, whichever service starts it, and all sections
   that match it count, setting by setting: the one further down is stronger
   (hugetext.conf(5)).  Who enables a service should know whose setting that
   is.  */

#include "sections.h"
#include "config.h"
#include "dl-hugetext-pattern.h"
#include "settings.h"

#include <string.h>

static void
say_nothing (void *closure, bool wrong, const char *line)
{
  (void)closure;
  (void)wrong;
  (void)line;
}

/* Whether SECTION is of the file of ENTRY.  */
static bool
is_own (const struct config_section *section, const struct entry *entry)
{
  const char *file = entry_file (entry->name);
  size_t length = strlen (file);
  return (strncmp (section->source, file, length) == 0
          && section->source[length] == ':');
}

/* The last section of CONFIG outside ENTRY's file that has KEY for PROGRAM;
   NULL if there is none.  */
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
sections_mode (const struct entry *entry)
{
  struct config config;
  uint64_t mode = 0;
  config_read (CONFIG_PATH, &config, say_nothing, NULL);
  for (size_t i = 0; i < entry->programs.count; i++)
    {
      const struct config_section *section
          = find (&config, entry, entry->programs.names[i],
                  HUGETEXT_KEY_MODE);
      if (section != NULL)
        mode |= section->value[HUGETEXT_KEY_MODE];
    }
  config_free (&config);
  return mode;
}

bool
sections_is_of (const char *line, const char *key)
{
  line += strspn (line, " \t");
  size_t length = strlen (key);
  return (strncmp (line, key, length) == 0
          && line[length + strspn (line + length, " \t")] == '=');
}

/* The value of KEY in ENTRY; NULL if it has none.  */
static const char *
own_value (const struct entry *entry, enum hugetext_key key)
{
  const char *value = NULL;
  for (size_t i = 0; i < entry->settings.count; i++)
    if (sections_is_of (entry->settings.names[i], settings_key (key)))
      {
        value = strchr (entry->settings.names[i], '=') + 1;
        value += strspn (value, " \t");
      }
  return value;
}

/* Say it of KEY and PROGRAM.  */
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
  /* By name, and those of the folder behind CONFIG_PATH: as they are read.  */
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
sections_say (const struct entry *entry, const char *who)
{
  struct config config;
  config_read (CONFIG_PATH, &config, say_nothing, NULL);
  fflush (stdout);
  for (size_t i = 0; i < entry->programs.count; i++)
    for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; key++)
      say_key (&config, entry, who, entry->programs.names[i], key);
  config_free (&config);
}
