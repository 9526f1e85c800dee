/* libFuzzer target: the note of an image in the store cannot harm the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "damage.h"
#include "dl-hugetext-index.h"

#include "image/image.c"

#include "trust.h"

#define PATH "/a/b"

static struct image_head right
    = { .elf = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3 } },
        .header = { .n_type = IMAGE_NOTE_TYPE },
        .name = IMAGE_NOTE_NAME,
        .note = { .version = IMAGE_VERSION,
                  .path = sizeof PATH,
                  .blocks = 1,
                  .has = { 1 },
                  .block = 0x200000,
                  .offset = 0x200000,
                  .size = 0x400000 },
        .object = PATH };

#define SIZE (offsetof (struct image_head, object) + sizeof PATH)

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static struct image image;
  union
  {
    char bytes[4096];
    struct image_head head;
  } u = { .bytes = "" };
  bool checked = size > 0 && (data[0] & 32) != 0;
  size = damage (u.bytes, sizeof u.bytes, &right, SIZE, data, size);
  if (checked && size == SIZE)
    {
      /* Set the checksum that belongs to the note.  */
      u.head.note.path = sizeof PATH;
      u.head.note.check = image_check (&u.head);
    }
  struct problem problem;
  image_read (damaged_file (u.bytes, size), &image, &problem);
  if (image.object[0] != '\0')
    {
      EXPECT (image.object[0] == '/'
              && strlen (image.object) < sizeof image.object);
      EXPECT (image_span (&image.note) * image.note.block
              <= image.note.size - image.note.offset);
    }
  return 0;
}
