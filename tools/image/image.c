/* An image in the store: reading its note, and checking it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "image/image.h"
#include "trust/identity.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
image_has (const struct image_note *note, size_t i)
{
  return (note->has[i / 64] & (uint64_t) 1 << i % 64) != 0;
}

size_t
image_span (const struct image_note *note)
{
  size_t span = HUGETEXT_IMAGE_BLOCKS;
  while (span > 0 && !image_has (note, span - 1))
    --span;
  return span;
}

uint32_t
image_check (const struct image_head *head)
{
  const char *from = (const char *) &head->note.size;
  return hugetext_index_hash (from, head->object + head->note.path - from);
}

bool
image_set_head (struct image_head *head, struct image_note *note,
                const char *path, uint64_t size)
{
  const size_t length = strlen (path) + 1;
  if (length > sizeof head->object)
    return false;
  note->version = IMAGE_VERSION;
  note->path = length;
  note->size = size;
  strcpy (head->object, path);
  strcpy (head->name, IMAGE_NOTE_NAME);
  head->header = (Elf64_Nhdr){ .n_namesz = sizeof IMAGE_NOTE_NAME,
                               .n_descsz = sizeof *note + length,
                               .n_type = IMAGE_NOTE_TYPE };
  head->note = *note;
  note->check = head->note.check = image_check (head);
  return true;
}

/* Return true if the SIZE bytes at HEAD contain a complete note with possible
   values.  The SIZE bytes are not trusted, because any program may have
   written them.  */
static bool
is_sound (const struct image_head *head, size_t size)
{
  const struct image_note *note = &head->note;
  const size_t before = offsetof (struct image_head, object);
  size_t n = 0;
  for (size_t i = 0; i < HUGETEXT_IMAGE_BLOCKS; ++i)
    n += image_has (note, i);
  return (note->version == IMAGE_VERSION && size > before && note->path >= 2
          && note->path <= size - before && head->object[0] == '/'
          && memchr (head->object, '\0', note->path)
                 == &head->object[note->path - 1]
          && note->check == image_check (head) && n == note->blocks && n > 0
          && image_has (note, 0) && note->block != 0
          && (note->block & (note->block - 1)) == 0
          && note->block <= HUGETEXT_BLOCK_MAX
          && note->offset % note->block == 0 && note->offset <= note->size
          && image_span (note) * note->block <= note->size - note->offset);
}

bool
image_read (int fd, struct image *image, struct problem *problem)
{
  struct image_head head = { .header = { 0 } };
  struct stat status;
  image->note = (struct image_note){ 0 };
  image->object[0] = '\0';
  if (fstat (fd, &status) != 0)
    return problem_system (problem, errno);
  image->identity = identity_of (&status);
  ssize_t size
      = S_ISREG (status.st_mode) ? pread (fd, &head, sizeof head, 0) : -1;
  if (size < 0 || memcmp (head.elf.e_ident, ELFMAG, SELFMAG) != 0
      || head.header.n_type != IMAGE_NOTE_TYPE
      || strncmp (head.name, IMAGE_NOTE_NAME, sizeof head.name) != 0
      || head.note.version == 0)
    return problem_set (problem, "the file is not an image of text");
  image->note.version = head.note.version;
  if (!is_sound (&head, size))
    return problem_set (problem, "the image in the store is damaged, or was "
                                 "made by another version of hugetext");
  image->note = head.note;
  strcpy (image->object, head.object);
  if (!identity_check (&status, 0, problem))
    return false;
  return (image->identity.size == image->note.size
          && image->identity.mtime == image->note.mtime)
         || problem_set (
             problem,
             "the image in the store was changed after it had been made");
}

bool
image_is_of (int fd, const struct hugetext_identity *identity)
{
  struct stat status;
  if (fstat (fd, &status) != 0)
    return false;
  const struct hugetext_identity now = identity_of (&status);
  return hugetext_same_file (&now, identity);
}
