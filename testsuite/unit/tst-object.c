/* Tests of the description of an object: the loader must get the same
   description when it places the object and when it populates the object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   When the loader places an object, it has the program headers in the file;
   when it populates the object, it has those in memory.  The test compares
   both descriptions for all objects of its own process.  The test also checks
   that the digest depends on each member of a description.  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "plan-test.h"

static unsigned long int count;

/* Read the program headers of the file FD in the same way as the loader.
   Return their number.  */
static size_t
file_headers (int fd, ElfW (Phdr) phdr[HUGETEXT_PHDRS_MAX])
{
  ElfW (Ehdr) header;
  EXPECT (pread (fd, &header, sizeof header, 0) == sizeof header);
  EXPECT (header.e_phnum <= HUGETEXT_PHDRS_MAX);
  size_t size = header.e_phnum * sizeof *phdr;
  EXPECT (pread (fd, phdr, size, header.e_phoff) == (ssize_t) size);
  return header.e_phnum;
}

/* Compare each member, because padding may differ.  */
static void
expect_same (const struct hugetext_object *a, const struct hugetext_object *b)
{
  EXPECT_EQUAL (a->nsegments, b->nsegments);
  EXPECT_EQUAL (a->align, b->align);
  EXPECT_EQUAL (a->relro_start, b->relro_start);
  EXPECT_EQUAL (a->relro_end, b->relro_end);
  for (size_t i = 0; i < a->nsegments; ++i)
    {
      const struct hugetext_segment *s = &a->segment[i];
      const struct hugetext_segment *t = &b->segment[i];
      EXPECT_EQUAL (s->start, t->start);
      EXPECT_EQUAL (s->end, t->end);
      EXPECT_EQUAL (s->fileend, t->fileend);
      EXPECT_EQUAL (s->datastart, t->datastart);
      EXPECT_EQUAL (s->dataend, t->dataend);
      EXPECT_EQUAL (s->offset, t->offset);
      EXPECT (s->read == t->read && s->write == t->write
              && s->exec == t->exec);
    }
  EXPECT_EQUAL (hugetext_object_digest (a), hugetext_object_digest (b));
}

/* Check that each changed bit of each member of OBJECT changes the
   digest.  */
static void
expect_digest_tells (const struct hugetext_object *object)
{
  uint64_t digest = hugetext_object_digest (object);
  for (size_t i = 0; i < object->nsegments; ++i)
    for (unsigned int member = 0; member < 6; ++member)
      for (unsigned int bit = 0; bit < 64; ++bit)
        {
          struct hugetext_object other = *object;
          struct hugetext_segment *s = &other.segment[i];
          uintptr_t *words[] = { &s->start,     &s->end,     &s->fileend,
                                 &s->datastart, &s->dataend, &s->offset };
          *words[member] ^= (uintptr_t) 1 << bit;
          EXPECT (hugetext_object_digest (&other) != digest);
          ++count;
        }
  struct hugetext_object other = *object;
  other.segment[0].exec = !other.segment[0].exec;
  EXPECT (hugetext_object_digest (&other) != digest);
  other = *object;
  ++other.relro_end;
  EXPECT (hugetext_object_digest (&other) != digest);
  /* The digest does not depend on where the object is.  */
  other = *object;
  other.bias = 0x200000;
  other.low = 1;
  EXPECT_EQUAL (hugetext_object_digest (&other), digest);
  count += 3;
}

static int
compare (struct dl_phdr_info *info, size_t size, void *closure)
{
  uintptr_t page = getpagesize ();
  const char *name
      = info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe";
  ElfW (Phdr) phdr[HUGETEXT_PHDRS_MAX];
  struct hugetext_object placed, populated;
  const struct hugetext_geometry geo = hugetext_geometry (page);

  (void) size;
  (void) closure;
  int fd = open (name, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    /* Skip the vDSO.  */
    return 0;
  size_t n = file_headers (fd, phdr);
  close (fd);
  test_object = &placed;
  /* What the memory contained before must make no difference.  */
  memset (&placed, 0x5a, sizeof placed);
  memset (&populated, 0xa5, sizeof populated);
  hugetext_describe (&placed, phdr, n, page);
  hugetext_describe (&populated, info->dlpi_phdr, info->dlpi_phnum, page);
  EXPECT (hugetext_object_check (&placed, &geo) == NULL);
  expect_same (&placed, &populated);
  expect_digest_tells (&placed);
  test_object = NULL;
  ++count;
  return 0;
}

/* Check an object with N segments of one page each.  The object is invalid
   because of WHY, or valid if WHY is NULL.  */
static void
expect_segments (size_t n, const char *why)
{
  ElfW (Phdr) phdr[HUGETEXT_SEGMENTS_MAX + 2] = { 0 };
  struct hugetext_object object;
  const struct hugetext_geometry geo = hugetext_geometry (getpagesize ());
  for (size_t i = 0; i < n; ++i)
    phdr[i] = (ElfW (Phdr)){ .p_type = PT_LOAD,
                             .p_vaddr = i * geo.page,
                             .p_filesz = geo.page,
                             .p_memsz = geo.page,
                             .p_align = geo.page };
  hugetext_describe (&object, phdr, n, geo.page);
  const char *problem = hugetext_object_check (&object, &geo);
  EXPECT ((problem == NULL) == (why == NULL));
  EXPECT (why == NULL || strcmp (problem, why) == 0);
  ++count;
}

int
main (void)
{
  expect_segments (0, "the object has no segments");
  expect_segments (HUGETEXT_SEGMENTS_MAX, NULL);
  expect_segments (HUGETEXT_SEGMENTS_MAX + 1,
                   "the object has too many segments");
  expect_segments (HUGETEXT_SEGMENTS_MAX + 2,
                   "the object has too many segments");
  EXPECT_EQUAL (dl_iterate_phdr (compare, NULL), 0);
  EXPECT (count > 1000);
  group_done ("description", count);
  return 0;
}
