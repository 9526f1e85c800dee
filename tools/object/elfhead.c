/* Read the ELF headers of untrusted files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Any user may have written the sizes in a file, so the functions check each
   size against a limit.  The functions do not use mmap, because another user
   may truncate the file at any time, and reading a mapping beyond the end of
   the file would kill the command with SIGBUS.  The functions do not use
   libelf, which would allocate tables of any size that a header claims.  */

#include "object/elfhead.h"
#include "util/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
  /* The size of the first read of a file, and the alignment of its buffer, in
     bytes.  For O_DIRECT, the size and the alignment must be multiples of the
     disk's block size.  4096 is a multiple of the block sizes of common disks
     (512 and 4096 bytes).  */
  FIRST = 16384,
  ALIGNMENT = 4096,
  /* The kernel's limit for program headers in bytes (fs/binfmt_elf.c in
     Linux).  The command applies the kernel's limit for program headers also
     to a file's tables other than its program headers.  */
  TABLE_MAX = 65536,
  /* The limit for each table of a core dump, in bytes.  The largest tables of
     a core are its program headers, and its notes about the mapped files and
     all threads.  A core has one program header for each mapping, so at most
     65,530 unless vm.max_map_count has been raised.  The program headers and
     the notes are far smaller than the limit.  */
  CORE_TABLE_MAX = 8 << 20,
};

/* The ELF header of this program; the linker defines this symbol.  */
extern const Elf64_Ehdr __ehdr_start __attribute__ ((visibility ("hidden")));

/* Return the maximum size of a table in a file whose headers are HEAD.  */
static size_t
table_max (const struct elf_head *head)
{
  return head->type == ET_CORE ? CORE_TABLE_MAX : TABLE_MAX;
}

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

/* Read program headers into HEAD from OFFSET of the file FD.  The buffer FIRST
   contains the first N bytes of the file.  */
static bool
read_phdr (int fd, const char *first, size_t n, uint64_t offset,
           struct elf_head *head, struct problem *problem)
{
  size_t all = head->count * sizeof *head->phdr;
  head->phdr = malloc (all + 1);
  if (head->phdr == NULL)
    return problem_system (problem, ENOMEM);
  if (offset <= n && all <= n - offset)
    {
      memcpy (head->phdr, first + offset, all);
      return true;
    }
  int flags = fcntl (fd, F_GETFL);
  if ((flags & O_DIRECT) != 0)
    fcntl (fd, F_SETFL, flags & ~O_DIRECT);
  errno = 0;
  if (elfhead_bytes (fd, head->phdr, all, offset) == all)
    return true;
  if (!budget_check (problem))
    return false;
  if (errno != 0)
    return problem_system (problem, errno);
  return problem_set (problem,
                      "the program headers of the file cannot be read");
}

/* Skip the blanks at *REST, which has *N bytes.  Return the number of
   characters of the word that follows, such as the path of a program.  Return
   0 if the word ends with a character other than a blank or newline.  */
static size_t
plain_word (const char **rest, size_t *n)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "abcdefghijklmnopqrstuvwxyz0123456789/._+-";
  while (*n > 0 && (**rest == ' ' || **rest == '\t'))
    ++*rest, --*n;
  size_t length = 0;
  while (length < *n && (*rest)[length] != '\0'
         && strchr (plain, (*rest)[length]) != NULL)
    ++length;
  return (length == *n || strchr (" \t\n", (*rest)[length]) != NULL ? length
                                                                    : 0);
}

bool
elfhead_not_elf (const char *first, size_t n, struct problem *problem)
{
  static const char env[] = "/env";
  if (n < 2 || memcmp (first, "#!", 2) != 0)
    return problem_set (problem, ELFHEAD_NOT_ELF);
  const char *word = first + 2;
  n -= 2;
  size_t length = plain_word (&word, &n);
  if (length >= sizeof env - 1
      && memcmp (word + length - (sizeof env - 1), env, sizeof env - 1) == 0)
    {
      /* If the interpreter is env, use its argument, because env executes the
         argument.  */
      word += length;
      n -= length;
      length = plain_word (&word, &n);
    }
  if (length > 0 && word[0] != '-')
    return problem_set (problem,
                        "the file is a script: instead, name its interpreter "
                        "(%.*s), or a program that the script starts, or the "
                        "service",
                        (int) length, word);
  return problem_set (
      problem, "the file is a script: instead, name its interpreter, or "
               "a program that the script starts, or the service");
}

/* Read the headers of the file FD into HEAD.  The buffer FIRST contains the
   first N bytes of the file.  */
static bool
read_head (int fd, const char *first, size_t n, struct elf_head *head,
           struct problem *problem)
{
  Elf64_Ehdr ehdr;
  if (n < sizeof ehdr || memcmp (first, ELFMAG, SELFMAG) != 0)
    return elfhead_not_elf (first, n, problem);
  memcpy (&ehdr, first, sizeof ehdr);
  head->type = ehdr.e_type;
  head->entry = ehdr.e_entry;
  if (ehdr.e_ident[EI_CLASS] == ELFCLASS32)
    head->foreign = "the file is a 32-bit program or library; ld-hugetext.so "
                    "is only for 64-bit programs";
  else if (memcmp (&ehdr.e_ident[EI_CLASS], &__ehdr_start.e_ident[EI_CLASS], 2)
               != 0
           || ehdr.e_machine != __ehdr_start.e_machine)
    head->foreign = "the file is for another architecture";
  if (head->foreign != NULL)
    return true;
  head->count = ehdr.e_phnum;
  if (head->count > 0
      && (ehdr.e_phentsize != sizeof *head->phdr
          || head->count * sizeof *head->phdr > table_max (head)))
    return problem_set (problem,
                        "the program headers of the file cannot be read");
  return read_phdr (fd, first, n, ehdr.e_phoff, head, problem);
}

bool
elfhead_read (int fd, struct elf_head *head, struct problem *problem)
{
  *head = (struct elf_head){ 0 };
  char *first = aligned_alloc (ALIGNMENT, FIRST);
  if (first == NULL)
    return problem_system (problem, ENOMEM);
  ssize_t n = pread (fd, first, FIRST, 0);
  bool good = true;
  if (!budget_spend (FIRST))
    good = budget_check (problem);
  else if (n <= 0)
    good = n < 0 ? problem_system (problem, errno)
                 : problem_set (problem, "the file is empty");
  else
    good = read_head (fd, first, n, head, problem);
  free (first);
  if (!good)
    elfhead_free (head);
  return good;
}

void
elfhead_free (struct elf_head *head)
{
  free (head->phdr);
  head->phdr = NULL;
  head->count = 0;
}

bool
elfhead_is_native (int fd)
{
  struct problem problem;
  struct elf_head head;
  if (!elfhead_read (fd, &head, &problem))
    return false;
  elfhead_free (&head);
  return head.foreign == NULL;
}

/* Read the segment PHDR of the file FD, at most MOST bytes.  Return the bytes,
   which the caller frees, or NULL if the segment cannot be read.  */
static char *
read_table (int fd, const Elf64_Phdr *phdr, size_t most, size_t *size)
{
  size_t want = phdr->p_filesz < most ? phdr->p_filesz : most;
  char *table = malloc (want + 1);
  *size = table != NULL ? elfhead_bytes (fd, table, want, phdr->p_offset) : 0;
  if (*size > 0)
    return table;
  free (table);
  return NULL;
}

/* Return AT rounded up to a multiple of ALIGN.  */
static size_t
align_up (size_t at, size_t align)
{
  return (at + align - 1) / align * align;
}

/* Search for a note in the SIZE bytes at TABLE, with the parameters of
   elfhead_note.  */
static size_t
elfhead_find_note (const char *table, size_t size, size_t align,
                   const char *name, uint32_t *type, void *buffer, size_t room)
{
  Elf64_Nhdr note;
  /* The sums of offsets cannot overflow, because the sizes in a note have 32
     bits.  */
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
  size_t found = 0, left = table_max (head);
  for (size_t i = 0; found == 0 && left > 0 && i < head->count; ++i)
    if (head->phdr[i].p_type == PT_NOTE)
      {
        size_t size;
        char *table = read_table (fd, &head->phdr[i], left, &size);
        if (table != NULL)
          found = elfhead_find_note (table, size,
                                     head->phdr[i].p_align == 8 ? 8 : 4, name,
                                     type, buffer, room);
        free (table);
        left -= size;
      }
  return found;
}

void
elfhead_dynamic (int fd, const struct elf_head *head,
                 struct elf_dynamic *dynamic)
{
  size_t i = 0, size;
  *dynamic = (struct elf_dynamic){ .list = NULL };
  while (i < head->count && head->phdr[i].p_type != PT_DYNAMIC)
    ++i;
  dynamic->found = i < head->count;
  if (dynamic->found)
    dynamic->list = (Elf64_Dyn *) read_table (fd, &head->phdr[i],
                                              table_max (head), &size);
  if (dynamic->list == NULL)
    return;
  for (; dynamic->count < size / sizeof (Elf64_Dyn); ++dynamic->count)
    {
      const Elf64_Dyn *entry = &dynamic->list[dynamic->count];
      if (entry->d_tag == DT_NULL)
        break;
      if (entry->d_tag == DT_TEXTREL
          || (entry->d_tag == DT_FLAGS
              && (entry->d_un.d_val & DF_TEXTREL) != 0))
        dynamic->text_relocations = true;
      if (entry->d_tag == DT_FLAGS_1)
        {
          dynamic->pie = (entry->d_un.d_val & DF_1_PIE) != 0;
          dynamic->own_directories_only
              = (entry->d_un.d_val & DF_1_NODEFLIB) != 0;
        }
    }
}

/* Set *OFFSET to the file offset of ADDRESS in a file whose headers are
   HEAD.  */
static bool
elfhead_find_offset (const struct elf_head *head, uint64_t address,
                     uint64_t *offset)
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

/* Return the index of the first entry with TAG in DYNAMIC, from index AT on.
   If DYNAMIC has no further entry with TAG, return the number of its
   entries.  */
static size_t
find_entry (const struct elf_dynamic *dynamic, int64_t tag, size_t at)
{
  while (at < dynamic->count && dynamic->list[at].d_tag != tag)
    ++at;
  return at;
}

uint64_t
elfhead_value (const struct elf_dynamic *dynamic, int64_t tag)
{
  const size_t i = find_entry (dynamic, tag, 0);
  return i < dynamic->count ? dynamic->list[i].d_un.d_val : 0;
}

bool
elfhead_at (int fd, const struct elf_head *head, uint64_t address,
            void *buffer, size_t size)
{
  uint64_t offset;
  return (elfhead_find_offset (head, address, &offset)
          && elfhead_bytes (fd, buffer, size, offset) == size);
}

bool
elfhead_string (int fd, const struct elf_head *head,
                const struct elf_dynamic *dynamic, int64_t tag, size_t *at,
                char *text, size_t size)
{
  size_t table = find_entry (dynamic, DT_STRTAB, 0);
  size_t entry = find_entry (dynamic, tag, *at);
  uint64_t offset;
  *at = entry + 1;
  if (table == dynamic->count || entry == dynamic->count
      || !elfhead_find_offset (head,
                               dynamic->list[table].d_un.d_ptr
                                   + dynamic->list[entry].d_un.d_val,
                               &offset))
    return false;
  return memchr (text, '\0', elfhead_bytes (fd, text, size, offset)) != NULL;
}
