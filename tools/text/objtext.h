/* The text of each object in a process: how much text there is, how much of it
   is on huge pages, and the backings of these huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJTEXT_H
#define OBJTEXT_H

#include "dl-hugetext-names.h"
#include "util/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The backings of huge pages, as bits, because an object may have several
   backings.  */
enum
{
#define HUGETEXT_CHOSEN_BACKING(id, ...) BACKING_##id = 1 << HUGETEXT_WAY_##id,
#define HUGETEXT_OTHER_BACKING HUGETEXT_CHOSEN_BACKING
#include "dl-hugetext-backings.def"
  BACKINGS = HUGETEXT_WAYS, /* The number of backings (kinds of huge
                               pages).  */
  BACKINGS_SHARED = BACKING_FILE | BACKING_STORE
};

/* Return the names of the backings whose bits are set in BACKING, joined by
   "+", in BUFFER.  Return "-" if BACKING is 0.  */
extern const char *backing_names (unsigned int backing,
                                  char buffer[static 40]);

/* A block: an aligned range of addresses that is as large as a huge page and
   contains text of an object.  Sizes are in bytes.  Bytes of text that are
   neither huge nor small have not been touched yet.  */
struct text_block
{
  uintptr_t start;
  size_t text, huge, small;
  unsigned int backing; /* The bit that stands for the block's backing, or 0 if
                           the block is not huge.  */
  bool guessed;         /* True if HUGE and SMALL are estimates, because the
                           kernel does not report the exact numbers.  */
  bool copied;          /* True if the block is not mapped from the object's
                           file.  */
  bool kept_small;      /* True if huge pages are switched off for the first
                           half of the block.  The inspector sets KEPT_SMALL
                           only for a block that is on small pages now, but was
                           a huge page of the object's file when the loader
                           finished.  */
  bool image;           /* True if the block is mapped from an image of the
                           object's file.  An image does not guarantee huge
                           pages: the block may be on small pages.  */
};

/* Sums of text.  The sums are the rows TEXT_SUM of columns.def.  */
struct text_sums
{
#define TEXT_SUM(type, member, ...) type member;
#include "text/columns.def"
};

/* The kinds of tools that look for objects in /proc/PID/maps: the rows of
   observers.def.  */
enum observer
{
#define OBSERVER(id, ...) OBSERVER_##id,
#include "text/observers.def"
  OBSERVERS
};

/* One object in the process.  */
struct object_text
{
  char *name;
  dev_t device; /* The device number in /proc/PID/maps.  */
  ino_t inode;
  uintptr_t map_start, map_end; /* The addresses of one mapping of the
                                   object's file.  */
  bool deleted;                 /* True if /proc/PID/maps marks the file of the
                                   mapping at MAP_START as deleted.  */
  uintptr_t bias;
  uintptr_t start, end; /* The range of addresses from the object's first
                           segment to its last segment, according to the
                           program headers.  */
  struct text_sums sums;
  unsigned int votes;     /* The number of the file's mappings that fit the
                             load bias that was computed for the object.  */
  bool unseen[OBSERVERS]; /* The kinds of tools that do not find the object in
                             /proc/PID/maps, or see it in a wrong way, because
                             our loader has changed the mappings of its
                             file.  */
  bool no_headers;        /* True if the file cannot be read, so that all its
                             executable mappings count as text.  */
  bool program; /* True if the object is the program.  The loader is not the
                   program, even if the process has executed the loader as a
                   command (LOADER PROGRAM).  */
  struct text_block *blocks;
  size_t nblocks;
};

struct object_list
{
  struct object_text *list;
  size_t count;
  /* The blocks of code made at run time that are in use.  Code made at run
     time is in executable memory outside of all objects.  */
  struct object_text made;
};

/* Return true if BLOCK contains pages that are neither from its object's file
   nor from an image.  */
extern bool objtext_is_copy (const struct text_block *block);

/* Return true if a block of OBJECT is a copy.  */
extern bool objtext_has_copies (const struct object_text *object);

/* Return true if OBJECT has the name of hugetext-code.so, the object for code
   made at run time.  */
extern bool objtext_has_code_name (const struct object_text *object);

/* Find the objects of process PID, and sort them: most text first.  If DIRECT
   is true, the process is just starting, so bypass the page cache when reading
   files.  If the command read a file through the page cache, the kernel might
   cache text in small pages before the loader makes it huge.  Return 0, or -1
   with errno set if the process cannot be inspected.  */
extern int objtext_read (pid_t pid, bool direct, struct object_list *objects);

/* Open the file of OBJECT in process PID.  Return -1 with errno set if the
   file cannot be opened, or no longer exists.  */
extern int objtext_open (pid_t pid, const struct object_text *object);

extern void objtext_free (struct object_list *objects);

/* Write OBJECTS to MESSAGE (objtext_put), or read OBJECTS from MESSAGE
   (objtext_get).  The caller frees OBJECTS even if MESSAGE is invalid.  */
extern void objtext_put (struct message *message,
                         const struct object_list *objects);
extern void objtext_get (struct message *message, struct object_list *objects);

/* Set EXECUTED to the element of OBJECTS for the file that process PID has
   executed, or to NULL if there is no such element.  If the process has
   executed its loader, set EXECUTED to the loader.  Return false if the kernel
   does not show which file was executed.  The function compares names of
   files, because opening the file may make the inspector wait for a user's
   filesystem.  Only the inspector calls this function; all other code uses the
   member PROGRAM of objects.  */
extern bool objtext_executed (pid_t pid, const struct object_list *objects,
                              struct object_text **executed);

/* Return the program among OBJECTS, or NULL if it is not known.  */
extern struct object_text *objtext_program (const struct object_list *objects);

#endif
