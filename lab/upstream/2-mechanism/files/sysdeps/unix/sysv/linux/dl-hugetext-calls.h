/* Calls by which the loader puts program text on huge pages.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An architecture whose Makefile has have-hugetext includes this file in its
   own dl-hugetext-calls.h.  */

#if !IS_IN(rtld)
/* A static program has no loader.  */
#  include <sysdeps/generic/dl-hugetext-calls.h>
#else

#  ifndef _DL_HUGETEXT_CALLS_H
#    define _DL_HUGETEXT_CALLS_H 1

#    include <dl-hugetext-state.h>
#    include <dl-hugetext.h>
#    include <hugetext-machine.h>

/* Set DEVICE and INODE to those of the file FD, and keep the kernel's whole
   answer (dl-hugetext-source.c).  Return false if the kernel returns an
   error.  */
extern bool _dl_hugetext_ask_file (int fd, dev_t *device,
                                   ino64_t *inode) attribute_hidden;

/* Read the settings, and use PHDR and AUXV to describe the program that the
   kernel has mapped.  If COMMAND is true, the kernel has mapped no program:
   the loader was executed as a command, and its arguments name the program.
   Call this function before anything is mapped.  */
static inline void
_dl_hugetext_start (bool command, const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                    ElfW (auxv_t) * auxv)
{
  _dl_hugetext_read_settings (command ? NULL : phdr, command ? NULL : auxv);
  if (!command && __glibc_unlikely (_dl_hugetext_settings () != NULL))
    /* The program stays where it is.  */
    _dl_hugetext_program (phdr, phnum, auxv);
}

/* Set ID like _dl_get_file_id.  */
static inline bool
_dl_hugetext_get_file_id (int fd, struct r_file_id *id)
{
  return _dl_hugetext_ask_file (fd, &id->dev, &id->ino);
}

/* Reserve address space for L, which has LENGTH bytes and was linked for
   START, at a place where its text can lie on huge pages.  If the function
   returns true, it has set l_addr, and the caller maps the segments at l_addr
   like those of a program.  HEADER is the ELF header of the file, and PHDR the
   program headers or NULL.  ALIGN is the alignment that the file demands.  If
   the object was linked for an address of its own, this function asks for that
   address.  */
static inline bool
_dl_hugetext_reserve_segments (struct link_map *l, int fd,
                               const ElfW (Ehdr) * header,
                               const ElfW (Phdr) * phdr, ElfW (Addr) start,
                               size_t length, ElfW (Addr) align)
{
  if (__glibc_likely (_dl_hugetext_settings () == NULL)
      || hugetext_address_taken ())
    return false;
  const struct hugetext_mapping mapping
      = { .fd = fd,
          .fixed = header->e_type != ET_DYN || start != 0,
          .header = header,
          .phdr = phdr,
          .start = start,
          .length = length,
          .align = align };
  return _dl_hugetext_reserve (l, &mapping);
}

/* Finish the work on L after its segments have been mapped or, if ERROR is not
   NULL, after mapping them has failed.  */
static inline void
_dl_hugetext_segments_mapped (struct link_map *l, bool reserved,
                              const char *error)
{
  if (__glibc_unlikely (_dl_hugetext_settings () != NULL))
    _dl_hugetext_mapped (l, reserved, error);
}

#  endif
#endif /* dl-hugetext-calls.h */
