/* The lookup of this program in the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If there is an index, every start pays for the lookup, whether or not the
   index has settings for the program; without an index the lookup costs one
   call.  The file is read, not mapped: if it is truncated meanwhile, a read is
   short, and no signal is raised.  The lookup makes only calls that the
   mapping of a library makes: a filter may already exist that kills for
   others, such as readlink, or openat with other flags than the stock
   loader's.  The path given to exec may be a link, so the loader reads the
   mapped file's path in /proc/self/maps, which costs more than the rest of the
   lookup, unless the index knows the name.  */

#include <array_length.h>
#include <ldsodefs.h>
#include <string.h>
#include <sys/stat.h>

#include "dl-hugetext-procfile.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* Special values of the descriptor.  NO_INDEX: there is no trusted index, or
   the kernel has refused to open it; the loader does not try again, because
   each refusal may be a line in an audit log.  IN_MEMORY: all of the index has
   been read.  */
#define CLOSED (-1)
#define NO_INDEX (-2)
#define IN_MEMORY (-3)

static struct hugetext_index opened;
static int descriptor = CLOSED;

/* Whether the index stays open between two queries, and whether the process
   had another free descriptor.  */
static bool stays, has_another;

/* The part of the index that has been read: all of a small index, whose
   descriptor is IN_MEMORY, or the slots of a larger one, which is open.  */
static struct
{
  const char *bytes;
  uint64_t offset; /* Where it is in the file.  */
  size_t length;   /* 0 if nothing has been read.  */
} kept;

static bool
read_index (void *closure, void *buffer, size_t length, uint64_t offset)
{
  const uint64_t at = offset - kept.offset;
  if (at < kept.length && length <= kept.length - at)
    {
      memcpy (buffer, kept.bytes + at, length);
      return true;
    }
  return (descriptor >= 0
          && sys_pread (descriptor, (uintptr_t) buffer, length, offset)
                 == (long int) length);
}

bool
_dl_hugetext_identify_trusted (int fd, struct hugetext_identity *file)
{
  struct stat64 status;
  if (__fstat64 (fd, &status) != 0
      || _dl_hugetext_distrust (status.st_mode, status.st_uid) != NULL)
    return false;
  *file = HUGETEXT_IDENTITY (&status);
  return true;
}

/* Open the index, whose owner is not known yet, and read its header.  */
static bool
begin (void)
{
  descriptor = sys_open (HUGETEXT_INDEX);
  opened.read = read_index;
  return descriptor >= 0 && hugetext_index_begin (&opened);
}

/* Whether the open index has the bytes that its header says, and is
   trusted.  */
static bool
is_good (void)
{
  struct hugetext_identity identity;
  return (_dl_hugetext_identify_trusted (descriptor, &identity)
          && identity.size == opened.header.size);
}

/* Set the descriptor, which is not open, to VALUE.  */
static void
set_descriptor (int value)
{
  descriptor = value;
  if (value != IN_MEMORY)
    kept.length = 0;
}

/* Close the index if it is open; its descriptor gets the VALUE.  */
static void
end (int value)
{
  if (descriptor >= 0)
    sys_close (descriptor);
  set_descriptor (value);
}

/* Read a part of the open, trusted index into the SIZE bytes at BUFFER: all of
   a small index, which is then closed; else the slots, so that each query
   reads only the record that it finds.  */
static void
keep_part (char *buffer, size_t size)
{
  const struct hugetext_index_header *header = &opened.header;
  const bool small = header->size <= size;
  const uint64_t offset = small ? 0 : header->slots;
  const uint64_t length
      = (small ? header->size
               : header->nslots
                     * (uint64_t) sizeof (struct hugetext_index_slot));
  if (length > size
      || sys_pread (descriptor, (uintptr_t) buffer, length, offset)
             != (long int) length)
    return;
  kept.bytes = buffer;
  kept.offset = offset;
  kept.length = length;
  if (small)
    end (IN_MEMORY);
}

const struct hugetext_index *
_dl_hugetext_index (char *buffer, size_t size)
{
  if (descriptor == CLOSED && (!begin () || !is_good ()))
    end (NO_INDEX);
  if (descriptor >= 0 && kept.length == 0)
    keep_part (buffer, size);
  return descriptor == NO_INDEX ? NULL : &opened;
}

void
_dl_hugetext_release_index (void)
{
  if (!stays && descriptor >= 0)
    end (CLOSED);
}

void
_dl_hugetext_close_index (void)
{
  stays = false;
  _dl_hugetext_release_index ();
  if (descriptor == IN_MEMORY)
    set_descriptor (CLOSED);
}

/* Whether the process may open another descriptor beside the index's.  */
static bool
may_have_another (void)
{
  long int another = sys_open (HUGETEXT_INDEX);
  if (!sys_failed (another))
    sys_close (another);
  return !sys_failed (another);
}

/* Libraries are opened one at a time, so one free descriptor suffices for them
   while the index is open.  Without a free one, the program would not find its
   libraries.  */
void
_dl_hugetext_keep_index (void)
{
  stays = descriptor >= 0 && (has_another || may_have_another ());
  _dl_hugetext_release_index ();
}

void
_dl_hugetext_leave_index (void)
{
  if (descriptor >= 0)
    set_descriptor (CLOSED);
}

/* The name by which the program was executed, NULL if unknown.  */
static const char *
executed_name (const ElfW (auxv_t) * auxv)
{
  for (; auxv->a_type != AT_NULL; ++auxv)
    if (auxv->a_type == AT_EXECFN)
      return (const char *) auxv->a_un.a_val;
  return NULL;
}

/* Return the loader's argument that is the program's name, NULL if there is
   none.  The program is not mapped yet.  The name identifies the program if it
   is a path.  */
static const char *
argument (void)
{
  /* The loader's options that take a word.  */
  static const char words[][24]
      = { "--library-path",     "--inhibit-rpath", "--audit",
          "--preload",          "--argv0",         "--glibc-hwcaps-prepend",
          "--glibc-hwcaps-mask" };
  int i = 1;
  while (i < _dl_argc && strncmp (_dl_argv[i], "--", 2) == 0)
    {
      const char *option = _dl_argv[i++];
      for (size_t k = 0; k < array_length (words); ++k)
        i += strcmp (option, words[k]) == 0;
    }
  return i < _dl_argc ? _dl_argv[i] : NULL;
}

/* Return the path of the program that the kernel has mapped with PHDR, in
   BUFFER, from the first SIZE bytes of the list of mappings; NULL if it is not
   there.  */
static const char *
find_mapped (const ElfW (Phdr) * phdr, char *buffer, size_t size)
{
  if (_dl_hugetext_read_start ("/proc/self/maps", buffer, size) <= 0)
    return NULL;
  for (char *line = buffer, *next; (next = strchr (line, '\n')) != NULL;
       line = next + 1)
    {
      const char *end = line;
      *next = '\0';
      uintptr_t low = _dl_hugetext_take_number (&end, 16);
      if (*end++ == '-' && (uintptr_t) phdr >= low
          && (uintptr_t) phdr < _dl_hugetext_take_number (&end, 16))
        return strchr (end, '/');
    }
  return NULL;
}

/* Return the path of the program that the kernel has mapped with PHDR, in
   BUFFER, of SIZE bytes, NULL if it is unknown.  */
static const char *
mapped_path (const ElfW (Phdr) * phdr, char *buffer, size_t size)
{
  /* The kernel has mapped the program and this loader, so that the beginning
     of the list has the program, mostly in its first line.  The kernel writes
     no more of the list than is read.  */
  const char *path = find_mapped (phdr, buffer, 384);
  return path != NULL ? path : find_mapped (phdr, buffer, size);
}

/* Return the open index's advice about the program with path NAME, NULL if it
   has none.  */
static const struct hugetext_advice *
find (const char *name)
{
  struct hugetext_advice found = { .given = 0 };
  if (strlen (name) >= sizeof found.program
      || !hugetext_index_find (&opened, name, &found))
    return NULL;
  long int page = sys_map_memory (sizeof found);
  if (sys_failed (page))
    return NULL;
  strcpy (found.program, name);
  return memcpy ((void *) page, &found, sizeof found);
}

/* Look the program up in the open index, whose header is GOOD or not.  */
static struct hugetext_contents __attribute_noinline__
look_up (const ElfW (Phdr) * phdr, const ElfW (auxv_t) * auxv, bool good)
{
  const struct hugetext_index_header *header = &opened.header;
  const struct hugetext_advice *advice = NULL;
  const bool mapped = phdr != NULL;
  const char *name = mapped ? executed_name (auxv) : argument ();
  /* A path that does not fit is longer than any path in the index.  */
  char buffer[4096];
  const char *path = NULL;
  bool known
      = (good && name != NULL
         && hugetext_index_may_know (&opened, hugetext_base_name (name)));
  if (good && !known && name != NULL && mapped)
    {
      /* The name may be that of a link or a script.  */
      path = mapped_path (phdr, buffer, sizeof buffer);
      known
          = (path == NULL
             || hugetext_index_may_know (&opened, hugetext_base_name (path)));
    }
  has_another = path != NULL;
  bool facts = good && (header->images != 0 || header->heats != 0);
  good = (known || facts) && is_good ();
  facts = facts && good;
  if (!good || !known)
    path = NULL;
  else if (!mapped)
    path = name;
  else if (path == NULL)
    path = mapped_path (phdr, buffer, sizeof buffer);
  has_another |= mapped && path != NULL;
  if (path != NULL && *path == '/')
    advice = find (path);
  /* The caller closes the index if it does not want the facts.  */
  if (!facts)
    end (NO_INDEX);
  return (
      struct hugetext_contents){ .advice = advice,
                                 .given = advice != NULL ? advice->given : 0,
                                 .named = advice != NULL && advice->named != 0,
                                 .images = facts && header->images != 0,
                                 .heats = facts && header->heats != 0 };
}

struct hugetext_contents
_dl_hugetext_lookup (const ElfW (Phdr) * phdr, const ElfW (auxv_t) * auxv)
{
  bool good = begin ();
  if (__glibc_unlikely (descriptor >= 0))
    return look_up (phdr, auxv, good);
  const int error = -descriptor;
  descriptor = NO_INDEX;
  return (struct hugetext_contents){ .error = error };
}

void
_dl_hugetext_forget_advice (const struct hugetext_advice *advice)
{
  if (advice != NULL)
    sys_munmap ((uintptr_t) advice, sizeof *advice);
  _dl_hugetext_close_index ();
}

uint64_t
_dl_hugetext_advised (const struct hugetext_advice *advice,
                      enum hugetext_key key)
{
  return advice->value[key];
}

bool
_dl_hugetext_allows (const struct hugetext_advice *advice, const char *name)
{
  return (advice == NULL
          || hugetext_objects_allow (advice->objects,
                                     *name != '\0' ? name : advice->program));
}
