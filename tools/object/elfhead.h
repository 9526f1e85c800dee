/* ELF headers of files that other users have made.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELFHEAD_H
#define ELFHEAD_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The header and the program headers of a file, in their 64-bit form; 32-bit
   ones are converted.  */
struct elf_head
{
  unsigned char class; /* ELFCLASS64, or ELFCLASS32.  */
  uint16_t type;
  uint64_t entry;
  Elf64_Phdr *phdr;
  size_t count;
};

/* Read the headers of FD into HEAD, if they have this machine's byte order.
   Return NULL, or why that is not possible.  The caller frees HEAD only after
   success.  */
extern const char *elfhead_read (int fd, struct elf_head *head);

extern void elfhead_free (struct elf_head *head);

/* Copy at most SIZE bytes of FD at OFFSET to BUFFER.  Return their number.  */
extern size_t elfhead_bytes (int fd, void *buffer, size_t size,
                             uint64_t offset);

/* Find the note NAME of TYPE in the 64-bit file FD with HEAD; a TYPE of 0
   stands for any, and is set.  Copy at most SIZE bytes of the note's
   descriptor to BUFFER.  Return the descriptor's size; 0 if there is no such
   note.  */
extern size_t elfhead_note (int fd, const struct elf_head *head,
                            const char *name, uint32_t *type, void *buffer,
                            size_t size);

/* Read the dynamic section of the 64-bit file FD with HEAD, up to its end,
   into *LIST, which the caller frees.  Return the number of entries.  */
extern size_t elfhead_dynamic (int fd, const struct elf_head *head,
                               Elf64_Dyn **list);

/* Copy the string at the link-time address ADDRESS of the file FD with HEAD to
   TEXT.  False if there is none, or if it has SIZE bytes or more.  */
extern bool elfhead_string (int fd, const struct elf_head *head,
                            uint64_t address, char *text, size_t size);

/* Copy the DT_SONAME of the file FD with HEAD to NAME, "" if it has none.  */
extern void elfhead_soname (int fd, const struct elf_head *head, char *name,
                            size_t size);

#endif
