/* The ELF parts of an image: headers, notes, symbols, sections.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Tools look an address of /proc/PID/maps up in the file that is mapped there:
   by program headers (perf, pprof), by the section .text (older perf, bcc), or
   by the object's own header in memory (glog).  All of them find the object's
   symbols if addresses in the image are the object's, if headers say where in
   the image they are, and if sections have the same numbers; a section that is
   not in the image has an empty header.  A symbol that is not in the image is
   made undefined: otherwise some tools would find it at a wrong place.  Tools
   do not find a separate file with the symbols (doc/experiments/image-names).

   The image has a build ID of its own, made from the object's: a tool that
   knows a build ID (perf's cache, collectors of profiles) knows the file
   offset of each function, and offsets in the image differ from the
   object's.  */

#include "image/make.h"
#include "object/elfhead.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The contents of a section, with a zero behind them.  */
struct bytes
{
  char *data;
  size_t size;
};

/* The work on the ELF parts of an image.  */
struct dressing
{
  struct image_note *note;
  int fd;               /* The object's file.  */
  size_t count, names;  /* Number of the object's sections, and the index of
                           the section with their names.  */
  Elf64_Shdr *theirs;   /* The object's section headers,  */
  Elf64_Shdr *sections; /* and the image's.  */
  struct bytes strings; /* The section with the names.  */
  FILE *head, *tail;
  uint64_t behind; /* Offset of the tail in the file.  */
};

/* Read the contents of SECTION of the file FD.  The caller frees them; there
   are none if they cannot be read.  */
static struct bytes
read_section (int fd, const Elf64_Shdr *section)
{
  struct stat status;
  struct bytes bytes = { .size = section->sh_size };
  if (section->sh_type != SHT_NOBITS && fstat (fd, &status) == 0
      && bytes.size <= (uint64_t) status.st_size)
    bytes.data = calloc (1, bytes.size + 1);
  if (bytes.data == NULL
      || elfhead_bytes (fd, bytes.data, bytes.size, section->sh_offset)
             != bytes.size)
    {
      free (bytes.data);
      bytes = (struct bytes){ NULL, 0 };
    }
  return bytes;
}

/* Return the name of SECTION, "" if it has none.  */
static const char *
name_of (const struct dressing *dressing, const Elf64_Shdr *section)
{
  return (section->sh_name < dressing->strings.size
              ? dressing->strings.data + section->sh_name
              : "");
}

/* Append SIZE bytes at DATA to STREAM, at a multiple of 8.  Return their
   offset.  */
static size_t
append (FILE *stream, const void *data, size_t size)
{
  static const char zeros[8];
  fwrite (zeros, -ftell (stream) & 7, 1, stream);
  size_t at = ftell (stream);
  fwrite (data, size, 1, stream);
  return at;
}

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
  start = start < 0 ? 0 : start;
  end = end > length ? length : end;
  if (start >= end
      || (!image_has (note, start / note->block)
          && !image_has (note, (end - 1) / note->block)))
    return false;
  section->sh_addr = note->first + start;
  section->sh_size = end - start;
  section->sh_offset = note->offset + start;
  return true;
}

/* Make the symbols in DATA undefined that are not in the image.  */
static void
strip_symbols (const struct dressing *dressing, struct bytes *data)
{
  Elf64_Sym *symbols = (Elf64_Sym *) data->data;
  for (size_t i = 0; i < data->size / sizeof *symbols; ++i)
    {
      Elf64_Sym *symbol = &symbols[i];
      if (symbol->st_shndx >= dressing->count
          || dressing->sections[symbol->st_shndx].sh_type == SHT_NULL
          || !is_inside (dressing->note, symbol->st_value))
        {
          symbol->st_shndx = SHN_UNDEF;
          symbol->st_value = symbol->st_size = 0;
        }
    }
}

/* Replace the build ID among the notes in DATA by another one, which depends
   on the layout of NOTE's image, too.  */
static void
change_build_id (const struct image_note *note, struct bytes *data)
{
  const size_t from = offsetof (struct image_note, digest);
  const char *layout = (const char *) note + from;
  /* An odd number changes any other.  */
  uint32_t hash = hugetext_index_hash (layout, sizeof *note - from) | 1;
  const Elf64_Nhdr *header;
  for (size_t name = sizeof *header, at, next; name <= data->size;
       name = next + sizeof *header)
    {
      header = (const Elf64_Nhdr *) (data->data + name - sizeof *header);
      at = name + ((header->n_namesz + (size_t) 3) & -(size_t) 4);
      next = at + ((header->n_descsz + (size_t) 3) & -(size_t) 4);
      if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4
          && at + header->n_descsz <= data->size
          && memcmp (data->data + name, ELF_NOTE_GNU, 4) == 0)
        for (size_t i = 0; i < header->n_descsz; ++i)
          data->data[at + i] ^= hash >> i % 4 * 8;
    }
}

/* The place of a section in an image.  */
enum place
{
  PLACE_NONE,   /* Its header is empty.  */
  PLACE_BLOCKS, /* Its contents are in the blocks.  */
  PLACE_HEAD,   /* It is copied in front of the blocks.  */
  PLACE_TAIL,   /* It is copied behind the blocks.  */
};

static enum place
place_of (const Elf64_Shdr *section, const char *name)
{
  /* These sections lead to more symbols.  */
  static const char *const leading[]
      = { ".gnu_debuglink", ".gnu_debugaltlink", ".gnu_debugdata" };
  switch (section->sh_type)
    {
    case SHT_NULL:
    case SHT_NOBITS:
      return PLACE_NONE;
    case SHT_NOTE:
      return PLACE_HEAD;
    case SHT_SYMTAB:
    case SHT_DYNSYM:
    case SHT_STRTAB:
    case SHT_SYMTAB_SHNDX:
      return PLACE_TAIL;
    }
  for (size_t i = 0; i < sizeof leading / sizeof leading[0]; ++i)
    if (strcmp (name, leading[i]) == 0)
      return PLACE_TAIL;
  return (section->sh_flags & SHF_ALLOC) != 0 ? PLACE_BLOCKS : PLACE_NONE;
}

/* Set OWN to the header of SECTION of the object, as it is in the image.
   Return the section's place.  */
static enum place
place_section (const struct dressing *dressing, const Elf64_Shdr *section,
               Elf64_Shdr *own)
{
  const char *name = name_of (dressing, section);
  enum place place = place_of (section, name);
  *own = *section;
  if ((own->sh_flags & SHF_INFO_LINK) != 0)
    {
      own->sh_flags &= ~(Elf64_Xword) SHF_INFO_LINK;
      own->sh_info = 0;
    }
  if (place != PLACE_BLOCKS)
    return place;
  if (!clip (dressing->note, own))
    place = PLACE_NONE;
  /* Without this section debuggers show no stacks.  Its address must be its
     own.  */
  if (strcmp (name, ".eh_frame") == 0
      && (place == PLACE_NONE || own->sh_size != section->sh_size))
    {
      own->sh_addr = section->sh_addr;
      place = PLACE_TAIL;
    }
  return place;
}

/* Copy SECTION of the object to its PLACE, as the section OWN of the
   image.  */
static void
copy_section (const struct dressing *dressing, const Elf64_Shdr *section,
              enum place place, Elf64_Shdr *own)
{
  struct bytes bytes = read_section (dressing->fd, section);
  if (bytes.size == 0)
    {
      free (bytes.data);
      *own = (Elf64_Shdr){ 0 };
      return;
    }
  if (place == PLACE_HEAD)
    change_build_id (dressing->note, &bytes);
  else if (own->sh_type == SHT_SYMTAB || own->sh_type == SHT_DYNSYM)
    strip_symbols (dressing, &bytes);
  own->sh_size = bytes.size;
  own->sh_offset = place == PLACE_HEAD
                       ? append (dressing->head, bytes.data, bytes.size)
                       : dressing->behind
                             + append (dressing->tail, bytes.data, bytes.size);
  free (bytes.data);
}

/* Make all sections: first those in blocks, by which symbols are judged.  */
static void
make_sections (struct dressing *dressing)
{
  for (int copies = 0; copies < 2; ++copies)
    for (size_t i = 1; i < dressing->count; ++i)
      {
        Elf64_Shdr own;
        const Elf64_Shdr *section = &dressing->theirs[i];
        enum place place = place_section (dressing, section, &own);
        if (place == PLACE_NONE || (place == PLACE_BLOCKS) == copies)
          continue;
        if (copies)
          copy_section (dressing, section, place, &own);
        dressing->sections[i] = own;
      }
}

/* Append a program header for SIZE bytes at OFFSET.  */
static void
append_segment (struct dressing *dressing, uint32_t type, uint64_t offset,
                uint64_t size, uint64_t address)
{
  const Elf64_Phdr segment = { .p_type = type,
                               .p_flags = type == PT_LOAD ? PF_R | PF_X : PF_R,
                               .p_offset = offset,
                               .p_vaddr = address,
                               .p_paddr = address,
                               .p_filesz = size,
                               .p_memsz = size,
                               .p_align = type == PT_LOAD ? 4096 : 4 };
  fwrite (&segment, sizeof segment, 1, dressing->head);
}

/* Append a program header for the bytes from START to END behind the beginning
   of the data.  */
static void
append_load (struct dressing *dressing, uint64_t start, uint64_t end)
{
  const struct image_note *note = dressing->note;
  if (start < end)
    append_segment (dressing, PT_LOAD, note->offset + start, end - start,
                    note->first + start);
}

/* Append program headers to the head: for our note, of SIZE bytes, for the
   object's notes, and for each run of blocks.  */
static void
append_segments (struct dressing *dressing, size_t size)
{
  const struct image_note *note = dressing->note;
  append_segment (dressing, PT_NOTE, offsetof (struct image_head, header),
                  size, 0);
  for (size_t i = 1; i < dressing->count; ++i)
    if (dressing->sections[i].sh_type == SHT_NOTE)
      append_segment (dressing, PT_NOTE, dressing->sections[i].sh_offset,
                      dressing->sections[i].sh_size, 0);
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
        }
      append_load (dressing, start, end);
    }
}

/* Make all of DRESSING, of the object PATH, whose sections are known, with the
   beginning HEAD of the image.  False if a name or a note is too long.  */
static bool
make (struct dressing *dressing, const char *path, struct image_head *head)
{
  struct image_note *note = dressing->note;
  const size_t start = offsetof (struct image_head, object);
  note->version = IMAGE_VERSION;
  note->path = strlen (path) + 1;
  if (note->path > sizeof head->object)
    return false;
  strcpy (head->object, path);
  strcpy (head->name, IMAGE_NOTE_NAME);
  head->header = (Elf64_Nhdr){ .n_namesz = sizeof IMAGE_NOTE_NAME,
                               .n_descsz = sizeof *note + note->path,
                               .n_type = IMAGE_NOTE_TYPE };
  /* It is completed in the end.  */
  fwrite (head, start + note->path, 1, dressing->head);
  make_sections (dressing);
  head->elf.e_phoff = append (dressing->head, "", 0);
  append_segments (dressing,
                   start + note->path - offsetof (struct image_head, header));
  head->elf.e_phnum
      = (ftell (dressing->head) - head->elf.e_phoff) / sizeof (Elf64_Phdr);
  head->elf.e_phentsize = sizeof (Elf64_Phdr);
  head->elf.e_entry = 0;
  head->elf.e_shnum = dressing->names != 0 ? dressing->count : 0;
  head->elf.e_shentsize = sizeof (Elf64_Shdr);
  head->elf.e_shstrndx = dressing->names;
  head->elf.e_shoff
      = dressing->behind
        + append (dressing->tail, dressing->sections,
                  head->elf.e_shnum * sizeof *dressing->sections);
  note->size = dressing->behind + ftell (dressing->tail);
  head->note = *note;
  note->check = head->note.check = image_check (head);
  return (uint64_t) ftell (dressing->head) <= note->offset;
}

/* Read the section headers of the object with the header OBJECT, and their
   names; the image has no sections if that is not possible.  False if there is
   no memory.  */
static bool
read_sections (struct dressing *dressing, const Elf64_Ehdr *object)
{
  const size_t count = object->e_shnum, size = count * sizeof (Elf64_Shdr);
  dressing->theirs = calloc (count + 1, sizeof (Elf64_Shdr));
  dressing->sections = calloc (count + 1, sizeof (Elf64_Shdr));
  if (dressing->theirs == NULL || dressing->sections == NULL)
    return false;
  if (object->e_shentsize != sizeof (Elf64_Shdr) || object->e_shstrndx == 0
      || object->e_shstrndx >= count
      || elfhead_bytes (dressing->fd, dressing->theirs, size, object->e_shoff)
             != size)
    return true;
  dressing->count = count;
  dressing->names = object->e_shstrndx;
  dressing->strings
      = read_section (dressing->fd, &dressing->theirs[dressing->names]);
  return true;
}

const char *
image_dress (int fd, const char *path, struct image_note *note,
             struct image_dress *dress)
{
  struct dressing dressing = { .note = note, .fd = fd };
  struct image_head head = { .header = { 0 } };
  const char *problem = "it is not an ELF file";
  *dress = (struct image_dress){ 0 };
  if (elfhead_bytes (fd, &head.elf, sizeof head.elf, 0) != sizeof head.elf
      || memcmp (head.elf.e_ident, ELFMAG, SELFMAG) != 0)
    goto out;
  problem = strerror (ENOMEM);
  dressing.behind = note->offset + image_span (note) * note->block;
  dressing.head = open_memstream (&dress->head, &dress->head_size);
  dressing.tail = open_memstream (&dress->tail, &dress->tail_size);
  if (dressing.head == NULL || dressing.tail == NULL
      || !read_sections (&dressing, &head.elf)
      || !make (&dressing, path, &head))
    goto out;
  if (fflush (dressing.head) == 0 && fflush (dressing.tail) == 0
      && !ferror (dressing.head) && !ferror (dressing.tail))
    problem = NULL;
out:
  if (dressing.head != NULL)
    fclose (dressing.head);
  if (dressing.tail != NULL)
    fclose (dressing.tail);
  if (problem == NULL)
    memcpy (dress->head, &head,
            offsetof (struct image_head, object) + note->path);
  free (dressing.theirs);
  free (dressing.sections);
  free (dressing.strings.data);
  return problem;
}

void
image_dress_free (struct image_dress *dress)
{
  free (dress->head);
  free (dress->tail);
  *dress = (struct image_dress){ 0 };
}
