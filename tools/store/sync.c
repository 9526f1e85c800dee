/* Synchronize the store: make all wanted images, and remove all other images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The store is updated after package updates, at boot, and when a service
   starts, while no user is watching; so no step of an update may take long,
   fill a disk, or wait without a time limit.  If an update is interrupted, the
   next update continues the work: the list is written before images are made,
   and an old image stays until a new one replaces it.

   The command compares each new image with its object.  Later, a faulty disk,
   faulty memory, or a user who writes to the disk directly may damage the
   image.  Comparing a block takes 0.23 ms if the image and the object are
   cached; if they are not cached, the command must read 4 MiB.  To limit the
   time, each "hugetext store refresh" compares all images that are not in the
   index yet, but only a part of the images in the index, so that each image is
   compared once in DAYS days.  */

#include "store/parts.h"
#include "dl-hugetext-ways.h"
#include "host/process.h"
#include "host/unit.h"
#include "host/unprivileged.h"
#include "image/make.h"
#include "image/public.h"
#include "index/write.h"
#include "store/prime.h"
#include "store/state.h"
#include "trust/identity.h"
#include "trust/lock.h"
#include "trust/rewrite.h"
#include "util/allocate.h"
#include "util/clock.h"
#include "util/wait.h"
#include "util/count.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The number of days within which a daily "hugetext store refresh" compares
   each image once with its object.  */
#define DAYS 8

/* The state while this process holds the store's lock.  */
struct sync
{
  struct store_work *work;
  struct store store;
  struct file_list wanted;
  int lock;
};

/* Read the images in the store and the list of wanted images.  */
static bool
store_sync_read_all (struct sync *sync, struct problem *problem)
{
  store_free (&sync->store);
  file_list_free (&sync->wanted);
  return store_read (&sync->store, problem)
         && wanted_read (&sync->wanted, problem);
}

/* Create the store's directory, and take the store's lock, which this process
   holds until FD is closed.  If another command holds the lock, wait until
   END.  A message about waiting for the lock begins with WHO (lock.h).  After
   taking the lock, remove unfinished files of commands that were killed.  On
   failure set FD to -1, set PROBLEM and return false.  Commands lock the file
   .lock in the store's directory, which only root can open.  Commands do not
   lock the store's directory itself, because any user could lock the
   directory.  */
static bool
lock_directory (int *fd, int64_t end, const char *who, struct problem *problem)
{
  struct stat status;
  char path[PATH_MAX];
  *fd = -1;
  if (!rewrite_directory (store_directory (), NULL, problem))
    return false;
  if (stat (store_directory (), &status) != 0)
    return problem_system (problem, errno);
  if (!S_ISDIR (status.st_mode))
    return problem_system (problem, ENOTDIR);
  if (status.st_uid != geteuid ()
      || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return problem_set (
        problem, "users other than root have write permission; the store must "
                 "be a directory to which only root can write");
  snprintf (path, sizeof path, "%s/.lock", store_directory ());
  *fd = lock_take (path, end, who, store_directory (), problem);
  if (*fd < 0)
    return false;
  rewrite_clean (store_directory ());
  return true;
}

/* Begin SYNC for WORK.  */
static bool
store_sync_begin_work (struct sync *sync, struct store_work *work,
                       struct problem *problem)
{
  const int64_t end
      = work->end != 0 ? work->end : clock_milliseconds () + LOCK_LIMIT;
  *sync = (struct sync){ .work = work };
  return lock_directory (&sync->lock, end, work->who, problem)
         && store_sync_read_all (sync, problem);
}

/* Report LINE, a message about the index, a settings file or a profile, which
   begins with the path of the file.  */
static void
say_line (void *closure, bool wrong, const char *line)
{
  if (wrong)
    work_say (closure, NULL, line);
}

/* End SYNC: compile the index with the images, and release the lock of the
   store.  If PROBLEM is set, report PROBLEM.  Return true if there was no
   error.  */
static bool
store_sync_end_work (struct sync *sync, const struct problem *problem)
{
  struct store_work *work = sync->work;
  bool good = !problem_is (problem);
  if (sync->lock >= 0)
    {
      good &= index_update (CONFIG_PATH, INDEX_PATH, say_line, work);
      close (sync->lock);
    }
  if (problem_is (problem))
    work_say (work, store_directory (), problem->text);
  store_free (&sync->store);
  file_list_free (&sync->wanted);
  file_list_free (&work->excluded);
  return good && !work->full;
}

/* Remove the image STORED, for the reason REASON.  If SAY is true, report
   that the image was removed.  Return true if the image has been removed.  */
static bool
remove_image (struct store_work *work, const struct stored *stored,
              const char *reason, bool say)
{
  const char *object = stored->image.object;
  uint64_t disk = store_image_disk (stored);
  /* If the file is not an image, do not remove it.  */
  if (stored->image.note.version == 0)
    work_say (work, stored->path, reason);
  else if (unlink (stored->path) != 0)
    work_say (work, stored->path, strerror (errno));
  else
    {
      ++work->removed;
      work->freed += disk;
      if (work->tell && say)
        printf ("%s: %s\n", object[0] != '\0' ? object : stored->path, reason);
      return true;
    }
  return false;
}

/* Remove unused images and unused lines of the list.  */
static bool
store_sync_remove_unused (struct sync *sync, struct problem *problem)
{
  static const char unused[]
      = "no enabled service or program needs this image";
  size_t gone = 0;
  for (size_t i = 0; i < sync->store.count; ++i)
    {
      const struct stored *stored = &sync->store.files[i];
      if (problem_is (&stored->problem))
        remove_image (sync->work, stored, stored->problem.text, true);
      else if (stored->unknown
               && wanted_has (&sync->wanted, stored->image.object))
        work_say (sync->work, stored->image.object, STORED_UNKNOWN);
      else if (!wanted_has (&sync->wanted, stored->image.object))
        gone += remove_image (sync->work, stored, unused, false);
    }
  if (sync->work->tell && gone > 0)
    printf ("%s: removed " COUNT_FORMAT ", which no enabled service or program"
            " needs\n",
            store_directory (), COUNT (gone, "image"));
  return wanted_write (&sync->wanted, NULL, NULL, true, problem);
}

/* Print how many images WORK has removed.  */
static void
say_removed (const struct store_work *work)
{
  printf ("%s: " COUNT_FORMAT " removed (%llu MiB)\n", store_directory (),
          COUNT (work->removed, "image"),
          (unsigned long long) (work->freed >> 20));
}

bool
store_collect (struct store_work *work)
{
  struct sync sync;
  struct problem problem = { 0 };
  bool good = true;
  /* If the machine has no store, do not create a store.  */
  if (access (store_directory (), F_OK) == 0)
    {
      if (store_sync_begin_work (&sync, work, &problem))
        store_sync_remove_unused (&sync, &problem);
      good = store_sync_end_work (&sync, &problem) && work->problems == 0;
    }
  say_removed (work);
  return good;
}

/* Add to OBJECTS the FILES that the user has named, and the libraries that
   FILES need.  */
static void
add_named (struct objects *objects, char **files)
{
  struct problem problem;
  for (; *files != NULL; ++files)
    if (!objects_add_file (objects, *files, &problem))
      work_say (objects->work, *files, problem.text);
  objects_add_needed (objects);
}

bool
store_add (struct store_work *work, char **files)
{
  struct objects objects = { .work = work };
  struct sync sync = { .lock = -1 };
  struct problem problem = { 0 };
  add_named (&objects, files);
  /* If none of the objects that the user has named can have an image, do not
     create a store.  */
  bool good = objects.files.count == 0;
  if (!good)
    {
      if (store_sync_begin_work (&sync, work, &problem))
        store_make (&sync.store, &objects, NULL);
      /* Do not write the list of wanted images if the user's request has
         failed.  */
      if (!problem_is (&problem) && work->made + work->there > 0)
        {
          for (size_t i = 0; i < objects.named; ++i)
            wanted_set_named (&sync.wanted, objects.files.names[i], true);
          wanted_write (&sync.wanted, NULL, &objects.files, true, &problem);
        }
      good = store_sync_end_work (&sync, &problem);
      printf ("%s: " COUNT_FORMAT " made (%llu MiB), %zu existed already\n",
              store_directory (), COUNT (work->made, "image"),
              (unsigned long long) (work->size >> 20), work->there);
      if (work->made > 0)
        puts ("to remove images that were added: hugetext store remove "
              "FILE...");
    }
  objects_free (&objects);
  return good && work->problems == 0;
}

/* Return true if PATH is one of the objects that the user has named in
   "hugetext store remove".  GONE contains the objects that the user has named
   in "hugetext store remove", and the libraries that they need.  */
static bool
store_sync_is_named_object (const struct objects *gone, const char *path)
{
  for (size_t i = 0; i < gone->named; ++i)
    if (strcmp (gone->files.names[i], path) == 0)
      return true;
  return false;
}

/* Report each object that the user has named in "hugetext store remove" (GONE)
   although "hugetext store add" has not added it.  */
static void
say_not_added (const struct sync *sync, const struct objects *gone)
{
  for (size_t i = 0; i < gone->named; ++i)
    {
      bool added = false;
      for (size_t k = 0; k < sync->wanted.count; ++k)
        {
          const char *path = wanted_by (&sync->wanted, k, NULL);
          added |= path != NULL && strcmp (path, gone->files.names[i]) == 0;
        }
      if (!added)
        work_say (sync->work, gone->files.names[i],
                  "hugetext store add has not added this file; hugetext store "
                  "list prints all images");
    }
}

/* Add the names in FROM to FILES.  */
static void
add_names (struct file_list *files, const struct file_list *from)
{
  for (size_t i = 0; i < from->count; ++i)
    if (!file_list_has (files, from->names[i]))
      file_list_add (files, from->names[i]);
}

/* In the list WANTED, remove the mark "named" from the objects that the user
   has named in "hugetext store remove" (GONE).  */
static void
unname (struct file_list *wanted, const struct objects *gone)
{
  for (size_t i = 0; i < gone->named; ++i)
    if (wanted_is_named (wanted, gone->files.names[i]))
      wanted_set_named (wanted, gone->files.names[i], false);
}

/* Remove the lines for GONE from the users' requests in the list.  Keep all
   other objects that users have named, and the libraries that the kept objects
   need.  Also keep requests for files that cannot be opened now, because "gc"
   decides about them.  If a file in a request cannot be opened, keep all
   libraries, because the file may need any library.  */
static bool
store_sync_remove_lines (struct sync *sync, const struct objects *gone,
                         struct problem *problem)
{
  struct objects kept = { .work = sync->work };
  struct file_list absent = { 0 }, libraries = { 0 };
  for (size_t i = 0; i < sync->wanted.count; ++i)
    {
      const char *path = wanted_by (&sync->wanted, i, NULL);
      struct problem left_out;
      if (path == NULL || store_sync_is_named_object (gone, path))
        continue;
      if (file_list_has (&gone->files, path)
          && !wanted_is_named (&sync->wanted, path))
        file_list_add (&libraries, path);
      else if (!objects_add (&kept, path, NULL, &left_out))
        file_list_add (&absent, path);
    }
  objects_add_needed (&kept);
  if (absent.count > 0)
    add_names (&kept.files, &libraries);
  add_names (&kept.files, &absent);
  file_list_free (&absent);
  file_list_free (&libraries);
  const bool good
      = kept.unknown || gone->unknown
            ? problem_set (problem,
                           "the process that reads files for root was "
                           "killed, or did not answer, so no image "
                           "is removed")
            : wanted_write (&sync->wanted, NULL, &kept.files, false, problem);
  objects_free (&kept);
  return good;
}

/* Report which of the objects in "hugetext store remove" (GONE) keep their
   images, because an enabled service or program, or another object that users
   have added, needs them.  */
static void
store_sync_print_kept (const struct sync *sync, const struct objects *gone)
{
  for (size_t i = 0; i < gone->named; ++i)
    if (wanted_has (&sync->wanted, gone->files.names[i]))
      printf ("%s: the image stays, because an enabled service or program, or "
              "another file that was added, needs it\n",
              gone->files.names[i]);
}

bool
store_remove (struct store_work *work, char **files)
{
  struct objects gone = { .work = work };
  struct sync sync = { .lock = -1 };
  struct problem problem = { 0 };
  add_named (&gone, files);
  bool good = gone.files.count == 0 || access (store_directory (), F_OK) != 0;
  if (!good)
    {
      if (store_sync_begin_work (&sync, work, &problem))
        {
          say_not_added (&sync, &gone);
          unname (&sync.wanted, &gone);
          if (store_sync_remove_lines (&sync, &gone, &problem)
              && store_sync_read_all (&sync, &problem)
              && store_sync_remove_unused (&sync, &problem))
            store_sync_print_kept (&sync, &gone);
        }
      good = store_sync_end_work (&sync, &problem);
    }
  say_removed (work);
  objects_free (&gone);
  return good && work->problems == 0;
}

/* Return the backing that is set in ENTRY.  */
static enum hugetext_choice
find_choice (const struct entry *entry)
{
  const char *value = entry_value (entry, HUGETEXT_KEY_BACKING);
  return value != NULL ? hugetext_choice_of (value, strcspn (value, " \t\r"))
                       : HUGETEXT_AUTO;
}

bool
store_is_wanted (const struct entry *entry)
{
  return hugetext_may_use_store (find_choice (entry));
}

/* Return true if ENTRY's settings let the loader use huge pages of files.  */
static bool
takes_files (const struct entry *entry)
{
  return hugetext_may_use_file (find_choice (entry));
}

/* Return true if PROCESS may be running a program of ENTRY.  (A moment later,
   the ID may belong to another process.)  */
static bool
may_run (const struct census_process *process, const struct entry *entry)
{
  char exe[PATH_MAX];
  snprintf (exe, sizeof exe, "%s", process->exe);
  process_cut_deleted (exe);
  return file_list_has (&entry->programs, exe);
}

/* Add to OBJECTS the objects that process PID has mapped, if it runs a program
   of ENTRY.  */
static void
store_sync_add_process (struct objects *objects, pid_t pid,
                        const struct entry *entry)
{
  if (!objects_add_process (objects, pid, &entry->programs))
    objects->unknown = true;
}

/* Add to OBJECTS the objects that the processes of the service ENTRY, which
   are in CENSUS, have mapped.  */
static void
add_service (struct objects *objects, const struct entry *entry,
             struct census *census)
{
  struct problem problem;
  struct unit unit;
  pid_t *list;
  size_t count;
  if (!unit_systemd_runs ())
    return;
  if (!unit_read (entry->name, &unit, &problem))
    {
      objects->unknown |= !unit_is_missing (&unit);
      return;
    }
  if (!unit_processes (&unit, census, &list, &count, &problem))
    objects->unknown = true;
  for (size_t i = 0; i < count; ++i)
    if (may_run (census_process (census, list[i]), entry))
      store_sync_add_process (objects, list[i], entry);
  free (list);
  unit_free (&unit);
}

/* Add to OBJECTS the objects that running programs of ENTRY have mapped.  The
   processes are in CENSUS.  */
static void
add_processes (struct objects *objects, const struct entry *entry,
               struct census *census)
{
  if (entry_is_service (entry))
    {
      add_service (objects, entry, census);
      return;
    }
  census_take (census);
  objects->unknown |= census->unknown > 0;
  for (size_t i = 0; i < census->count; ++i)
    if (may_run (&census->list[i], entry))
      store_sync_add_process (objects, census->list[i].pid, entry);
}

/* Add the objects of ENTRY to OBJECTS: its programs, the libraries that they
   need, and the files that their processes in CENSUS have opened.  If SAY is
   true, report which programs are skipped, and why.  Do not call this function
   while this process holds the store's lock, because processes of other users
   can block this function for a limited time (inspector.h).  */
static void
collect_objects (struct objects *objects, const struct entry *entry,
                 struct census *census, bool say)
{
  for (size_t i = 0; i < entry->programs.count; ++i)
    {
      const char *path = entry->programs.names[i];
      struct problem problem;
      if (!objects_add (objects, path, NULL, &problem) && say)
        work_say (objects->work, path, problem.text);
    }
  objects_add_needed (objects);
  objects->fixed = objects->files.count;
  add_processes (objects, entry, census);
}

/* Take a new census of the processes, and add the objects of ENTRY to
   OBJECTS.  */
static void
collect_now (struct objects *objects, const struct entry *entry, bool say)
{
  struct census census = { .taken = false };
  collect_objects (objects, entry, &census, say);
  census_free (&census);
}

/* Add to OBJECTS the objects that are in the list of wanted images for ENTRY.
   Return true if the list contains objects for ENTRY.  The store's lock is not
   needed to read the list.  */
static bool
store_sync_add_listed (struct objects *objects, const struct entry *entry)
{
  struct file_list wanted;
  struct problem problem;
  bool any = false;
  if (wanted_read (&wanted, &problem))
    for (size_t i = 0; i < wanted.count; ++i)
      {
        const char *path = wanted_by (&wanted, i, entry->name);
        any |= path != NULL;
        if (path != NULL)
          objects_add (objects, path, NULL, &problem);
      }
  file_list_free (&wanted);
  return any;
}

/* Prime OBJECTS, the objects of ENTRY, and the objects that the list of wanted
   images has for ENTRY: cache their files in huge pages.  Skip files that
   other processes have mapped.  Do not report files that cannot be primed: the
   loader uses images or copies of their text instead.  Do not call this
   function while this process holds the store's lock.  */
static void
prime_objects (struct objects *objects, const struct entry *entry)
{
  if (!takes_files (entry))
    return;
  store_sync_add_listed (objects, entry);
  prime_list (&objects->files, objects->work->end);
}

/* Report that the list OBJECTS for NAME may be incomplete.  The reason is that
   an unprivileged process that reads files for root was killed (host/reader),
   or that systemctl did not answer.  */
static void
say_unknown (const struct objects *objects, const char *name)
{
  work_say (
      objects->work, name != NULL ? name : store_directory (),
      "hugetext's helper process, which reads files or calls systemctl, was "
      "killed or did not answer, so no image of the service is removed");
}

/* Make the images of OBJECTS and of the objects in the list, and write the
   list.  OBJECTS are the objects of ENTRY, an enabled service or program; if
   ENTRY is NULL, OBJECTS are the objects that users have requested.  If the
   time limit is reached, some images are not made.  */
static bool
store_sync_make_images (struct sync *sync, const struct entry *entry,
                        struct objects *objects, struct problem *problem)
{
  const char *name = entry != NULL ? entry->name : NULL;
  bool any = entry != NULL;
  for (size_t i = 0; i < sync->wanted.count; ++i)
    {
      const char *path = wanted_by (&sync->wanted, i, name);
      struct problem left_out;
      any |= path != NULL;
      /* If an object no longer exists, or cannot have an image, remove it from
         the list.  */
      if (path != NULL)
        objects_add (objects, path, NULL, &left_out);
    }
  objects_add_needed (objects);
  if (objects->unknown)
    say_unknown (objects, name);
  /* Do not write an incomplete list, because images that are not in the list
     would be removed.  */
  if (!work_is_late (sync->work) && any)
    {
      if (!wanted_write (&sync->wanted, name, &objects->files,
                         objects->unknown, problem))
        return false;
      store_make (&sync->store, objects, name);
    }
  return true;
}

/* All enabled entries, with their objects.  */
struct enabled
{
  struct entry *entries;
  struct objects *objects;
  int count; /* The number of entries, or a negative number if the entries
                cannot be read.  */
};

/* Return all enabled entries for WORK.  If the entries cannot be read, the
   member COUNT of the result is negative, and errno is set.  */
static struct enabled
read_enabled (struct store_work *work)
{
  struct enabled all = { .objects = NULL };
  struct census census = { .taken = false };
  all.count = entry_list (&all.entries);
  if (all.count > 0)
    all.objects = allocate (all.count * sizeof *all.objects);
  for (int i = 0; i < all.count; ++i)
    {
      all.objects[i].work = work;
      if (takes_files (&all.entries[i]))
        collect_objects (&all.objects[i], &all.entries[i], &census, false);
    }
  census_free (&census);
  return all;
}

static void
free_enabled (struct enabled *all)
{
  for (int i = 0; i < all->count; ++i)
    {
      objects_free (&all->objects[i]);
      entry_free (&all->entries[i]);
    }
  free (all->objects);
  if (all->count >= 0)
    free (all->entries);
}

/* Make the images for the entries in ALL, and the images that users have asked
   for.  */
static bool
keep_all (struct sync *sync, struct enabled *all, struct problem *problem)
{
  struct objects named = { .work = sync->work };
  bool good = true;
  /* Read the store again after each entry, because the next entry may need
     images that have just been made.  */
  for (int i = 0; good && i < all->count; ++i)
    good = (!store_is_wanted (&all->entries[i])
            || store_sync_make_images (sync, &all->entries[i],
                                       &all->objects[i], problem))
           && store_sync_read_all (sync, problem);
  good = good && store_sync_make_images (sync, NULL, &named, problem);
  objects_free (&named);
  return good;
}

/* Compare images with their objects.  If ALL is true, compare all images.  If
   ALL is false, compare all images that are not in the index, and one of DAYS
   parts of the images in the index.  Return how many images are known to be
   correct.  If ALL is false, change the mtime of each wrong image, so that the
   loader refuses the image, because its mtime differs from the mtime in its
   note.  */
static size_t
store_sync_compare_images (struct sync *sync, bool all)
{
  const struct timespec now[2]
      = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };
  const size_t day = time (NULL) / (24 * 60 * 60);
  struct index_file index;
  struct problem none;
  size_t right = 0;
  index_file_open_path (&index, INDEX_PATH, 0, &none);
  for (size_t i = 0; i < sync->store.count && !work_is_late (sync->work); ++i)
    {
      const struct stored *stored = &sync->store.files[i];
      struct problem problem, bytes;
      const bool used = store_image_used (stored, &index, &problem);
      bool same = true;
      const size_t before = unprivileged_failures ();
      if (!problem_is (&stored->problem) && !stored->unknown
          && (all || !used || (day + i) % DAYS == 0))
        same = image_compare (stored, &bytes);
      if (!same && !all && unprivileged_failures () == before)
        utimensat (AT_FDCWD, stored->path, now, AT_SYMLINK_NOFOLLOW);
      if (all && stored->unknown)
        work_say (sync->work, stored->image.object, STORED_UNKNOWN);
      else if (!same || (all && !used))
        work_say (sync->work, stored->path, same ? problem.text : bytes.text);
      right += same && used && !stored->unknown;
    }
  index_file_close (&index);
  return right;
}

bool
store_check (struct store_work *work)
{
  struct sync sync = { .work = work, .lock = -1 };
  struct problem problem;
  bool good = store_read (&sync.store, &problem);
  size_t right = store_sync_compare_images (&sync, true);
  if (!good)
    work_say (work, store_directory (), problem.text);
  else
    printf ("%s: %zu of " COUNT_FORMAT " %s right\n", store_directory (),
            right, COUNT (sync.store.count, "image"),
            count_word (sync.store.count, "is", "are"));
  good = good && right == sync.store.count;
  store_free (&sync.store);
  return good;
}

bool
store_refresh (struct store_work *work)
{
  struct sync sync = { .work = work, .lock = -1 };
  struct enabled all = read_enabled (work);
  struct problem problem = { 0 };
  bool good = all.count < 0 ? problem_system (&problem, errno)
                            : store_sync_begin_work (&sync, work, &problem);
  /* Compare images before making new ones, so that wrong images are
     replaced.  */
  if (good)
    store_sync_compare_images (&sync, false);
  good = good && store_sync_read_all (&sync, &problem)
         && keep_all (&sync, &all, &problem)
         && store_sync_read_all (&sync, &problem)
         && store_sync_remove_unused (&sync, &problem);
  if (good && work->late)
    problem_set (&problem,
                 "the time limit was reached; some images are not made yet");
  good = store_sync_end_work (&sync, &problem);
  /* Last, after releasing the store's lock, prime files in the remaining
     time.  */
  for (int i = 0; i < all.count; ++i)
    prime_objects (&all.objects[i], &all.entries[i]);
  free_enabled (&all);
  return good;
}

bool
store_has_list (const char *name)
{
  struct file_list wanted;
  struct problem problem;
  bool has = wanted_read (&wanted, &problem) && wanted_knows (&wanted, name);
  file_list_free (&wanted);
  return has;
}

bool
store_fill (const struct entry *entry, struct store_work *work,
            struct problem *problem)
{
  static const struct problem none;
  struct sync sync;
  struct objects objects = { .work = work };
  bool good = true;
  if (takes_files (entry))
    collect_now (&objects, entry, store_is_wanted (entry));
  if (store_is_wanted (entry))
    {
      good = store_sync_begin_work (&sync, work, problem)
             && store_sync_make_images (&sync, entry, &objects, problem);
      store_sync_end_work (&sync, &none);
    }
  prime_objects (&objects, entry);
  objects_free (&objects);
  return good;
}

/* Return true if the store once had an image of the object PATH, but STORE
   contains no image of PATH now.  An image has existed if INDEX, an earlier
   index, has a record of it.  If INDEX is NULL, return true if STORE contains
   no image of PATH.  */
static bool
is_lost (const struct store *store, const struct index_file *index,
         const char *path)
{
  const size_t block = hugetext_geometry (getpagesize ()).block;
  struct hugetext_index_image record;
  struct problem problem;
  struct stat status;
  bool lost = false;
  const int fd = public_open (path, &problem);
  if (fd < 0)
    return false;
  if (fstat (fd, &status) == 0)
    {
      const struct hugetext_identity object = identity_of (&status);
      lost = (store_find (store, &object) == NULL
              && (index == NULL
                  || hugetext_index_image (&index->index, &object, block,
                                           &record)));
    }
  close (fd);
  return lost;
}

/* Return true if the images of ENTRY exist and are current.  STORE, WANTED and
   INDEX have been read.  LOST is true if INDEX was missing.  If ENTRY has no
   image, an image need not have been removed: perhaps the filesystem of the
   store cannot have images.  */
static bool
has_all_images (const struct entry *entry, const struct store *store,
                const struct file_list *wanted, const struct index_file *index,
                bool lost)
{
  struct problem problem;
  for (size_t i = 0; i < store->count; ++i)
    if (wanted_has (wanted, store->files[i].image.object)
        && !store_image_used (&store->files[i], index, &problem))
      return false;
  for (size_t i = 0; i < wanted->count; ++i)
    {
      const char *path = wanted_by (wanted, i, entry->name);
      if (path != NULL && is_lost (store, lost ? NULL : index, path))
        return false;
    }
  return true;
}

/* Return true if the images of ENTRY exist and are current.  LOST is true if
   the index was missing.  */
static bool
is_current (const struct entry *entry, bool lost)
{
  struct store store;
  struct file_list wanted = { 0 };
  struct index_file index;
  struct problem problem;
  if (access (store_directory (), F_OK) != 0)
    return false;
  bool current = store_read (&store, &problem)
                 && wanted_read (&wanted, &problem)
                 && wanted_knows (&wanted, entry->name);
  index_file_open_path (&index, INDEX_PATH, 0, &problem);
  current = current && has_all_images (entry, &store, &wanted, &index, lost);
  index_file_close (&index);
  file_list_free (&wanted);
  store_free (&store);
  return current;
}

/* The work before a service starts.  */
struct renewal
{
  const struct entry *entry; /* The entry of the service.  */
  bool lost;                 /* True if the index was missing.  */
  int64_t end;               /* The time at which a step must end.  */
};

/* Prime the objects of the service, which is about to start: cache their files
   in huge pages.  */
static void
prime_stopped (const struct renewal *renewal)
{
  const struct entry *entry = renewal->entry;
  struct store_work work = { .end = renewal->end };
  struct objects objects = { .work = &work };
  if (takes_files (entry) && !store_has_list (entry->name))
    collect_now (&objects, entry, false);
  prime_objects (&objects, entry);
  objects_free (&objects);
}

/* Renew the images of the service of RENEWAL.  Only "hugetext guard" calls
   renew_images, and its messages go to the service's journal.  */
static void
renew_images (const struct renewal *renewal)
{
  const struct entry *entry = renewal->entry;
  struct store_work work
      = { .who = "hugetext guard", .end = renewal->end, .brief = true };
  struct problem problem;
  if (store_is_wanted (entry) && !is_current (entry, renewal->lost)
      && !store_fill (entry, &work, &problem))
    work_say (&work, "the store", problem.text);
}

/* Let a child process execute STEP of RENEWAL; the child has SECONDS.  A child
   does the step, because this process can kill a child that a disk blocks, and
   because a resource limit of the service affects only the child.  */
static void
do_within (void (*step) (const struct renewal *), struct renewal renewal,
           int seconds)
{
  renewal.end = clock_milliseconds () + seconds * 1000;
  pid_t pid = fork ();
  if (pid == 0)
    {
      step (&renewal);
      _exit (0);
    }
  if (pid > 0)
    wait_until (pid, renewal.end + 1000);
}

void
store_renew (const struct entry *entry, bool lost, int seconds)
{
  const struct renewal renewal = { .entry = entry, .lost = lost };
  do_within (prime_stopped, renewal, seconds);
  do_within (renew_images, renewal, seconds);
}
