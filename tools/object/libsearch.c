/* The places in which the system's loader looks for libraries.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader prints its built-in folders ("ld.so --help", from glibc 2.33 on),
   and ldconfig prints the cache ("ldconfig -p").  The command runs both
   without environment, and neither reads a program.  LD_LIBRARY_PATH is left
   out: it is of another user, or of a service.  */

#include "object/libsearch.h"
#include "object/loader.h"
#include "object/program.h"
#include "host/child.h"
#include "util/filelist.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The places, which are asked for once.  */
struct places
{
  bool known;
  struct file_list folders; /* The system's folders,  */
  struct file_list kinds;   /* the kinds of glibc-hwcaps in them that may be in
                               use,  */
  char *cache;              /* and ldconfig's list, "" if there is none.  */
};

/* The output of ARGV, to be freed; NULL if it fails.  */
static char *
ask (const char *const argv[])
{
  char *output;
  int status = child_run (argv, NULL, &output);
  if (status == 0)
    return output;
  free (output);
  return NULL;
}

/* Add the folder or kind in LINE of the loader's help: " FOLDER (system search
   path)", " KIND (supported, searched)".  */
static void
add_line (struct places *places, char *line)
{
  char *word = line + strspn (line, " ");
  char *note = strstr (word, " (");
  if (word == line || note == NULL)
    return;
  *note++ = '\0';
  if (strcmp (note, "(system search path)") == 0)
    file_list_add (&places->folders, word);
  else if (strcmp (note, "(supported, searched)") == 0)
    file_list_add (&places->kinds, word);
}

/* Add the usual folders of systems with this libc, for loaders before glibc
   2.33, which do not print theirs.  */
static void
add_usual (struct places *places)
{
  Dl_info info;
  char folder[PATH_MAX];
  if (dladdr ((void *) gnu_get_libc_version, &info) != 0
      && info.dli_fname[0] == '/')
    {
      snprintf (folder, sizeof folder, "%.*s",
                (int) (strrchr (info.dli_fname, '/') - info.dli_fname),
                info.dli_fname);
      file_list_add (&places->folders, folder);
    }
  file_list_add (&places->folders, "/lib");
  file_list_add (&places->folders, "/usr/lib");
}

static const struct places *
find_places (void)
{
  static struct places places;
  if (places.known)
    return &places;
  places.known = true;
  char *help = ask ((const char *const[]){ loader_system (), "--help", NULL });
  char *rest = help, *line;
  while (rest != NULL && (line = strsep (&rest, "\n")) != NULL)
    add_line (&places, line);
  free (help);
  if (places.folders.count == 0)
    add_usual (&places);
  places.cache = ask ((const char *const[]){ "ldconfig", "-p", NULL });
  return &places;
}

/* Set PATH to WORD with its "$" words replaced: the folder ORIGIN, the last
   part of the system's library folder, the machine.  False if there is no
   room.  */
static bool
expand (const char *word, const char *origin, char path[static PATH_MAX])
{
  const struct places *places = find_places ();
  const char *machine = (const char *) getauxval (AT_PLATFORM);
  const struct
  {
    const char *name, *value;
  } names[] = {
    { "ORIGIN", origin },
    { "LIB", places->folders.names[0] + 1 },
    { "PLATFORM", machine != NULL ? machine : "" },
  };
  size_t at = 0;
  while (*word != '\0')
    {
      const char *value = word;
      size_t length = 1, taken = 1;
      bool braces = word[0] == '$' && word[1] == '{';
      for (size_t i = 0; word[0] == '$' && i < sizeof names / sizeof *names;
           i++)
        {
          size_t size = strlen (names[i].name);
          if (strncmp (word + 1 + braces, names[i].name, size) == 0
              && (!braces || word[2 + size] == '}'))
            {
              value = names[i].value;
              length = strlen (value);
              taken = 1 + size + 2 * braces;
              break;
            }
        }
      if (at + length >= PATH_MAX)
        return false;
      memcpy (path + at, value, length);
      at += length;
      word += taken;
    }
  path[at] = '\0';
  return true;
}

/* Open PATH if it is a library of this kind of machine.  */
static int
open_library (const char *path, file_opener *opener)
{
  const char *problem;
  int fd = path[0] == '/' ? opener (path, &problem) : -1;
  if (fd >= 0 && !program_is_native (fd))
    {
      close (fd);
      fd = -1;
    }
  return fd;
}

/* Open FOLDER/NAME, or a variant for this machine in FOLDER's
   glibc-hwcaps.  */
static int
open_in (const char *folder, const char *name, file_opener *opener,
         char path[static PATH_MAX])
{
  const struct file_list *kinds = &find_places ()->kinds;
  for (size_t i = 0; i <= kinds->count; ++i)
    {
      int length = i < kinds->count
                       ? snprintf (path, PATH_MAX, "%s/glibc-hwcaps/%s/%s",
                                   folder, kinds->names[i], name)
                       : snprintf (path, PATH_MAX, "%s/%s", folder, name);
      int fd = length < PATH_MAX ? open_library (path, opener) : -1;
      if (fd >= 0)
        return fd;
    }
  return -1;
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

/* Whether WORDS, such as "libc6,x86-64, hwcap: "x86-64-v3"", describe a
   library that this machine may use.  The library's ELF header tells the
   rest.  */
static bool
may_use (const char *words, size_t length)
{
  static const char mark[] = "hwcap: \"";
  const struct file_list *kinds = &find_places ()->kinds;
  const char *kind = memmem (words, length, mark, sizeof mark - 1);
  if (kind == NULL)
    return memmem (words, length, "hwcap: ", 7) == NULL;
  kind += sizeof mark - 1;
  for (size_t i = 0; i < kinds->count; ++i)
    {
      size_t size = strlen (kinds->names[i]);
      if (strncmp (kind, kinds->names[i], size) == 0 && kind[size] == '"')
        return true;
    }
  return false;
}

/* Search for NAME in ldconfig's list, whose lines are "\tNAME (WORDS) =>
   PATH".  */
static int
search_cache (const char *name, file_opener *opener,
              char path[static PATH_MAX])
{
  static const char arrow[] = ") => ";
  const char *line = find_places ()->cache;
  size_t size = strlen (name);
  int fd = -1;
  for (; fd < 0 && line != NULL; line = strchr (line, '\n'))
    {
      line += *line == '\n';
      if (line[0] != '\t' || strncmp (line + 1, name, size) != 0
          || strncmp (line + 1 + size, " (", 2) != 0)
        continue;
      const char *words = line + 1 + size + 2, *end = strstr (words, arrow);
      if (end == NULL || !may_use (words, end - words))
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
  const struct places *places = find_places ();
  int fd = search_cache (name, opener, path);
  for (size_t i = 0; fd < 0 && i < places->folders.count; ++i)
    fd = open_in (places->folders.names[i], name, opener, path);
  return fd;
}
