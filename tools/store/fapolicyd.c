/* The trust file for fapolicyd: the images in the store, and the code object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   fapolicyd is a service that denies programs and libraries which neither a
   package nor a trust file lists.  A line has the path, the size and the
   SHA-256 of a file; by default only the path counts.  So each file has to be
   root's, and so has each folder on the way to it.

   The loader is not listed: a user who may execute a loader can execute any
   program by it (doc/experiments/fapolicyd).  */

#include "store/parts.h"
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

/* Append the file PATH to LIST, unless it is missing or a user other than root
   could replace it.  False if its hash cannot be computed.  */
static bool
append (FILE *list, const char *path)
{
  const char *const command[] = { "sha256sum", "-z", path, NULL };
  const char *problem;
  char real[PATH_MAX], *output = NULL;
  struct stat status;
  int fd = trusted_open (path, &problem);
  bool good = (fd >= 0 && is_printable (path) && fstat (fd, &status) == 0
               && realpath (path, real) != NULL);
  if (fd >= 0)
    close (fd);
  /* Leave it out without a message: such a file has no use here.  */
  if (!good)
    return true;
  good = (child_run (command, &output) == 0
          && strspn (output, "0123456789abcdef") == HASH);
  if (good)
    fprintf (list, "%s %llu %.*s\n", real, (unsigned long long) status.st_size,
             HASH, output);
  free (output);
  return good;
}

/* Append the images that the loader may use to LIST.  */
static bool
append_images (FILE *list)
{
  struct store store;
  bool good = store_read (&store) == NULL;
  for (size_t i = 0; good && i < store.count; ++i)
    if (store.files[i].problem == NULL)
      good = append (list, store.files[i].path);
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

const char *
fapolicyd_update (void)
{
  char *text = NULL;
  size_t size;
  if (access (CONFINEMENT_TRUST_FOLDER, F_OK) != 0)
    return NULL;
  FILE *list = open_memstream (&text, &size);
  if (list == NULL)
    return strerror (errno);
  fputs (HEAD "\n", list);
  bool good = append (list, CODE_PATH) && append_images (list);
  const char *problem = NULL;
  if (fclose (list) != 0 || !good)
    problem = "sha256sum says no hash";
  else if (!change_has_text (CONFINEMENT_TRUST, text))
    {
      rewrite_clean (CONFINEMENT_TRUST_FOLDER);
      if (rewrite_data (CONFINEMENT_TRUST, text, size))
        tell ();
      else
        problem = strerror (errno);
    }
  free (text);
  return problem;
}
