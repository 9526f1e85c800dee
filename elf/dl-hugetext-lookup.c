/* The lookup of this program in the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Where there is an index, every start pays for the lookup, whether the index
   has settings for the program or not; without an index the lookup costs one
   call.  The file is read, not mapped: if it is truncated meanwhile, a read is
   short, and no signal is raised.  The lookup makes only calls that mapping a
   library makes, too: a filter may be there already that kills for others,
   readlink among them.  The path that exec was given is enough to see that the
   index has nothing about most programs.  Where it is not enough, the loader
   asks the kernel for the mapped file's path, which costs more than the rest
   of the lookup.  */

#include <ldsodefs.h>
#include <string.h>
#include <sys/stat.h>

#include "dl-hugetext-lookup.h"
#include "dl-hugetext-index.h"
#include "dl-hugetext-procfile.h"
#include "dl-hugetext-sys.h"

static bool
read_index (void *closure, void *buffer, size_t length, uint64_t offset)
{
  const int *fd = closure;
  return (sys_pread (*fd, (uintptr_t) buffer, length, offset)
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

/* Whether the index FD has the SIZE bytes that its header says, and is
   trusted.  */
static bool
is_good (int fd, uint64_t size)
{
  struct hugetext_identity identity;
  return (_dl_hugetext_identify_trusted (fd, &identity)
          && identity.size == size);
}

/* Open the index in OPEN, whose owner is not known yet.  */
static bool
begin (struct hugetext_open_index *open)
{
  long int fd = sys_open (HUGETEXT_INDEX);
  open->index
      = (struct hugetext_index){ .read = read_index, .closure = &open->fd };
  open->fd = sys_failed (fd) ? HUGETEXT_NO_INDEX : fd;
  open->error = sys_failed (fd) ? -fd : 0;
  return open->fd >= 0 && hugetext_index_begin (&open->index);
}

bool
_dl_hugetext_open_index (struct hugetext_open_index *open)
{
  /* Another struct may have opened the index: the closure must point to this
     one.  */
  open->index.closure = &open->fd;
  if (open->fd == -1
      && (!begin (open) || !is_good (open->fd, open->index.size)))
    {
      _dl_hugetext_close_index (open);
      open->fd = HUGETEXT_NO_INDEX;
    }
  return open->fd >= 0;
}

void
_dl_hugetext_close_index (struct hugetext_open_index *open)
{
  if (open->fd >= 0)
    {
      sys_close (open->fd);
      open->fd = -1;
    }
}

/* Whether NAME, by which the program was executed, is no link, so that its
   base name is the program's own.  */
static bool
is_own_name (const char *name)
{
  /* The kernel executes the interpreter of a script with the script as an
     argument, perhaps behind arguments of the interpreter.  */
  for (int i = 1; i < 16 && i < _dl_argc; ++i)
    if (strcmp (_dl_argv[i], name) == 0)
      return false;
  long int fd = sys_open_own (name);
  if (sys_failed (fd))
    return false;
  sys_close (fd);
  return true;
}

/* The search for the path of a program.  */
struct quest
{
  uintptr_t inside;
  const char *path; /* NULL if not found.  */
};

/* Take LINE of /proc/self/maps; return true if it is the program's.  */
static bool
take_mapping (void *closure, const char *line)
{
  struct quest *quest = closure;
  const char *end = line;
  uintptr_t low = _dl_hugetext_take_number (&end, 16);
  if (*end++ != '-' || quest->inside < low
      || quest->inside >= _dl_hugetext_take_number (&end, 16))
    return false;
  quest->path = strchr (end, '/');
  return true;
}

/* Find the advice of INDEX about the program with path NAME, as
   _dl_hugetext_lookup does.  */
static struct hugetext_memory *
find (const struct hugetext_index *index, const char *name,
      struct hugetext_advice *advice)
{
  size_t length = strlen (name);
  struct hugetext_memory *memory;
  if (length >= sizeof memory->program
      || !hugetext_index_find (index, name, advice))
    return NULL;
  /* Keep the strings: the objects' names are compared later, and the source of
     a setting may be asked for.  An advice without its strings is none.  */
  long int page = sys_mmap (0, sizeof *memory, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys_failed (page))
    {
      advice->given = 0;
      return NULL;
    }
  memory = (void *) page;
  memory->text = advice->text;
  memcpy (memory->program, name, length + 1);
  return memory;
}

/* Return the path of PROGRAM, in LINE or in the program's memory, NULL if it
   is unknown.  */
static const char *
program_path (const struct hugetext_program *program, char *line, size_t size)
{
  struct quest quest = { program->inside, NULL };
  if (program->inside == 0)
    return program->name;
  _dl_hugetext_read_lines ("/proc/self/maps", line, size, take_mapping,
                           &quest);
  return quest.path;
}

struct hugetext_memory *
_dl_hugetext_lookup (const struct hugetext_program *program,
                     struct hugetext_advice *advice,
                     struct hugetext_contents *contents,
                     struct hugetext_open_index *open)
{
  const struct hugetext_index_header *header = &open->index.header;
  struct hugetext_memory *memory = NULL;
  /* A path that does not fit is longer than any path in the index.  */
  char line[80 + HUGETEXT_PATTERN_MAX];
  bool room = false, facts = false;

  bool good = begin (open);
  if (__glibc_likely (open->fd < 0))
    return NULL;
  if (good)
    {
      bool known = (program->name != NULL
                    && hugetext_index_may_know (
                        &open->index, hugetext_base_name (program->name)));
      if (!known && program->name != NULL && program->inside != 0)
        {
          room = is_own_name (program->name);
          known = !room;
        }
      facts = header->images != 0 || header->heats != 0;
      good = (known || facts) && is_good (open->fd, open->index.size);
      const char *path
          = good && known ? program_path (program, line, sizeof line) : NULL;
      if (path != NULL)
        room = program->inside != 0;
      if (path != NULL && *path == '/')
        memory = find (&open->index, path, advice);
    }
  facts = facts && good;
  contents->images = facts && header->images != 0;
  contents->heats = facts && header->heats != 0;
  /* Close the index if it has no facts for objects, or if there is no second
     descriptor.  Libraries are opened one at a time: a second descriptor a
     moment ago is enough for them with the index open; without one, the
     program would not find its libraries.  */
  if (!room || !facts)
    _dl_hugetext_close_index (open);
  return memory;
}
