/* libFuzzer target: the sections, symbols and notes of an object cannot harm
   the process that makes an image of it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "damage.h"

#include "image/elfparts.c"
#include "image/elfpartsask.c"
#include "image/image.c"

#include "trust.h"

#define PATH "/a/b"
#define BLOCK 0x200000

/* The parts of an object that go into an image.  All are within its text.  */
static struct
{
  Elf64_Ehdr header;
  struct
  {
    Elf64_Nhdr header;
    char name[4];
    unsigned char id[20];
  } build;
  char text[16];
  Elf64_Sym symbols[3];
  char strings[16];
  char frame[16];
  char link[16];
  char names[80];
  Elf64_Shdr sections[8];
} right = {
  .header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                           ELFDATA2LSB, EV_CURRENT },
              .e_type = ET_DYN,
              .e_machine = EM_X86_64,
              .e_version = EV_CURRENT,
              .e_ehsize = sizeof (Elf64_Ehdr),
              .e_shentsize = sizeof (Elf64_Shdr),
              .e_shnum = 8,
              .e_shstrndx = 7 },
  .build = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", { 1, 2, 3 } },
  .symbols = { { .st_name = 0 },
               { .st_name = 1, .st_shndx = 2, .st_value = 0x1000 },
               { .st_name = 6, .st_shndx = 3, .st_value = -1 } },
  .strings = "\0main\0data",
  .names = "\0.note.gnu.build-id\0.text\0.symtab\0.strtab\0.eh_frame\0"
           ".gnu_debuglink\0.shstrtab",
};

#define AT(member) ((char *) &right.member - (char *) &right)
/* The initializer of the section header for MEMBER.  The section's name is at
   NAME in .shstrtab.  */
#define SECTION(type, name, member, ...)                             \
  {                                                                  \
    .sh_type = type, .sh_name = name, .sh_offset = AT (member),      \
    .sh_size = sizeof right.member, .sh_addralign = 1, ##__VA_ARGS__ \
  }

static void
prepare (void)
{
  const Elf64_Shdr sections[] = {
    { .sh_type = SHT_NULL },
    SECTION (SHT_NOTE, 1, build, .sh_flags = SHF_ALLOC, .sh_addr = 0x200),
    SECTION (SHT_PROGBITS, 20, text, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
             .sh_addr = 0x1000),
    SECTION (SHT_SYMTAB, 26, symbols, .sh_link = 4, .sh_info = 1,
             .sh_entsize = sizeof (Elf64_Sym)),
    SECTION (SHT_STRTAB, 34, strings),
    SECTION (SHT_PROGBITS, 42, frame, .sh_flags = SHF_ALLOC,
             .sh_addr = BLOCK - 8),
    SECTION (SHT_PROGBITS, 52, link),
    SECTION (SHT_STRTAB, 67, names),
  };
  memcpy (right.sections, sections, sizeof sections);
  right.header.e_shoff = AT (sections);
}

/* The changes to the answer of the unprivileged process.  */
static const uint8_t *changes;
static size_t nchanges;

/* Replaces the process without rights.  */
bool
reader_ask_opened (int fd, reader_work *work, const void *asked,
                   struct message *answer, struct problem *problem)
{
  (void) problem;
  const struct reader_file file = { .fd = fd };
  *answer = (struct message){ 0 };
  work (&file, asked, answer);
  for (size_t i = 0; i + 3 <= nchanges && answer->size > 0; i += 3)
    {
      const size_t where = changes[i] | changes[i + 1] << 8;
      answer->data[where % answer->size] = changes[i + 2];
    }
  return true;
}

/* Check PARTS, the ELF parts of NOTE's image of a file of SIZE bytes: together
   they are a valid image, and hardly larger than the object's parts.  Whatever
   the unprivileged process answers, the note must be the one that the command
   has made.  */
static void
check (const struct image_elfparts *elfparts, const struct image_note *note,
       size_t size)
{
  static struct image image;
  const Elf64_Ehdr *header = (const void *) elfparts->head;
  EXPECT (elfparts->head_size
              >= offsetof (struct image_head, object) + sizeof PATH
          && elfparts->head_size <= note->offset);
  EXPECT (nchanges > 0
          || (header->e_phoff % 8 == 0
              && header->e_phoff + header->e_phnum * sizeof (Elf64_Phdr)
                     == elfparts->head_size));
  const uint64_t behind
      = note->offset + image_span (note) * note->block + elfparts->tail_size;
  EXPECT (note->size == behind);
  EXPECT (nchanges > 0
          || header->e_shoff + header->e_shnum * sizeof (Elf64_Shdr)
                 == behind);
  /* Each section occurs once, with its header.  */
  EXPECT (elfparts->tail_size <= 2 * size + (nchanges > 0 ? 65536 : 1024));
  int fd = damaged_file (elfparts->head, elfparts->head_size);
  EXPECT (ftruncate (fd, note->size) == 0);
  struct problem problem;
  image_read (fd, &image, &problem);
  EXPECT (strcmp (image.object, PATH) == 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static struct image_note notes[]
      = { { .blocks = 1, .block = BLOCK, .offset = BLOCK, .has = { 1 } },
          { .blocks = 2,
            .block = BLOCK,
            .offset = BLOCK,
            .first = -4096,
            .has = { 5 } } };
  char bytes[4096];
  struct image_elfparts elfparts;
  struct problem problem;
  if (right.sections[1].sh_type == 0)
    {
      prepare ();
      struct image_note first = notes[0];
      EXPECT (image_elfparts_ask (damaged_file ((char *) &right, sizeof right),
                                  PATH, &first, &elfparts, &problem));
      image_elfparts_free (&elfparts);
    }
  struct image_note note = notes[size > 0 && (data[0] & 32) != 0];
  /* Sections may overlap.  */
  static typeof (right) object;
  object = right;
  for (size_t i = 1; size > 0 && (data[0] & 64) != 0 && i < 7; ++i)
    {
      object.sections[i].sh_offset = 0;
      object.sections[i].sh_size = sizeof object;
    }
  nchanges = size > 10 && (data[0] & 128) != 0 ? 9 : 0;
  size -= nchanges;
  changes = data + size;
  size = damage (bytes, sizeof bytes, &object, sizeof object, data, size);
  if (image_elfparts_ask (damaged_file (bytes, size), PATH, &note, &elfparts,
                          &problem))
    check (&elfparts, &note, size);
  image_elfparts_free (&elfparts);
  return 0;
}
