/* ELF headers of files that other users have made.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Any user may have written the sizes in a file, so each has a limit here, and
   nothing is mapped: a file may become shorter while it is read.  Libelf would
   make tables as large as a header says.  */

#include "object/elfhead.h"
#include "util/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
  /* The bytes of a file's first read: aligned, and a multiple of any disk's
     blocks, for O_DIRECT.  */
  FIRST = 16384,
  ALIGNMENT = 4096,
  /* The kernel's limit for program headers, in bytes (Linux, fs/binfmt_elf.c),
     taken for other tables as well.  */
  TABLE_MAX = 65536,
};

#if __BYTE_ORDER == __LITTLE_ENDIAN
#  define OUR_DATA ELFDATA2LSB
#else
#  define OUR_DATA ELFDATA2MSB
#endif

size_t
elfhead_bytes (int fd, void *buffer, size_t size, uint64_t offset)
{
  size_t done = 0;
  while (done < size && offset <= INT64_MAX - size)
    {
      ssize_t n
          = pread (fd, (char *) buffer + done, size - done, offset + done);
      if (n == 0 || (n < 0 && errno != EINTR))
        break;
      if (n > 0)
        done += n;
    }
  return budget_spend (done) ? done : 0;
}

/* Convert program header AT to its 64-bit form.  */
static Elf64_Phdr
widen (const Elf32_Phdr *at)
{
  return (Elf64_Phdr){ .p_type = at->p_type,
                       .p_flags = at->p_flags,
                       .p_offset = at->p_offset,
                       .p_vaddr = at->p_vaddr,
                       .p_paddr = at->p_paddr,
                       .p_filesz = at->p_filesz,
                       .p_memsz = at->p_memsz,
                       .p_align = at->p_align };
}

/* Read HEAD's program headers, of SIZE bytes each, at OFFSET of FD, whose
   first N bytes are at FIRST.  */
static const char *
read_phdr (int fd, const char *first, size_t n, uint64_t offset, size_t size,
           struct elf_head *head)
{
  static const char unread[] = "its program headers cannot be read";
  size_t each
      = head->class == ELFCLASS64 ? sizeof (Elf64_Phdr) : sizeof (Elf32_Phdr);
  size_t all = head->count * each;
  if (head->count > 0 && (size != each || all > TABLE_MAX))
    return unread;
  char *table = malloc (all + 1);
  head->phdr = calloc (head->count + 1, sizeof *head->phdr);
  const char *problem
      = table == NULL || head->phdr == NULL ? "there is no memory" : NULL;
  if (problem == NULL && offset <= n && all <= n - offset)
    memcpy (table, first + offset, all);
  else if (problem == NULL)
    {
      int flags = fcntl (fd, F_GETFL);
      if ((flags & O_DIRECT) != 0)
        fcntl (fd, F_SETFL, flags & ~O_DIRECT);
      if (elfhead_bytes (fd, table, all, offset) != all)
        problem = unread;
    }
  for (size_t i = 0; problem == NULL && i < head->count; ++i)
    if (each == sizeof (Elf64_Phdr))
      memcpy (&head->phdr[i], table + i * each, each);
    else
      {
        Elf32_Phdr narrow;
        memcpy (&narrow, table + i * each, each);
        head->phdr[i] = widen (&narrow);
      }
  free (table);
  if (problem != NULL)
    free (head->phdr);
  return problem;
}

/* Read HEAD of FD, whose first N bytes are at FIRST.  */
static const char *
read_head (int fd, const char *first, size_t n, struct elf_head *head)
{
  static const char no_elf[] = "it is not an ELF file";
  Elf64_Ehdr wide;
  Elf32_Ehdr narrow;
  if (n < sizeof narrow || memcmp (first, ELFMAG, SELFMAG) != 0
      || first[EI_DATA] != OUR_DATA)
    return no_elf;
  head->class = first[EI_CLASS];
  if (head->class == ELFCLASS32)
    {
      memcpy (&narrow, first, sizeof narrow);
      head->type = narrow.e_type;
      head->entry = narrow.e_entry;
      head->count = narrow.e_phnum;
      return read_phdr (fd, first, n, narrow.e_phoff, narrow.e_phentsize,
                        head);
    }
  if (head->class != ELFCLASS64 || n < sizeof wide)
    return no_elf;
  memcpy (&wide, first, sizeof wide);
  head->type = wide.e_type;
  head->entry = wide.e_entry;
  head->count = wide.e_phnum;
  return read_phdr (fd, first, n, wide.e_phoff, wide.e_phentsize, head);
}

const char *
elfhead_read (int fd, struct elf_head *head)
{
  *head = (struct elf_head){ 0 };
  char *first = aligned_alloc (ALIGNMENT, FIRST);
  if (first == NULL)
    return "there is no memory";
  ssize_t n = pread (fd, first, FIRST, 0);
  const char *problem = NULL;
  if (!budget_spend (FIRST))
    problem = budget_problem ();
  else if (n <= 0)
    problem = n < 0 ? strerror (errno) : "it is empty";
  else
    problem = read_head (fd, first, n, head);
  free (first);
  return problem;
}

void
elfhead_free (struct elf_head *head)
{
  free (head->phdr);
  head->phdr = NULL;
}

/* Read at most TABLE_MAX bytes of the part of FD that PHDR describes; NULL if
   there are none.  The caller frees them.  */
static char *
read_table (int fd, const Elf64_Phdr *phdr, size_t *size)
{
  size_t want = phdr->p_filesz < TABLE_MAX ? phdr->p_filesz : TABLE_MAX;
  char *table = malloc (want + 1);
  *size = table != NULL ? elfhead_bytes (fd, table, want, phdr->p_offset) : 0;
  if (*size > 0)
    return table;
  free (table);
  return NULL;
}

/* Return the first multiple of ALIGN at or behind AT.  */
static size_t
align_up (size_t at, size_t align)
{
  return (at + align - 1) / align * align;
}

/* Look for the note in the SIZE bytes at TABLE, as elfhead_note does.  */
static size_t
find_note (const char *table, size_t size, size_t align, const char *name,
           uint32_t *type, void *buffer, size_t room)
{
  Elf64_Nhdr note;
  /* No sum here overflows a size_t.  */
  for (size_t at = 0; at + sizeof note <= size;)
    {
      memcpy (&note, table + at, sizeof note);
      size_t names = at + sizeof note;
      size_t descriptor = align_up (names + note.n_namesz, align);
      at = align_up (descriptor + note.n_descsz, align);
      if (note.n_namesz == strlen (name) + 1
          && (*type == 0 || note.n_type == *type)
          && descriptor + note.n_descsz <= size
          && memcmp (table + names, name, note.n_namesz) == 0)
        {
          *type = note.n_type;
          memcpy (buffer, table + descriptor,
                  note.n_descsz < room ? note.n_descsz : room);
          return note.n_descsz;
        }
    }
  return 0;
}

size_t
elfhead_note (int fd, const struct elf_head *head, const char *name,
              uint32_t *type, void *buffer, size_t room)
{
  size_t found = 0, left = TABLE_MAX;
  for (size_t i = 0; found == 0 && left > 0 && i < head->count; ++i)
    if (head->phdr[i].p_type == PT_NOTE)
      {
        size_t size;
        char *table = read_table (fd, &head->phdr[i], &size);
        if (table != NULL)
          found = find_note (table, size, head->phdr[i].p_align == 8 ? 8 : 4,
                             name, type, buffer, room);
        free (table);
        left -= size < left ? size : left;
      }
  return found;
}

size_t
elfhead_dynamic (int fd, const struct elf_head *head, Elf64_Dyn **list)
{
  *list = NULL;
  for (size_t i = 0; i < head->count; ++i)
    if (head->phdr[i].p_type == PT_DYNAMIC)
      {
        size_t size, count = 0;
        *list = (Elf64_Dyn *) read_table (fd, &head->phdr[i], &size);
        while (*list != NULL && count < size / sizeof **list
               && (*list)[count].d_tag != DT_NULL)
          ++count;
        return count;
      }
  return 0;
}

/* Set *OFFSET to the file offset of ADDRESS in a file with HEAD.  */
static bool
find_offset (const struct elf_head *head, uint64_t address, uint64_t *offset)
{
  for (size_t i = 0; i < head->count; ++i)
    {
      const Elf64_Phdr *phdr = &head->phdr[i];
      if (phdr->p_type == PT_LOAD && address >= phdr->p_vaddr
          && address - phdr->p_vaddr < phdr->p_filesz)
        return !__builtin_add_overflow (phdr->p_offset,
                                        address - phdr->p_vaddr, offset);
    }
  return false;
}

bool
elfhead_string (int fd, const struct elf_head *head, uint64_t address,
                char *text, size_t size)
{
  uint64_t offset;
  size_t n = find_offset (head, address, &offset)
                 ? elfhead_bytes (fd, text, size, offset)
                 : 0;
  return memchr (text, '\0', n) != NULL;
}

void
elfhead_soname (int fd, const struct elf_head *head, char *name, size_t size)
{
  Elf64_Dyn *list;
  uint64_t string = 0, table = 0;
  bool found = false;
  size_t count = elfhead_dynamic (fd, head, &list);
  for (size_t i = 0; i < count; ++i)
    if (list[i].d_tag == DT_STRTAB)
      table = list[i].d_un.d_ptr;
    else if (list[i].d_tag == DT_SONAME)
      {
        string = list[i].d_un.d_val;
        found = true;
      }
  if (!found || !elfhead_string (fd, head, table + string, name, size))
    name[0] = '\0';
  free (list);
}
