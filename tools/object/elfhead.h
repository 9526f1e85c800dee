/* ELF headers of untrusted files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELFHEAD_H
#define ELFHEAD_H

#include "util/problem.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The ELF header and the program headers of a file.  */
struct elf_head
{
  uint16_t type;
  uint64_t entry;
  Elf64_Phdr *phdr;
  size_t count;
  const char *foreign; /* The reason why the file is not for this machine, or
                          NULL if it is.  If the file is for another machine,
                          the program headers have not been read.  */
};

/* The text of the problem with a file that does not begin with the ELF magic
   number.  The text advises users to name the interpreter of a script instead
   of the script.  */
#define ELFHEAD_NOT_ELF \
  "the file is not an ELF file; for a script, name its interpreter"

/* Read the headers of the file FD into HEAD.  Return false if the headers
   cannot be read.  After success, the caller must free HEAD.  After a failure,
   HEAD contains no program headers.  */
extern bool elfhead_read (int fd, struct elf_head *head,
                          struct problem *problem);

/* Set PROBLEM to the message that a file is not an ELF file, and return false.
   The file begins with the N bytes at FIRST.  If the file is a script, the
   message also says which file the user should name instead of the script.  */
extern bool elfhead_not_elf (const char *first, size_t n,
                             struct problem *problem);

extern void elfhead_free (struct elf_head *head);

/* Return true if the file FD is an ELF file for this machine.  */
extern bool elfhead_is_native (int fd);

/* Copy at most SIZE bytes at OFFSET of the file FD to BUFFER.  Return the
   number of bytes copied.  */
extern size_t elfhead_bytes (int fd, void *buffer, size_t size,
                             uint64_t offset);

/* Find the note NAME of type *TYPE in the file FD, whose headers are HEAD.  If
   *TYPE is 0, find a note of any type, and set *TYPE.  Copy at most SIZE bytes
   of the note's descriptor to BUFFER.  Return the full size of the note's
   descriptor (even if it is larger than SIZE), or 0 if the file does not
   contain the note.  */
extern size_t elfhead_note (int fd, const struct elf_head *head,
                            const char *name, uint32_t *type, void *buffer,
                            size_t size);

/* A dynamic section.  */
struct elf_dynamic
{
  Elf64_Dyn *list; /* The entries of the dynamic section before DT_NULL.  */
  size_t count;    /* The number of entries.  */
  bool found, text_relocations, pie, own_directories_only;
};

/* Read the dynamic section of the file FD, whose headers are HEAD, into
   DYNAMIC.  The caller frees the list in DYNAMIC.  */
extern void elfhead_dynamic (int fd, const struct elf_head *head,
                             struct elf_dynamic *dynamic);

/* Return the value of the first entry with TAG in DYNAMIC, or 0 if no entry
   has TAG.  */
extern uint64_t elfhead_value (const struct elf_dynamic *dynamic, int64_t tag);

/* Copy to BUFFER the SIZE bytes at the link-time address ADDRESS of the file
   FD, whose headers are HEAD.  Return false if the file does not contain all
   SIZE bytes.  */
extern bool elfhead_at (int fd, const struct elf_head *head, uint64_t address,
                        void *buffer, size_t size);

/* DYNAMIC is the dynamic section of the file FD, whose headers are HEAD.  Find
   the first entry with TAG in DYNAMIC, from index *AT on, and set *AT to the
   index after this entry.  Copy to TEXT, a buffer of SIZE bytes, the string to
   which the entry refers.  Return false if there is no further entry with TAG,
   or if the string is missing or too long for TEXT.  */
extern bool elfhead_string (int fd, const struct elf_head *head,
                            const struct elf_dynamic *dynamic, int64_t tag,
                            size_t *at, char *text, size_t size);

#endif
