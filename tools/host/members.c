/* The processes in a control group, according to the file cgroup.procs of the
   group.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If the path of a control group is too long, the kernel does not report it in
   /proc/PID/cgroup.  A user can make such long paths only below control groups
   that belong to the user.  The file cgroup.procs of any other control group
   lists all processes of the group.  An unprivileged child reads the files
   cgroup.procs, because a service may have made control groups with any names
   below its own group.  */

#include "host/members.h"
#include "host/reader.h"
#include "util/allocate.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
  /* The largest number of groups that the child reads.  Most services have a
     single control group.  */
  GROUPS_MOST = 10000,
};

/* The directories in which systemd's hierarchy of control groups may be
   mounted.  On a machine with cgroup v1, systemd uses a separate hierarchy.
   systemd may also use a hierarchy of cgroup v2 that contains the same
   groups.  */
static const char *const places[]
    = { "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };

/* The processes that the unprivileged child has found in a control group.  */
struct members
{
  pid_t *list;
  size_t count, groups; /* The number of processes, and of groups.  */
};

/* Add the processes in the kernel's list at PATH to FOUND.  */
static bool
members_add_listed (const char *path, struct members *found)
{
  /* A group below the service's group may end meanwhile (ENOENT, ENODEV), or
     may contain threads of processes that are in the list of a higher group
     (EOPNOTSUPP).  */
  const bool below = found->groups > 1;
  FILE *stream = fopen (path, "re");
  int pid;
  if (stream == NULL)
    return below && (errno == ENOENT || errno == ENODEV);
  errno = 0;
  while (fscanf (stream, "%d", &pid) == 1)
    {
      found->list
          = allocate_more (found->list, found->count, sizeof *found->list);
      found->list[found->count++] = pid;
    }
  const bool good = (!ferror (stream)
                     || (below && (errno == ENODEV || errno == EOPNOTSUPP)));
  fclose (stream);
  return good;
}

/* Add to FOUND the processes of the group whose directory is PATH, and of the
   groups below it.  */
static bool
add_group (const char *path, struct members *found)
{
  char name[PATH_MAX];
  const char procs[] = "/cgroup.procs";
  if (++found->groups > GROUPS_MOST
      || strlen (path) + 1 + NAME_MAX + sizeof procs > sizeof name)
    return false;
  snprintf (name, sizeof name, "%s%s", path, procs);
  if (!members_add_listed (name, found))
    return false;
  DIR *directory = opendir (path);
  if (directory == NULL)
    return found->groups > 1 && errno == ENOENT;
  const struct dirent *entry;
  bool good = true;
  do
    {
      errno = 0;
      entry = readdir (directory);
      if (entry == NULL)
        good = errno == 0;
      else if (entry->d_type == DT_DIR && strcmp (entry->d_name, ".") != 0
               && strcmp (entry->d_name, "..") != 0)
        {
          snprintf (name, sizeof name, "%s/%s", path, entry->d_name);
          good = add_group (name, found);
        }
    }
  while (good && entry != NULL);
  closedir (directory);
  return good;
}

/* In the unprivileged child: put the IDs of the processes in the control group
   ASKED into ANSWER.  */
static void
answer_members (const struct reader_file *none, const void *asked,
                struct message *answer)
{
  struct members found = { .list = NULL };
  bool any = false;
  (void) none;
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
    {
      char path[2 * PATH_MAX];
      const int length = snprintf (path, sizeof path, "%s%s/cgroup.procs",
                                   places[i], (const char *) asked);
      if (access (path, F_OK) != 0)
        continue;
      any = true;
      found.groups = 0;
      path[length - strlen ("/cgroup.procs")] = '\0';
      if (!add_group (path, &found))
        reader_give_up ();
    }
  if (!any)
    reader_give_up ();
  message_put_number (answer, found.count);
  for (size_t i = 0; i < found.count; ++i)
    message_put_number (answer, found.list[i]);
  free (found.list);
}

bool
members_ask (const char *group, pid_t **list, size_t *count,
             struct problem *problem)
{
  struct message answer;
  *list = NULL;
  *count = 0;
  if (!reader_ask_parser (answer_members, group, &answer, problem))
    return problem_unknown (problem,
                            "which processes are in the control "
                            "group %s",
                            group);
  const size_t n = message_get_count (&answer, sizeof (uint64_t));
  *list = allocate ((n + 1) * sizeof **list);
  for (size_t i = 0; i < n; ++i)
    (*list)[i] = message_get_number (&answer, INT_MAX);
  const bool good = message_is_done (&answer);
  message_free (&answer);
  if (good)
    *count = n;
  return good || problem_set (problem, READER_MAKES_NO_SENSE);
}
