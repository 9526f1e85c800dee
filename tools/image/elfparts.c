/* The ELF parts of an image: headers, notes, symbols, sections.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   To find the symbol for an address, debuggers and profilers read the file
   that /proc/PID/maps shows for the address.  Debuggers and profilers use the
   file's program headers (perf, pprof), its section .text (older perf, bcc),
   or the object's own header in memory (glog).  Debuggers and profilers find
   the object's symbols in the image if three conditions are met: the addresses
   in the image are those of the object, the headers give the offsets of these
   addresses in the image, and the sections have the same numbers as in the
   object.  If a section is not in the image, its header is empty.  If the
   image does not contain the address of a symbol, the symbol is undefined in
   the image, so that no tool finds the symbol at a wrong offset.  The object's
   symbols are in the image and not in a separate debug file, because debuggers
   and profilers would not look for a separate debug file of an image
   (doc/experiments/image-names).

   The build ID of the image is derived from the object's build ID, but differs
   from the object's build ID.  Some tools (perf, collectors of profiles)
   cache, by build ID, the file offset of each function, which is different in
   the image.

   If the command runs as root, an unprivileged process makes the ELF parts
   (image/elfpartsask.c).  */

#include "image/make.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The data that are kept while the ELF parts of an image are made.  */
struct elf_writer
{
  struct image_note *note;
  Elf *elf;
  size_t count, names;  /* The number of sections in the object, and the index
                           of the section that contains their names.  */
  size_t unwind;        /* The index of the section .eh_frame_hdr, or 0 if
                           there is none.  */
  Elf64_Shdr *sections; /* The image's section headers.  */
  FILE *head, *tail;
  uint64_t behind; /* The offset of the tail in the image.  The tail of an
                      image is the part after its blocks.  */
  uint64_t room;   /* The number of bytes of sections that may still be copied;
                      its initial value is the size of the object's file.  If
                      the number were not limited, an object with overlapping
                      sections could make the command use unlimited memory.  */
};

/* Append the SIZE bytes at DATA to STREAM at a multiple of 8.  Return the
   offset.  */
static size_t
elfparts_append_bytes (FILE *stream, const void *data, size_t size)
{
  static const char zeros[8];
  fwrite (zeros, -ftell (stream) & 7, 1, stream);
  size_t at = ftell (stream);
  fwrite (data, size, 1, stream);
  return at;
}

/* Return true if ADDRESS, an address of the object, is in the image.  Compare
   distances from the beginning of the first block instead of addresses,
   because the first block may begin with a hole below address 0.  */
static bool
elfparts_is_in_image (const struct image_note *note, uint64_t address)
{
  uint64_t i = (address - note->first) / note->block;
  return i < HUGETEXT_IMAGE_BLOCKS && image_has (note, i);
}

/* Reduce SECTION, a section of the object, to the part that is in the image.
   Return false if the image contains no part of SECTION.  */
static bool
clip (const struct image_note *note, Elf64_Shdr *section)
{
  /* Distances are unsigned numbers, because an object may have any address and
     size.  If a section is before the image, its distance wraps around to a
     large number.  */
  const uint64_t length = image_span (note) * note->block;
  uint64_t start = section->sh_addr - note->first, size = section->sh_size;
  if (start > INT64_MAX)
    {
      if (size <= -start)
        return false;
      size += start;
      start = 0;
    }
  if (start >= length || size == 0)
    return false;
  size = hugetext_min (size, length - start);
  if (!image_has (note, start / note->block)
      && !image_has (note, (start + size - 1) / note->block))
    return false;
  section->sh_addr = note->first + start;
  section->sh_size = size;
  section->sh_offset = note->offset + start;
  return true;
}

/* In DATA, mark as undefined each symbol that is not in the image.  */
static void
strip_symbols (const struct elf_writer *writer, Elf_Data *data)
{
  Elf64_Sym *symbols = data->d_buf;
  for (size_t i = 0; i < data->d_size / sizeof *symbols; ++i)
    {
      Elf64_Sym *symbol = &symbols[i];
      if (symbol->st_shndx >= writer->count
          || writer->sections[symbol->st_shndx].sh_type == SHT_NULL
          || !elfparts_is_in_image (writer->note, symbol->st_value))
        {
          symbol->st_shndx = SHN_UNDEF;
          symbol->st_value = symbol->st_size = 0;
        }
    }
}

/* In the ELF notes DATA, replace the build ID by a different one, which also
   depends on the layout of the image that NOTE describes.  */
static void
change_build_id (const struct image_note *note, Elf_Data *data)
{
  const size_t from = offsetof (struct image_note, digest);
  const char *layout = (const char *) note + from;
  /* XOR with an odd number always changes the build ID.  */
  uint32_t hash = hugetext_index_hash (layout, sizeof *note - from) | 1;
  Elf_Data notes = *data;
  GElf_Nhdr header;
  size_t name, at;
  notes.d_type = ELF_T_NHDR;
  for (size_t next = 0;
       (next = gelf_getnote (&notes, next, &header, &name, &at)) > 0;)
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4
        && memcmp ((char *) data->d_buf + name, ELF_NOTE_GNU, 4) == 0)
      for (size_t i = 0; i < header.n_descsz; ++i)
        ((unsigned char *) data->d_buf)[at + i] ^= hash >> i % 4 * 8;
}

/* The parts of an image in which a section can be.  */
enum place
{
  PLACE_NONE,   /* The image has only an empty header for the section.  */
  PLACE_BLOCKS, /* The section's bytes are in the blocks, which the image
                   contains anyway.  */
  PLACE_HEAD,   /* The section is copied to the head, before the blocks.  */
  PLACE_TAIL,   /* The section is copied to the tail, after the blocks.  */
};

static enum place
place_of (const Elf64_Shdr *section, const char *name)
{
  /* The sections that contain further symbols for tools, or that name files
     with further symbols.  */
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

/* The name of the section that contains the search table for unwinders.  */
static const char table[] = ".eh_frame_hdr";

/* Return true if unwinders need the section NAME, which may be NULL.  */
static bool
is_unwind (const char *name)
{
  return (name != NULL
          && (strcmp (name, ".eh_frame") == 0 || strcmp (name, table) == 0));
}

/* Set OWN to the header that section SCN of the object has in the image.
   Return in which part of the image the section is: in the head, in the
   blocks, in the tail, or in none.  */
static enum place
place_section (const struct elf_writer *writer, Elf_Scn *scn, Elf64_Shdr *own)
{
  const Elf64_Shdr *section = elf64_getshdr (scn);
  if (section == NULL)
    return PLACE_NONE;
  const char *name = elf_strptr (writer->elf, writer->names, section->sh_name);
  enum place place = place_of (section, name != NULL ? name : "");
  *own = *section;
  if ((own->sh_flags & SHF_INFO_LINK) != 0)
    {
      own->sh_flags &= ~(Elf64_Xword) SHF_INFO_LINK;
      own->sh_info = 0;
    }
  if (place != PLACE_BLOCKS)
    return place;
  if (!clip (writer->note, own))
    place = PLACE_NONE;
  /* Debuggers and unwinders need the sections for unwinding to show stack
     traces.  A section for unwinding is useful in the blocks only if the
     blocks contain all its bytes, at the same addresses as in the object.  */
  if (is_unwind (name)
      && (place == PLACE_NONE || own->sh_size != section->sh_size))
    {
      own->sh_addr = section->sh_addr;
      place = PLACE_TAIL;
    }
  return place;
}

/* Copy the content of section SCN from the object to the part PLACE of the
   image.  OWN is the header of this section in the image.  If the section
   reaches beyond the end of the object's file, give it an empty header.  */
static void
copy_section (struct elf_writer *writer, Elf_Scn *scn, enum place place,
              Elf64_Shdr *own)
{
  Elf_Data *data
      = own->sh_size <= writer->room ? elf_rawdata (scn, NULL) : NULL;
  if (data == NULL || data->d_buf == NULL)
    {
      *own = (Elf64_Shdr){ 0 };
      return;
    }
  writer->room -= own->sh_size;
  if (place == PLACE_HEAD)
    change_build_id (writer->note, data);
  else if (own->sh_type == SHT_SYMTAB || own->sh_type == SHT_DYNSYM)
    strip_symbols (writer, data);
  own->sh_size = data->d_size;
  own->sh_offset
      = place == PLACE_HEAD
            ? elfparts_append_bytes (writer->head, data->d_buf, data->d_size)
            : writer->behind
                  + elfparts_append_bytes (writer->tail, data->d_buf,
                                           data->d_size);
}

/* Make all sections.  Begin with the sections that are in the blocks, because
   the sections in the blocks decide which symbols the image keeps.  */
static void
make_sections (struct elf_writer *writer)
{
  for (int copies = 0; copies < 2; ++copies)
    for (size_t i = 1; i < writer->count; ++i)
      {
        Elf64_Shdr own;
        Elf_Scn *scn = elf_getscn (writer->elf, i);
        enum place place = place_section (writer, scn, &own);
        if (place == PLACE_NONE || (place == PLACE_BLOCKS) == copies)
          continue;
        if (copies)
          copy_section (writer, scn, place, &own);
        writer->sections[i] = own;
        const char *name
            = elf_strptr (writer->elf, writer->names, own.sh_name);
        if (name != NULL && strcmp (name, table) == 0)
          writer->unwind = i;
      }
}

/* Append a program header of TYPE for SIZE bytes at OFFSET.  */
static void
append_segment (struct elf_writer *writer, uint32_t type, uint64_t offset,
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
  fwrite (&segment, sizeof segment, 1, writer->head);
}

/* Append a program header of type PT_LOAD for the bytes from START to END,
   which are relative to the beginning of the blocks.  */
static void
append_load (struct elf_writer *writer, uint64_t start, uint64_t end)
{
  const struct image_note *note = writer->note;
  if (start < end)
    append_segment (writer, PT_LOAD, note->offset + start, end - start,
                    note->first + start);
}

/* Append the program headers to the head of the image.  The image has a
   program header for ld-hugetext's note, which has SIZE bytes, one for the
   object's notes, one for the search table of unwinders, and one for each run
   of blocks.  */
static void
append_segments (struct elf_writer *writer, size_t size)
{
  const struct image_note *note = writer->note;
  append_segment (writer, PT_NOTE, offsetof (struct image_head, header), size,
                  0);
  for (size_t i = 1; i < writer->count; ++i)
    if (writer->sections[i].sh_type == SHT_NOTE)
      append_segment (writer, PT_NOTE, writer->sections[i].sh_offset,
                      writer->sections[i].sh_size, 0);
  /* libunwind (strace -k) finds the search table for unwinders by this program
     header, and reads most of the table in the process's memory.  */
  if (writer->unwind != 0)
    append_segment (writer, PT_GNU_EH_FRAME,
                    writer->sections[writer->unwind].sh_offset,
                    writer->sections[writer->unwind].sh_size,
                    writer->sections[writer->unwind].sh_addr);
  for (size_t i = 0, n; i < image_span (note); i += n + 1)
    {
      for (n = 0; i + n < image_span (note) && image_has (note, i + n); ++n)
        ;
      uint64_t start = i * note->block, end = start + n * note->block;
      /* If the first block begins below address 0, the part below address 0
         contains no text; create a separate segment for this part.  Tools that
         compare addresses do not expect a segment that begins below address 0
         and ends above it.  */
      if (i == 0 && (int64_t) note->first < 0)
        {
          append_load (writer, 0, -note->first);
          start = -note->first;
        }
      append_load (writer, start, end);
    }
}

/* Make all ELF parts of the image for the object PATH.  WRITER has already
   read the sections of the object.  HEAD is the beginning of the image.
   Return false if a name or a note is too long.  */
static bool
elfparts_make_parts (struct elf_writer *writer, const char *path,
                     struct image_head *head)
{
  struct image_note *note = writer->note;
  const size_t start = offsetof (struct image_head, object);
  if (!image_set_head (head, note, path, 0))
    return false;
  /* The note at the beginning of the image is not complete yet; the caller
     completes the note.  */
  fwrite (head, start + note->path, 1, writer->head);
  make_sections (writer);
  head->elf.e_phoff = elfparts_append_bytes (writer->head, "", 0);
  append_segments (writer,
                   start + note->path - offsetof (struct image_head, header));
  head->elf.e_phnum
      = (ftell (writer->head) - head->elf.e_phoff) / sizeof (Elf64_Phdr);
  head->elf.e_phentsize = sizeof (Elf64_Phdr);
  head->elf.e_entry = 0;
  head->elf.e_shnum = writer->names != 0 ? writer->count : 0;
  head->elf.e_shentsize = sizeof (Elf64_Shdr);
  head->elf.e_shstrndx = writer->names;
  head->elf.e_shoff
      = writer->behind
        + elfparts_append_bytes (writer->tail, writer->sections,
                                 head->elf.e_shnum * sizeof *writer->sections);
  image_set_head (head, note, path, writer->behind + ftell (writer->tail));
  return (uint64_t) ftell (writer->head) <= note->offset;
}

bool
image_make_elfparts (int fd, const char *path, struct image_note *note,
                     struct image_elfparts *elfparts, struct problem *problem)
{
  struct elf_writer writer = { .note = note };
  struct image_head head = { .header = { 0 } };
  bool good = false;
  *elfparts = (struct image_elfparts){ 0 };
  struct stat status;
  if (fstat (fd, &status) != 0)
    return problem_system (problem, errno);
  writer.room = status.st_size;
  elf_version (EV_CURRENT);
  writer.elf = elf_begin (fd, ELF_C_READ, NULL);
  const Elf64_Ehdr *object = elf64_getehdr (writer.elf);
  if (object == NULL)
    {
      problem_set (problem, "the file is not an ELF file");
      goto out;
    }
  if (elf_getshdrnum (writer.elf, &writer.count) != 0
      || elf_getshdrstrndx (writer.elf, &writer.names) != 0
      || writer.names == 0 || writer.names >= writer.count
      || writer.count >= SHN_LORESERVE)
    writer.count = writer.names = 0;
  head.elf = *object;
  writer.behind = note->offset + image_span (note) * note->block;
  writer.sections = calloc (writer.count + 1, sizeof *writer.sections);
  writer.head = open_memstream (&elfparts->head, &elfparts->head_size);
  writer.tail = open_memstream (&elfparts->tail, &elfparts->tail_size);
  good = ((writer.sections != NULL && writer.head != NULL
           && writer.tail != NULL && elfparts_make_parts (&writer, path, &head)
           && fflush (writer.head) == 0 && fflush (writer.tail) == 0
           && !ferror (writer.head) && !ferror (writer.tail))
          || problem_system (problem, ENOMEM));
out:
  if (writer.head != NULL)
    fclose (writer.head);
  if (writer.tail != NULL)
    fclose (writer.tail);
  if (good)
    memcpy (elfparts->head, &head,
            offsetof (struct image_head, object) + note->path);
  elf_end (writer.elf);
  free (writer.sections);
  return good;
}

void
image_elfparts_free (struct image_elfparts *elfparts)
{
  free (elfparts->head);
  free (elfparts->tail);
  *elfparts = (struct image_elfparts){ 0 };
}
