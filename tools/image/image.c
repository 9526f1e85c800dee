/* An image in the store: its note, and the checks of the note.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "image/image.h"
#include "dl-hugetext-object.h"
#include "trust/identity.h"
#include "trust/trusted.h"

#include <elf.h>
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

static bool
read_at (int fd, void *buffer, size_t size, uint64_t offset)
{
  return pread (fd, buffer, size, offset) == (ssize_t) size;
}

/* Read the note with the header HEADER at OFFSET of FD into IMAGE.  */
static bool
read_note (int fd, const Elf64_Nhdr *header, uint64_t offset,
           struct image *image)
{
  struct image_note *note = &image->note;
  char name[sizeof IMAGE_NOTE_NAME];
  struct
  {
    struct image_note note;
    char path[PATH_MAX];
  } all;
  if (header->n_type != IMAGE_NOTE_TYPE || header->n_namesz != sizeof name
      || header->n_descsz < sizeof *note || header->n_descsz > sizeof all
      || !read_at (fd, name, sizeof name, offset + sizeof *header)
      || memcmp (name, IMAGE_NOTE_NAME, sizeof name) != 0
      || !read_at (fd, &all, header->n_descsz,
                   offset + sizeof *header + ((sizeof name + 3) & -4)))
    return false;
  const size_t before = offsetof (struct image_note, size);
  const char *start = (const char *) &all;
  size_t room = header->n_descsz - sizeof *note;
  /* A note of an older version, which has a path, is no shorter than a note of
     this version without one.  */
  if (all.note.version < IMAGE_VERSION && all.note.version > 0)
    {
      note->version = all.note.version;
      return true;
    }
  if (all.note.version != IMAGE_VERSION || all.note.path < 2
      || all.note.path > room || all.path[0] != '/'
      || all.path[all.note.path - 1] != '\0'
      || all.note.check
             != hugetext_index_hash (start + before,
                                     header->n_descsz - before))
    return false;
  *note = all.note;
  memcpy (image->object, all.path, note->path);
  return true;
}

/* Look for our note among the SIZE bytes of notes at OFFSET of FD.  */
static bool
find_note (int fd, uint64_t offset, uint64_t size, struct image *image)
{
  Elf64_Nhdr header;
  for (uint64_t at = 0; at + sizeof header <= size
                        && read_at (fd, &header, sizeof header, offset + at);
       at += sizeof header + (((uint64_t) header.n_namesz + 3) & -4)
             + (((uint64_t) header.n_descsz + 3) & -4))
    if (read_note (fd, &header, offset + at, image))
      return true;
  return false;
}

/* Whether NOTE, which any program may have written, has possible values.  */
static bool
is_sound (const struct image_note *note)
{
  size_t n = 0;
  for (size_t i = 0; i < HUGETEXT_IMAGE_BLOCKS; ++i)
    n += image_has (note, i);
  return (n == note->blocks && n > 0 && image_has (note, 0)
          && note->build_id_size <= IMAGE_BUILD_ID_MAX && note->block != 0
          && (note->block & (note->block - 1)) == 0
          && note->block <= HUGETEXT_BLOCK_MAX
          && note->offset % note->block == 0 && note->offset <= note->size
          && image_span (note) * note->block <= note->size - note->offset);
}

const char *
image_read (int fd, struct image *image)
{
  Elf64_Ehdr header;
  Elf64_Phdr notes;
  struct stat status;
  image->note = (struct image_note){ 0 };
  image->object[0] = '\0';
  if (fstat (fd, &status) != 0)
    return strerror (errno);
  image->identity = identity_of (&status);
  /* The first program header is for our note.  */
  if (!S_ISREG (status.st_mode) || !read_at (fd, &header, sizeof header, 0)
      || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_ident[EI_CLASS] != ELFCLASS64
      || header.e_phentsize != sizeof notes || header.e_phnum == 0
      || !read_at (fd, &notes, sizeof notes, header.e_phoff)
      || notes.p_type != PT_NOTE
      || !find_note (fd, notes.p_offset, notes.p_filesz, image)
      || (image->note.version == IMAGE_VERSION && !is_sound (&image->note)))
    {
      image->note = (struct image_note){ 0 };
      return "it is no image of text";
    }
  if (image->note.version != IMAGE_VERSION)
    return "it was made by an older version of hugetext";
  const char *problem = identity_problem (&status, 0);
  if (problem == NULL
      && (image->identity.size != image->note.size
          || image->identity.mtime != image->note.mtime))
    problem = "it was changed after it had been made";
  return problem;
}

const char *
image_match (const struct image *image)
{
  struct stat status;
  const char *problem;
  int fd = trusted_open (image->object, &problem);
  if (fd < 0)
    return access (image->object, F_OK) == 0 ? problem
                                             : "the file is not there";
  if (fstat (fd, &status) != 0)
    problem = strerror (errno);
  close (fd);
  if (problem != NULL)
    return problem;
  struct hugetext_identity now = identity_of (&status);
  return hugetext_same_file (&now, &image->note.object)
             ? NULL
             : "the file is another one, or was changed";
}

bool
image_fill (const struct image_note *note, size_t i,
            const struct hugetext_object *object, int fd, char *buffer)
{
  uintptr_t start = note->first + i * note->block + object->bias;
  uintptr_t end = start + note->block;
  struct hugetext_piece piece;
  memset (buffer, 0, note->block);
  for (uintptr_t from = start; hugetext_next_piece (object, from, end, &piece);
       from = piece.end)
    for (uintptr_t at = piece.start; at < piece.end;)
      {
        ssize_t n = pread (fd, buffer + (at - start), piece.end - at,
                           piece.offset + (at - piece.start));
        if (n < 0 && errno != EINTR)
          return false;
        /* The last page of the block may reach beyond the end of the file.  */
        if (n == 0)
          break;
        if (n > 0)
          at += n;
      }
  return true;
}
