/* The synchronisation of the store: wanted images are made, others removed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The store is updated when packages are, at boot and when a service starts,
   without a user who watches.  So nothing here may take long, fill a disk or
   wait without a limit, and interrupted work goes on the next time: lists are
   written before images are made, and old images stay until new ones take
   their names.  */

#include "store/sync.h"
#include "host/process.h"
#include "host/unit.h"
#include "index/write.h"
#include "store/fapolicyd.h"
#include "store/state.h"
#include "store/verify.h"
#include "store/wanted.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The work on the store while this process has its lock.  */
struct work
{
  const struct store_place *place;
  const struct store_how *how;
  struct store_added *added;
  struct store store;
  struct wanted wanted;
  int lock;
  bool wrong; /* Some of the work could not be done.  */
};

/* Read the images in the store of WORK, and the lists of wanted ones.  */
static const char *
read_all (struct work *work)
{
  store_free (&work->store);
  wanted_free (&work->wanted);
  const char *problem = store_read (&work->store, work->place->folder);
  return problem != NULL ? problem
                         : wanted_read (&work->wanted, work->place->folder,
                                        entry_folder ());
}

/* Begin WORK.  Return NULL, or what is wrong.  */
static const char *
begin (struct work *work, const struct store_place *place,
       const struct store_how *how, struct store_added *added)
{
  *work = (struct work){ .place = place, .how = how, .added = added };
  *added = (struct store_added){ 0 };
  const char *problem
      = store_lock (place->folder, &work->lock, how->end, how->who);
  return problem != NULL ? problem : read_all (work);
}

/* Report LINE about the index.  */
static void
say_line (void *closure, bool wrong, const char *line)
{
  struct work *work = closure;
  work->wrong |= wrong;
  if (wrong)
    work->how->say (work->place->index, line);
}

/* Write fapolicyd's list of the images that the machine's index is about to
   name.  */
static void
have_trusted (struct work *work)
{
  const char *problem = NULL;
  if (strcmp (work->place->index, INDEX_PATH) == 0)
    problem = fapolicyd_update (work->place->folder);
  if (problem != NULL)
    work->how->say (CONFINEMENT_TRUST, problem);
  work->wrong |= problem != NULL;
}

/* Compile the index with the store's images, and end WORK; PROBLEM is still to
   be reported.  Return whether all is well.  */
static bool
end (struct work *work, const char *problem)
{
  if (work->lock >= 0)
    have_trusted (work);
  if (work->lock >= 0
      && !index_update_store (work->place->config, work->place->index,
                              work->place->folder, say_line, work))
    work->wrong = true;
  if (problem != NULL)
    work->how->say (work->place->folder, problem);
  store_free (&work->store);
  wanted_free (&work->wanted);
  if (work->lock >= 0)
    close (work->lock);
  return problem == NULL && !work->wrong;
}

/* Return why STORED is to be removed, NULL if it stays.  */
static const char *
reason_to_go (const struct stored *stored, const struct wanted *wanted)
{
  const char *object = stored->image.object;
  if (stored->problem != NULL)
    return stored->problem;
  return (wanted_has (wanted, object, false)
                  && !wanted_has (wanted, object, true)
              ? "what it was made for is not enabled any more"
              : NULL);
}

/* Remove STORED because of REASON.  */
static void
remove_image (struct work *work, const struct stored *stored,
              const char *reason)
{
  const char *object = stored->image.object;
  const struct store_event event
      = { .action = STORE_REMOVED,
          .object = object[0] != '\0' ? object : stored->path,
          .problem = reason };
  uint64_t disk = store_image_disk (stored);
  /* The file is not one of this command's images.  */
  if (stored->image.note.version == 0)
    work->how->say (stored->path, reason);
  else if (unlink (stored->path) != 0)
    work->how->say (stored->path, strerror (errno));
  else
    {
      ++work->added->removed;
      work->added->freed += disk;
      if (work->how->tell != NULL)
        work->how->tell (&event);
    }
}

/* Remove images without use.  */
static void
collect (struct work *work)
{
  for (size_t i = 0; i < work->store.count; ++i)
    {
      const char *reason = reason_to_go (&work->store.files[i], &work->wanted);
      if (reason != NULL)
        remove_image (work, &work->store.files[i], reason);
    }
  wanted_forget (&work->wanted, work->place->folder);
}

bool
store_collect (const struct store_place *place, const struct store_how *how,
               struct store_added *added)
{
  struct work work;
  const char *problem = begin (&work, place, how, added);
  if (problem == NULL)
    collect (&work);
  return end (&work, problem);
}

bool
store_add (const struct store_place *place, const struct objects *objects,
           const struct store_how *how, struct store_added *added)
{
  struct work work;
  const char *problem = begin (&work, place, how, added);
  if (problem == NULL)
    store_make (&work.store, objects, how, added);
  /* A failed request leaves no list behind.  */
  if (problem == NULL && added->made + added->there > 0)
    {
      static const struct file_list none;
      const struct file_list *before
          = wanted_find (&work.wanted, WANTED_BY_HAND);
      problem
          = wanted_write (place->folder, WANTED_BY_HAND,
                          before != NULL ? before : &none, &objects->files);
    }
  return end (&work, problem);
}

/* Make images of OBJECTS and of the libraries that they need, and write the
   list NAME of them; with FORCE even if there are none.  Return NULL, or what
   is wrong; after too little time not all are made.  */
static const char *
keep (struct work *work, struct objects *objects, const char *name, bool force)
{
  const char *problem = objects_add_needed (objects);
  /* An incomplete list would have images removed.  */
  if (problem != NULL)
    {
      work->added->late = true;
      return NULL;
    }
  if (force || objects->files.count > 0)
    problem = wanted_write (work->place->folder, name, &objects->files, NULL);
  if (problem == NULL)
    store_make (&work->store, objects, work->how, work->added);
  work->wrong |= problem != NULL || work->added->full;
  return problem;
}

/* Return the name of the list for the entry NAME.  */
static const char *
list_name (const char *name)
{
  return strrchr (entry_file (name), '/') + 1;
}

bool
store_is_wanted (const struct entry *entry)
{
  static const char key[] = "backing = ";
  for (size_t i = 0; i < entry->settings.count; ++i)
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
  for (size_t i = 0; i < entry->programs.count; ++i)
    if (strcmp (exe, entry->programs.names[i]) == 0)
      return true;
  return false;
}

/* Add the objects that running programs of ENTRY have mapped to OBJECTS.  */
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
  for (ssize_t i = 0; i < count; ++i)
    if (runs (list[i], entry))
      objects_add_process (objects, list[i], NULL);
  free (list);
}

/* Add the paths on LIST, which may be NULL, to OBJECTS.  */
static void
add_listed (struct objects *objects, const struct file_list *list)
{
  for (size_t i = 0; list != NULL && i < list->count; ++i)
    objects_add_path (objects, list->names[i]);
}

/* Make the images that ENTRY's programs need.  */
static const char *
keep_entry (struct work *work, const struct entry *entry)
{
  struct objects objects = { .end = work->how->end };
  const char *name = list_name (entry->name);
  add_listed (&objects, &entry->programs);
  add_listed (&objects, wanted_find (&work->wanted, name));
  add_processes (&objects, entry);
  const char *problem = keep (work, &objects, name, true);
  objects_free (&objects);
  return problem;
}

/* Make images again that a user has asked for, and that are on no list.  */
static const char *
keep_rest (struct work *work)
{
  struct objects objects = { .end = work->how->end };
  const struct file_list *list = wanted_find (&work->wanted, WANTED_BY_HAND);
  add_listed (&objects, list);
  for (size_t i = 0; i < work->store.count; ++i)
    {
      const char *object = work->store.files[i].image.object;
      if (object[0] != '\0' && !wanted_has (&work->wanted, object, false))
        objects_add_path (&objects, object);
    }
  const char *problem = keep (work, &objects, WANTED_BY_HAND, list != NULL);
  objects_free (&objects);
  return problem;
}

/* Make the images of all enabled entries.  */
static void
keep_entries (struct work *work)
{
  struct entry *list;
  int count = entry_list (&list);
  for (int i = 0; i < count; ++i)
    {
      size_t before = work->added->made;
      const char *problem = NULL;
      if (store_is_wanted (&list[i]))
        problem = keep_entry (work, &list[i]);
      /* The next entry may need the same images.  */
      if (problem == NULL && work->added->made > before)
        problem = read_all (work);
      if (problem != NULL)
        work->how->say (list[i].name, problem);
      work->wrong |= problem != NULL;
      entry_free (&list[i]);
    }
  free (list);
}

bool
store_refresh (const struct store_place *place, const struct store_how *how,
               struct store_added *added)
{
  struct work work;
  const char *problem = begin (&work, place, how, added);
  /* Wrong images are made anew.  */
  if (problem == NULL && store_verify (&work.store, place->index, how))
    problem = read_all (&work);
  if (problem == NULL)
    {
      keep_entries (&work);
      problem = read_all (&work);
    }
  if (problem == NULL)
    problem = keep_rest (&work);
  if (problem == NULL)
    problem = read_all (&work);
  if (problem == NULL)
    collect (&work);
  if (problem == NULL && added->late)
    problem = "the time is over; there is more to be made";
  return end (&work, problem);
}

/* Return the place where all programs look.  */
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
  struct wanted wanted;
  bool has
      = (wanted_read (&wanted, usual_place ()->folder, entry_folder ()) == NULL
         && wanted_find (&wanted, list_name (name)) != NULL);
  wanted_free (&wanted);
  return has;
}

const char *
store_fill (const struct entry *entry, const struct store_how *how,
            struct store_added *added)
{
  struct work work;
  const char *problem = begin (&work, usual_place (), how, added);
  if (problem == NULL)
    problem = keep_entry (&work, entry);
  end (&work, NULL);
  return problem;
}

/* Whether all images of ENTRY are right, or there is no store.  A store in
   memory has lost its images at boot.  */
static bool
is_current (const struct entry *entry)
{
  const struct store_place *place = usual_place ();
  struct store store;
  struct wanted wanted;
  struct index_file index;
  if (access (place->folder, F_OK) != 0)
    return true;
  const char *problem = store_read (&store, place->folder);
  bool current = (wanted_read (&wanted, place->folder, entry_folder ()) != NULL
                  || wanted_find (&wanted, list_name (entry->name)) != NULL);
  index_file_open_path (&index, place->index, 0);
  for (size_t i = 0; problem == NULL && current && i < store.count; ++i)
    if (wanted_has (&wanted, store.files[i].image.object, true))
      current = store_image_problem (&store.files[i], &index) == NULL;
  index_file_close (&index);
  store_free (&store);
  wanted_free (&wanted);
  return current;
}

static void
say_nothing (const char *what, const char *problem)
{
  (void) what;
  (void) problem;
}

void
store_renew (const struct entry *entry, int seconds)
{
  struct store_how how = { .end = store_clock () + seconds * 1000,
                           .brief = true,
                           .say = say_nothing };
  struct store_added added;
  if (!store_is_wanted (entry))
    return;
  /* A child does the work: it is killed if a disk makes it wait, and a limit
     of the service acts on it and not on this process.  */
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
