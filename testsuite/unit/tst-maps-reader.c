/* Tests of the search for names of /proc/PID/maps, in bytes as compilers
   generate them, and in files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE

#include "object/maps-reader.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int failures, cases;

#define BYTES(text) text, sizeof text

static void
check (const char *data, size_t size, bool wanted)
{
  struct hugetext_maps_words words = { 0 };
  cases++;
  hugetext_maps_look (&words, data, size, 0, size);
  if (hugetext_maps_may_look (&words, true) == wanted)
    return;
  printf ("%.*s: %snamed\n", (int) size, data, wanted ? "not " : "");
  ++failures;
}

/* Check the same if a library in DATA allows copies, but no image.  */
static void
check_copies (const char *data, size_t size, bool wanted)
{
  struct hugetext_maps_words words = { 0 };
  check (data, size, true);
  hugetext_maps_look (&words, data, size, 0, size);
  cases++;
  if (hugetext_maps_may_look (&words, false) == wanted)
    return;
  printf ("%.*s: %snamed, for copies\n", (int) size, data,
          wanted ? "not " : "");
  ++failures;
}

static void
check_reviewed (const char *path, bool wanted)
{
  cases++;
  if ((hugetext_maps_reviewed (path) != NULL) == wanted)
    return;
  printf ("%s: %sreviewed\n", path, wanted ? "not " : "");
  ++failures;
}

/* Check a file of SIZE bytes with WORDS at AT.  The test object consists of
   two segments, which together map the whole file.  */
static void
check_file (size_t size, const char *words, size_t at, const char *path,
            bool wanted)
{
  int fd = memfd_create ("file", 0);
  struct hugetext_object object = { .nsegments = 2 };
  size_t half = 4096;
  object.segment[0]
      = (struct hugetext_segment){ .datastart = 0x10, .dataend = half };
  object.segment[1] = (struct hugetext_segment){ .start = 0x100000 + half,
                                                 .datastart = 0x100010 + half,
                                                 .dataend = 0x100000 + size,
                                                 .offset = half };
  cases++;
  if (fd < 0 || ftruncate (fd, size) != 0
      || pwrite (fd, words, strlen (words), at) != (ssize_t) strlen (words))
    exit (77);
  struct problem problem;
  if (maps_reader_check (fd, path, &object, &problem) == wanted)
    {
      printf ("%s at %zu of %zu: %sa reader\n", words, at, size,
              wanted ? "not " : "");
      ++failures;
    }
  close (fd);
}

/* Return true if OBJECT must not be copied.  The object's file is PATH, and FD
   is its descriptor.  */
static bool
needs_path (int fd, const char *path, const struct hugetext_object *object)
{
  char buffer[HUGETEXT_MAPS_BEFORE + PIECE + HUGETEXT_MAPS_BEHIND];
  const struct hugetext_maps_search search
      = { .read = object_maps_reader_read_file,
          .closure = &fd,
          .buffer = buffer,
          .size = sizeof buffer };
  return hugetext_needs_path (object, path, &search);
}

/* Check a file that contains WORDS in its text if IN_TEXT, otherwise in its
   constants.  If CONSTANTS, the object has constants apart from its text.  */
static void
check_path (const char *path, const char *words, bool in_text, bool constants,
            bool wanted)
{
  int fd = memfd_create ("file", 0);
  struct hugetext_object object = { .nsegments = constants ? 3 : 2 };
  object.segment[0] = (struct hugetext_segment){
    .datastart = 0, .dataend = 0x3000, .read = true, .exec = true
  };
  object.segment[1] = (struct hugetext_segment){ .start = 0x5000,
                                                 .datastart = 0x5000,
                                                 .dataend = 0x6000,
                                                 .offset = 0x5000,
                                                 .read = true,
                                                 .write = true };
  object.segment[2] = (struct hugetext_segment){ .start = 0x7000,
                                                 .datastart = 0x7000,
                                                 .dataend = 0xa000,
                                                 .offset = 0x7000,
                                                 .read = true };
  cases++;
  if (fd < 0 || ftruncate (fd, 0xb000) != 0
      || pwrite (fd, words, strlen (words), in_text ? 0x1ff8 : 0x8ff8)
             != (ssize_t) strlen (words)
      || pwrite (fd, "/proc/self/maps", 15, 0x5100) != 15)
    exit (77);
  if (needs_path (fd, path, &object) != wanted)
    {
      printf ("%s, %s in its %s: %sneeds its path\n",
              path != NULL ? path : "no path", words,
              in_text ? "text" : "constants", wanted ? "not " : "");
      ++failures;
    }
  close (fd);
}

/* Which objects need their path: all except those of the distribution.  */
static void
check_paths (void)
{
  static const char *const distribution[]
      = { "/usr/bin/x",    "/usr/lib/x/y.so",
          "/bin/x",        "/sbin/x",
          "/lib/y.so",     "/lib64/y.so",
          "/usr/localx/y", "/opt/java/lib/server/libjvm.so" },
      *const others[]
      = { "/usr/local/bin/x", "/opt/x/bin/x",         "/home/x/bin/x", "bin/x",
          "./usr/bin/x",      "/usr/../home/x/bin/x", "/library/x",    NULL };
  static const char words[] = "/proc/self/maps";
  for (size_t i = 0; i < sizeof distribution / sizeof *distribution; ++i)
    check_path (distribution[i], words, false, true, false);
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    {
      check_path (others[i], words, false, true, true);
      check_path (others[i], "/proc/self/smaps", false, true, false);
      /* Only read-only segments are searched, and text only if there is
         nothing else.  */
      check_path (others[i], words, true, true, false);
      check_path (others[i], words, true, false, true);
      check_path (others[i], words, false, false, false);
    }
}

/* An object with the symbols "other" and NAME in one chain.  */
struct object
{
  uint32_t head[4];
  Elf64_Addr filter;
  uint32_t bucket, chain[2];
  Elf64_Sym symbol[3];
  char strings[64];
};

static const void *
object_bytes (void *closure, uintptr_t address, size_t size)
{
  return (address <= sizeof (struct object)
                  && size <= sizeof (struct object) - address
              ? (const char *) closure + address
              : NULL);
}

static uint32_t
gnu_hash (const char *name)
{
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name)
    hash = hash * 33 + (unsigned char) *name;
  return hash;
}

/* Check whether the symbol NAME is recognized as the function by which tools
   recognize an object.  If HARM is less than the object's size, the test sets
   the byte at offset HARM to 0xff.  */
static void
check_looked_up (const char *name, size_t harm, bool wanted)
{
  struct object object = { .head = { 1, 1, 1, 6 },
                           .filter = ~(Elf64_Addr) 0,
                           .bucket = 1,
                           .strings = "other" };
  const struct hugetext_symbols symbols
      = { .bytes = object_bytes,
          .closure = &object,
          .symbols = offsetof (struct object, symbol),
          .strings = offsetof (struct object, strings) };
  object.chain[0] = gnu_hash ("other") & ~1u;
  object.chain[1] = gnu_hash (name) | 1;
  object.symbol[1] = (Elf64_Sym){ .st_name = 0, .st_value = 0x1000 };
  object.symbol[2] = (Elf64_Sym){ .st_name = 16, .st_value = 0x2000 };
  strcpy (object.strings + 16, name);
  if (harm < sizeof object)
    ((unsigned char *) &object)[harm] = 0xff;
  const uintptr_t found = hugetext_looked_up (&symbols);
  cases++;
  /* With a damaged table, nothing outside of the object may be read.  */
  if (harm < sizeof object || found == (wanted ? 0x2000 : 0))
    return;
  printf ("%s: %lx looked up\n", name, (unsigned long) found);
  ++failures;
}

int
main (void)
{
  check_looked_up ("AsyncGetCallTrace", SIZE_MAX, true);
  check_looked_up ("AsyncGetCallTracer", SIZE_MAX, false);
  check_looked_up ("JVM_Open", SIZE_MAX, false);
  for (size_t i = 0; i < sizeof (struct object); ++i)
    check_looked_up ("AsyncGetCallTrace", i, true);
  check_paths ();
  check (BYTES ("/proc/self/maps"), true);
  check (BYTES ("/proc/thread-self/maps"), true);
  check (BYTES ("%s/self/maps"), true);
  check (BYTES ("/proc/%d/maps"), true);
  check (BYTES ("/proc/%d/task/%ld/maps"), true);
  check (BYTES ("/proc/%llu/maps"), true);
  /* Strings in Rust do not end with a null byte.  */
  check (BYTES ("/proc/self/auxv/proc/self/mapsfailed to open"), true);
  /* The name is split into constants of eight bytes in instructions.  */
  check (BYTES ("\x48\xb8/proc/se\x48\xba"
                "lf/maps"),
         true);
  check (BYTES ("/proc/\0/maps\0"), true);
  check (BYTES ("/proc/self/smaps"), false);
  check (BYTES ("/proc/self/map_files"), false);
  check (BYTES ("https://maps.example.org/maps?q=%s"), false);
  check (BYTES ("https://www.example.org/maps"), false);
  check (BYTES ("/usr/share/game/maps/"), false);
  check (BYTES ("../src/cbor/maps.c"), false);
  check (BYTES ("/map"), false);
  check ("", 0, false);
  check ("/maps", 5, false);

  /* Rust's std in version 1.95 and in Debian 13, also together with other
     names.  */
#define STD "/rustc/123/library/std/src/backtrace.rs"
#define CALL \
  "\x48\xb8" \
  "elf/maps" \
  "\x48\x89\x85\x48\xb8/proc/se"
#define COMPLAINTS \
  "unix.rsCouldn't read /proc/self/mapsCouldn't open /proc/self/mapsNo"
  check (BYTES (STD CALL), false);
  check (BYTES (CALL COMPLAINTS STD), false);
  check (BYTES (COMPLAINTS), false);
  check (BYTES (STD "target platform/proc/self/maps/usr/lib/debug"), false);
  check (BYTES (CALL), true);
  check (BYTES (STD CALL CALL), true);
  check (BYTES (CALL COMPLAINTS STD "/proc/%d/maps"), true);
  check (BYTES (STD "Couldn't open /proc/self/maps" CALL "/proc/self/maps"),
         true);

  /* An object that reads the maps of other processes may have copies.
     Examples are CPython 3.14, and abseil's symbolizer in onnxruntime
     1.32.  */
#define MAPS "/proc/self/maps\0"
#define TASK "/proc/self/task/%d/maps\0"
#define CORRUPT                        \
  "Corrupt /proc/self/maps line: %s\0" \
  "Corrupt /proc/self/maps: %s\0"
  check_copies (BYTES ("/proc/%d/maps"), false);
  check_copies (BYTES (TASK CORRUPT), false);
  check_copies (BYTES (CORRUPT TASK "%s: errno=%d"), false);
  check (BYTES (CORRUPT), false);
  check_copies (BYTES (MAPS), true);
  check_copies (BYTES (TASK CORRUPT MAPS), true);
  check_copies (BYTES (TASK CORRUPT CALL), true);
  check_copies (BYTES (STD CALL CORRUPT TASK), false);
  check_copies (BYTES (STD CALL CORRUPT TASK CALL), true);

  /* Go's runtime/pprof.  */
#define PPROF "runtime/pprof.parseProcSelfMaps\0"
  check_copies (BYTES ("/proc/self/mapsfailed to open" PPROF), false);
  check_copies (BYTES (MAPS "/proc/self/maps" PPROF), true);

  check_reviewed ("/usr/lib/x86_64-linux-gnu/libc.so.6", true);
  check_reviewed ("/lib/x86_64-linux-gnu/libc-2.31.so", true);
  check_reviewed ("libjvm.so", true);
  check_reviewed ("/usr/bin/node", true);
  check_reviewed ("/usr/lib/libvlccore.so.9.0.1", false);
  check_reviewed ("/opt/libc.so.6/libother.so", false);
  check_reviewed ("/usr/bin/node-other", false);

  static const char words[] = "/proc/self/maps";
  check_file (3 * PIECE, words, 0x20, "libx.so", true);
  check_file (3 * PIECE, words, 3 * PIECE - sizeof words, "libx.so", true);
  /* The words are in two pieces that are read one after the other.  */
  for (size_t i = 0; i <= sizeof words; ++i)
    check_file (3 * PIECE, words, 4096 + PIECE - i, "libx.so", true);
  for (size_t i = 0; i <= sizeof words; ++i)
    check_file (3 * PIECE, "/proc/%d/maps", 4096 + PIECE - i, "libx.so", true);
  /* The words are counted once, not twice.  */
  for (size_t i = 0; i <= 80; ++i)
    {
      check_file (3 * PIECE, CALL STD, 4096 + PIECE - i, "libx.so", false);
      check_file (3 * PIECE, STD CALL COMPLAINTS, 4096 + PIECE - i - 30,
                  "libx.so", false);
      check_file (3 * PIECE, CALL STD CALL, 4096 + PIECE - i, "libx.so", true);
    }
  check_file (3 * PIECE, "/proc/self/smaps", 4096 + PIECE - 8, "libx.so",
              false);
  check_file (3 * PIECE, words, 0x20, "/usr/lib/libjvm.so", false);
  if (failures == 0)
    printf ("ok maps-reader: %d cases\n", cases);
  return failures != 0;
}
