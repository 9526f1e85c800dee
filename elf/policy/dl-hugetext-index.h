/* The index: what the loader remembers of programs, and of images of text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The index is a file that "hugetext index" compiles from settings files and
   profiles, which people edit, as ldconfig compiles ld.so.cache.  This header
   has the index's format, which doc/formats describes, and the functions that
   find a program in it.  They make no system call: the caller's function reads
   the file, so that the loader, the command and the fuzzer use the same code.
   Only root writes the file.  A damaged one may give wrong settings, but the
   functions read and write nothing outside of it and of their buffers.  */

#ifndef _DL_HUGETEXT_INDEX_H
#define _DL_HUGETEXT_INDEX_H 1

#include <sys/types.h>

#include "dl-hugetext-names.h"

/* The file: a header; slots, a table of hashes with open addressing; records.
   All numbers are the machine's own.  Offsets are from the beginning of the
   file and multiples of 8, as are all lengths of records.  */

#define HUGETEXT_INDEX_MAGIC "HUGETEXT"
/* The numbers of settings are in it, since the records have a place for
   each.  */
#define HUGETEXT_INDEX_VERSION (7 << 16 | HUGETEXT_VALUES << 8 | HUGETEXT_KEYS)

struct hugetext_index_header
{
  char magic[8]; /* Without a null byte.  */
  uint32_t version;
  uint32_t slots;    /* Offset of the slots.  */
  uint64_t size;     /* Of the file.  */
  uint32_t nslots;   /* A power of two, at least HUGETEXT_INDEX_SLOTS.  */
  uint32_t general;  /* How many records have a prefix as key.  */
  uint32_t images;   /* How many images have records.  */
  uint32_t heats;    /* How many objects have records of heat.  */
  uint64_t prefixes; /* A bit for each length of a prefix that is a key.  */
};

/* The most bytes of a pattern that are a key.  */
#define HUGETEXT_INDEX_PREFIX_MAX 63

/* A slot: the record at RECORD has a key with this hash.  The key of a program
   is the base name of its pattern, or, if that has a star or question mark,
   the pattern's beginning before the first of these.  So a start that knows no
   more of its program than the base name, which costs less than a path, sees
   that the index has nothing about it, and of a thousand patterns with stars a
   start reads those that begin as its path does.  The key of an image is its
   object's identity, and the key of an object's heat is the complement of that
   hash.  The loader reads HUGETEXT_INDEX_SLOTS slots at a time: those of a
   hash begin at the multiple of that number below hash % nslots, and end
   before the first slot with record 0.  */
struct hugetext_index_slot
{
  uint32_t hash;
  uint32_t record; /* Offset, 0 for none.  */
};

#define HUGETEXT_INDEX_SLOTS 16

/* The kind of a record.  Others are skipped.  */
enum hugetext_index_kind
{
  HUGETEXT_RECORD_PROGRAM = 1,
  HUGETEXT_RECORD_IMAGE,
  HUGETEXT_RECORD_HEAT
};

/* The beginning of each record.  */
struct hugetext_index_record
{
  uint32_t kind;
  uint32_t order; /* The settings of a higher order win over those of a lower
                     one.  */
};

/* The longest pattern, list of objects, and path or place of settings, in
   bytes with the null byte.  Strings have room for these, so that a record
   needs no lengths.  */
#define HUGETEXT_PATTERN_MAX 1024
#define HUGETEXT_OBJECTS_MAX 512
#define HUGETEXT_SOURCE_MAX 256

/* Settings of programs whose paths match a pattern.  */
struct hugetext_index_program
{
  struct hugetext_index_record head;
  uint64_t value[HUGETEXT_VALUES];
  uint32_t given;  /* A bit for each key that is set.  */
  uint32_t unused; /* 0.  */
  char pattern[HUGETEXT_PATTERN_MAX];
  char objects[HUGETEXT_OBJECTS_MAX];
  char source[HUGETEXT_SOURCE_MAX]; /* The place they come from,
                                       "FILE:LINE".  */
};

/* The most blocks that an image has.  */
#define HUGETEXT_IMAGE_BLOCKS 512

/* The record of an image: a file in the store with an object's blocks, which
   have the bytes that copies in memory would have.  */
struct hugetext_index_image
{
  struct hugetext_index_record head;
  struct hugetext_identity object; /* Of its file.  */
  struct hugetext_identity image;  /* Of the image.  */
  uint64_t digest;                 /* hugetext_object_digest of the object.  */
  uint64_t block;                  /* Bytes in a block.  */
  uint64_t first;                  /* Link-time address of the first block.  */
  uint64_t offset;                 /* Offset of the first block in the
                                      image.  */
  uint64_t has[HUGETEXT_IMAGE_BLOCKS / 64]; /* A bit for each block.  */
  char name[HUGETEXT_SOURCE_MAX];           /* The image's path.  */
};

/* Most granules of an object (512 MiB of text).  */
#define HUGETEXT_HEAT_GRANULES 8192

/* The record of an object's heat: samples of where programs executed its text.
   A weight follows for each granule: the granule's share of all samples of its
   process, 65535 being all.  A granule with any sample has a weight of at
   least 1, and text before or behind the granules has 0.  */
struct hugetext_index_heat
{
  struct hugetext_index_record head;
  struct hugetext_identity object; /* Of its file.  */
  uint64_t digest;                 /* hugetext_object_digest of it.  */
  uint64_t first;                  /* Link-time address of the first granule, a
                                      multiple of their size.  */
  uint64_t granules;               /* 0 if no sample was in the object.  */
};

/* An index file that is read.  */
struct hugetext_index
{
  /* Read all LENGTH bytes at OFFSET into BUFFER, or return false.  */
  bool (*read) (void *closure, void *buffer, size_t length, uint64_t offset);
  void *closure;
  struct hugetext_index_header header;
};

/* The advice of an index about a program.  */
struct hugetext_advice
{
  uint32_t given; /* A bit for each key.  */
  uint32_t named; /* 1 if a pattern names the program (hugetext_names).  */
  uint32_t order[HUGETEXT_KEYS];
  uint64_t value[HUGETEXT_VALUES];
  char program[HUGETEXT_PATTERN_MAX]; /* The program's path.  */
  char objects[HUGETEXT_OBJECTS_MAX];
  char source[HUGETEXT_KEYS][HUGETEXT_SOURCE_MAX]; /* The place that each key
                                                      comes from.  */
};

/* The hash of LENGTH bytes at DATA.  */
extern uint32_t hugetext_index_hash (const void *data,
                                     size_t length) attribute_hidden;

/* Read the header of INDEX, whose member READ is set.  The caller checks that
   the file has the size that the header says before it reads more.  False if
   the file is no index, or an index of another version.  */
extern bool
hugetext_index_begin (struct hugetext_index *index) attribute_hidden;

/* Whether INDEX may have settings for a program with base name BASE.  */
extern bool hugetext_index_may_know (const struct hugetext_index *index,
                                     const char *base) attribute_hidden;

/* Set ADVICE, all zeros, to INDEX's settings for the program with the absolute
   path PATH.  False if INDEX has none.  */
extern bool
hugetext_index_find (const struct hugetext_index *index, const char *path,
                     struct hugetext_advice *advice) attribute_hidden;

/* Whether A and B are identities of the same file.  */
extern bool
hugetext_same_file (const struct hugetext_identity *a,
                    const struct hugetext_identity *b) attribute_hidden;

/* Whether FILE is on an anonymous device: the number belongs to no device, and
   the kernel gives tmpfs, overlayfs, btrfs, FUSE and NFS another one each
   time.  */
extern bool
hugetext_is_anonymous (const struct hugetext_identity *file) attribute_hidden;

/* Read the record of the image of OBJECT, whose blocks have BLOCK bytes, into
   RECORD.  False if there is none.  */
extern bool
hugetext_index_image (const struct hugetext_index *index,
                      const struct hugetext_identity *object, uint64_t block,
                      struct hugetext_index_image *record) attribute_hidden;

/* Whether IMAGE has the block at link-time address LINK.  Sets OFFSET to the
   block's offset in the image.  */
extern bool hugetext_image_block (const struct hugetext_index_image *image,
                                  uint64_t link,
                                  uint64_t *offset) attribute_hidden;

/* Read the record of OBJECT's heat into RECORD, and its weights into WEIGHT,
   an array of ROOM weights.  False if there is no record, or if WEIGHT is
   too short.  */
extern bool hugetext_index_heat (const struct hugetext_index *index,
                                 const struct hugetext_identity *object,
                                 struct hugetext_index_heat *record,
                                 uint16_t weight[],
                                 size_t room) attribute_hidden;

/* The hash that finds the heat of OBJECT.  */
extern uint32_t
hugetext_heat_key (const struct hugetext_identity *object) attribute_hidden;

/* Patterns: "?" matches any character but a slash, "*" any number of them,
   "**" any number of any characters.  All other characters match themselves.
 */

/* Whether all of NAME matches the LENGTH characters at PATTERN.  */
extern bool hugetext_match (const char *pattern, size_t length,
                            const char *name) attribute_hidden;

/* Whether PATTERN is about certain programs, not about all that are in a
   folder or anywhere: it has any character of their base names.  */
extern bool hugetext_names (const char *pattern) attribute_hidden;

/* The part of NAME behind its last slash, all of it if there is none.  */
extern const char *hugetext_base_name (const char *name) attribute_hidden;

/* Whether LIST allows an object named NAME to have huge pages.  LIST has
   patterns with blanks between them; the last pattern that matches decides: no
   if it begins with "!", yes otherwise.  A pattern without a slash is compared
   with the base name.  If no pattern matches, the answer is the opposite of
   the first pattern's.  An empty list allows all objects.  */
extern bool hugetext_objects_allow (const char *list,
                                    const char *name) attribute_hidden;

/* Return why a user other than root may have written a file with MODE that
   belongs to OWNER, NULL if no other user can have written it.  */
extern const char *_dl_hugetext_distrust (mode_t mode,
                                          uid_t owner) attribute_hidden;

#endif /* dl-hugetext-index.h */
