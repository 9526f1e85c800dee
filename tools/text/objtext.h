/* The account of the text of each object in a process: how much, how much of
   it on huge pages, and their backing.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJTEXT_H
#define OBJTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The backings of huge pages of text; an object may have several.  */
enum
{
  BACKING_FILE = 1,     /* The object's own file.  */
  BACKING_STORE = 2,    /* Another file: a copy of it.  */
  BACKING_THP = 4,      /* Anonymous transparent huge pages.  */
  BACKING_MEMFD = 8,    /* A file without a name, in memory.  */
  BACKING_HUGETLB = 16, /* The reserved pool.  */
  BACKINGS = 5,         /* How many there are.  */
};

/* Names of the bits of BACKING, joined by "+", "-" if there are none.  */
extern const char *backing_names (unsigned int backing,
                                  char buffer[static 40]);

/* A piece of address space of the size of a huge page, and aligned to that,
   in which an object has text.  Bytes; what is neither huge nor small has not
   been touched yet.  */
struct text_block
{
  uintptr_t start;
  size_t text, huge, small;
  unsigned int backing; /* One of the above, 0 if it is not huge.  */
  bool guessed;         /* Huge or small: the kernel does not say which.  */
  bool copied;          /* It is not the object's file that is mapped there. */
};

/* One object in the address space.  */
struct object_text
{
  char *name;
  dev_t device; /* As maps show it.  */
  ino_t inode;
  uintptr_t map_start, map_end; /* A mapping of its file,  */
  bool deleted;                 /* which maps show so.  */
  uintptr_t bias;
  uintptr_t start, end; /* The addresses that its program headers span.  */
  size_t text;          /* Bytes in executable, never writable segments.  */
  size_t huge;          /* Bytes of those on huge pages.  */
  size_t small;         /* Bytes of those on small pages.  */
  unsigned int backing;
  unsigned int votes; /* Mappings that its place explains.  */
  bool no_headers;    /* Its file cannot be read: it is what is mapped of
                         it as executable.  */
  struct text_block *blocks;
  size_t nblocks;
};

struct object_list
{
  struct object_text *list;
  size_t count;
  /* Code made at run time: executable memory outside of all objects.  Of its
     blocks those that are in use.  */
  struct object_text made;
};

/* How to look.  */
enum
{
  OBJTEXT_NO_SCAN = 1, /* As on kernels without PAGEMAP_SCAN.  */
  OBJTEXT_DIRECT = 2,  /* Read files around the page cache: the process is
                          starting, and what we have cached in small pages
                          its loader cannot have in huge ones.  */
};

/* Find the objects of process PID, most text first.  Return 0, or -1 with
   errno set if the process cannot be looked at.  */
extern int objtext_read (pid_t pid, unsigned int flags,
                         struct object_list *objects);

/* Open the file of OBJECT of process PID; -1 if it cannot be opened, or is not
   there any more.  */
extern int objtext_open (pid_t pid, const struct object_text *object);

extern void objtext_free (struct object_list *objects);

/* Whether OBJECTS show that nothing of process PID's program has been used
   yet: its loader is still at work.  */
extern bool objtext_is_loading (pid_t pid, const struct object_list *objects);

#endif
