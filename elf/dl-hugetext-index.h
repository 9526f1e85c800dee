/* The index: what the loader remembers of programs, and of images of text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A file that "hugetext index" compiles from what people edit, as ldconfig
   does ld.so.cache.  Here are its format, which doc/formats describes, and
   what finds a program in it.  Pure: bytes come from a function of the
   caller's, so the loader, the command and the fuzzer read it with the same
   code. Nothing in a file is believed before it is checked, and a record that
   is wrong is as none.  */

#ifndef _DL_HUGETEXT_INDEX_H
#define _DL_HUGETEXT_INDEX_H 1

#include "dl-hugetext-names.h"

/* The file: a header; slots, a table of hashes with open addressing; records.
   All numbers are the machine's own.  Offsets are from the beginning of the
   file and multiples of 8, as are all lengths of records.  */

#define HUGETEXT_INDEX_MAGIC "HUGETEXT"
#define HUGETEXT_INDEX_VERSION 2

struct hugetext_index_header
{
  char magic[8]; /* Without a null byte.  */
  uint32_t version;
  uint32_t check;          /* hugetext_index_hash of the header with 0
                              here.  */
  uint64_t size;           /* Of the file.  */
  uint32_t slots;          /* Offset of the slots.  */
  uint32_t nslots;         /* A power of two, or 0.  */
  uint32_t general;        /* Offset of the records that no slot leads
                              to, one behind the other: programs whose
                              patterns have no literal base name.  */
  uint32_t general_length; /* In bytes.  */
  uint32_t images;         /* How many images have records.  */
  uint32_t heats;          /* How many objects have records of heat.  */
  uint32_t unused[4];      /* 0.  */
};

/* Record RECORD has a key of this hash: a program's is the base name of its
   pattern, unless "*" or "?" is in that.  So a start need not know more of
   its program than a base name, which costs less than a path, to see that
   there is nothing about it.  Slots of a hash begin at hash % nslots and end
   before the first one with record 0, at the latest HUGETEXT_INDEX_PROBES
   further on.  An image's key is its object's identity; the complement of that
   hash is for the object's heat.  */
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
  HUGETEXT_RECORD_HEAT /* The only one that may be longer than
                          HUGETEXT_RECORD_MAX.  */
};

struct hugetext_index_record
{
  uint32_t length; /* Of the record, in bytes.  */
  uint32_t check;  /* hugetext_index_hash of what follows.  */
  uint32_t kind;
  uint32_t order; /* A program's settings beat those of lower
                     orders.  */
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

/* The longest that they may be, null bytes included.  */
#define HUGETEXT_PATTERN_MAX 1024
#define HUGETEXT_OBJECTS_MAX 512
#define HUGETEXT_SOURCE_MAX 256
#define HUGETEXT_RECORD_MAX 2048

/* The identity of a file: what tells it, with the bytes, owner and mode that
   it has, from all other files and from what it will be after any change. Only
   the kernel sets a file's ctime, at each change, whatever utimensat puts into
   the mtime.  A file on an anonymous device has no identity: the kernel gives
   the device's number to another filesystem, of which a server may say
   anything.  doc/experiments/identity has what was tried.  */
struct hugetext_identity
{
  uint64_t device;
  uint64_t inode; /* Never 0, but where nothing is known.  */
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

/* Most blocks of an object that a store has.  */
#define HUGETEXT_IMAGE_BLOCKS 512

/* An image of an object's blocks in the store, as copies of them would be in
   memory.  Followed by the image's path with a null byte, and zeros up to a
   multiple of 8.  */
struct hugetext_index_image
{
  struct hugetext_index_record head;
  struct hugetext_identity object; /* Of its file.  */
  struct hugetext_identity image;  /* Of the image.  */
  uint64_t digest;                 /* hugetext_object_digest of the object.  */
  uint64_t block;                  /* Bytes in a block.  */
  uint64_t first;                  /* Link-time address of the first block.  */
  uint64_t offset;                 /* Of that in the image.  */
  uint64_t has[HUGETEXT_IMAGE_BLOCKS / 64]; /* A bit for each block.  */
  uint16_t path;                            /* Length with the null byte.  */
  uint16_t unused[3];                       /* 0.  */
  char name[];
};

/* Heat is known by granules of so many bytes of link-time addresses: small
   enough for what a block holds to be told wherever it begins.  */
#define HUGETEXT_GRANULE (64 << 10)

/* Most granules of an object (512 MiB of text).  */
#define HUGETEXT_HEAT_GRANULES 8192

#define HUGETEXT_BUILD_ID_MAX 32

/* How hot an object's text is: where programs were when they were looked at.
   Followed by a weight for each granule, which is its share of all that its
   process executed, 65535 being all; what was seen at all has at least 1, and
   what lies before or behind the granules has 0.  Then zeros up to a multiple
   of 8.  The rest is for people.  */
struct hugetext_index_heat
{
  struct hugetext_index_record head;
  struct hugetext_identity object; /* Of its file.  */
  uint64_t digest;                 /* hugetext_object_digest of it.  */
  uint64_t first;                  /* Link-time address of the first granule, a
                                      multiple of their size.  */
  int64_t time;                    /* Of the profile, in s since 1970.  */
  uint32_t granules;               /* 0 if nothing of it was seen.  */
  uint32_t build_id_length;
  unsigned char build_id[HUGETEXT_BUILD_ID_MAX];
};

/* The heat of an object.  Without WEIGHT nothing is known of it.  */
struct hugetext_heat
{
  uint64_t first;
  size_t granules;
  const uint16_t *weight;
};

/* A record as it is read.  */
union hugetext_index_buffer
{
  struct hugetext_index_record head;
  struct hugetext_index_program program;
  struct hugetext_index_image image;
  char bytes[HUGETEXT_RECORD_MAX];
};

/* The longest table of general records that is looked at, in bytes.  */
#define HUGETEXT_GENERAL_MAX (1024 * 1024)

/* A file to read.  */
struct hugetext_index
{
  /* Read LENGTH bytes at OFFSET into BUFFER, all of them or return false.  */
  bool (*read) (void *closure, void *buffer, size_t length, uint64_t offset);
  void *closure;
  uint64_t size; /* Of the file.  */
  struct hugetext_index_header header;
};

/* The advice of an index about a program.  */
struct hugetext_advice
{
  uint32_t given; /* A bit for each key.  */
  uint64_t value[HUGETEXT_VALUES];
  uint32_t order[HUGETEXT_KEYS];
  uint32_t record[HUGETEXT_KEYS]; /* Where it says so.  */
};

/* The strings of an advice: where each key comes from, "" if it is not
   given.  */
struct hugetext_advice_text
{
  char objects[HUGETEXT_OBJECTS_MAX];
  char source[HUGETEXT_KEYS][HUGETEXT_SOURCE_MAX];
};

/* The hash of LENGTH bytes at DATA.  */
extern uint32_t hugetext_index_hash (const void *data,
                                     size_t length) attribute_hidden;

/* Read the header of INDEX, whose function is set, and set its size to what
   the header says; that the file has it must be seen to before more is read.
   False if this is no index, or one of another version.  */
extern bool
hugetext_index_begin (struct hugetext_index *index) attribute_hidden;

/* Whether INDEX may say anything about a program with base name BASE.  */
extern bool hugetext_index_may_know (const struct hugetext_index *index,
                                     const char *base) attribute_hidden;

/* Set ADVICE to what INDEX says about the program with path PATH, which is
   absolute.  False if it says nothing.  */
extern bool
hugetext_index_find (const struct hugetext_index *index, const char *path,
                     struct hugetext_advice *advice) attribute_hidden;

/* Read the record at OFFSET of INDEX.  False if there is none, or a wrong
   one.  */
extern bool
hugetext_index_record (const struct hugetext_index *index, uint64_t offset,
                       union hugetext_index_buffer *record) attribute_hidden;

/* Set TEXT to the strings of ADVICE.  False if they cannot be read.  */
extern bool
hugetext_index_text (const struct hugetext_index *index,
                     const struct hugetext_advice *advice,
                     struct hugetext_advice_text *text) attribute_hidden;

/* Whether A and B are the same.  */
extern bool
hugetext_same_file (const struct hugetext_identity *a,
                    const struct hugetext_identity *b) attribute_hidden;

/* Whether the file FILE is on an anonymous device: a number without a device,
   which the kernel gives to tmpfs, overlayfs, btrfs, FUSE and NFS, each time
   another one.  */
extern bool
hugetext_is_anonymous (const struct hugetext_identity *file) attribute_hidden;

/* Read the record of the image of OBJECT, whose blocks have BLOCK bytes, into
   RECORD.  False if there is none.  */
extern bool
hugetext_index_image (const struct hugetext_index *index,
                      const struct hugetext_identity *object, uint64_t block,
                      union hugetext_index_buffer *record) attribute_hidden;

/* Whether IMAGE has the block at link-time address LINK.  Sets OFFSET to its
   place.  */
extern bool hugetext_image_block (const struct hugetext_index_image *image,
                                  uint64_t link,
                                  uint64_t *offset) attribute_hidden;

/* Read the record of OBJECT's heat into RECORD, and its weights into WEIGHT,
   which has room for ROOM.  False if there is none, or no room.  */
extern bool hugetext_index_heat (const struct hugetext_index *index,
                                 const struct hugetext_identity *object,
                                 struct hugetext_index_heat *record,
                                 uint16_t weight[],
                                 size_t room) attribute_hidden;

/* The same of the record at OFFSET, if it is one of heat.  */
extern bool hugetext_index_heat_at (const struct hugetext_index *index,
                                    uint64_t offset,
                                    struct hugetext_index_heat *record,
                                    uint16_t weight[],
                                    size_t room) attribute_hidden;

/* The hash by which the heat of OBJECT is found.  */
extern uint32_t
hugetext_heat_key (const struct hugetext_identity *object) attribute_hidden;

#endif /* dl-hugetext-index.h */
