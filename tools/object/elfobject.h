/* ELF objects: the description of a file in the form that the loader's policy
   takes.
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
  bool fixed;   /* The object has a fixed address: it is an ET_EXEC program, or
                   a library linked for an address.  */
  bool program; /* The object is a program, which the kernel maps at
                   execve.  */
  bool statically_linked; /* The program needs no loader.  */
  bool text_relocations;
  /* The following members are set by maps_reader_describe.  */
  bool needs_path;    /* The object may look for its own path in
                         /proc/self/maps, so it must not be copied.  */
  uint64_t looked_up; /* The link-time address of the function by which tools
                         look up the object's mapping, or 0.  */
};

/* Return the sizes of pages on this machine.  */
extern struct hugetext_geometry elfobject_geometry (void);

/* Describe the file FD.  Return false if the file is not an ELF object.  */
extern bool elfobject_read (int fd, struct elf_object *object,
                            struct problem *problem);

/* Return the bytes of text in the file NAME, reading it around the page
   cache, or 0 if the file cannot be read or is not an ELF object.  */
extern size_t elfobject_file_text (const char *name);

/* Return false if the loader skips OBJECT.  */
extern bool elfobject_check (const struct elf_object *object,
                             struct problem *problem);

/* Add ELF to MESSAGE, or take ELF from MESSAGE.  After it has taken ELF, the
   caller must call elfobject_check before any other function.  */
extern void elfobject_put (struct message *message,
                           const struct elf_object *elf);
extern void elfobject_get (struct message *message, struct elf_object *elf);

/* The loadable segments of one file.  */
struct segments
{
  Elf64_Phdr *list;
  size_t count;
};

/* Read the headers of the file that MAP of process PID shows into *SEGMENTS;
   none if the file is not an ELF object.  Return false if the file cannot be
   opened.  If DIRECT, read the file with O_DIRECT, because a read through the
   page cache may keep text on small pages (doc/experiments/reclaim).  */
extern bool elfobject_segments (pid_t pid, const struct mapping *map,
                                bool direct, struct segments *segments);

extern void elfobject_free (struct segments *segments);

#endif
