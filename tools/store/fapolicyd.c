/* The trust file for fapolicyd: the images in the store, and the code object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   fapolicyd is a service that denies programs and libraries which neither a
   package nor a trust file lists.  A line has the path, the size and the
   SHA-256 of a file; by default only the path counts.  So each file has to be
   root's, and so has each folder on the way to it.

   The loader is not listed: a user who may execute a loader can execute any
   program by it (doc/experiments/fapolicyd).  */

#include "store/fapolicyd.h"
#include "host/child.h"
#include "image/folder.h"
#include "trust/change.h"
#include "trust/rewrite.h"
#include "trust/trusted.h"
#include "util/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "# Written by \"hugetext store\" for fapolicyd."

/* Characters of a SHA-256.  */
#define HASH 64

/* A list that is being made.  */
struct list
{
  FILE *stream;
  const char *old;     /* The present list, or NULL,  */
  struct timespec age; /* and its time of modification.  */
};

/* Return the hash behind START in LIST's old list, if the file of STATUS has
   not changed since then; NULL if there is none.  */
static const char *
old_hash (const struct list *list, const char *start,
          const struct stat *status)
{
  const struct timespec *change = &status->st_ctim;
  const char *line = list->old != NULL ? strstr (list->old, start) : NULL;
  if (line == NULL || change->tv_sec > list->age.tv_sec
      || (change->tv_sec == list->age.tv_sec
          && change->tv_nsec >= list->age.tv_nsec))
    return NULL;
  return line + strlen (start);
}

/* Whether HASH begins with a hash.  */
static bool
is_hash (const char *hash)
{
  return strspn (hash, "0123456789abcdef") == HASH;
}

/* Append the file PATH to LIST, unless it is missing or a user other than root
   could replace it.  If KEPT, it does not change meanwhile, and an old hash is
   good.  False if its hash cannot be computed.  */
static bool
append (const struct list *list, const char *path, bool kept)
{
  const char *const command[] = { "sha256sum", "-z", path, NULL };
  const char *problem, *hash;
  char real[PATH_MAX], start[PATH_MAX + 32], *output = NULL;
  struct stat status;
  int fd = trusted_open (path, &problem);
  bool good = (fd >= 0 && is_printable (path) && fstat (fd, &status) == 0
               && realpath (path, real) != NULL);
  if (fd >= 0)
    close (fd);
  /* Leave it out without a message: such a file has no use here.  */
  if (!good)
    return true;
  snprintf (start, sizeof start, "\n%s %llu ", real,
            (unsigned long long) status.st_size);
  hash = kept ? old_hash (list, start, &status) : NULL;
  if (hash == NULL && child_run (command, &output) == 0)
    hash = output;
  good = hash != NULL && is_hash (hash);
  if (good)
    fprintf (list->stream, "%s%.*s", start, HASH, hash);
  free (output);
  return good;
}

/* Append the images in FOLDER that the loader may use to LIST.  */
static bool
append_images (const struct list *list, const char *folder)
{
  struct store store;
  bool good = store_read (&store, folder) == NULL;
  for (size_t i = 0; good && i < store.count; ++i)
    if (store.files[i].problem == NULL)
      good = append (list, store.files[i].path, true);
  store_free (&store);
  return good;
}

/* Have fapolicyd read its trust files again, if it runs.  The FIFO is opened
   for both ways: without a reader it then neither waits nor raises a
   signal.  */
static void
tell (void)
{
  struct stat status;
  int fd = open (CONFINEMENT_FIFO,
                 O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    return;
  if (fstat (fd, &status) == 0 && S_ISFIFO (status.st_mode))
    dprintf (fd, "1\n");
  close (fd);
}

/* Write TEXT as the list, unless the list has it.  */
static const char *
install (const struct list *list, const char *text)
{
  if (list->old != NULL && strcmp (list->old, text) == 0)
    return NULL;
  rewrite_clean (CONFINEMENT_TRUST_FOLDER);
  if (!rewrite_file (CONFINEMENT_TRUST, text))
    return strerror (errno);
  tell ();
  return NULL;
}

const char *
fapolicyd_update (const char *folder)
{
  struct stat status;
  char *text = NULL;
  size_t size;
  if (access (CONFINEMENT_TRUST_FOLDER, F_OK) != 0)
    return NULL;
  char *old = change_read (CONFINEMENT_TRUST);
  struct list list = { .stream = open_memstream (&text, &size), .old = old };
  if (list.stream == NULL)
    return strerror (errno);
  if (old != NULL && stat (CONFINEMENT_TRUST, &status) == 0)
    list.age = status.st_mtim;
  fputs (HEAD, list.stream);
  bool good
      = append (&list, CODE_PATH, false) && append_images (&list, folder);
  fputs ("\n", list.stream);
  const char *problem = "sha256sum says no hash";
  if (fclose (list.stream) == 0 && good)
    problem = install (&list, text);
  free (text);
  free (old);
  return problem;
}
