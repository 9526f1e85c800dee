/* The index, in which the loader finds settings of programs, records of images
   and heat of objects.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   "hugetext index" compiles the index from settings files and profiles, as
   ldconfig compiles ld.so.cache.  This header defines the format of the index
   (described in doc/formats), and the functions that find a program in the
   index.  The functions make no system call: the caller passes a function that
   reads the index.  So the loader, the command and the fuzzer can use the same
   code.  Only root writes the index.  A damaged index may give wrong settings,
   but the functions never read or write outside of the file and of their
   buffers.  */

#ifndef _DL_HUGETEXT_INDEX_H
#define _DL_HUGETEXT_INDEX_H 1

#include <sys/types.h>

#include "dl-hugetext-names.h"

/* The file consists of a header, then records, then slots (a hash table with
   open addressing).  All numbers have the machine's byte order.  Offsets
   count from the beginning of the file.  Offsets and lengths of records are
   multiples of 8.  */

#define HUGETEXT_INDEX_MAGIC "HUGETEXT"
/* The version of the index's format.  The version contains the number of
   settings, because records have an element for each setting.  */
#define HUGETEXT_INDEX_VERSION (8 << 16 | HUGETEXT_VALUES << 8 | HUGETEXT_KEYS)

struct hugetext_index_header
{
  char magic[8]; /* HUGETEXT_INDEX_MAGIC without its null byte.  */
  uint32_t version;
  uint32_t slots;    /* The offset of the slots.  */
  uint64_t size;     /* The size of the file.  */
  uint32_t nslots;   /* The number of slots: a power of two, at least
                        HUGETEXT_INDEX_SLOTS.  */
  uint32_t general;  /* The number of records whose key is a prefix of the
                        pattern (a path), not a base name.  */
  uint32_t images;   /* The number of records of images.  */
  uint32_t heats;    /* The number of records of heat.  */
  uint64_t prefixes; /* Bit N is set if the key of some record is a prefix of a
                        path and has N bytes.  */
  uint64_t base_prefixes; /* Bit N is set if a record has a key of N bytes that
                             is a prefix of a base name.  */
};

/* The maximum length in bytes of a prefix that is the key of a record.  */
#define HUGETEXT_INDEX_PREFIX_MAX 63

/* A slot leads from the hash of a key to the record at offset RECORD.  The key
   of a program's record is the base name in the record's pattern.  If the base
   name in the pattern contains a star or a question mark, the key is the part
   of the base name before its first star or question mark.  If this part is
   empty, or if the base name contains "**" (which also matches slashes), the
   key is the part of the whole pattern before the pattern's first star or
   question mark.  Because base names are keys, the base name of a program
   usually suffices to see that the index has no settings for the program.  The
   loader finds out the base name of a program faster than the path of the
   program.  Even with a thousand patterns with stars, a start reads only
   patterns whose key is a prefix of the program's base name or path.  The key
   of an image is the identity of its object.  The hash for a record of heat is
   the complement of the hash of the object's identity.  The loader reads
   HUGETEXT_INDEX_SLOTS slots at a time.  The slots for a hash begin at number
   hash % nslots, rounded down to a multiple of HUGETEXT_INDEX_SLOTS, and end
   before the first empty slot.  */
struct hugetext_index_slot
{
  uint32_t hash;
  uint32_t record; /* The offset of the record in the file, or 0 if the slot
                      is empty.  */
};

#define HUGETEXT_INDEX_SLOTS 16

/* The kind of a record.  A reader of the index skips records of unknown
   kinds.  */
enum hugetext_index_kind
{
  HUGETEXT_RECORD_PROGRAM = 1,
  HUGETEXT_RECORD_IMAGE,
  HUGETEXT_RECORD_HEAT
};

/* The beginning of each record in the index.  */
struct hugetext_index_record
{
  uint32_t kind;
  uint32_t order; /* If two records set the same key for a program, the record
                     with the higher order wins.  */
};

/* The sizes in bytes, including the null byte, of the longest pattern, the
   longest list of objects, and the longest path or source of settings.
   Records contain strings in arrays of the maximum size, so a record needs no
   lengths.  */
#define HUGETEXT_PATTERN_MAX 1024
#define HUGETEXT_OBJECTS_MAX 512
#define HUGETEXT_SOURCE_MAX 256

/* A record with the settings for all programs whose paths match a
   pattern.  */
struct hugetext_index_program
{
  struct hugetext_index_record head;
  uint64_t value[HUGETEXT_VALUES];
  uint32_t given;  /* For each setting, a bit that says whether the record
                      sets it.  */
  uint32_t unused; /* Always 0.  */
  char pattern[HUGETEXT_PATTERN_MAX];
  char objects[HUGETEXT_OBJECTS_MAX];
  char source[HUGETEXT_SOURCE_MAX]; /* The source of the settings, as
                                       "FILE:LINE".  */
};

/* The maximum number of blocks of an image.  */
#define HUGETEXT_IMAGE_BLOCKS 512

/* The record of an image, which is a file in the store.  The image contains
   blocks of an object.  A block in an image has the same bytes as a copy of
   the block in memory.  */
struct hugetext_index_image
{
  struct hugetext_index_record head;
  struct hugetext_identity object; /* The identity of the object's file.  */
  struct hugetext_identity image;  /* The identity of the image.  */
  uint64_t digest;                 /* The hash of the object's segments
                                      (hugetext_object_digest).  */
  uint64_t block;                  /* The size of a block in bytes.  */
  uint64_t first;                  /* The link-time address of the first
                                      block.  */
  uint64_t offset;                 /* The offset of the first block in the
                                      image's file.  */
  uint64_t has[HUGETEXT_IMAGE_BLOCKS / 64]; /* For each block, a bit that says
                                               whether the image contains
                                               it.  */
  char name[HUGETEXT_SOURCE_MAX];           /* The path of the image.  */
};

/* The maximum number of granules (parts with a weight) of an object: 512 MiB
   of text.  */
#define HUGETEXT_HEAT_GRANULES 8192

/* The record of an object's heat: how the samples of executed code are
   distributed over the object's text.  The record is followed by a weight for
   each granule (a fixed range of text): the granule's share of all samples of
   the profiled process, in units of 1/65535.  The weight of a granule with at
   least one sample is at least 1.  Text outside of the granules has weight
   0.  */
struct hugetext_index_heat
{
  struct hugetext_index_record head;
  struct hugetext_identity object; /* The identity of the object's file.  */
  uint64_t digest;                 /* The hash of the object's segments
                                      (hugetext_object_digest).  */
  uint64_t first;                  /* The link-time address of the first
                                      granule, a multiple of
                                      HUGETEXT_GRANULE.  */
  uint64_t granules;               /* The number of granules, or 0 if the
                                      object had no sample.  */
};

/* An index that a program is reading.  */
struct hugetext_index
{
  /* A function that reads LENGTH bytes at OFFSET of the file into BUFFER.  The
     function returns false if it cannot read all LENGTH bytes.  */
  bool (*read) (void *closure, void *buffer, size_t length, uint64_t offset);
  void *closure;
  struct hugetext_index_header header;
};

/* The settings that the index has for one program.  */
struct hugetext_advice
{
  uint32_t given; /* For each setting, a bit that says whether the index sets
                     it.  */
  uint32_t named; /* 1 if the pattern of a record names the program itself
                     (hugetext_names), otherwise 0.  */
  uint32_t order[HUGETEXT_KEYS];
  uint64_t value[HUGETEXT_VALUES];
  char program[HUGETEXT_PATTERN_MAX]; /* The path of the program.  */
  char objects[HUGETEXT_OBJECTS_MAX];
  char source[HUGETEXT_KEYS][HUGETEXT_SOURCE_MAX]; /* The source of the value
                                                      of each setting, as
                                                      "FILE:LINE".  */
};

/* Return the hash of the LENGTH bytes at DATA.  */
extern uint32_t hugetext_index_hash (const void *data,
                                     size_t length) attribute_hidden;

/* Read the header of INDEX, after the caller has set the member READ.  Return
   false if the file is not an index, or is an index of another version.
   Before reading more, the caller must check that the file's size is the size
   in the header.  */
extern bool
hugetext_index_begin (struct hugetext_index *index) attribute_hidden;

/* Return false if INDEX certainly has no settings for a program with the base
   name BASE.  Return true if INDEX may have settings for such a program; only
   hugetext_index_find shows whether INDEX has any.  */
extern bool hugetext_index_may_know (const struct hugetext_index *index,
                                     const char *base) attribute_hidden;

/* Set ADVICE to the settings that INDEX has for the program with the absolute
   path PATH.  Return false if INDEX has no settings for the program.  On
   entry, ADVICE must be all zeros.  */
extern bool
hugetext_index_find (const struct hugetext_index *index, const char *path,
                     struct hugetext_advice *advice) attribute_hidden;

/* Return true if the identities A and B are those of the same file.  */
extern bool
hugetext_same_file (const struct hugetext_identity *a,
                    const struct hugetext_identity *b) attribute_hidden;

/* Return true if FILE is on an anonymous device, that is, a device number
   without hardware.  The kernel assigns a new anonymous device at each mount
   of tmpfs, overlayfs, btrfs, FUSE or NFS.  */
extern bool
hugetext_is_anonymous (const struct hugetext_identity *file) attribute_hidden;

/* Read into RECORD the record of OBJECT's image with blocks of BLOCK bytes.
   Return false if INDEX has no image of OBJECT with blocks of this size.  */
extern bool
hugetext_index_image (const struct hugetext_index *index,
                      const struct hugetext_identity *object, uint64_t block,
                      struct hugetext_index_image *record) attribute_hidden;

/* Return true if IMAGE contains the block at the link-time address LINK.  If
   the image contains the block, set OFFSET to the block's offset in the
   image's file.  */
extern bool hugetext_image_block (const struct hugetext_index_image *image,
                                  uint64_t link,
                                  uint64_t *offset) attribute_hidden;

/* Read the record of OBJECT's heat into RECORD, and its weights into WEIGHT,
   an array of ROOM elements.  Return false if INDEX has no heat of OBJECT, or
   if WEIGHT is too short.  */
extern bool hugetext_index_heat (const struct hugetext_index *index,
                                 const struct hugetext_identity *object,
                                 struct hugetext_index_heat *record,
                                 uint16_t weight[],
                                 size_t room) attribute_hidden;

/* Return the hash under which the index has the heat of OBJECT.  */
extern uint32_t
hugetext_heat_key (const struct hugetext_identity *object) attribute_hidden;

/* In patterns, "?" matches one character except a slash, "*" matches any
   number of characters except slashes, and "**" matches any number of any
   characters.  All other characters match themselves.  */

/* Return true if the whole of NAME matches the LENGTH characters at
   PATTERN.  */
extern bool hugetext_match (const char *pattern, size_t length,
                            const char *name) attribute_hidden;

/* Return true if PATTERN names particular programs.  A pattern names
   particular programs if its base name contains a character other than "*" and
   "?".  Otherwise the pattern is for all programs of a directory or of the
   system, as "**" is.  */
extern bool hugetext_names (const char *pattern) attribute_hidden;

/* Return the part of NAME after its last slash, or all of NAME if it has no
   slash.  */
extern const char *hugetext_base_name (const char *name) attribute_hidden;

/* Return true if LIST allows the object NAME to have huge pages.  LIST is a
   list of patterns separated by blanks.  Among the patterns that match NAME,
   the last pattern decides: if it begins with "!" the object may not have huge
   pages, otherwise it may.  A pattern without a slash is compared with the
   base name of the object.  If no pattern matches, the object is allowed only
   if the first pattern begins with "!".  An empty list allows all objects.  */
extern bool hugetext_objects_allow (const char *list,
                                    const char *name) attribute_hidden;

/* LIST has LENGTH characters: patterns separated by spaces.  Return true if
   one of these patterns matches NAME.  If PATHS is true, consider only
   patterns with a slash, and compare them with NAME; otherwise consider only
   patterns without a slash, and compare them with the base name of NAME.  */
extern bool hugetext_words_match (const char *list, size_t length,
                                  const char *name,
                                  bool paths) attribute_hidden;

/* If a user other than root may have written a file with mode MODE and owner
   OWNER, return a text that says why.  Return NULL if only root can have
   written the file.  */
extern const char *_dl_hugetext_distrust (mode_t mode,
                                          uid_t owner) attribute_hidden;

#endif /* dl-hugetext-index.h */
