/* Whether something is mounted over a file, in any mount namespace.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A file is known by its filesystem's device and its path from the root of
   that.  In each namespace the mounts on which others are mounted say what
   those are mounted over (proc_pid_mountinfo(5)).  */

#include "overmounts.h"
#include "machine.h"
#include "process.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mount
{
  int id, parent;
  char device[24];
  char *root, *point;
};

struct mounts
{
  struct mount *list;
  size_t count;
};

static void
mounts_free (struct mounts *mounts)
{
  for (size_t i = 0; i < mounts->count; i++)
    {
      free (mounts->list[i].root);
      free (mounts->list[i].point);
    }
  free (mounts->list);
}

/* Read the mounts that PID has, in the order in which they were made.  */
static void
mounts_read (const char *pid, struct mounts *mounts)
{
  char path[64], *line = NULL;
  size_t size = 0;
  *mounts = (struct mounts){ 0 };
  snprintf (path, sizeof path, "/proc/%s/mountinfo", pid);
  FILE *stream = fopen (path, "re");
  if (stream == NULL)
    return;
  while (getline (&line, &size, stream) > 0)
    {
      struct mount mount;
      if (sscanf (line, "%d %d %23s %ms %ms", &mount.id, &mount.parent,
                  mount.device, &mount.root, &mount.point)
          != 5)
        continue;
      struct mount *list
          = reallocarray (mounts->list, mounts->count + 1, sizeof *list);
      if (list == NULL)
        break;
      machine_unescape (mount.root);
      machine_unescape (mount.point);
      mounts->list = list;
      list[mounts->count++] = mount;
    }
  free (line);
  fclose (stream);
}

/* The path of PATH, which is below MOUNT, from the root of its filesystem, in
   TO.  False if it is not below.  */
static bool
inner_path (const struct mount *mount, const char *path,
            char to[static 2 * PATH_MAX])
{
  size_t length = strcmp (mount->point, "/") == 0 ? 0 : strlen (mount->point);
  if (strncmp (path, mount->point, length) != 0
      || (path[length] != '/' && path[length] != '\0'))
    return false;
  snprintf (to, 2 * PATH_MAX, "%s%s",
            strcmp (mount->root, "/") == 0 ? "" : mount->root, path + length);
  return true;
}

static const struct mount *
find (const struct mounts *mounts, int id)
{
  for (size_t i = 0; i < mounts->count; i++)
    if (mounts->list[i].id == id)
      return &mounts->list[i];
  return NULL;
}

/* The mount of MOUNTS that lies over the file INNER of DEVICE; NULL if none
   does.  */
static const struct mount *
lies_over (const struct mounts *mounts, const char *device, const char *inner)
{
  for (size_t i = 0; i < mounts->count; i++)
    {
      const struct mount *mount = &mounts->list[i];
      const struct mount *parent = find (mounts, mount->parent);
      char path[2 * PATH_MAX];
      if (parent != NULL && strcmp (parent->device, device) == 0
          && inner_path (parent, mount->point, path)
          && strcmp (path, inner) == 0)
        return mount;
    }
  return NULL;
}

/* Find the file PATH among MOUNTS, our own: its INNER path, and DEVICE.  Says
   what is mounted over it here, if anything.  */
static const struct mount *
locate (const struct mounts *mounts, const char *path,
        char inner[static 2 * PATH_MAX], const char **device)
{
  const struct mount *best = NULL;
  char to[2 * PATH_MAX];
  for (size_t i = 0; i < mounts->count; i++)
    {
      const struct mount *mount = &mounts->list[i];
      /* Of equal mount points the last one counts.  */
      if (inner_path (mount, path, to)
          && (best == NULL || strlen (mount->point) >= strlen (best->point)))
        best = mount;
    }
  if (best == NULL)
    return NULL;
  inner_path (best, path, inner);
  *device = best->device;
  return strcmp (best->point, path) == 0 ? best : NULL;
}

/* Look in the namespaces of all processes for a mount over INNER of DEVICE.
   Each namespace is read once.  */
static const char *
search_others (const char *device, const char *inner)
{
  static char text[192];
  struct process process;
  pid_t *list = NULL;
  char (*seen)[64] = NULL;
  size_t nseen = 0;
  bool found = false;
  ssize_t n = process_list (NULL, &list);
  for (ssize_t i = 0; i < n && !found; i++)
    {
      char pid[16], link[64], name[64] = "";
      size_t k = 0;
      snprintf (pid, sizeof pid, "%d", (int)list[i]);
      snprintf (link, sizeof link, "/proc/%s/ns/mnt", pid);
      if (readlink (link, name, sizeof name - 1) < 0)
        continue;
      while (k < nseen && strcmp (seen[k], name) != 0)
        k++;
      if (k < nseen)
        continue;
      char (*more)[64] = reallocarray (seen, nseen + 1, sizeof *seen);
      if (more == NULL)
        break;
      seen = more;
      strcpy (seen[nseen++], name);
      struct mounts mounts;
      mounts_read (pid, &mounts);
      found = lies_over (&mounts, device, inner) != NULL;
      mounts_free (&mounts);
      if (found && process_read (list[i], &process))
        snprintf (text, sizeof text, "in the mount namespace of %s (%s)", pid,
                  process.name);
      else if (found)
        snprintf (text, sizeof text, "in the mount namespace of %s", pid);
    }
  free (seen);
  free (list);
  return found ? text : NULL;
}

const char *
overmounts_find (const char *path)
{
  char inner[2 * PATH_MAX];
  struct mounts ours;
  const char *device = NULL, *where = NULL;
  mounts_read ("self", &ours);
  if (locate (&ours, path, inner, &device) != NULL)
    where = "here";
  else if (device != NULL)
    where = search_others (device, inner);
  mounts_free (&ours);
  return where;
}
