/* For what of that is enabled the store's images are.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In the store there is a list of paths for each file of "hugetext enable":
   so what was made for a service goes when that is not enabled any more.  What
   somebody has asked for by hand stays as long as its object does.  Lists and
   images are gone together if the folder is removed.  */

#include "store-users.h"
#include "store-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prefix[] = ".for-";

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

/* Whether the file NAME is in FOLDER.  */
static bool
is_in (const char *folder, const char *name)
{
  char path[PATH_MAX];
  return (snprintf (path, sizeof path, "%s/%s", folder, name)
              < (int)sizeof path
          && faccessat (AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
}

const char *
store_users_read (struct store_users *users, const char *store,
                  const char *folder)
{
  *users = (struct store_users){ .count = 0 };
  DIR *dir = opendir (store);
  if (dir == NULL)
    return errno == ENOENT ? NULL : strerror (errno);
  bool good = true;
  for (struct dirent *entry; good && (entry = readdir (dir)) != NULL;)
    {
      const char *name = entry->d_name + strlen (prefix);
      if (strncmp (entry->d_name, prefix, strlen (prefix)) != 0)
        continue;
      struct store_user *list
          = reallocarray (users->list, users->count + 1, sizeof *list);
      good = list != NULL;
      if (!good)
        break;
      users->list = list;
      struct store_user *user = &list[users->count++];
      *user = (struct store_user){ .name = strdup (name),
                                   .enabled
                                   = strcmp (name, STORE_BY_HAND) == 0
                                     || is_in (folder, name) };
      good = user->name != NULL
             && read_list (dirfd (dir), entry->d_name, &user->objects);
    }
  closedir (dir);
  return good ? NULL : strerror (errno);
}

struct store_user *
store_users_find (const struct store_users *users, const char *name)
{
  for (size_t i = 0; i < users->count; i++)
    if (strcmp (users->list[i].name, name) == 0)
      return &users->list[i];
  return NULL;
}

static bool
has (const struct file_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; i++)
    if (strcmp (list->names[i], name) == 0)
      return true;
  return false;
}

bool
store_users_have (const struct store_users *users, const char *path,
                  bool enabled)
{
  for (size_t i = 0; i < users->count; i++)
    if ((users->list[i].enabled || !enabled)
        && has (&users->list[i].objects, path))
      return true;
  return false;
}

const char *
store_users_write (const char *store, const char *name,
                   const struct file_list *objects)
{
  char new[PATH_MAX], path[PATH_MAX];
  if (snprintf (path, sizeof path, "%s/%s%s", store, prefix, name)
      >= (int)sizeof path)
    return strerror (ENAMETOOLONG);
  int fd = store_create (store, new);
  FILE *stream = fd >= 0 ? fdopen (fd, "w") : NULL;
  if (stream == NULL)
    return strerror (errno);
  /* What a process has mapped may be images.  */
  size_t length = strlen (store);
  for (size_t i = 0; i < objects->count; i++)
    if (strchr (objects->names[i], '\n') == NULL
        && (strncmp (objects->names[i], store, length) != 0
            || objects->names[i][length] != '/'))
      fprintf (stream, "%s\n", objects->names[i]);
  bool good = fflush (stream) == 0 && fsync (fd) == 0;
  if (fclose (stream) == 0 && good && rename (new, path) == 0)
    return NULL;
  int error = errno;
  unlink (new);
  return strerror (error);
}

const char *
store_users_note (const char *store, const struct store_users *users,
                  const struct file_list *objects)
{
  const struct store_user *user = store_users_find (users, STORE_BY_HAND);
  struct file_list list = { 0 };
  bool good = true;
  for (size_t i = 0; user != NULL && good && i < user->objects.count; i++)
    good = file_list_add (&list, user->objects.names[i]);
  for (size_t i = 0; good && i < objects->count; i++)
    if (!has (&list, objects->names[i]))
      good = file_list_add (&list, objects->names[i]);
  const char *problem = good ? store_users_write (store, STORE_BY_HAND, &list)
                             : strerror (errno);
  file_list_free (&list);
  return problem;
}

void
store_users_forget (const struct store_users *users, const char *store)
{
  char path[PATH_MAX];
  for (size_t i = 0; i < users->count; i++)
    if (!users->list[i].enabled
        && snprintf (path, sizeof path, "%s/%s%s", store, prefix,
                     users->list[i].name)
               < (int)sizeof path)
      unlink (path);
}

void
store_users_free (struct store_users *users)
{
  for (size_t i = 0; i < users->count; i++)
    {
      free (users->list[i].name);
      file_list_free (&users->list[i].objects);
    }
  free (users->list);
  *users = (struct store_users){ .count = 0 };
}
