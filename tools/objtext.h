/* Account for the text of each object in a process: how much, how much of it
   on huge pages, and what backs those.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJTEXT_H
#define OBJTEXT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What huge pages of text are backed by; an object may have several.  */
enum
{
  BACKING_FILE = 1,    /* The object's own file, or a shared copy of it.  */
  BACKING_THP = 2,     /* Anonymous transparent huge pages.  */
  BACKING_HUGETLB = 4, /* The reserved pool.  */
};

/* One object in the address space.  */
struct object_text
{
  char *name;
  uintptr_t bias;
  uintptr_t start, end; /* What its program headers span.  */
  size_t text;          /* Bytes in executable, never writable segments.  */
  size_t huge;          /* Bytes of those on huge pages.  */
  unsigned int backing;
  unsigned int votes; /* Mappings that its place explains.  */
};

struct object_list
{
  struct object_text *list;
  size_t count;
};

/* Find the objects of process PID, most text first.  Return 0, or -1 with
   errno set if the process cannot be looked at.  Objects whose file cannot be
   read are left out.  */
extern int objtext_read (pid_t pid, struct object_list *objects);

extern void objtext_free (struct object_list *objects);

#endif
