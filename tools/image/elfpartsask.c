/* Make the ELF parts of an image (headers, notes, symbols, sections) in an
   unprivileged process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   An unprivileged process parses the sections, symbols and notes of an object,
   because they may exploit an error in libelf: the object's file belongs to
   root, but root may not have built the object.  The unprivileged process
   returns bytes that are of use only to debuggers and profilers.  The process
   that makes the image copies the debugging data from the unprivileged process
   into the image without parsing or trusting them.  The process that makes the
   image writes the note itself, because the command and the loader trust the
   note.  */

#include "image/make.h"
#include "host/reader.h"
#include "util/allocate.h"
#include "util/problem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The question for the unprivileged process.  */
struct question
{
  const char *path;
  const struct image_note *note;
};

static void
put_part (struct message *message, const char *data, size_t size)
{
  message_put_number (message, size);
  message_put_bytes (message, data, size);
}

/* Return the next part of MESSAGE, and set *SIZE to its size in bytes.  */
static char *
get_part (struct message *message, size_t *size)
{
  *size = message_get_count (message, 1);
  char *data = allocate (*size);
  message_get_bytes (message, data, *size);
  return data;
}

/* In the unprivileged process: make the ELF parts of an image of the object
   FILE, and write them to ANSWER.  ASKED is a struct question.  */
static void
read_parts (const struct reader_file *file, const void *asked,
            struct message *answer)
{
  const struct question *question = asked;
  struct image_note note = *question->note;
  struct image_elfparts elfparts;
  struct problem problem = { 0 };
  bool good = image_make_elfparts (file->fd, question->path, &note, &elfparts,
                                   &problem);
  message_put_result (answer, good, &problem);
  if (good)
    {
      put_part (answer, elfparts.head, elfparts.head_size);
      put_part (answer, elfparts.tail, elfparts.tail_size);
    }
  image_elfparts_free (&elfparts);
}

/* Return true if ELFPARTS are plausible for the image of the file FD that NOTE
   describes.  The tail contains copies of sections, which together are at most
   as long as the object's file, and the section headers from the object's
   file.  */
static bool
is_possible (int fd, const struct image_note *note,
             const struct image_elfparts *elfparts)
{
  enum
  {
    MORE = 65536, /* The maximum number of bytes by which the tail may be
                     longer than twice the object's file.  */
  };
  struct stat status;
  return (fstat (fd, &status) == 0
          && elfparts->head_size >= sizeof (Elf64_Ehdr)
          && memcmp (elfparts->head, ELFMAG, SELFMAG) == 0
          && elfparts->head_size
                 >= offsetof (struct image_head, object) + note->path
          && elfparts->head_size <= note->offset
          && elfparts->tail_size <= 2 * (uint64_t) status.st_size + MORE);
}

/* Write the note for the image of the object PATH over the beginning of
   PARTS.  */
static bool
write_note (const char *path, struct image_note *note,
            struct image_elfparts *elfparts)
{
  static struct image_head head;
  const uint64_t size
      = note->offset + image_span (note) * note->block + elfparts->tail_size;
  const size_t after = sizeof head.elf;
  if (!image_set_head (&head, note, path, size))
    return false;
  const size_t end = offsetof (struct image_head, object) + note->path;
  if (elfparts->head_size < end)
    return false;
  memcpy (elfparts->head + after, (const char *) &head + after, end - after);
  return true;
}

bool
image_elfparts_ask (int fd, const char *path, struct image_note *note,
                    struct image_elfparts *elfparts, struct problem *problem)
{
  const struct question question = { path, note };
  struct message answer;
  *elfparts = (struct image_elfparts){ 0 };
  if (!reader_ask_opened (fd, read_parts, &question, &answer, problem))
    return false;
  bool good = message_get_result (&answer, problem);
  if (good)
    {
      elfparts->head = get_part (&answer, &elfparts->head_size);
      elfparts->tail = get_part (&answer, &elfparts->tail_size);
    }
  if (!message_is_done (&answer)
      || (good
          && (!write_note (path, note, elfparts)
              || !is_possible (fd, note, elfparts))))
    good = problem_unknown (problem, READER_MAKES_NO_SENSE);
  message_free (&answer);
  return good;
}
