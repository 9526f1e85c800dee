/* The image of a file that the loader would use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The questions are those of elf/dl-hugetext-store.c.  */

#include "store/stored.h"
#include "index/file.h"
#include "host/procmaps.h"
#include "trust/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set *IDENTITY to the identity of the file FD.  Return NULL, or why the file
   is not trusted.  */
static const char *
identify (int fd, struct hugetext_identity *identity)
{
  struct stat status;
  if (fstat (fd, &status) != 0)
    return strerror (errno);
  *identity = identity_of (&status);
  return identity_problem (&status, 0);
}

/* Return "WHAT: PROBLEM", in static memory.  NULL if PROBLEM is NULL.  */
static const char *
say_of (const char *what, const char *problem)
{
  static char text[128];
  if (problem == NULL)
    return NULL;
  snprintf (text, sizeof text, "%s: %s", what, problem);
  return text;
}

/* Find the record IMAGE of OBJECT, whose file is IDENTITY, in the index.  */
static const char *
find_record (const struct hugetext_identity *identity,
             const struct hugetext_object *object,
             union hugetext_index_buffer *image)
{
  struct index_file file;
  const char *problem = index_file_open_path (&file, INDEX_PATH, 0);
  if (problem != NULL)
    return say_of ("the index", problem);
  bool found
      = hugetext_index_image (&file.index, identity, procmaps_block (), image);
  index_file_close (&file);
  if (!found)
    image->head.kind = 0;
  return (found && image->image.digest == hugetext_object_digest (object)
              ? NULL
              : "the index knows no image of the file as it is now");
}

/* Return why the file of IMAGE differs from the index's record.  */
static const char *
judge_image (const union hugetext_index_buffer *image)
{
  struct hugetext_identity identity;
  int fd = open (image->image.name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return strerror (errno);
  const char *problem = identify (fd, &identity);
  close (fd);
  if (problem == NULL && !hugetext_same_file (&identity, &image->image.image))
    problem = "it has changed since it was made";
  return problem;
}

const char *
stored_problem (int fd, const struct hugetext_object *object,
                union hugetext_index_buffer *image)
{
  struct hugetext_identity identity;
  image->head.kind = 0;
  const char *problem = say_of ("the file itself", identify (fd, &identity));
  if (problem == NULL && hugetext_is_anonymous (&identity))
    problem = "the file itself: it is on no device of its own";
  if (problem == NULL)
    problem = find_record (&identity, object, image);
  return problem != NULL ? problem : say_of ("its image", judge_image (image));
}

bool
stored_image (int fd, const struct hugetext_object *object,
              union hugetext_index_buffer *image)
{
  return stored_problem (fd, object, image) == NULL;
}
