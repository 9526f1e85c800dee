/* The places in which the system's loader looks for libraries.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   "ldconfig -p", which the command runs without environment and which reads no
   program, prints the cache; libraries for some processors only (glibc-hwcaps)
   are left out of it.  So is LD_LIBRARY_PATH: it is of another user, or of a
   service.  */

#include "object/libsearch.h"
#include "object/elfhead.h"
#include "host/child.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Return the folder of the system's libraries that this libc is in.  */
static const char *
libc_folder (void)
{
  static char folder[PATH_MAX];
  Dl_info info;
  if (folder[0] == '\0' && dladdr ((void *) gnu_get_libc_version, &info) != 0
      && info.dli_fname[0] == '/')
    snprintf (folder, sizeof folder, "%.*s",
              (int) (strrchr (info.dli_fname, '/') - info.dli_fname),
              info.dli_fname);
  return folder[0] != '\0' ? folder : "/lib";
}

/* Set PATH to WORD with its "$" words replaced: the folder ORIGIN, the
   system's library folder below /usr or /, the machine.  False if there is no
   room.  */
static bool
expand (const char *word, const char *origin, char path[static PATH_MAX])
{
  const char *machine = (const char *) getauxval (AT_PLATFORM);
  const char *lib = libc_folder () + 1;
  const struct
  {
    const char *name, *value;
  } names[] = {
    { "ORIGIN", origin },
    { "LIB", strncmp (lib, "usr/", 4) == 0 ? lib + 4 : lib },
    { "PLATFORM", machine != NULL ? machine : "" },
  };
  FILE *stream = fmemopen (path, PATH_MAX, "w");
  if (stream == NULL)
    return false;
  while (*word != '\0')
    {
      size_t taken = 0;
      bool braces = word[0] == '$' && word[1] == '{';
      for (size_t i = 0; word[0] == '$' && i < sizeof names / sizeof *names;
           ++i)
        {
          size_t size = strlen (names[i].name);
          if (strncmp (word + 1 + braces, names[i].name, size) != 0
              || (braces && word[2 + size] != '}'))
            continue;
          fputs (names[i].value, stream);
          taken = 1 + size + 2 * braces;
          break;
        }
      if (taken == 0)
        fputc (*word, stream);
      word += taken > 0 ? taken : 1;
    }
  fputc ('\0', stream);
  return fclose (stream) == 0;
}

/* Open PATH if it is a library of this kind of machine.  */
static int
open_library (const char *path, file_opener *opener)
{
  const char *problem;
  int fd = path[0] == '/' ? opener (path, &problem) : -1;
  if (fd >= 0 && !elfhead_is_native (fd))
    {
      close (fd);
      fd = -1;
    }
  return fd;
}

/* Open FOLDER/NAME.  */
static int
open_in (const char *folder, const char *name, file_opener *opener,
         char path[static PATH_MAX])
{
  return (snprintf (path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX
              ? open_library (path, opener)
              : -1);
}

int
libsearch_list (const char *list, const char *origin, const char *name,
                file_opener *opener, char path[static PATH_MAX])
{
  char word[PATH_MAX], folder[PATH_MAX];
  int fd = -1;
  while (fd < 0 && *list != '\0')
    {
      size_t length = strcspn (list, ":");
      if (length < sizeof word)
        {
          memcpy (word, list, length);
          word[length] = '\0';
          if (expand (word, origin, folder))
            fd = open_in (folder, name, opener, path);
        }
      list += length + (list[length] == ':');
    }
  return fd;
}

int
libsearch_path (const char *name, const char *origin, file_opener *opener,
                char path[static PATH_MAX])
{
  return expand (name, origin, path) ? open_library (path, opener) : -1;
}

/* Search for NAME in ldconfig's list, whose lines are "\tNAME (WORDS) =>
   PATH".  */
static int
search_cache (const char *name, file_opener *opener,
              char path[static PATH_MAX])
{
  static const char arrow[] = ") => ";
  static char *cache;
  static bool known;
  if (!known
      && child_run ((const char *const[]){ "ldconfig", "-p", NULL }, &cache)
             != 0)
    {
      free (cache);
      cache = NULL;
    }
  known = true;
  size_t size = strlen (name);
  int fd = -1;
  for (const char *line = cache; fd < 0 && line != NULL;
       line = strchr (line, '\n'))
    {
      line += *line == '\n';
      if (line[0] != '\t' || strncmp (line + 1, name, size) != 0
          || strncmp (line + 1 + size, " (", 2) != 0)
        continue;
      const char *words = line + 1 + size, *end = strstr (words, arrow);
      if (end == NULL || memmem (words, end - words, "hwcap: ", 7) != NULL)
        continue;
      end += sizeof arrow - 1;
      if (snprintf (path, PATH_MAX, "%.*s", (int) strcspn (end, "\n"), end)
          < PATH_MAX)
        fd = open_library (path, opener);
    }
  return fd;
}

int
libsearch_system (const char *name, file_opener *opener,
                  char path[static PATH_MAX])
{
  const char *const folders[] = { libc_folder (), "/lib", "/usr/lib" };
  int fd = search_cache (name, opener, path);
  for (size_t i = 0; fd < 0 && i < sizeof folders / sizeof folders[0]; ++i)
    fd = open_in (folders[i], name, opener, path);
  return fd;
}
