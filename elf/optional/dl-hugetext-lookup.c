/* The lookup of the program in the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If the machine has an index, every program start looks the program up in it.
   The lookup takes time even if the index has no settings for the program.
   Without an index, the lookup is one system call.  The loader reads the index
   instead of mapping it.  If the file is truncated during the lookup, a read
   returns fewer bytes, whereas an access to a mapping would raise a signal.
   The lookup makes only system calls that the loader also makes to map a
   library.  The process may already have a seccomp filter that kills it for
   other calls, such as readlink, or openat with flags that the stock loader
   does not use.  The path given to exec may be a link.  So the loader reads
   the path of the mapped file in /proc/self/maps; reading this path takes more
   time than the rest of the lookup.  */

#include <array_length.h>
#include <hugetext-glibc.h>
#include <ldsodefs.h>
#include <string.h>
#include <sys/stat.h>

#include "dl-hugetext-procfile.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* The descriptor of the index if the index is open, otherwise one of the
   following values.  CLOSED: the index is not open.  NO_INDEX: there is no
   index that the loader trusts, or the kernel has refused to open the index.
   The loader does not try again, because each refusal may be logged as an
   audit record.  IN_MEMORY: the loader has read the whole index and closed the
   file.  */
#define CLOSED (-1)
#define NO_INDEX (-2)
#define IN_MEMORY (-3)

static struct hugetext_index opened;
static int descriptor = CLOSED;

/* STAYS is true if the index stays open between two queries of the loader.
   HAS_ANOTHER is true if the process was able to open another file while the
   index was open.  */
static bool stays, has_another;

/* The part of the index that is in memory.  If the loader's buffer can hold
   the whole index, BYTES is the whole index, and the variable "descriptor" is
   IN_MEMORY.  If the index is larger than the buffer, the file of the index
   stays open, and BYTES holds only the last records of the index and all slots
   of its hash table.  */
static struct
{
  const char *bytes;
  uint64_t offset; /* The offset of BYTES in the file of the index.  */
  size_t length;   /* The number of bytes of the index in memory; 0 before the
                      loader has read a part of the index.  */
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

/* Open the index and read its header.  The caller checks later who owns the
   file of the index.  */
static bool
lookup_open_index (void)
{
  descriptor = sys_open (HUGETEXT_INDEX);
  opened.read = read_index;
  return descriptor >= 0 && hugetext_index_begin (&opened);
}

/* Return true if the open index has the size that its header states, and only
   root can have written it.  */
static bool
is_good (void)
{
  struct hugetext_identity identity;
  return (_dl_hugetext_identify_trusted (descriptor, &identity)
          && identity.size == opened.header.size);
}

/* Set the descriptor of the index to VALUE.  The index is not open at this
   point.  */
static void
set_descriptor (int value)
{
  descriptor = value;
  if (value != IN_MEMORY)
    kept.length = 0;
}

/* Close the index if it is open, and set the descriptor of the index to
   VALUE.  */
static void
lookup_close_index (int value)
{
  if (descriptor >= 0)
    sys_close (descriptor);
  set_descriptor (value);
}

/* Read the end of the open, trusted index into BUFFER, of SIZE bytes.  If the
   index is not larger than BUFFER, read the whole index and close the file.
   The end of a larger index contains all slots of the hash table and the last
   records, so that a query reads at most one record from the file: the record
   that it finds.  */
static void
keep_part (char *buffer, size_t size)
{
  const struct hugetext_index_header *header = &opened.header;
  const size_t length = hugetext_min (header->size, size);
  const uint64_t offset = header->size - length;
  if (header->slots < offset
      || sys_pread (descriptor, (uintptr_t) buffer, length, offset)
             != (long int) length)
    return;
  kept.bytes = buffer;
  kept.offset = offset;
  kept.length = length;
  if (offset == 0)
    lookup_close_index (IN_MEMORY);
}

/* Return true if ERROR means that the process or the machine cannot open
   another file at this moment, but perhaps later.  */
static bool
lookup_is_temporary_error (int error)
{
  return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

const struct hugetext_index *
_dl_hugetext_index (char *buffer, size_t size)
{
  if (descriptor == CLOSED && (!lookup_open_index () || !is_good ()))
    lookup_close_index (lookup_is_temporary_error (descriptor) ? CLOSED
                                                               : NO_INDEX);
  if (descriptor >= 0 && kept.length == 0)
    keep_part (buffer, size);
  return descriptor >= 0 || descriptor == IN_MEMORY ? &opened : NULL;
}

void
_dl_hugetext_release_index (void)
{
  if (!stays && descriptor >= 0)
    lookup_close_index (CLOSED);
}

void
_dl_hugetext_close_index (void)
{
  stays = false;
  _dl_hugetext_release_index ();
  if (descriptor == IN_MEMORY)
    set_descriptor (CLOSED);
}

/* Return true if the process can open another file while the index is
   open.  */
static bool
may_have_another (void)
{
  long int another = sys_open (HUGETEXT_INDEX);
  if (!sys_failed (another))
    sys_close (another);
  return !sys_failed (another);
}

/* Keep the index open only if the process still has a free descriptor, because
   the loader needs a descriptor to open libraries.  One free descriptor is
   enough for all libraries, because the loader opens them one at a time.  */
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

/* Return the path by which the program was executed, or NULL if AUXV does not
   contain this path.  */
static const char *
executed_name (const ElfW (auxv_t) * auxv)
{
  for (; auxv->a_type != AT_NULL; ++auxv)
    if (auxv->a_type == AT_EXECFN)
      return (const char *) auxv->a_un.a_val;
  return NULL;
}

/* Return the loader's argument that is the path of the program, or NULL if
   there is none.  The program is not mapped yet.  If an argument has no slash,
   the loader searches for the program later.  */
static const char *
argument (void)
{
  /* The loader's options that take an argument.  */
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

/* Return the path of the program that the kernel has mapped with program
   headers at PHDR, or NULL if the path is not found.  The function reads the
   first SIZE bytes of /proc/self/maps into BUFFER; the result points into
   BUFFER.  */
static const char *
lookup_find_mapped (const ElfW (Phdr) * phdr, char *buffer, size_t size)
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

/* Return the path of the program that the kernel has mapped with program
   headers at PHDR, or NULL if the path is not found.  The result points into
   BUFFER, of SIZE bytes.  */
static const char *
mapped_path (const ElfW (Phdr) * phdr, char *buffer, size_t size)
{
  /* First read only the beginning of /proc/self/maps, because the kernel
     formats only as many lines as are read.  When the loader reads the maps,
     the kernel has mapped only the program and this loader, so the program is
     near the beginning, mostly in the first line.  */
  const char *path = lookup_find_mapped (phdr, buffer, 384);
  return path != NULL ? path : lookup_find_mapped (phdr, buffer, size);
}

/* NAME is the path of the file that the kernel has executed.  Return true if
   the file NAME is a script.  For a script, the kernel starts the interpreter
   with these arguments: the interpreter's path, at most one argument of the
   interpreter, and NAME.  */
static bool
lookup_is_script (const char *name)
{
  return ((_dl_argc > 1 && strcmp (_dl_argv[1], name) == 0)
          || (_dl_argc > 2 && strcmp (_dl_argv[2], name) == 0));
}

/* LIST has LENGTH bytes.  Return whether a word of LIST matches the path of
   the program that the kernel has mapped with program headers at PHDR.  This
   function is not inline, because its buffer is larger than the whole stack
   that some programs need while they are being started.  */
static bool __attribute_noinline__
is_path_meant (const char *list, size_t length, const ElfW (Phdr) * phdr)
{
  char buffer[4096];
  const char *path = mapped_path (phdr, buffer, sizeof buffer);
  return path != NULL && hugetext_words_match (list, length, path, true);
}

bool
_dl_hugetext_is_meant (const ElfW (Phdr) * phdr, const ElfW (auxv_t) * auxv)
{
  size_t length;
  const char *list = HUGETEXT_READ_WORD (hugetext_only, &length, NULL);
  if (__glibc_likely (length == 0))
    return true;
  const bool mapped = phdr != NULL;
  const char *name = mapped ? executed_name (auxv) : argument ();
  if (name != NULL
      && (hugetext_words_match (list, length, name, false)
          || (mapped && lookup_is_script (name)
              && hugetext_words_match (list, length, _dl_argv[0], false))))
    return true;
  /* No word without a slash matches the program's name.  Only words with a
     slash can match the program's path.  If LIST has no word with a slash,
     return without finding the path, which would take system calls.  */
  if (memchr (list, '/', length) == NULL)
    return false;
  return (mapped ? is_path_meant (list, length, phdr)
                 : name != NULL
                       && hugetext_words_match (list, length, name, true));
}

/* Return the settings that the open index has for the program with the path
   NAME, or NULL if it has no settings for the program.  */
static const struct hugetext_advice *
lookup_find_settings (const char *name)
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

/* Look up the program in the open index.  GOOD is true if the index has a
   valid header.  */
static struct hugetext_contents __attribute_noinline__
lookup_look_up_program (const ElfW (Phdr) * phdr, const ElfW (auxv_t) * auxv,
                        bool good)
{
  const struct hugetext_index_header *header = &opened.header;
  const struct hugetext_advice *advice = NULL;
  const bool mapped = phdr != NULL;
  const char *name = mapped ? executed_name (auxv) : argument ();
  /* No pattern of the index matches a path longer than 4096 bytes.  */
  char buffer[4096];
  const char *path = NULL;
  bool known
      = (good && name != NULL
         && hugetext_index_may_know (&opened, hugetext_base_name (name)));
  if (good && !known && name != NULL && mapped)
    {
      /* The index does not know NAME, by which the program was executed.  NAME
         may be the name of a link or of a script, so look for the base name of
         the mapped file, too.  */
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
    advice = lookup_find_settings (path);
  /* If the index has facts about objects, leave the index open for the
     caller.  */
  if (!facts)
    lookup_close_index (NO_INDEX);
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
  bool good = lookup_open_index ();
  if (__glibc_unlikely (descriptor >= 0))
    return lookup_look_up_program (phdr, auxv, good);
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
