/* Keep the store as what is enabled wants it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nobody looks on when packages are updated, at boot and when a service
   starts, so nothing here may take long, fill a disk or wait for ever, and
   what is interrupted goes on the next time: lists are written before images
   are made, and old images stay until new ones take their names.  */

#include "store-refresh.h"
#include "index-file.h"
#include "index-write.h"
#include "process.h"
#include "store-list.h"
#include "store-users.h"
#include "store-verify.h"
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The store, while we have its lock.  */
struct work
{
  const struct store_place *place;
  const struct store_how *how;
  struct store store;
  struct store_users users;
  int lock;
  bool late;  /* There was not enough time,  */
  bool wrong; /* or it could not all be done.  */
};

/* Make images of OBJECTS in WORK.  */
static struct store_added
add (struct work *work, const struct objects *objects)
{
  struct store_added added = store_add (&work->store, objects, work->how);
  work->late |= added.late;
  work->wrong |= added.full;
  return added;
}

static void
wait_quietly (const char *path)
{
  (void)path;
}

/* Begin WORK.  Returns NULL, or what is wrong.  */
static const char *
begin (struct work *work)
{
  const char *folder = work->place->folder;
  const char *problem
      = store_lock (folder, &work->lock, work->how->end, wait_quietly);
  if (problem != NULL)
    return problem;
  problem = store_read (&work->store, folder);
  if (problem == NULL)
    problem = store_users_read (&work->users, folder, entry_folder ());
  return problem;
}

/* Pass on LINE about the index.  */
static void
say_line (void *closure, bool wrong, const char *line)
{
  struct work *work = closure;
  work->wrong |= wrong;
  if (wrong)
    work->how->say (work->place->index, line);
}

/* Have the index say what is in the store, and end WORK.  */
static void
end (struct work *work)
{
  if (!index_update_store (work->place->config, work->place->index,
                           work->place->folder, say_line, work))
    work->wrong = true;
  store_free (&work->store);
  store_users_free (&work->users);
  close (work->lock);
}

/* The name of the list for NAME, an entry's.  */
static const char *
list_name (const char *name)
{
  return strrchr (entry_file (name), '/') + 1;
}

bool
store_is_wanted (const struct entry *entry)
{
  static const char key[] = "backing = ";
  if (entry->no_store)
    return false;
  for (size_t i = 0; i < entry->settings.count; i++)
    {
      const char *line = entry->settings.names[i];
      if (strncmp (line, key, strlen (key)) == 0)
        return (strcmp (line + strlen (key), "auto") == 0
                || strcmp (line + strlen (key), "store") == 0);
    }
  return true;
}

/* Whether process PID runs a program of ENTRY.  */
static bool
runs (pid_t pid, const struct entry *entry)
{
  char exe[PATH_MAX];
  process_exe (pid, exe, sizeof exe);
  process_cut_deleted (exe);
  for (size_t i = 0; i < entry->programs.count; i++)
    if (strcmp (exe, entry->programs.names[i]) == 0)
      return true;
  return false;
}

/* Add to OBJECTS what running programs of ENTRY have opened.  */
static void
add_processes (struct objects *objects, const struct entry *entry)
{
  struct unit unit;
  pid_t *list = NULL;
  ssize_t count = 0;
  if (!entry_is_service (entry))
    count = process_list (NULL, &list);
  else if (unit_systemd_runs () && unit_read (entry->name, &unit) == NULL)
    {
      count = unit_processes (&unit, &list);
      unit_free (&unit);
    }
  for (ssize_t i = 0; i < count; i++)
    if (runs (list[i], entry))
      objects_add_process (objects, list[i], NULL);
  free (list);
}

/* Do what store_fill is for, in WORK.  */
static const char *
fill (struct work *work, const struct entry *entry, struct store_added *added)
{
  struct objects objects = { .end = work->how->end };
  const struct store_user *user
      = store_users_find (&work->users, list_name (entry->name));
  for (size_t i = 0; i < entry->programs.count; i++)
    objects_add_path (&objects, entry->programs.names[i]);
  for (size_t i = 0; user != NULL && i < user->objects.count; i++)
    objects_add_path (&objects, user->objects.names[i]);
  add_processes (&objects, entry);
  const char *problem = objects_add_needed (&objects);
  /* A list that is not complete would have images removed.  */
  work->late |= problem != NULL;
  if (problem == NULL)
    problem = store_users_write (work->place->folder, list_name (entry->name),
                                 &objects.files);
  if (problem == NULL)
    *added = add (work, &objects);
  objects_free (&objects);
  return work->late ? NULL : problem;
}

/* That of the index which all programs have.  */
static const struct store_place *
usual_place (void)
{
  static char folder[PATH_MAX];
  static struct store_place place
      = { .config = CONFIG_PATH, .index = INDEX_PATH, .folder = folder };
  store_path (INDEX_PATH, folder);
  return &place;
}

bool
store_has_list (const char *name)
{
  struct store_users users;
  bool has = (store_users_read (&users, usual_place ()->folder,
                                entry_folder ())
                  == NULL
              && store_users_find (&users, list_name (name)) != NULL);
  store_users_free (&users);
  return has;
}

const char *
store_fill (const struct entry *entry, const struct store_how *how,
            struct store_added *added)
{
  struct work work = { .place = usual_place (), .how = how, .lock = -1 };
  *added = (struct store_added){ 0 };
  const char *problem = begin (&work);
  if (problem == NULL)
    problem = fill (&work, entry, added);
  if (work.lock >= 0)
    end (&work);
  return problem;
}

/* Whether the index at PATH knows STORED.  */
static bool
is_known (const struct stored *stored, const char *path)
{
  struct index_file index;
  union hugetext_index_buffer record;
  const struct image_note *note = &stored->image.note;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (index_file_open (&index, fd, 0) != NULL)
    return false;
  bool known = (hugetext_index_image (&index.index, &note->object,
                                      note->block, &record)
                && hugetext_same_file (&record.image.image,
                                       &stored->image.identity));
  index_file_close (&index);
  return known;
}

/* Whether all images that ENTRY has are as they should be, or there is no
   store.  One in memory has lost them at boot.  */
static bool
is_current (const struct entry *entry)
{
  const struct store_place *place = usual_place ();
  struct store store;
  struct store_users users;
  bool current = true;
  if (access (place->folder, F_OK) != 0)
    return true;
  if (store_users_read (&users, place->folder, entry_folder ()) == NULL
      && store_read (&store, place->folder) == NULL)
    {
      current = store_users_find (&users, list_name (entry->name)) != NULL;
      for (size_t i = 0; current && i < store.count; i++)
        if (store_users_have (&users, store.files[i].image.object, true))
          current = (store.files[i].problem == NULL
                     && is_known (&store.files[i], place->index));
      store_free (&store);
    }
  store_users_free (&users);
  return current;
}

static void
say_nothing (const char *what, const char *problem)
{
  (void)what;
  (void)problem;
}

void
store_renew (const struct entry *entry, int seconds)
{
  struct store_how how = { .end = store_clock () + seconds * 1000,
                           .brief = true,
                           .silent = true,
                           .say = say_nothing };
  struct store_added added;
  if (!store_is_wanted (entry))
    return;
  /* A process of its own: it is killed if a disk makes it wait, and whatever
     a limit of the service's does to it is not done to us.  */
  fflush (NULL);
  pid_t pid = fork ();
  if (pid == 0)
    {
      if (!is_current (entry))
        store_fill (entry, &how, &added);
      fflush (NULL);
      _exit (0);
    }
  while (pid > 0 && waitpid (pid, NULL, WNOHANG) == 0)
    {
      if (store_clock () > how.end + 1000)
        kill (pid, SIGKILL);
      nanosleep (&(struct timespec){ .tv_nsec = 2 * 1000 * 1000 }, NULL);
    }
}

/* Read again what is in the store of WORK.  */
static const char *
read_again (struct work *work)
{
  store_free (&work->store);
  store_users_free (&work->users);
  const char *problem = store_read (&work->store, work->place->folder);
  return (problem == NULL
              ? store_users_read (&work->users, work->place->folder,
                                  entry_folder ())
              : problem);
}

/* Bring up to date what is for one of the COUNT entries LIST.  */
static void
refresh_entries (struct work *work, const struct entry *list, int count)
{
  for (int i = 0; i < count; i++)
    if (store_is_wanted (&list[i]))
      {
        struct store_added added = { 0 };
        const char *problem = fill (work, &list[i], &added);
        /* The next one may need the same.  */
        if (problem == NULL && added.made > 0)
          problem = read_again (work);
        if (problem != NULL)
          work->how->say (list[i].name, problem);
        work->wrong |= problem != NULL;
      }
}

/* Bring up to date what somebody has asked for, and what is on no list.  */
static void
refresh_rest (struct work *work)
{
  struct objects objects = { .end = work->how->end };
  const struct store_user *user
      = store_users_find (&work->users, STORE_BY_HAND);
  for (size_t i = 0; user != NULL && i < user->objects.count; i++)
    objects_add_path (&objects, user->objects.names[i]);
  for (size_t i = 0; i < work->store.count; i++)
    {
      const struct image *image = &work->store.files[i].image;
      if (image->object[0] != '\0'
          && !store_users_have (&work->users, image->object, false))
        objects_add_path (&objects, image->object);
    }
  const char *problem = objects_add_needed (&objects);
  work->late |= problem != NULL;
  if (problem == NULL && (objects.files.count > 0 || user != NULL))
    problem = store_users_write (work->place->folder, STORE_BY_HAND,
                                 &objects.files);
  if (problem != NULL && !work->late)
    {
      work->how->say (work->place->folder, problem);
      work->wrong = true;
    }
  if (!work->late)
    add (work, &objects);
  objects_free (&objects);
}

bool
store_refresh (const struct store_place *place, const struct store_how *how)
{
  struct work work = { .place = place, .how = how, .lock = -1 };
  struct entry *list = NULL;
  int count = 0;
  const char *problem = begin (&work);
  if (problem == NULL)
    {
      /* Images that turn out to be wrong are made anew.  */
      if (store_verify (&work.store, place->index, how))
        problem = read_again (&work);
    }
  if (problem == NULL)
    {
      count = entry_list (&list);
      refresh_entries (&work, list, count);
      problem = read_again (&work);
    }
  if (problem == NULL)
    {
      refresh_rest (&work);
      problem = read_again (&work);
    }
  if (problem == NULL)
    store_gc (&work.store, &work.users, how->brief, how->say);
  if (problem == NULL && work.late)
    problem = "the time is over; there is more to be made";
  if (work.lock >= 0)
    end (&work);
  if (problem != NULL)
    how->say (place->folder, problem);
  for (int i = 0; i < count; i++)
    entry_free (&list[i]);
  free (list);
  return problem == NULL && !work.wrong;
}
