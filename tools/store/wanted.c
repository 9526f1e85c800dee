/* The list of wanted images: the objects that should have an image, and the
   services, programs or users that need the image.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store/parts.h"
#include "host/reader.h"
#include "image/directory.h"
#include "index/entry.h"
#include "trust/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The words in the list's lines that stand for users' requests: BY_NAME for
   objects that a user has named, and BY_HAND for the libraries that named
   objects need.  "hugetext enable" writes no settings files with the names
   BY_NAME and BY_HAND.  */
static const char by_name[] = "named", by_hand[] = "hand";

/* Return the path of the list, in static memory.  */
static const char *
list_path (void)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, "%s/.wanted", store_directory ());
  return path;
}

/* Return the name of the file for the entry NAME.  */
static const char *
file_name (const char *name)
{
  return strrchr (entry_file (name), '/') + 1;
}

/* In an unprivileged process: write the lines of FILE to ANSWER.  */
static void
wanted_read_lines (const struct reader_file *file, const void *none,
                   struct message *answer)
{
  FILE *stream = fdopen (file->fd, "r");
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  (void) none;
  while (stream != NULL && (length = getline (&line, &room, stream)) > 0)
    {
      line[strcspn (line, "\n")] = '\0';
      if (strchr (line, '/') != NULL)
        message_put_text (answer, line);
    }
  free (line);
  /* If only a part of the list could be read, end without an answer, because
     the command would take a part for the whole list.  */
  if (stream == NULL || !feof (stream))
    reader_give_up ();
  fclose (stream);
}

/* Read the lines from ANSWER, and add them to WANTED.  */
static bool
get_lines (struct message *answer, struct file_list *wanted,
           struct problem *problem)
{
  char line[NAME_MAX + PATH_MAX];
  while (!message_is_done (answer))
    {
      message_get_text (answer, line, sizeof line);
      if (answer->bad || strchr (line, '/') == NULL
          || strchr (line, '\n') != NULL)
        return problem_unknown (problem, READER_MAKES_NO_SENSE);
      file_list_add (wanted, line);
    }
  return true;
}

bool
wanted_read (struct file_list *wanted, struct problem *problem)
{
  struct message answer;
  *wanted = (struct file_list){ .count = 0 };
  int fd = open (list_path (),
                 O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0)
    return errno == ENOENT || problem_system (problem, errno);
  const bool asked
      = reader_ask_opened (fd, wanted_read_lines, NULL, &answer, problem);
  close (fd);
  if (!asked)
    return false;
  const bool good = get_lines (&answer, wanted, problem);
  message_free (&answer);
  return good;
}

/* Return the path of the object on LINE.  */
static const char *
object_of (const char *line)
{
  return strchr (line, '/');
}

/* Return true if LINE of the list is for the entry NAME.  */
static bool
wanted_has_name (const char *line, const char *name)
{
  const size_t length = object_of (line) - line;
  return strlen (name) == length && strncmp (line, name, length) == 0;
}

/* Return true if LINE is in the list because of "hugetext store add": its name
   is "named" or "hand".  */
static bool
is_users (const char *line)
{
  return wanted_has_name (line, by_name) || wanted_has_name (line, by_hand);
}

const char *
wanted_by (const struct file_list *wanted, size_t i, const char *name)
{
  const char *line = wanted->names[i];
  return (name != NULL ? wanted_has_name (line, file_name (name))
                       : is_users (line))
             ? object_of (line)
             : NULL;
}

bool
wanted_is_named (const struct file_list *wanted, const char *path)
{
  for (size_t i = 0; i < wanted->count; ++i)
    if (wanted_has_name (wanted->names[i], by_name)
        && strcmp (object_of (wanted->names[i]), path) == 0)
      return true;
  return false;
}

void
wanted_set_named (struct file_list *wanted, const char *path, bool named)
{
  struct file_list changed = { 0 };
  char line[NAME_MAX + PATH_MAX];
  for (size_t i = 0; i < wanted->count; ++i)
    if (!is_users (wanted->names[i])
        || strcmp (object_of (wanted->names[i]), path) != 0)
      file_list_add (&changed, wanted->names[i]);
  snprintf (line, sizeof line, "%s%s", named ? by_name : by_hand, path);
  file_list_add (&changed, line);
  file_list_free (wanted);
  *wanted = changed;
}

bool
wanted_knows (const struct file_list *wanted, const char *name)
{
  for (size_t i = 0; i < wanted->count; ++i)
    if (wanted_by (wanted, i, name) != NULL)
      return true;
  return false;
}

/* Return true if LINE is in the list because of "hugetext store add", or
   because of an entry that is still enabled.  */
static bool
wanted_is_enabled (const char *line)
{
  char path[PATH_MAX];
  int length = object_of (line) - line;
  snprintf (path, sizeof path, "%s/%.*s", entry_directory (), length, line);
  return is_users (line) || access (path, F_OK) == 0;
}

bool
wanted_has (const struct file_list *wanted, const char *path)
{
  for (size_t i = 0; i < wanted->count; ++i)
    {
      const char *line = wanted->names[i];
      if (strcmp (object_of (line), path) == 0 && wanted_is_enabled (line))
        return true;
    }
  return false;
}

bool
wanted_write (const struct file_list *wanted, const char *name,
              const struct file_list *objects, bool keep,
              struct problem *problem)
{
  const char *directory = store_directory ();
  size_t size, length = strlen (directory);
  char *text = NULL;
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return problem_system (problem, errno);
  for (size_t i = 0; i < wanted->count; ++i)
    {
      const char *line = wanted->names[i];
      const char *own = objects != NULL ? wanted_by (wanted, i, name) : NULL;
      if (wanted_is_enabled (line)
          && (own == NULL || (keep && !file_list_has (objects, own))))
        fprintf (stream, "%s\n", line);
    }
  /* Skip objects that are images themselves.  (A process may have mapped
     images of other objects.)  */
  for (size_t i = 0; objects != NULL && i < objects->count; ++i)
    {
      const char *path = objects->names[i];
      if (strchr (path, '\n') == NULL
          && (strncmp (path, directory, length) != 0 || path[length] != '/'))
        fprintf (stream, "%s%s\n",
                 name != NULL                     ? file_name (name)
                 : wanted_is_named (wanted, path) ? by_name
                                                  : by_hand,
                 path);
    }
  const bool good = fclose (stream) != 0 ? problem_system (problem, errno)
                    : size > 0
                        ? rewrite_data (list_path (), text, size, problem)
                        : rewrite_remove (list_path (), problem);
  free (text);
  return good;
}
