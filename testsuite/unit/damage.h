/* Damaged input for fuzzers of the command's parsers: the fuzzer's bytes are
   either the input itself, or changes to a valid input.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef DAMAGE_H
#define DAMAGE_H 1

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plan-test.h"

extern int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Make AddressSanitizer reuse freed memory soon, while it is still in the
   CPU's cache.  What was parsed is freed at the end of each input.  */
extern const char *__asan_default_options (void);

const char *
__asan_default_options (void)
{
  return "quarantine_size_mb=4";
}

/* Write the input that the SIZE bytes at DATA describe to BUFFER, which has
   ROOM bytes.  Either the bytes after the first one are the input, or they
   are changes to the LENGTH bytes at RIGHT.  A change consists of two bytes
   for its position, one byte for its length (up to eight), and the new bytes.
   Return the length of the input.  */
static inline size_t
damage (char *buffer, size_t room, const void *right, size_t length,
        const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  if (data[0] % 4 == 0)
    {
      size = size - 1 < room ? size - 1 : room;
      memcpy (buffer, data + 1, size);
      return size;
    }
  memcpy (buffer, right, length);
  size_t at = 1;
  while (at + 3 < size)
    {
      size_t where = (data[at] | data[at + 1] << 8) % length;
      size_t n = data[at + 2] % 8 + 1;
      at += 3;
      n = n < size - at ? n : size - at;
      n = n < length - where ? n : length - where;
      memcpy (buffer + where, data + at, n);
      at += n;
    }
  /* Cut some inputs short.  */
  return data[0] % 16 == 1 ? length * data[0] / 256 : length;
}

/* Return a file that contains the SIZE bytes at BYTES.  The descriptor is the
   same each time.  */
static inline int
damaged_file (const void *bytes, size_t size)
{
  static int fd = -1;
  if (fd < 0)
    fd = memfd_create ("damaged", MFD_CLOEXEC);
  /* Write before truncating, so that the kernel need not free pages and
     allocate new ones.  */
  EXPECT (fd >= 0 && pwrite (fd, bytes, size, 0) == (ssize_t) size
          && ftruncate (fd, size) == 0);
  return fd;
}

#endif /* damage.h */
