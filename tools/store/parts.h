/* The functions that the files of the module "store" share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_PARTS_H
#define STORE_PARTS_H

#include "host/procmaps.h"
#include "image/directory.h"
#include "object/elfobject.h"
#include "store/sync.h"

#include <sys/stat.h>
#include <sys/types.h>

/* Return true, and set the member LATE of WORK, if the time limit of WORK has
   passed.  */
extern bool work_is_late (struct store_work *work);

/* The maximum number of images, and their maximum size in bytes, for the
   opened objects of an entry.  An opened object is mapped by a process of the
   entry, but no program of the entry needs it (DT_NEEDED).  Without a maximum,
   the user of a process could map any number of objects, and so fill the
   store.  (PostgreSQL opens 110 MiB of text in 15 libraries.)  */
#define OPENED_IMAGES_MAX 64
#define OPENED_BYTES_MAX (UINT64_C (256) << 20)

/* A list of objects: their paths, with symbolic links resolved.  Each file is
   in the list only once.  The first NAMED objects have been named by a user.
   The first FIXED objects do not depend on which processes are running.  After
   the time limit of WORK, no more objects are added.  */
struct objects
{
  struct store_work *work;
  struct file_list files;
  size_t named, fixed;
  size_t searched; /* The number of objects, from the first on, whose DT_NEEDED
                      libraries are already in the list.  */
  struct hugetext_identity *seen; /* The identity of each file.  */
  bool unknown; /* True if the list may be incomplete, because an unprivileged
                   process gave no answer about an object.  */
};

/* Add the program or library NAME, which a user has named, to OBJECTS.  */
extern bool objects_add_file (struct objects *objects, const char *name,
                              struct problem *problem);

/* Add the file PATH to OBJECTS, unless OBJECTS already contain it.  The file
   must be an ELF file that belongs to root and that every user can read.  If
   MAP is not NULL, the file must also be the one that is mapped as MAP.  */
extern bool objects_add (struct objects *objects, const char *path,
                         const struct mapping *map, struct problem *problem);

/* Open the object PATH, under the conditions of objects_add.  Return a
   descriptor, or -1 with PROBLEM set.  */
extern int objects_open (const char *path, const struct mapping *map,
                         struct problem *problem);

/* If process PID runs one of PROGRAMS, add to OBJECTS the objects that the
   process has mapped.  Return false if the mappings of process PID are
   unknown.  */
extern bool
objects_add_process (struct objects *objects, pid_t pid,
                     const struct file_list *programs) MAY_BE_UNKNOWN;

/* Add the libraries that the objects in the list need, or open when they
   start.  */
extern void objects_add_needed (struct objects *objects);

/* Add to NEEDED the libraries that the program or library PATH needs, or opens
   when it starts.  An unprivileged process opens PATH and the libraries with
   OPENER, and reads them.  */
extern void objects_find_needed (const char *path, file_opener *opener,
                                 struct file_list *needed);

extern void objects_free (struct objects *objects);

/* An object that may get an image.  */
struct fit_object
{
  struct elf_object elf;
  struct image_note note; /* The description of the image.  */
  struct stat status;     /* The status of the object's file.  */
};

/* Whether an object can have an image.  */
enum fit
{
  FIT_GOOD,
  FIT_SKIPPED,    /* The function SKIPS says that the object needs no new
                     image.  */
  FIT_NO_BLOCK,   /* No block of the file can be huge.  */
  FIT_NO_SOURCE,  /* identity_check_source refuses the file, for example
                     because of its owner or its filesystem.  */
  FIT_NEEDS_PATH, /* The object may look for its own path.  */
};

/* A function that returns true if fit_judge should skip OBJECT, because OBJECT
   needs no new image.  CLOSURE is the argument of fit_judge.  */
typedef bool fit_skips (void *closure, const struct fit_object *object);

/* Find out whether the object PATH can have an image, and set OBJECT.  FD is
   the descriptor of the file, from objects_open or public_open.  If no image
   can be made, set PROBLEM to the reason.  */
extern enum fit fit_judge (const char *path, int fd, fit_skips *skips,
                           void *closure, struct fit_object *object,
                           struct problem *problem);

/* The list of wanted images, which is the file .wanted in the store.  Each
   line contains a name and the path of an object.  The name says who wants the
   image.  The name of an entry (a settings file written by "hugetext enable")
   means that the programs of the entry use the object.  The word "named" means
   that a user has named the object in "hugetext store add".  The word "hand"
   means that an object named by a user needs the object, which is a library.
   If the list contains no line for an object, or only lines for entries that
   are no longer enabled, the image of the object is removed.  */
/* Read the list into WANTED.  The caller frees WANTED even on failure.  */
extern bool wanted_read (struct file_list *wanted, struct problem *problem);

/* If line number I is for the entry NAME (or, if NAME is NULL, for a user's
   request), return the object on the line; if not, return NULL.  */
extern const char *wanted_by (const struct file_list *wanted, size_t i,
                              const char *name);

/* Return true if the list says that a user has named the object PATH.  */
extern bool wanted_is_named (const struct file_list *wanted, const char *path);

/* Add or change the line for the object PATH in the list in memory.  NAMED
   says that a user has named PATH.  */
extern void wanted_set_named (struct file_list *wanted, const char *path,
                              bool named);

/* Return true if the list contains a line for NAME.  */
extern bool wanted_knows (const struct file_list *wanted, const char *name);

/* Return true if the list of wanted images has a line with the object PATH for
   an enabled entry, or for a user's request.  */
extern bool wanted_has (const struct file_list *wanted, const char *path);

/* Replace the lines for NAME by lines for OBJECTS, which may be NULL.  If KEEP
   is true, keep the lines that the list already has for NAME, and add the
   lines for OBJECTS.  Remove lines for entries that are no longer enabled.
   The caller must hold the store's lock.  */
extern bool wanted_write (const struct file_list *wanted, const char *name,
                          const struct file_list *objects, bool keep,
                          struct problem *problem);

/* Make the images of OBJECTS that STORE does not contain yet.  OBJECTS belong
   to the entry NAME or, if NAME is NULL, to the objects that users have added
   with "hugetext store add".  The caller must hold the store's lock.  */
extern void store_make (const struct store *store,
                        const struct objects *objects, const char *name);

#endif
