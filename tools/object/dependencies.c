/* Find the libraries that a program or library needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   The command does not run "ld.so --list": any user may have written the file,
   and the loader would run the code of an audit library that the file names.
   The command itself reads the names of the needed libraries from the file,
   and searches the directories in which the loader searches.  For the programs
   of a machine, testsuite/hugetext.trust compares the libraries that the
   command finds with those that the loader finds.  The command gets the cache
   of libraries from "ldconfig -p", which reads no program.  The command
   ignores libraries in the cache that are only for certain processors
   (glibc-hwcaps).  The command ignores LD_LIBRARY_PATH, because another user
   or a service may have another value of LD_LIBRARY_PATH.  */

#include "object/dependencies.h"
#include "host/child.h"
#include "object/elfhead.h"
#include "util/allocate.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* The maximum number of files in a list of dependencies.  For comparison:
   LibreOffice has 170 dependencies.  */
#define DEPENDENCIES_MAX 4096

/* Return the system's library directory that contains the libc of this
   process.  */
static const char *
libc_directory (void)
{
  static char directory[PATH_MAX];
  Dl_info info;
  if (directory[0] == '\0'
      && dladdr ((void *) gnu_get_libc_version, &info) != 0
      && info.dli_fname[0] == '/')
    snprintf (directory, sizeof directory, "%.*s",
              (int) (strrchr (info.dli_fname, '/') - info.dli_fname),
              info.dli_fname);
  return directory[0] != '\0' ? directory : "/lib";
}

/* Set PATH to WORD with its variables replaced: $ORIGIN by ORIGIN, $LIB by the
   name of the system's library directory below /usr or /, and $PLATFORM by the
   name of the machine.  Return false if the buffer for PATH is too short.  */
static bool
dependencies_expand_variables (const char *word, const char *origin,
                               char path[static PATH_MAX])
{
  const char *machine = (const char *) getauxval (AT_PLATFORM);
  const char *lib = libc_directory () + 1;
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
          fprintf (stream, "%s", names[i].value);
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

/* Open PATH if it is a library for this kind of machine.  Return a
   descriptor, or -1.  All functions of this file open libraries only by
   calling this function.  */
static int
open_library (const char *path, file_opener *opener)
{
  struct problem problem;
  int fd = path[0] == '/' ? opener (path, &problem) : -1;
  if (fd >= 0 && !elfhead_is_native (fd))
    {
      close (fd);
      fd = -1;
    }
  return fd;
}

/* Open DIRECTORY/NAME.  */
static int
dependencies_open_in_directory (const char *directory, const char *name,
                                file_opener *opener,
                                char path[static PATH_MAX])
{
  return (snprintf (path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX
              ? open_library (path, opener)
              : -1);
}

/* Search for NAME in LIST: directories separated by ":".  LIST is the RPATH
   or RUNPATH of an object in the directory ORIGIN.  */
static int
search_list (const char *list, const char *origin, const char *name,
             file_opener *opener, char path[static PATH_MAX])
{
  char word[PATH_MAX], directory[PATH_MAX];
  int fd = -1;
  while (fd < 0 && *list != '\0')
    {
      size_t length = strcspn (list, ":");
      if (length < sizeof word)
        {
          memcpy (word, list, length);
          word[length] = '\0';
          if (dependencies_expand_variables (word, origin, directory))
            fd = dependencies_open_in_directory (directory, name, opener,
                                                 path);
        }
      list += length + (list[length] == ':');
    }
  return fd;
}

/* Open the path NAME, which contains a slash.  */
static int
open_path (const char *name, const char *origin, file_opener *opener,
           char path[static PATH_MAX])
{
  return dependencies_expand_variables (name, origin, path)
             ? open_library (path, opener)
             : -1;
}

/* The list of libraries that ldconfig has printed, or NULL if there is
   none.  */
static char *cache;

void
dependencies_prepare (void)
{
  enum
  {
    LIMIT = 30, /* Seconds.  */
  };
  static bool known;
  if (!known
      && child_run ((const char *const[]){ "ldconfig", "-p", NULL }, LIMIT,
                    &cache)
             != 0)
    {
      free (cache);
      cache = NULL;
    }
  known = true;
}

/* Search for NAME in ldconfig's list, whose lines have the form "\tNAME
   (WORDS) => PATH".  */
static int
search_cache (const char *name, file_opener *opener,
              char path[static PATH_MAX])
{
  static const char arrow[] = ") => ";
  dependencies_prepare ();
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

/* Search for NAME first in ldconfig's list, and then in the system's
   directories, which the loader searches for the libraries of every
   program.  */
static int
search_system (const char *name, file_opener *opener,
               char path[static PATH_MAX])
{
  const char *const directories[] = { libc_directory (), "/lib", "/usr/lib" };
  int fd = search_cache (name, opener, path);
  for (size_t i = 0; fd < 0 && i < sizeof directories / sizeof directories[0];
       ++i)
    fd = dependencies_open_in_directory (directories[i], name, opener, path);
  return fd;
}

/* A file in the list of dependencies.  NEEDED, SONAME, RPATH and RUNPATH are
   the entries of the file's dynamic section that determine which libraries the
   loader loads.  */
struct loaded
{
  struct file_list needed, soname, rpath, runpath;
  bool own_directories_only; /* True if the object has the flag DF_1_NODEFLIB.
                              */
  struct file_list names; /* The names by which other files in the list refer
                             to this file.  */
  size_t parent;          /* The list index of the first file that needs this
                             file.  */
  dev_t device;
  ino_t inode;
};

/* The list of dependencies, in the order in which the loader loads them.  */
struct loading
{
  struct file_list *files;
  file_opener *opener;
  const char *program; /* The path of the first file in the list, with
                          symbolic links resolved.  */
  struct loaded *list;
  size_t count;
};

/* Read into LOADED the entries about needed libraries in the dynamic section
   of the file FD.  */
static bool
read_needs (struct loaded *loaded, int fd, struct problem *problem)
{
  const struct
  {
    int64_t tag;
    struct file_list *list;
  } rows[] = { { DT_NEEDED, &loaded->needed },
               { DT_SONAME, &loaded->soname },
               { DT_RPATH, &loaded->rpath },
               { DT_RUNPATH, &loaded->runpath } };
  char text[PATH_MAX];
  struct elf_head head;
  struct elf_dynamic dynamic;
  if (!elfhead_read (fd, &head, problem))
    return false;
  elfhead_dynamic (fd, &head, &dynamic);
  loaded->own_directories_only = dynamic.own_directories_only;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    for (size_t at = 0; at < dynamic.count;)
      if (elfhead_string (fd, &head, &dynamic, rows[i].tag, &at, text,
                          sizeof text))
        file_list_add (rows[i].list, text);
  free (dynamic.list);
  elfhead_free (&head);
  return head.foreign == NULL || problem_set (problem, "%s", head.foreign);
}

/* Read the file FD, add it to the list of LOADING, and close FD.  The file
   with the index PARENT in the list needs the new file.  */
static bool
load (struct loading *loading, int fd, size_t parent, struct problem *problem)
{
  struct stat status = { 0 };
  loading->list
      = allocate_more (loading->list, loading->count, sizeof *loading->list);
  struct loaded *loaded = &loading->list[loading->count++];
  *loaded = (struct loaded){ .parent = parent };
  bool good = read_needs (loaded, fd, problem);
  fstat (fd, &status);
  loaded->device = status.st_dev;
  loaded->inode = status.st_ino;
  close (fd);
  return good;
}

/* Return true if the loader would use LOADED for an object that needs the
   library NAME.  */
static bool
dependencies_is_named_by (const struct loaded *loaded, const char *name)
{
  return (
      (loaded->soname.count > 0 && strcmp (loaded->soname.names[0], name) == 0)
      || file_list_has (&loaded->names, name));
}

/* Set DIRECTORY to the directory of file number I.  */
static void
find_origin (const struct loading *loading, size_t i,
             char directory[static PATH_MAX])
{
  const char *path = i == 0 ? loading->program : loading->files->names[i];
  snprintf (directory, PATH_MAX, "%.*s", (int) (strrchr (path, '/') - path),
            path);
}

/* Search for the library NAME in the same directories and in the same order as
   the loader (ld.so(8)).  The file with the index I in the list of LOADING
   needs NAME.  Set PATH to the path of the library, and return a descriptor,
   or -1.  */
static int
dependencies_find_library (const struct loading *loading, size_t i,
                           const char *name, char path[static PATH_MAX])
{
  const struct loaded *needs = &loading->list[i];
  char origin[PATH_MAX];
  int fd = -1;
  find_origin (loading, i, origin);
  if (strchr (name, '/') != NULL)
    return open_path (name, origin, loading->opener, path);
  if (needs->runpath.count > 0)
    fd = search_list (needs->runpath.names[0], origin, name, loading->opener,
                      path);
  else
    for (size_t k = i; fd < 0; k = loading->list[k].parent)
      {
        const struct loaded *above = &loading->list[k];
        find_origin (loading, k, origin);
        if (above->rpath.count > 0 && above->runpath.count == 0)
          fd = search_list (above->rpath.names[0], origin, name,
                            loading->opener, path);
        if (k == 0)
          break;
      }
  if (fd < 0 && !needs->own_directories_only)
    fd = search_system (name, loading->opener, path);
  return fd;
}

/* Find NAME, which file number I needs, and add it to LOADING, unless LOADING
   already contains it.  Ignore files that cannot be found.  */
static void
dependencies_add_needed (struct loading *loading, size_t i, const char *name)
{
  char path[PATH_MAX];
  struct stat status;
  for (size_t k = 0; k < loading->count; ++k)
    if (dependencies_is_named_by (&loading->list[k], name))
      return;
  int fd = dependencies_find_library (loading, i, name, path);
  if (fd < 0)
    return;
  size_t k = 0;
  if (fstat (fd, &status) == 0)
    while (k < loading->count
           && (loading->list[k].device != status.st_dev
               || loading->list[k].inode != status.st_ino))
      ++k;
  if (k < loading->count)
    close (fd);
  else
    {
      file_list_add (loading->files, path);
      /* If the file is not a library, it needs no further files, so ignore the
         problem.  */
      struct problem none;
      load (loading, fd, i, &none);
    }
  file_list_add (&loading->list[k].names, name);
}

/* Add to LOADING each file that a file in LOADING needs, directly or through
   other files.  */
static bool
load_all (struct loading *loading, struct problem *problem)
{
  for (size_t i = 0; i < loading->count; ++i)
    for (size_t k = 0; k < loading->list[i].needed.count; ++k)
      if (loading->count == DEPENDENCIES_MAX)
        return problem_set (problem, "the file needs too many libraries");
      else
        dependencies_add_needed (loading, i, loading->list[i].needed.names[k]);
  return true;
}

bool
file_list_dependencies (struct file_list *files, file_opener *opener,
                        struct problem *problem)
{
  struct loading loading = { .files = files, .opener = opener };
  int fd = opener (files->names[0], problem);
  if (fd < 0)
    return false;
  char *program = realpath (files->names[0], NULL);
  if (program == NULL)
    {
      problem_system (problem, errno);
      close (fd);
      return false;
    }
  loading.program = program;
  const bool good
      = load (&loading, fd, 0, problem) && load_all (&loading, problem);
  for (size_t i = 0; i < loading.count; ++i)
    {
      file_list_free (&loading.list[i].needed);
      file_list_free (&loading.list[i].soname);
      file_list_free (&loading.list[i].rpath);
      file_list_free (&loading.list[i].runpath);
      file_list_free (&loading.list[i].names);
    }
  free (loading.list);
  free (program);
  return good;
}

/* Launchers: programs with little text of their own, which open a library with
   most of the text.  BESIDE is the name, without its path, of the directory
   that contains the launcher.  PATH is the path of the library, relative to
   the directory BESIDE.  */
static const struct
{
  const char *beside, *path;
} launchers[] = {
  /* Launchers for Java: the tools of a JDK, such as "java".  The entry with
     "../lib/server" is for JDK 9 and later, the entries without it for JDK
     8.  */
  { "bin", "../lib/server/libjvm.so" },
  { "bin", "../lib/amd64/server/libjvm.so" },
  { "bin", "../lib/aarch64/server/libjvm.so" },
};

void
file_list_opened (struct file_list *files)
{
  char *program = realpath (files->names[0], NULL);
  char *name = program != NULL ? strrchr (program, '/') : NULL;
  if (name == NULL || name == program)
    {
      free (program);
      return;
    }
  *name = '\0';
  const char *beside = strrchr (program, '/');
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; ++i)
    {
      char *path;
      if (strcmp (beside + 1, launchers[i].beside) != 0
          || asprintf (&path, "%s/%s", program, launchers[i].path) < 0)
        continue;
      char *library = realpath (path, NULL);
      free (path);
      if (library == NULL)
        continue;
      file_list_add (files, library);
      ++files->late;
      free (library);
      break;
    }
  free (program);
}
