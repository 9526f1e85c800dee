/* The ELF parts of an image: headers, notes, symbols, sections.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Tools look an address of /proc/PID/maps up in the file that is mapped there:
   by program headers (perf, pprof), by the section .text (older perf, bcc), or
   by the object's own header in memory (glog).  All of them find the object's
   symbols if addresses in the image are the object's, and if headers say where
   in the image they are.  A symbol that is not in the image is made undefined:
   otherwise some tools would find it at a wrong place.  Tools do not find a
   separate file with the symbols (doc/experiments/image-names).  */

#include "image/dress.h"

#include <elf.h>
#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

/* The most bytes of the object's notes; longer notes are left out.  */
#define NOTES_MAX 4096

/* A growing array of bytes.  */
struct bytes
{
  char *data;
  size_t size;
  bool failed; /* Allocation failed.  */
};

/* Append SIZE bytes at DATA, or zeros if DATA is NULL, to BYTES, at a multiple
   of 8.  Return their offset.  */
static size_t
append (struct bytes *bytes, const void *data, size_t size)
{
  size_t at = (bytes->size + 7) & -8;
  char *grown = bytes->failed ? NULL : realloc (bytes->data, at + size + 1);
  if (grown == NULL)
    {
      bytes->failed = true;
      return 0;
    }
  bytes->data = grown;
  memset (grown + bytes->size, 0, at - bytes->size);
  if (data != NULL)
    memcpy (grown + at, data, size);
  else
    memset (grown + at, 0, size);
  bytes->size = at + size;
  return at;
}

/* The work on the ELF parts of an image.  */
struct dressing
{
  struct image_note *note;
  Elf *elf;
  const Elf64_Ehdr *object; /* The object's header.  */
  size_t count;             /* Number of the object's sections.  */
  size_t names;             /* Index of the section with their names.  */
  Elf64_Shdr *sections;     /* The image's section headers: one more.  */
  struct bytes head, tail;
  uint64_t behind; /* Offset of the tail in the file.  */
};

/* Whether ADDRESS of the object is in the image.  The first block may begin
   below address 0, with a hole; so addresses are compared by their distance
   from the block's beginning.  */
static bool
is_inside (const struct image_note *note, uint64_t address)
{
  uint64_t i = (address - note->first) / note->block;
  return i < HUGETEXT_IMAGE_BLOCKS && image_has (note, i);
}

/* Clip SECTION to the image.  False if nothing of it is left.  */
static bool
clip (const struct image_note *note, Elf64_Shdr *section)
{
  const int64_t length = image_span (note) * note->block;
  int64_t start = section->sh_addr - note->first;
  int64_t end = start + (int64_t) section->sh_size;
  if (start < 0)
    start = 0;
  if (end > length)
    end = length;
  if (start >= end
      || (!image_has (note, start / note->block)
          && !image_has (note, (end - 1) / note->block)))
    return false;
  section->sh_addr = note->first + start;
  section->sh_size = end - start;
  section->sh_offset = note->offset + start;
  return true;
}

/* Make the symbols undefined that are not in the image, among the SIZE bytes
   of symbols at DATA.  */
static void
strip_symbols (const struct dressing *dressing, char *data, size_t size)
{
  for (size_t at = 0; at + sizeof (Elf64_Sym) <= size;
       at += sizeof (Elf64_Sym))
    {
      Elf64_Sym symbol;
      memcpy (&symbol, data + at, sizeof symbol);
      if (symbol.st_shndx != SHN_UNDEF
          && (symbol.st_shndx >= dressing->count
              || dressing->sections[symbol.st_shndx].sh_type == SHT_NULL
              || ELF64_ST_TYPE (symbol.st_info) == STT_TLS
              || !is_inside (dressing->note, symbol.st_value)))
        {
          symbol.st_shndx = SHN_UNDEF;
          symbol.st_value = symbol.st_size = 0;
          memcpy (data + at, &symbol, sizeof symbol);
        }
    }
}

/* The treatment of a section.  */
enum fate
{
  FATE_NONE, /* Its header is empty.  */
  FATE_DATA, /* Its contents are in the blocks.  */
  FATE_NOTE, /* The section is copied in front of the blocks.  */
  FATE_COPY, /* The section is copied behind the blocks.  */
};

static enum fate
fate_of (const Elf64_Shdr *section, const char *name)
{
  switch (section->sh_type)
    {
    case SHT_NULL:
    case SHT_NOBITS:
      return FATE_NONE;
    case SHT_NOTE:
      return section->sh_size <= NOTES_MAX ? FATE_NOTE : FATE_NONE;
    case SHT_SYMTAB:
    case SHT_DYNSYM:
    case SHT_STRTAB:
    case SHT_SYMTAB_SHNDX:
      return FATE_COPY;
    default:
      if ((section->sh_flags & SHF_ALLOC) != 0)
        return FATE_DATA;
      /* These sections lead to more symbols.  */
      return (strcmp (name, ".gnu_debuglink") == 0
              || strcmp (name, ".gnu_debugaltlink") == 0
              || strcmp (name, ".gnu_debugdata") == 0)
                 ? FATE_COPY
                 : FATE_NONE;
    }
}

/* Copy section I of the object into BYTES, which lie at OFFSET of the file, as
   SECTION.  */
static bool
copy_section (struct dressing *dressing, size_t i, Elf64_Shdr *section,
              struct bytes *bytes, uint64_t offset)
{
  Elf_Data *data = elf_rawdata (elf_getscn (dressing->elf, i), NULL);
  if (data == NULL || data->d_buf == NULL)
    return false;
  size_t at = append (bytes, data->d_buf, data->d_size);
  if (bytes->failed)
    return false;
  section->sh_size = data->d_size;
  section->sh_offset = offset + at;
  return true;
}

/* Replace the SIZE bytes of a build ID at ID by others, which depend on NOTE's
   layout.  */
static void
change_build_id (const struct image_note *note, unsigned char *id, size_t size)
{
  struct
  {
    unsigned char id[IMAGE_BUILD_ID_MAX];
    uint64_t part, digest, block, first, offset;
    uint64_t has[HUGETEXT_IMAGE_BLOCKS / 64];
  } seed = { .digest = note->digest,
             .block = note->block,
             .first = note->first,
             .offset = note->offset };
  memcpy (seed.id, id, size);
  memcpy (seed.has, note->has, sizeof seed.has);
  for (size_t i = 0; i < size; i += sizeof (uint32_t))
    {
      seed.part = i;
      uint32_t hash = hugetext_index_hash (&seed, sizeof seed);
      memcpy (id + i, &hash, size - i < sizeof hash ? size - i : sizeof hash);
    }
}

/* Look for a build ID among the SIZE bytes of notes at DATA.  Note it, and
   replace it by the image's own.  */
static void
take_build_id (struct dressing *dressing, char *data, size_t size)
{
  struct image_note *note = dressing->note;
  Elf64_Nhdr header;
  for (size_t at = 0; at + sizeof header + 4 <= size;
       at += sizeof header + (((size_t) header.n_namesz + 3) & -4)
             + (((size_t) header.n_descsz + 3) & -4))
    {
      memcpy (&header, data + at, sizeof header);
      unsigned char *id = (unsigned char *) data + at + sizeof header + 4;
      if (header.n_type != NT_GNU_BUILD_ID || header.n_namesz != 4
          || memcmp (data + at + sizeof header, ELF_NOTE_GNU, 4) != 0
          || header.n_descsz > IMAGE_BUILD_ID_MAX
          || header.n_descsz > size - at - sizeof header - 4)
        continue;
      note->build_id_size = header.n_descsz;
      memcpy (note->build_id, id, header.n_descsz);
      change_build_id (note, id, header.n_descsz);
    }
}

/* Make section I of the image.  */
static void
make_section (struct dressing *dressing, size_t i)
{
  Elf64_Shdr *own = &dressing->sections[i];
  const Elf64_Shdr *section = elf64_getshdr (elf_getscn (dressing->elf, i));
  if (section == NULL || i == dressing->names)
    return;
  const char *name
      = elf_strptr (dressing->elf, dressing->names, section->sh_name);
  bool good = false;
  *own = *section;
  switch (fate_of (section, name != NULL ? name : ""))
    {
    case FATE_DATA:
      good = clip (dressing->note, own);
      /* Without this section debuggers show no stacks.  Its address must be
         its own.  */
      if (name != NULL && strcmp (name, ".eh_frame") == 0
          && (!good || own->sh_size != section->sh_size))
        {
          *own = *section;
          good = copy_section (dressing, i, own, &dressing->tail,
                               dressing->behind);
        }
      break;
    case FATE_NOTE:
      good = copy_section (dressing, i, own, &dressing->head, 0);
      if (good)
        take_build_id (dressing, dressing->head.data + own->sh_offset,
                       own->sh_size);
      break;
    case FATE_COPY:
      good
          = copy_section (dressing, i, own, &dressing->tail, dressing->behind);
      break;
    case FATE_NONE:
      break;
    }
  if (!good)
    *own = (Elf64_Shdr){ 0 };
}

/* Append our note about the object PATH to the head.  Returns its offset.  */
static size_t
append_note (struct dressing *dressing, const char *path, size_t *size)
{
  const Elf64_Nhdr header
      = { .n_namesz = sizeof IMAGE_NOTE_NAME,
          .n_descsz = (sizeof *dressing->note + strlen (path) + 1 + 7) & -8,
          .n_type = IMAGE_NOTE_TYPE };
  const size_t name = (sizeof IMAGE_NOTE_NAME + 3) & -4;
  *size = sizeof header + name + header.n_descsz;
  size_t at = append (&dressing->head, NULL, *size);
  if (dressing->head.failed)
    return 0;
  char *to = mempcpy (dressing->head.data + at, &header, sizeof header);
  memcpy (to, IMAGE_NOTE_NAME, sizeof IMAGE_NOTE_NAME);
  /* seal writes the rest of the descriptor later.  */
  strcpy (to + name + sizeof *dressing->note, path);
  return at;
}

/* Append the section with the names of sections, our own among them, and make
   the header of our note's section, at NOTE.  */
static void
append_names (struct dressing *dressing, size_t note, size_t size)
{
  static const char ours[] = IMAGE_NOTE_SECTION, own[] = ".shstrtab";
  struct bytes names = { 0 };
  if (dressing->names != 0)
    {
      Elf_Data *data
          = elf_rawdata (elf_getscn (dressing->elf, dressing->names), NULL);
      if (data != NULL && data->d_buf != NULL)
        append (&names, data->d_buf, data->d_size);
      const Elf64_Shdr *section
          = elf64_getshdr (elf_getscn (dressing->elf, dressing->names));
      if (section != NULL)
        dressing->sections[dressing->names] = *section;
    }
  append (&names, "", 1);
  size_t our_name = append (&names, ours, sizeof ours);
  Elf64_Shdr *all = &dressing->sections[dressing->names];
  if (dressing->names == 0)
    {
      /* The object has no sections: make the first, which is empty, and
         ours.  */
      all = &dressing->sections[2];
      *all = (Elf64_Shdr){ .sh_name = append (&names, own, sizeof own),
                           .sh_type = SHT_STRTAB,
                           .sh_addralign = 1 };
    }
  if (names.failed)
    dressing->tail.failed = true;
  else
    all->sh_offset
        = dressing->behind + append (&dressing->tail, names.data, names.size);
  all->sh_size = names.size;
  dressing->sections[dressing->count] = (Elf64_Shdr){ .sh_name = our_name,
                                                      .sh_type = SHT_NOTE,
                                                      .sh_offset = note,
                                                      .sh_size = size,
                                                      .sh_addralign = 4 };
  free (names.data);
}

/* Append a program header for the note in SECTION.  Returns its offset.  */
static size_t
append_note_segment (struct dressing *dressing, const Elf64_Shdr *section)
{
  const Elf64_Phdr segment = { .p_type = PT_NOTE,
                               .p_flags = PF_R,
                               .p_offset = section->sh_offset,
                               .p_filesz = section->sh_size,
                               .p_memsz = section->sh_size,
                               .p_align = section->sh_addralign };
  return append (&dressing->head, &segment, sizeof segment);
}

/* Append a program header for the bytes from START to END behind the beginning
   of the data.  */
static void
append_load (struct dressing *dressing, uint64_t start, uint64_t end)
{
  const struct image_note *note = dressing->note;
  const Elf64_Phdr segment = { .p_type = PT_LOAD,
                               .p_flags = PF_R | PF_X,
                               .p_offset = note->offset + start,
                               .p_vaddr = note->first + start,
                               .p_paddr = note->first + start,
                               .p_filesz = end - start,
                               .p_memsz = end - start,
                               .p_align = 4096 };
  append (&dressing->head, &segment, sizeof segment);
}

/* Append program headers to the head: for our note, for the object's notes,
   and for each run of blocks.  Return their offset.  */
static size_t
append_segments (struct dressing *dressing, size_t *count)
{
  const struct image_note *note = dressing->note;
  size_t at
      = append_note_segment (dressing, &dressing->sections[dressing->count]);
  *count = 1;
  for (size_t i = 1; i < dressing->count; ++i)
    if (dressing->sections[i].sh_type == SHT_NOTE)
      {
        append_note_segment (dressing, &dressing->sections[i]);
        ++*count;
      }
  for (size_t i = 0, n; i < image_span (note); i += n + 1)
    {
      for (n = 0; i + n < image_span (note) && image_has (note, i + n); ++n)
        ;
      uint64_t start = i * note->block, end = start + n * note->block;
      /* A hole below address 0 has a segment of its own: tools that compare
         addresses know no range that includes address 0. elfutils uses the
         first segment.  */
      if (i == 0 && (int64_t) note->first < 0)
        {
          append_load (dressing, 0, -note->first);
          start = -note->first;
          ++*count;
        }
      if (start < end)
        {
          append_load (dressing, start, end);
          ++*count;
        }
    }
  return at;
}

/* Write the ELF header into the head.  */
static void
set_header (struct dressing *dressing, size_t segments, size_t nsegments,
            size_t sections, size_t nsections)
{
  Elf64_Ehdr header = *dressing->object;
  header.e_entry = 0;
  header.e_phoff = segments;
  header.e_phnum = nsegments;
  header.e_phentsize = sizeof (Elf64_Phdr);
  header.e_shoff = dressing->behind + sections;
  header.e_shnum = nsections;
  header.e_shentsize = sizeof (Elf64_Shdr);
  header.e_shstrndx = dressing->names != 0 ? dressing->names : 2;
  memcpy (dressing->head.data, &header, sizeof header);
}

/* Complete NOTE, of the object PATH, and copy it to DESCRIPTOR.  */
static void
seal (struct image_note *note, const char *path, uint64_t size,
      char *descriptor)
{
  const size_t before = offsetof (struct image_note, size);
  size_t length = (sizeof *note + strlen (path) + 1 + 7) & -8;
  note->version = IMAGE_VERSION;
  note->size = size;
  note->path = strlen (path) + 1;
  note->blocks = 0;
  for (size_t i = 0; i < HUGETEXT_IMAGE_BLOCKS; ++i)
    note->blocks += image_has (note, i);
  memcpy (descriptor, note, sizeof *note);
  note->check = hugetext_index_hash (descriptor + before, length - before);
  memcpy (descriptor, note, sizeof *note);
}

/* Make all of DRESSING.  */
static bool
make (struct dressing *dressing, const char *path, struct image_note *note)
{
  size_t size, nsegments;
  append (&dressing->head, NULL, sizeof (Elf64_Ehdr));
  for (size_t i = 1; i < dressing->count; ++i)
    make_section (dressing, i);
  for (size_t i = 1; i < dressing->count; ++i)
    {
      Elf64_Shdr *section = &dressing->sections[i];
      if ((section->sh_flags & SHF_INFO_LINK) != 0
          && (section->sh_info >= dressing->count
              || dressing->sections[section->sh_info].sh_type == SHT_NULL))
        {
          section->sh_flags &= ~(Elf64_Xword) SHF_INFO_LINK;
          section->sh_info = 0;
        }
      if (!dressing->tail.failed
          && (section->sh_type == SHT_SYMTAB
              || section->sh_type == SHT_DYNSYM))
        strip_symbols (dressing,
                       dressing->tail.data
                           + (section->sh_offset - dressing->behind),
                       section->sh_size);
    }
  size_t at = append_note (dressing, path, &size);
  append_names (dressing, at, size);
  size_t segments = append_segments (dressing, &nsegments);
  size_t nsections = dressing->count + (dressing->names != 0 ? 1 : 2);
  size_t sections = append (&dressing->tail, dressing->sections,
                            nsections * sizeof *dressing->sections);
  if (dressing->head.failed || dressing->tail.failed
      || dressing->head.size > note->offset)
    return false;
  set_header (dressing, segments, nsegments, sections, nsections);
  seal (note, path, dressing->behind + dressing->tail.size,
        dressing->head.data + at + size
            - ((sizeof *note + strlen (path) + 1 + 7) & -8));
  return true;
}

const char *
image_dress (int fd, const char *path, struct image_note *note,
             struct image_dress *dress)
{
  struct dressing dressing = { .note = note };
  *dress = (struct image_dress){ 0 };
  elf_version (EV_CURRENT);
  dressing.elf = elf_begin (fd, ELF_C_READ, NULL);
  dressing.object = elf64_getehdr (dressing.elf);
  if (dressing.object == NULL)
    {
      elf_end (dressing.elf);
      return "it is not an ELF file";
    }
  if (elf_getshdrnum (dressing.elf, &dressing.count) != 0
      || elf_getshdrstrndx (dressing.elf, &dressing.names) != 0
      || dressing.names == 0 || dressing.names >= dressing.count
      || dressing.count >= SHN_LORESERVE - 2)
    {
      dressing.count = 1;
      dressing.names = 0;
    }
  dressing.sections = calloc (dressing.count + 2, sizeof *dressing.sections);
  dressing.behind = note->offset + image_span (note) * note->block;
  const char *problem = NULL;
  if (dressing.sections == NULL || !make (&dressing, path, note))
    problem = strerror (ENOMEM);
  elf_end (dressing.elf);
  free (dressing.sections);
  *dress = (struct image_dress){ .head = dressing.head.data,
                                 .tail = dressing.tail.data,
                                 .head_size = dressing.head.size,
                                 .tail_size = dressing.tail.size };
  if (problem != NULL)
    image_dress_free (dress);
  return problem;
}

void
image_dress_free (struct image_dress *dress)
{
  free (dress->head);
  free (dress->tail);
  *dress = (struct image_dress){ 0 };
}
