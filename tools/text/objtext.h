/* The text of each object in a process: how much there is, how much is on huge
   pages, and their backing.
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

/* The backings of huge pages of text; an object may have several.  */
enum
{
#define HUGETEXT_CHOSEN_BACKING(id, ...) BACKING_##id = 1 << HUGETEXT_WAY_##id,
#define HUGETEXT_OTHER_BACKING HUGETEXT_CHOSEN_BACKING
#include "dl-hugetext-backings.def"
  BACKINGS = HUGETEXT_WAYS, /* The number of backings.  */
  BACKINGS_SHARED = BACKING_FILE | BACKING_STORE
};

/* Return the names of the bits of BACKING, joined by "+", "-" if BACKING is
   0.  */
extern const char *backing_names (unsigned int backing,
                                  char buffer[static 40]);

/* A block: address space of the size of a huge page, aligned to that size, in
   which an object has text.  Sizes are in bytes.  Text that is neither huge
   nor small has not been touched yet.  */
struct text_block
{
  uintptr_t start;
  size_t text, huge, small;
  unsigned int backing; /* One of the bits of backings, 0 if the block is not
                           huge.  */
  bool guessed;         /* HUGE and SMALL are estimates: the kernel does not
                           say.  */
  bool copied;          /* The block does not map the object's file.  */
  bool kept_small;      /* Huge pages are switched off for the first half of
                           the block; only known if the loader has made it
                           huge by the object's file, and it is small.  */
  bool image;           /* The block maps an image of that file, on huge pages
                           or not.  */
};

/* Sums of text: the rows TEXT_SUM of columns.def, which explains them.  */
struct text_sums
{
#define TEXT_SUM(type, member, add, most) type member;
#include "text/columns.def"
};

/* Kinds of tools that find objects in /proc/PID/maps: the rows of
   observers.def.  */
enum observer
{
#define OBSERVER(id, key, reason) OBSERVER_##id,
#include "text/observers.def"
  OBSERVERS
};

/* One object in the address space.  */
struct object_text
{
  char *name;
  dev_t device; /* The device in /proc/PID/maps.  */
  ino_t inode;
  uintptr_t map_start, map_end; /* A mapping of the object's file.  */
  bool deleted;                 /* /proc/PID/maps shows that mapping as
                                   deleted.  */
  uintptr_t bias;
  uintptr_t start, end; /* The address range of the object's program
                           headers.  */
  struct text_sums sums;
  unsigned int votes; /* The number of mappings that agree with the object's
                         load bias.  */
  bool unseen[OBSERVERS]; /* Because our loader has replaced text, these tools
                             do not find the object.  */
  bool no_headers; /* The file cannot be read, so its executable mappings
                      count as text.  */
  struct text_block *blocks;
  size_t nblocks;
};

struct object_list
{
  struct object_text *list;
  size_t count;
  /* Code made at run time: executable memory outside of all objects, by blocks
     in use.  */
  struct object_text made;
};

/* Whether BLOCK has pages that are neither of its object's file nor of an
   image.  */
extern bool objtext_is_copy (const struct text_block *block);

/* Whether a block of OBJECT is a copy.  */
extern bool objtext_has_copies (const struct object_text *object);

/* Find the objects of process PID, most text first.  If DIRECT, read files
   around the page cache, because the process is starting: its loader could not
   make pages huge that this process has cached as small pages.  Return 0, or
   -1 with errno set if the process cannot be inspected.  */
extern int objtext_read (pid_t pid, bool direct, struct object_list *objects);

/* Open the file of OBJECT of process PID; -1 if the file cannot be opened, or
   no longer exists.  */
extern int objtext_open (pid_t pid, const struct object_text *object);

extern void objtext_free (struct object_list *objects);

/* Add OBJECTS to MESSAGE, or take OBJECTS from MESSAGE; the caller frees
   OBJECTS in any case.  */
extern void objtext_put (struct message *message,
                         const struct object_list *objects);
extern void objtext_get (struct message *message, struct object_list *objects);

/* Whether OBJECTS show that no text of process PID's program has been used
   yet: its loader still runs.  */
extern bool objtext_is_loading (pid_t pid, const struct object_list *objects);

#endif
