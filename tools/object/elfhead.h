/* ELF headers: read those of files that others have made.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELFHEAD_H
#define ELFHEAD_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The header and the program headers of a file, in the form of 64 bits, which
   32-bit ones are brought into.  */
struct elf_head
{
  unsigned char class; /* ELFCLASS64, or ELFCLASS32.  */
  uint16_t type;
  uint64_t entry;
  Elf64_Phdr *phdr;
  size_t count;
};

/* Read those of FD, of this machine's byte order.  Returns NULL, or why it
   cannot be done.  HEAD is to be freed only if it could.  */
extern const char *elfhead_read (int fd, struct elf_head *head);

extern void elfhead_free (struct elf_head *head);

/* Copy at most SIZE bytes of FD at OFFSET to BUFFER.  Returns how many.  */
extern size_t elfhead_bytes (int fd, void *buffer, size_t size,
                             uint64_t offset);

/* Find in the file FD with HEAD, of 64 bits, the note NAME of TYPE, which may
   be 0 for any and is set.  Copies at most SIZE bytes of its descriptor to
   BUFFER.  Returns how many it has; 0 if there is none.  */
extern size_t elfhead_note (int fd, const struct elf_head *head,
                            const char *name, uint32_t *type, void *buffer,
                            size_t size);

/* The dynamic section of the file FD with HEAD, of 64 bits, up to its end, in
 *LIST, to be freed.  Returns the number of entries.  */
extern size_t elfhead_dynamic (int fd, const struct elf_head *head,
                               Elf64_Dyn **list);

/* Copy the string at ADDRESS, as the file FD with HEAD is loaded, to TEXT.
   False if there is none, or if it has SIZE bytes or more.  */
extern bool elfhead_string (int fd, const struct elf_head *head,
                            uint64_t address, char *text, size_t size);

/* Copy the DT_SONAME of the same to NAME, "" if it has none.  */
extern void elfhead_soname (int fd, const struct elf_head *head, char *name,
                            size_t size);

#endif
