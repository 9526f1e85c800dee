/* The index: settings of programs, records of images and heat of objects, for
   the loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   "hugetext index" compiles the index from settings files and profiles, as
   ldconfig compiles ld.so.cache.  This header defines the format of the index,
   which doc/formats describes, and the functions that find a program in it.
   The functions make no system call: the caller passes a function that reads
   the file, so that the loader, the command and the fuzzer use the same code.
   Only root writes the file.  A damaged index may give wrong settings, but the
   functions never read or write outside of the file and of their buffers.  */

#ifndef _DL_HUGETEXT_INDEX_H
#define _DL_HUGETEXT_INDEX_H 1

#include <sys/types.h>

#include "dl-hugetext-names.h"

/* The file has a header, then records, then slots (a hash table with open
   addressing).  All numbers have the machine's byte order.  Offsets count from
   the beginning of the file.  Offsets and lengths of records are multiples of
   8.  */

#define HUGETEXT_INDEX_MAGIC "HUGETEXT"
/* The version of the format.  The version includes the numbers of settings,
   because records have a slot for each setting.  */
#define HUGETEXT_INDEX_VERSION (7 << 16 | HUGETEXT_VALUES << 8 | HUGETEXT_KEYS)

struct hugetext_index_header
{
  char magic[8]; /* HUGETEXT_INDEX_MAGIC without its null byte.  */
  uint32_t version;
  uint32_t slots;    /* The offset of the slots.  */
  uint64_t size;     /* The size of the file.  */
  uint32_t nslots;   /* The number of slots: a power of two, at least
                        HUGETEXT_INDEX_SLOTS.  */
  uint32_t general;  /* The number of records with a prefix as key.  */
  uint32_t images;   /* The number of records of images.  */
  uint32_t heats;    /* The number of records of heat.  */
  uint64_t prefixes; /* A bit for each length of a prefix in use.  */
};

/* The longest prefix of a pattern that can be a key, in bytes.  */
#define HUGETEXT_INDEX_PREFIX_MAX 63

/* A slot: the record at RECORD has a key with this hash.  The key of a program
   is the base name of its pattern.  If the base name has a star or a question
   mark, the key is the part of the pattern before the first such character.
   So a start can find out by the program's base name alone that the index has
   no settings for the program.  The base name is cheaper to find than the
   path.  Among a thousand patterns with stars, a start reads only the patterns
   that begin like its path.  The key of an image is its object's identity.
   The hash for heat is the complement of the hash of the object's identity.
   The loader reads HUGETEXT_INDEX_SLOTS slots at a time.  The slots for a hash
   begin at hash % nslots, rounded down to a multiple of HUGETEXT_INDEX_SLOTS,
   and end before the first slot with record 0.  */
struct hugetext_index_slot
{
  uint32_t hash;
  uint32_t record; /* The offset of the record, 0 if the slot is empty.  */
};

#define HUGETEXT_INDEX_SLOTS 16

/* The kind of a record.  Readers skip unknown kinds.  */
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
  uint32_t order; /* A record with a higher order overrides one with a lower
                     order.  */
};

/* The sizes in bytes, including the null byte, of the longest pattern, list of
   objects, and path or source of settings.  Records have arrays of the maximum
   sizes and need no lengths.  */
#define HUGETEXT_PATTERN_MAX 1024
#define HUGETEXT_OBJECTS_MAX 512
#define HUGETEXT_SOURCE_MAX 256

/* The record of settings for programs whose paths match a pattern.  */
struct hugetext_index_program
{
  struct hugetext_index_record head;
  uint64_t value[HUGETEXT_VALUES];
  uint32_t given;  /* A bit for each key that is set.  */
  uint32_t unused; /* Always 0.  */
  char pattern[HUGETEXT_PATTERN_MAX];
  char objects[HUGETEXT_OBJECTS_MAX];
  char source[HUGETEXT_SOURCE_MAX]; /* The source of the settings,
                                       "FILE:LINE".  */
};

/* The maximum number of blocks of an image.  */
#define HUGETEXT_IMAGE_BLOCKS 512

/* The record of an image, a file in the store.  An image holds blocks of an
   object, with the bytes that copies in memory would have.  */
struct hugetext_index_image
{
  struct hugetext_index_record head;
  struct hugetext_identity object; /* The identity of the object's file.  */
  struct hugetext_identity image;  /* The identity of the image.  */
  uint64_t digest;                 /* hugetext_object_digest of the object.  */
  uint64_t block;                  /* The size of a block in bytes.  */
  uint64_t first;                  /* The link-time address of the first
                                      block.  */
  uint64_t offset;                 /* The offset of the first block in the
                                      image.  */
  uint64_t has[HUGETEXT_IMAGE_BLOCKS / 64]; /* A bit for each block of the
                                               image.  */
  char name[HUGETEXT_SOURCE_MAX];           /* The image's path.  */
};

/* The maximum number of granules of an object (512 MiB of text).  */
#define HUGETEXT_HEAT_GRANULES 8192

/* The record of an object's heat: the samples of executed code in its text.
   After the record comes a weight for each granule: the granule's share of all
   samples of its process, in 1/65535.  A granule with at least one sample has
   a weight of at least 1.  Text outside of the granules has weight 0.  */
struct hugetext_index_heat
{
  struct hugetext_index_record head;
  struct hugetext_identity object; /* The identity of the object's file.  */
  uint64_t digest;                 /* hugetext_object_digest of the object.  */
  uint64_t first;                  /* The link-time address of the first
                                      granule, a multiple of
                                      HUGETEXT_GRANULE.  */
  uint64_t granules;               /* The number of granules, 0 if no sample
                                      was in the object.  */
};

/* An index that a program is reading.  */
struct hugetext_index
{
  /* Reads all LENGTH bytes at OFFSET into BUFFER, or returns false.  */
  bool (*read) (void *closure, void *buffer, size_t length, uint64_t offset);
  void *closure;
  struct hugetext_index_header header;
};

/* The settings for a program in the index.  */
struct hugetext_advice
{
  uint32_t given; /* A bit for each key that is set.  */
  uint32_t named; /* 1 if a pattern names the program (hugetext_names).  */
  uint32_t order[HUGETEXT_KEYS];
  uint64_t value[HUGETEXT_VALUES];
  char program[HUGETEXT_PATTERN_MAX]; /* The program's path.  */
  char objects[HUGETEXT_OBJECTS_MAX];
  char source[HUGETEXT_KEYS][HUGETEXT_SOURCE_MAX]; /* The source of each key's
                                                      value.  */
};

/* Return the hash of LENGTH bytes at DATA.  */
extern uint32_t hugetext_index_hash (const void *data,
                                     size_t length) attribute_hidden;

/* Read the header of INDEX, whose member READ the caller has set.  Return
   false if the file is not an index, or an index of another version.  Before
   the caller reads more, it must check that the file has the size in the
   header.  */
extern bool
hugetext_index_begin (struct hugetext_index *index) attribute_hidden;

/* Whether INDEX may have settings for a program with the base name BASE.  */
extern bool hugetext_index_may_know (const struct hugetext_index *index,
                                     const char *base) attribute_hidden;

/* Set ADVICE, which is all zeros, to INDEX's settings for the program with the
   absolute path PATH.  Return false if INDEX has no settings for the
   program.  */
extern bool
hugetext_index_find (const struct hugetext_index *index, const char *path,
                     struct hugetext_advice *advice) attribute_hidden;

/* Whether A and B are identities of the same file.  */
extern bool
hugetext_same_file (const struct hugetext_identity *a,
                    const struct hugetext_identity *b) attribute_hidden;

/* Whether FILE is on an anonymous device, whose number belongs to no hardware.
   The kernel assigns tmpfs, overlayfs, btrfs, FUSE and NFS a new number at
   each mount.  */
extern bool
hugetext_is_anonymous (const struct hugetext_identity *file) attribute_hidden;

/* Read the record of the image of OBJECT with blocks of BLOCK bytes into
   RECORD.  Return false if there is no such record.  */
extern bool
hugetext_index_image (const struct hugetext_index *index,
                      const struct hugetext_identity *object, uint64_t block,
                      struct hugetext_index_image *record) attribute_hidden;

/* Whether IMAGE has the block at link-time address LINK.  If IMAGE has the
   block, set OFFSET to the block's offset in the image.  */
extern bool hugetext_image_block (const struct hugetext_index_image *image,
                                  uint64_t link,
                                  uint64_t *offset) attribute_hidden;

/* Read the record of OBJECT's heat into RECORD, and its weights into WEIGHT,
   an array of ROOM weights.  Return false if there is no record, or if WEIGHT
   is too short.  */
extern bool hugetext_index_heat (const struct hugetext_index *index,
                                 const struct hugetext_identity *object,
                                 struct hugetext_index_heat *record,
                                 uint16_t weight[],
                                 size_t room) attribute_hidden;

/* Return the hash by which a reader finds the heat of OBJECT.  */
extern uint32_t
hugetext_heat_key (const struct hugetext_identity *object) attribute_hidden;

/* Patterns: "?" matches one character except a slash, "*" any number of
   characters except slashes, "**" any number of any characters.  All other
   characters match themselves.  */

/* Whether the whole of NAME matches the LENGTH characters at PATTERN.  */
extern bool hugetext_match (const char *pattern, size_t length,
                            const char *name) attribute_hidden;

/* Whether PATTERN names certain programs: it has a literal character in the
   base name.  Patterns without such a character are for all programs of a
   directory or of the system.  */
extern bool hugetext_names (const char *pattern) attribute_hidden;

/* Return the part of NAME after its last slash, or all of NAME if it has no
   slash.  */
extern const char *hugetext_base_name (const char *name) attribute_hidden;

/* Whether LIST allows an object named NAME to have huge pages.  LIST is a list
   of patterns separated by blanks.  The last pattern that matches decides: a
   pattern that begins with "!" denies, any other pattern allows.  A pattern
   without a slash is compared with the base name.  If no pattern matches, the
   answer is the opposite of the first pattern's answer.  An empty list allows
   all objects.  */
extern bool hugetext_objects_allow (const char *list,
                                    const char *name) attribute_hidden;

/* Return the reason why a user other than root may have written a file with
   mode MODE and owner OWNER.  Return NULL if only root can have written the
   file.  */
extern const char *_dl_hugetext_distrust (mode_t mode,
                                          uid_t owner) attribute_hidden;

#endif /* dl-hugetext-index.h */
