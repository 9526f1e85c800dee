/* The list of objects whose images are wanted, and by whom.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store/wanted.h"
#include "trust/rewrite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prefix[] = ".for-";

/* Set PATH to FOLDER/START NAME.  False if that is too long.  */
static bool
join (char path[static PATH_MAX], const char *folder, const char *start,
      const char *name)
{
  return snprintf (path, PATH_MAX, "%s/%s%s", folder, start, name) < PATH_MAX;
}

static bool
has (const struct file_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp (list->names[i], name) == 0)
      return true;
  return false;
}

/* Add the lines of the file NAME in the folder DIR to LIST.  */
static bool
read_list (int dir, const char *name, struct file_list *list)
{
  char *line = NULL;
  size_t size = 0;
  bool good = true;
  int fd = openat (dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  FILE *stream = fd >= 0 ? fdopen (fd, "r") : NULL;
  if (stream == NULL)
    return false;
  while (good && getline (&line, &size, stream) > 0)
    {
      line[strcspn (line, "\n")] = '\0';
      good = line[0] != '/' || file_list_add (list, line);
    }
  free (line);
  fclose (stream);
  return good;
}

/* Add the list NAME in the folder DIR, which belongs to a file in FOLDER.  */
static bool
add_list (struct wanted *wanted, int dir, const char *name, const char *folder)
{
  char path[PATH_MAX];
  struct wanted_list *lists
      = reallocarray (wanted->lists, wanted->count + 1, sizeof *lists);
  if (lists == NULL)
    return false;
  wanted->lists = lists;
  struct wanted_list *list = &lists[wanted->count++];
  *list = (struct wanted_list){ .name = strdup (name + strlen (prefix)) };
  if (list->name == NULL)
    return false;
  list->enabled
      = (strcmp (list->name, WANTED_BY_HAND) == 0
         || (join (path, folder, "", list->name)
             && faccessat (AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0));
  return read_list (dir, name, &list->objects);
}

const char *
wanted_read (struct wanted *wanted, const char *store, const char *folder)
{
  *wanted = (struct wanted){ .count = 0 };
  DIR *dir = opendir (store);
  if (dir == NULL)
    return errno == ENOENT ? NULL : strerror (errno);
  bool good = true;
  for (struct dirent *entry; good && (entry = readdir (dir)) != NULL;)
    if (strncmp (entry->d_name, prefix, strlen (prefix)) == 0)
      good = add_list (wanted, dirfd (dir), entry->d_name, folder);
  int error = errno;
  closedir (dir);
  return good ? NULL : strerror (error);
}

const struct file_list *
wanted_find (const struct wanted *wanted, const char *name)
{
  for (size_t i = 0; i < wanted->count; ++i)
    if (strcmp (wanted->lists[i].name, name) == 0)
      return &wanted->lists[i].objects;
  return NULL;
}

bool
wanted_has (const struct wanted *wanted, const char *path, bool enabled)
{
  for (size_t i = 0; i < wanted->count; ++i)
    if ((wanted->lists[i].enabled || !enabled)
        && has (&wanted->lists[i].objects, path))
      return true;
  return false;
}

/* Print those of OBJECTS that are not on the list BUT, which may be NULL.
   Images in STORE, which a process may have mapped, are left out.  */
static void
print_list (FILE *stream, const char *store, const struct file_list *objects,
            const struct file_list *but)
{
  size_t length = strlen (store);
  for (size_t i = 0; i < objects->count; ++i)
    {
      const char *name = objects->names[i];
      if (strchr (name, '\n') == NULL
          && (strncmp (name, store, length) != 0 || name[length] != '/')
          && (but == NULL || !has (but, name)))
        fprintf (stream, "%s\n", name);
    }
}

const char *
wanted_write (const char *store, const char *name,
              const struct file_list *objects, const struct file_list *more)
{
  char path[PATH_MAX], *text = NULL;
  size_t size;
  if (!join (path, store, prefix, name))
    return strerror (ENAMETOOLONG);
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return strerror (errno);
  print_list (stream, store, objects, NULL);
  if (more != NULL)
    print_list (stream, store, more, objects);
  bool good = fclose (stream) == 0 && rewrite_data (path, text, size);
  free (text);
  return good ? NULL : strerror (errno);
}

void
wanted_forget (const struct wanted *wanted, const char *store)
{
  char path[PATH_MAX];
  for (size_t i = 0; i < wanted->count; ++i)
    if (!wanted->lists[i].enabled
        && join (path, store, prefix, wanted->lists[i].name))
      unlink (path);
}

void
wanted_free (struct wanted *wanted)
{
  for (size_t i = 0; i < wanted->count; ++i)
    {
      free (wanted->lists[i].name);
      file_list_free (&wanted->lists[i].objects);
    }
  free (wanted->lists);
  *wanted = (struct wanted){ .count = 0 };
}
