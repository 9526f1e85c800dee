/* libFuzzer target: the note of an image in the store does no harm to the
   command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <elf.h>

#include "damage.h"
#include "dl-hugetext-index.h"

#include "image/image.c"

/* Who owns a file is not what is damaged here.  */
const char *
_dl_hugetext_distrust (mode_t mode, uid_t owner)
{
  (void) mode;
  (void) owner;
  return NULL;
}

static struct
{
  Elf64_Ehdr header;
  Elf64_Phdr phdr;
  Elf64_Nhdr other;
  Elf64_Nhdr nhdr;
  char name[12];
  struct image_note note;
  char path[8];
} right = {
  .header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                           ELFDATA2LSB, EV_CURRENT },
              .e_phoff = sizeof (Elf64_Ehdr),
              .e_phentsize = sizeof (Elf64_Phdr),
              .e_phnum = 1 },
  .phdr = { .p_type = PT_NOTE },
  .nhdr = { sizeof IMAGE_NOTE_NAME, sizeof right.note + sizeof right.path,
            IMAGE_NOTE_TYPE },
  .name = IMAGE_NOTE_NAME,
  .note = { .version = IMAGE_VERSION,
            .path = 5,
            .blocks = 1,
            .has = { 1 },
            .build_id_size = 20,
            .block = 0x200000,
            .offset = 0x200000,
            .size = 0x400000 },
  .path = "/a/b",
};

#define AT(member) ((char *) &right.member - (char *) &right)

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  char bytes[sizeof right > 4096 ? sizeof right : 4096];
  static struct image image;
  right.phdr.p_offset = AT (other);
  right.phdr.p_filesz = sizeof right - AT (other);
  bool checked = size > 0 && (data[0] & 32) != 0;
  size = damage (bytes, sizeof bytes, &right, sizeof right, data, size);
  if (checked && size == sizeof right)
    {
      /* With the sum that belongs to it.  */
      const size_t from = AT (note) + offsetof (struct image_note, size);
      uint32_t sum = hugetext_index_hash (bytes + from, size - from);
      memcpy (bytes + AT (note) + offsetof (struct image_note, check), &sum,
              sizeof sum);
    }
  image_read (damaged_file (bytes, size), &image);
  if (image.note.version == IMAGE_VERSION)
    {
      EXPECT (image.object[0] == '/'
              && strlen (image.object) < sizeof image.object);
      EXPECT (image_span (&image.note) * image.note.block
              <= image.note.size - image.note.offset);
    }
  return 0;
}
