/* The index: what the loader remembers of programs, and of images of text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The index is a file that "hugetext index" compiles from settings files and
   profiles, which people edit, as ldconfig compiles ld.so.cache.  This header
   has the index's format, which doc/formats describes, and the functions that
   find a program in it.  They make no system call: the caller's function reads
   the file, so that the loader, the command and the fuzzer use the same code.
   Every field is checked before it is used, and a wrong record counts as
   missing.  */

#ifndef _DL_HUGETEXT_INDEX_H
#define _DL_HUGETEXT_INDEX_H 1

#include <sys/types.h>

#include "dl-hugetext-names.h"

/* The file: a header; slots, a table of hashes with open addressing; records.
   All numbers are the machine's own.  Offsets are from the beginning of the
   file and multiples of 8, as are all lengths of records.  */

#define HUGETEXT_INDEX_MAGIC "HUGETEXT"
#define HUGETEXT_INDEX_VERSION 3

struct hugetext_index_header
{
  char magic[8]; /* Without a null byte.  */
  uint32_t version;
  uint32_t slots;          /* Offset of the slots.  */
  uint64_t size;           /* Of the file.  */
  uint32_t nslots;         /* A power of two, or 0.  */
  uint32_t general;        /* Offset of the records that no slot leads
                              to, one behind the other: programs whose
                              patterns have no literal base name.  */
  uint32_t general_length; /* In bytes.  */
  uint32_t images;         /* How many images have records.  */
  uint32_t heats;          /* How many objects have records of heat.  */
  uint32_t unused[5];      /* 0.  */
};

/* A slot: the record at RECORD has a key with this hash.  The key of a program
   is the base name of its pattern, unless that contains "*" or "?".  So a
   start that knows no more of its program than the base name, which costs less
   than a path, sees that the index has nothing about it.  Slots of a hash
   begin at hash % nslots and end before the first slot with record 0, or
   HUGETEXT_INDEX_PROBES slots further on.  The key of an image is its object's
   identity, and the key of an object's heat is the complement of that
   hash.  */
struct hugetext_index_slot
{
  uint32_t hash;
  uint32_t record; /* Offset, 0 for none.  */
};

#define HUGETEXT_INDEX_PROBES 256

/* The kind of a record.  Others are skipped.  */
enum hugetext_index_kind
{
  HUGETEXT_RECORD_PROGRAM = 1,
  HUGETEXT_RECORD_IMAGE,
  HUGETEXT_RECORD_HEAT /* The only kind that may be longer than
                          HUGETEXT_RECORD_MAX.  */
};

struct hugetext_index_record
{
  uint32_t length; /* Of the record, in bytes.  */
  uint32_t kind;
  uint32_t order;  /* The settings of a higher order win over those of a lower
                      one.  */
  uint32_t unused; /* 0.  */
};

/* Settings of programs whose paths match a pattern.  Followed by the pattern,
   the list of objects and the place they come from, "FILE:LINE", each with a
   null byte, and zeros up to a multiple of 8.  */
struct hugetext_index_program
{
  struct hugetext_index_record head;
  uint64_t value[HUGETEXT_VALUES];
  uint32_t given;   /* A bit for each key that is set.  */
  uint16_t pattern; /* Lengths with the null bytes.  */
  uint16_t objects;
  uint16_t source;
  uint16_t unused[3]; /* 0.  */
};

/* The longest pattern, list of objects and place, in bytes with the null
   byte.  */
#define HUGETEXT_PATTERN_MAX 1024
#define HUGETEXT_OBJECTS_MAX 512
#define HUGETEXT_SOURCE_MAX 256
#define HUGETEXT_RECORD_MAX 2048

/* The identity of a file: numbers that no other file has, and that the file
   itself has no more after any change of its bytes, owner or mode.  Only the
   kernel sets a file's ctime, at each change, whatever utimensat puts into the
   mtime.  A file on an anonymous device has no identity: the kernel gives the
   device's number to another filesystem later, and a server may invent the
   other numbers. doc/experiments/identity has the trials.  */
struct hugetext_identity
{
  uint64_t device;
  uint64_t inode; /* Never 0, except in an identity that is not known.  */
  uint64_t size;
  int64_t mtime, ctime; /* In ns.  */
};

/* The identity of the file of STATUS, a struct stat or stat64.  */
#define HUGETEXT_IDENTITY(status)                        \
  ((struct hugetext_identity){                           \
      .device = (status)->st_dev,                        \
      .inode = (status)->st_ino,                         \
      .size = (status)->st_size,                         \
      .mtime = HUGETEXT_NANOSECONDS ((status)->st_mtim), \
      .ctime = HUGETEXT_NANOSECONDS ((status)->st_ctim) })

/* TIME, a struct timespec, in ns.  */
#define HUGETEXT_NANOSECONDS(time) \
  ((time).tv_sec * (int64_t) 1000000000 + (time).tv_nsec)

/* The most blocks that an image has.  */
#define HUGETEXT_IMAGE_BLOCKS 512

/* The record of an image: a file in the store with an object's blocks, which
   have the bytes that copies in memory would have.  The image's path with a
   null byte follows, and zeros up to a multiple of 8.  */
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
  uint16_t path;                            /* Length with the null byte.  */
  uint16_t unused[3];                       /* 0.  */
  char name[];
};

/* The size of a granule, in bytes of link-time addresses.  Heat is recorded by
   granule.  A granule is small enough that the heat of a block can be summed
   up wherever the block begins.  */
#define HUGETEXT_GRANULE (64 << 10)

/* Most granules of an object (512 MiB of text).  */
#define HUGETEXT_HEAT_GRANULES 8192

#define HUGETEXT_BUILD_ID_MAX 32

/* The record of an object's heat: samples of where programs executed its text.
   A weight follows for each granule: the granule's share of all samples of its
   process, 65535 being all.  A granule with any sample has a weight of at
   least 1, and text before or behind the granules has 0.  Then come zeros up
   to a multiple of 8.  The command shows the other fields to people.  */
struct hugetext_index_heat
{
  struct hugetext_index_record head;
  struct hugetext_identity object; /* Of its file.  */
  uint64_t digest;                 /* hugetext_object_digest of it.  */
  uint64_t first;                  /* Link-time address of the first granule, a
                                      multiple of their size.  */
  int64_t time;                    /* Of the profile, in s since 1970.  */
  uint32_t granules;               /* 0 if no sample was in the object.  */
  uint32_t build_id_length;
  unsigned char build_id[HUGETEXT_BUILD_ID_MAX];
};

/* The heat of an object.  WEIGHT is NULL if the index has no heat of it.  */
struct hugetext_heat
{
  uint64_t first;
  size_t granules;
  const uint16_t *weight;
};

/* A buffer for a record that is read.  */
union hugetext_index_buffer
{
  struct hugetext_index_record head;
  struct hugetext_index_program program;
  struct hugetext_index_image image;
  char bytes[HUGETEXT_RECORD_MAX];
};

/* The longest table of general records that is looked at, in bytes.  */
#define HUGETEXT_GENERAL_MAX (1024 * 1024)

/* An index file that is read.  */
struct hugetext_index
{
  /* Read all LENGTH bytes at OFFSET into BUFFER, or return false.  */
  bool (*read) (void *closure, void *buffer, size_t length, uint64_t offset);
  void *closure;
  uint64_t size; /* Of the file.  */
  struct hugetext_index_header header;
};

/* The strings of an advice: the list of objects, and the place that each key
   comes from, "" if it is not given.  */
struct hugetext_advice_text
{
  char objects[HUGETEXT_OBJECTS_MAX];
  char source[HUGETEXT_KEYS][HUGETEXT_SOURCE_MAX];
};

/* The advice of an index about a program.  */
struct hugetext_advice
{
  uint32_t given; /* A bit for each key; 0: the rest is not set.  */
  uint32_t order[HUGETEXT_KEYS];
  uint64_t value[HUGETEXT_VALUES];
  struct hugetext_advice_text text;
};

/* The hash of LENGTH bytes at DATA.  */
extern uint32_t hugetext_index_hash (const void *data,
                                     size_t length) attribute_hidden;

/* Read the header of INDEX, whose member READ is set, and set its SIZE to what
   the header says.  The caller checks that the file has that size before it
   reads more.  False if the file is no index, or an index of another
   version.  */
extern bool
hugetext_index_begin (struct hugetext_index *index) attribute_hidden;

/* Whether INDEX may have settings for a program with base name BASE.  */
extern bool hugetext_index_may_know (const struct hugetext_index *index,
                                     const char *base) attribute_hidden;

/* Set ADVICE to INDEX's settings for the program with the absolute path PATH.
   False if INDEX has none.  */
extern bool
hugetext_index_find (const struct hugetext_index *index, const char *path,
                     struct hugetext_advice *advice) attribute_hidden;

/* Read the record at OFFSET of INDEX.  False if it is missing or wrong.  */
extern bool
hugetext_index_record (const struct hugetext_index *index, uint64_t offset,
                       union hugetext_index_buffer *record) attribute_hidden;

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
                      union hugetext_index_buffer *record) attribute_hidden;

/* Whether IMAGE has the block at link-time address LINK.  Sets OFFSET to the
   block's offset in the image.  */
extern bool hugetext_image_block (const struct hugetext_index_image *image,
                                  uint64_t link,
                                  uint64_t *offset) attribute_hidden;

/* Read the record of OBJECT's heat into RECORD, and its weights into WEIGHT,
   an array of ROOM weights.  False if there is no record, or if WEIGHT is too
   short.  */
extern bool hugetext_index_heat (const struct hugetext_index *index,
                                 const struct hugetext_identity *object,
                                 struct hugetext_index_heat *record,
                                 uint16_t weight[],
                                 size_t room) attribute_hidden;

/* Read the record of heat at OFFSET in the same way.  False if it is not a
   record of heat.  */
extern bool hugetext_index_heat_at (const struct hugetext_index *index,
                                    uint64_t offset,
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
