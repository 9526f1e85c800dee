/* ELF objects: describe a file for the loader's policy.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELFOBJECT_H
#define ELFOBJECT_H

#include "util/problem.h"
#include "dl-hugetext-object.h"
#include "object/elfhead.h"
#include "host/procmaps.h"
#include "util/message.h"

struct elf_object
{
  struct hugetext_object object;
  bool fixed;   /* True if the object must be at the address for which it was
                   linked, because it is an ET_EXEC program, or a library with
                   a fixed address.  */
  bool program; /* True if the object is a program, which the kernel maps when
                   the program is executed.  */
  bool statically_linked; /* True if the object is a static program, which
                             needs no loader.  */
  bool text_relocations;
  /* The function maps_reader_describe sets the following members.  */
  bool needs_path;    /* True if the object may look for its own path in
                         /proc/self/maps.  The text of an object that may look
                         for its path must not be copied.  */
  uint64_t looked_up; /* The link-time address of a function by which tools
                         recognize the object's mapping, or 0.  */
};

/* Return the page sizes of this machine.  */
extern struct hugetext_geometry elfobject_geometry (void);

/* Describe the file FD.  Return false if the file is not an ELF object.  */
extern bool elfobject_read (int fd, struct elf_object *object,
                            struct problem *problem);

/* Return how many bytes of text the file NAME has, or 0 if it cannot be read
   or is not an ELF object.  The function reads the file through the page
   cache, but without readahead.  */
extern size_t elfobject_file_text (const char *name);

/* Return true if the loader would put any text of OBJECT on huge pages.  If
   the loader would put no text of OBJECT on huge pages, set PROBLEM to the
   reason and return false.  */
extern bool elfobject_check (const struct elf_object *object,
                             struct problem *problem);

/* Append ELF to MESSAGE (elfobject_put), or read it from MESSAGE
   (elfobject_get).  After reading ELF from MESSAGE, the caller must call
   elfobject_check before any other use of ELF.  */
extern void elfobject_put (struct message *message,
                           const struct elf_object *elf);
extern void elfobject_get (struct message *message, struct elf_object *elf);

/* The loadable segments of one file.  */
struct segments
{
  Elf64_Phdr *list;
  size_t count;
};

/* Read into *SEGMENTS the headers of the file that process PID has mapped as
   MAP.  If the file is not an ELF object, *SEGMENTS is empty.  Return false if
   the file cannot be opened.  If DIRECT is true, read the file with O_DIRECT,
   because reading through the page cache may keep text on small pages
   (doc/experiments/reclaim).  */
extern bool elfobject_segments (pid_t pid, const struct mapping *map,
                                bool direct, struct segments *segments);

extern void elfobject_free (struct segments *segments);

#endif
