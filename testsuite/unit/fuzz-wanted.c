/* libFuzzer target: the store's list of wanted images cannot harm the
   command, and what the command writes is a valid list.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "damage.h"

#include <fcntl.h>

#define access entry_is_there
#define open list_open
static int entry_is_there (const char *path, int mode);
static int list_open (const char *path, int flags);
#include "store/wanted.c"
#undef access
#undef open

#define DIRECTORY "/etc/hugetext.d"
#define STORE "/var/cache/store"

/* The contents of the list's file.  */
static char text[16384];

/* Replaces access to the files of "hugetext enable" and to the store.  */
static int
entry_is_there (const char *path, int mode)
{
  EXPECT (mode == F_OK && strlen (path) < PATH_MAX
          && strncmp (path, DIRECTORY "/", sizeof DIRECTORY) == 0
          && strchr (path + sizeof DIRECTORY, '/') == NULL);
  return strstr (path, "gone") != NULL ? -1 : 0;
}

bool
rewrite_remove (const char *path, struct problem *problem)
{
  return rewrite_data (path, "", 0, problem);
}

const char *
entry_directory (void)
{
  return DIRECTORY;
}

const char *
entry_file (const char *name)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, DIRECTORY "/%s.conf", name);
  return path;
}

const char *
store_directory (void)
{
  return STORE;
}

static int
list_open (const char *path, int flags)
{
  EXPECT (strcmp (path, STORE "/.wanted") == 0
          && (flags & O_ACCMODE) == O_RDONLY);
  return dup (damaged_file (text, strlen (text)));
}

/* Replaces the process without rights.  */
bool
reader_ask_opened (int fd, reader_work *work, const void *asked,
                   struct message *answer, struct problem *problem)
{
  (void) problem;
  struct reader_file file = { .fd = dup (fd) };
  *answer = (struct message){ 0 };
  EXPECT (lseek (fd, 0, SEEK_SET) == 0);
  work (&file, asked, answer);
  return true;
}

/* This function is never called, because the whole list can be read.  */
void
reader_give_up (void)
{
  abort ();
}

bool
rewrite_data (const char *path, const void *data, size_t size,
              struct problem *problem)
{
  (void) problem;
  EXPECT (strcmp (path, STORE "/.wanted") == 0 && size < sizeof text);
  memcpy (text, data, size);
  text[size] = '\0';
  return true;
}

static const char right[]
    = "a.service.conf/usr/bin/a\nhand/usr/bin/b\n\na.service.conf/lib/c.so\n"
      "gone.service.conf/usr/bin/a\nnamed/usr/bin/e\nhand" STORE
      "/a.so.0123456789abcdef\n"
      "/usr/bin/d\nnothing\nhand/\n";

/* Check that the lines of NAME are exactly OBJECTS, except objects in the
   store and those with a line break in their path, and that each line
   contains an object.  */
static void
check (const char *name, const struct file_list *objects)
{
  struct file_list list;
  struct problem problem;
  EXPECT (wanted_read (&list, &problem));
  size_t own = 0;
  for (size_t i = 0; i < list.count; ++i)
    {
      EXPECT (object_of (list.names[i]) != NULL
              && wanted_is_enabled (list.names[i]));
      const char *object = wanted_by (&list, i, name);
      own += object != NULL;
      EXPECT (object == NULL
              || (file_list_has (objects, object)
                  && strncmp (object, STORE "/", sizeof STORE) != 0));
    }
  EXPECT (wanted_knows (&list, name) == (own > 0));
  for (size_t i = 0; i < objects->count; ++i)
    EXPECT (strchr (objects->names[i], '\n') != NULL
            || strncmp (objects->names[i], STORE "/", sizeof STORE) == 0
            || wanted_has (&list, objects->names[i]));
  file_list_free (&list);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct file_list wanted, objects = { .count = 0 };
  struct problem problem;
  const char *name = size > 0 && (data[0] & 32) != 0 ? "a.service" : NULL;
  /* Leave space for a null byte, which the damaged input does not
     contain.  */
  size = damage (text, 4096, right, sizeof right - 1, data, size);
  text[size] = '\0';
  EXPECT (wanted_read (&wanted, &problem));
  for (size_t i = 0; i < wanted.count && objects.count < 8; ++i)
    {
      const char *object = object_of (wanted.names[i]);
      wanted_has (&wanted, object);
      file_list_add (&objects, object);
    }
  for (size_t i = 1; i < objects.count; i += 2)
    {
      const bool named = i % 4 > 1;
      wanted_set_named (&wanted, objects.names[i], named);
      EXPECT (wanted_is_named (&wanted, objects.names[i]) == named);
    }
  file_list_add (&objects, "/line\nbreak");
  file_list_add (&objects, STORE "/image");
  EXPECT (wanted_write (&wanted, name, &objects, false, &problem));
  check (name, &objects);
  file_list_free (&wanted);
  file_list_free (&objects);
  return 0;
}
