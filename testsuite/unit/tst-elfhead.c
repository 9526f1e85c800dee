/* Tests of reading ELF headers: a disk error does not count as a malformed
   file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* The error of every read after the first one, or 0 if there is none.  */
static int fault;

static ssize_t
read_at (int fd, void *buffer, size_t size, off_t offset)
{
  if (fault == 0 || offset == 0)
    return pread (fd, buffer, size, offset);
  errno = fault;
  return -1;
}

#define pread read_at
#include "object/elfhead.c"
#include "heat/directory.c"
#undef pread
#include "dl-hugetext-index.h"
#include "plan-test.h"

/* The test does not check who owns files.  */
const char *
_dl_hugetext_distrust (mode_t mode, uid_t owner)
{
  (void) mode;
  (void) owner;
  return "a test";
}

enum
{
  FAR = 1 << 20,
};

/* Return a file with this program's ELF header.  The only program header of
   the file, at offset HEADERS, is a note at FAR with a build ID.  */
static int
make_file (uint64_t headers)
{
  static const struct
  {
    Elf64_Nhdr head;
    char name[4];
    unsigned char id[20];
  } note = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", { 1, 2, 3 } };
  Elf64_Ehdr ehdr = __ehdr_start;
  const Elf64_Phdr phdr = {
    .p_type = PT_NOTE, .p_offset = FAR, .p_filesz = sizeof note, .p_align = 4
  };
  const int fd = memfd_create ("elf", MFD_CLOEXEC);
  ehdr.e_phoff = headers;
  ehdr.e_phnum = 1;
  EXPECT (fd >= 0 && pwrite (fd, &ehdr, sizeof ehdr, 0) == sizeof ehdr
          && pwrite (fd, &note, sizeof note, FAR) == sizeof note
          && pwrite (fd, &phdr, sizeof phdr, headers) == sizeof phdr);
  return fd;
}

/* Read the program headers of FD, and return the code of the problem.  */
static enum problem_code
try_headers (int fd)
{
  struct elf_head head;
  struct problem problem;
  EXPECT (!elfhead_read (fd, &head, &problem));
  return problem.code;
}

/* Read the build ID of FD, and return the code of the problem.  */
static enum problem_code
try_build_id (int fd)
{
  char id[2 * PROFILE_BUILD_ID_MAX + 1];
  struct problem problem;
  EXPECT (!profile_build_id (fd, id, &problem));
  return problem.code;
}

static void
test_headers (void)
{
  struct elf_head head;
  struct problem problem;
  const int fd = make_file (2 * FAR);
  EXPECT (elfhead_read (fd, &head, &problem));
  elfhead_free (&head);
  fault = EIO;
  EXPECT_EQUAL (try_headers (fd), PROBLEM_UNKNOWN);
  EXPECT_EQUAL (try_build_id (fd), PROBLEM_UNKNOWN);
  fault = ENOMEM;
  EXPECT_EQUAL (try_headers (fd), PROBLEM_MOMENTARY);
  EXPECT_EQUAL (try_build_id (fd), PROBLEM_MOMENTARY);
  fault = 0;
  EXPECT (ftruncate (fd, FAR) == 0);
  EXPECT_EQUAL (try_headers (fd), PROBLEM_PLAIN);
  close (fd);
}

static void
test_note (void)
{
  char id[2 * PROFILE_BUILD_ID_MAX + 1];
  struct problem problem;
  const int fd = make_file (sizeof (Elf64_Ehdr));
  EXPECT (profile_build_id (fd, id, &problem)
          && strncmp (id, "010203", 6) == 0);
  fault = EIO;
  EXPECT_EQUAL (try_build_id (fd), PROBLEM_UNKNOWN);
  fault = 0;
  close (fd);
}

/* Test that an answer with the time WHEN is refused unless GOOD is true.  The
   answer is accepted only if get_profile accepts WHEN, and the line with WHEN
   is then in the printed profile.  */
static void
expect_when (uint64_t when, bool good)
{
  struct message answer = { 0 };
  struct profile profile = { 0 };
  char *text = NULL;
  size_t size;
  message_put_number (&answer, 0);
  message_put_number (&answer, when);
  message_put_number (&answer, 1);
  message_put_number (&answer, 1);
  message_put_number (&answer, 0);
  message_put_number (&answer, 0);
  get_profile (&answer, "0123456789abcdef", &profile);
  EXPECT (answer.bad == !good);
  FILE *stream = open_memstream (&text, &size);
  if (!answer.bad)
    profile_print (stream, &profile);
  fclose (stream);
  EXPECT (answer.bad || strstr (text, "\nwhen ") != NULL);
  free (text);
  profile_free (&profile);
  message_free (&answer);
}

static void
test_when (void)
{
  expect_when (1795309323, true);
  expect_when (INT64_C (253402300799), true);
  expect_when (INT64_C (253402300800), false);
  expect_when (INT64_C (1) << 62, false);
}

int
main (void)
{
  test_when ();
  group_done ("times of profiles", 4);
  test_headers ();
  group_done ("program headers", 1);
  test_note ();
  group_done ("a note", 1);
  return 0;
}
