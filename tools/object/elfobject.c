/* ELF objects: describe a file for the loader's policy.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file reads the program headers; the loader's own hugetext_describe
   interprets them.  */

#include "object/elfobject.h"
#include "dl-hugetext-names.h"
#include "object/elfhead.h"
#include "host/mapped.h"
#include "util/regular.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct hugetext_geometry
elfobject_geometry (void)
{
  return (struct hugetext_geometry){ .page = getpagesize (),
                                     .block = procmaps_block () };
}

bool
elfobject_read (int fd, struct elf_object *object, struct problem *problem)
{
  struct elf_head head;
  struct elf_dynamic dynamic;
  bool interpreter = false, soname = false;
  *object = (struct elf_object){ 0 };
  if (!elfhead_read (fd, &head, problem))
    return false;
  bool good
      = head.foreign == NULL || problem_set (problem, "%s", head.foreign);
  if (good && head.type != ET_EXEC && head.type != ET_DYN)
    good = problem_set (problem,
                        "the file is neither a program nor a shared library");
  if (good)
    {
      for (size_t i = 0; i < head.count; ++i)
        interpreter |= head.phdr[i].p_type == PT_INTERP;
      elfhead_dynamic (fd, &head, &dynamic);
      for (size_t i = 0; i < dynamic.count; ++i)
        soname |= dynamic.list[i].d_tag == DT_SONAME;
      hugetext_describe (&object->object, head.phdr, head.count,
                         getpagesize ());
      object->fixed = head.type == ET_EXEC;
      object->text_relocations = dynamic.text_relocations;
      /* A static program that relocates itself (-static-pie) also has a
         dynamic section.  */
      object->statically_linked
          = !interpreter && (object->fixed || !dynamic.found || dynamic.pie);
      /* Some libraries, such as libc.so.6, can also be executed as
         programs.  */
      object->program = (object->statically_linked
                         || (interpreter && (dynamic.pie || !soname)));
      free (dynamic.list);
      /* If a library was linked for a certain address, the loader maps it
         there.  */
      object->fixed |= (!object->program && object->object.nsegments > 0
                        && hugetext_object_start (&object->object) != 0);
    }
  elfhead_free (&head);
  return good;
}

size_t
elfobject_file_text (const char *name)
{
  struct problem problem;
  struct elf_object elf;
  int fd = regular_open (name);
  if (fd < 0)
    return 0;
  size_t text = elfobject_read (fd, &elf, &problem)
                    ? hugetext_object_text (&elf.object)
                    : 0;
  close (fd);
  return text;
}

bool
elfobject_check (const struct elf_object *object, struct problem *problem)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  if (hugetext_geometry (geo.page).block == 0)
    return problem_set (problem,
                        "this machine's huge pages are too large for text");
  const char *wrong = hugetext_object_check (&object->object, &geo);
  if (wrong != NULL)
    return problem_set (problem, "%s", wrong);
  if (object->text_relocations)
    return problem_set (problem, "%s",
                        hugetext_reason_text (HUGETEXT_TEXT_RELOCATIONS));
  return true;
}

/* The command caches the segments of files, because many processes map the
   same files.  Reading a file with O_DIRECT is slower than all other work of
   the command, and to open the file, the inspector must send a request to the
   opener (host/procfile).  A caller that reads with O_DIRECT therefore always
   uses the cached segments.  Reading a file through the page cache is faster.
   A caller that reads through the page cache uses only segments that were
   cached within the current second, and otherwise reads the file again.  */
static struct kept
{
  dev_t device;
  ino_t inode;
  time_t second; /* The time at which the segments were read, in seconds.  */
  struct segments segments;
} kept[64];
static size_t nkept;

static time_t
elfobject_get_time (void)
{
  struct timespec time = { 0, 0 };
  clock_gettime (CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec;
}

/* Return the cached segments of MAP's file, or NULL if they are not cached.
   If DIRECT is false, return only segments that were read within the current
   second.  */
static struct kept *
elfobject_find_kept (const struct mapping *map, bool direct)
{
  for (size_t i = 0; i < nkept; ++i)
    if (kept[i].inode == map->inode && kept[i].device == map->device
        && (direct || kept[i].second == elfobject_get_time ()))
      return &kept[i];
  return NULL;
}

/* Cache SEGMENTS of MAP's file.  If the cache is full, a caller with DIRECT
   caches nothing, and any other caller replaces the cached segments of another
   file.  */
static void
elfobject_keep_segments (const struct mapping *map, bool direct,
                         const struct segments *segments)
{
  static size_t next;
  size_t i = 0;
  while (i < nkept
         && (kept[i].inode != map->inode || kept[i].device != map->device))
    ++i;
  if (i == nkept && nkept == sizeof kept / sizeof kept[0])
    {
      if (direct)
        return;
      i = next++ % nkept;
    }
  if (i < nkept)
    free (kept[i].segments.list);
  kept[i] = (struct kept){ .device = map->device,
                           .inode = map->inode,
                           .second = elfobject_get_time (),
                           .segments = *segments };
  nkept += i == nkept;
}

bool
elfobject_segments (pid_t pid, const struct mapping *map, bool direct,
                    struct segments *segments)
{
  struct problem problem;
  struct elf_head head;
  const struct kept *known = elfobject_find_kept (map, direct);
  if (known != NULL)
    {
      *segments = known->segments;
      return true;
    }
  int fd = mapped_open (pid, map, direct ? O_DIRECT : 0);
  if (fd < 0)
    return false;
  *segments = (struct segments){ .count = 0 };
  if (elfhead_read (fd, &head, &problem))
    {
      for (size_t i = 0; i < head.count; ++i)
        if (head.phdr[i].p_type == PT_LOAD)
          head.phdr[segments->count++] = head.phdr[i];
      segments->list = head.phdr;
    }
  close (fd);
  elfobject_keep_segments (map, direct, segments);
  return true;
}

void
elfobject_free (struct segments *segments)
{
  for (size_t i = 0; i < nkept; ++i)
    if (kept[i].segments.list == segments->list)
      return;
  free (segments->list);
}

#define SEGMENT_MEMBERS(NUMBER, FLAG) \
  NUMBER (start, UINT64_MAX)          \
  NUMBER (end, UINT64_MAX)            \
  NUMBER (fileend, UINT64_MAX)        \
  NUMBER (datastart, UINT64_MAX)      \
  NUMBER (dataend, UINT64_MAX)        \
  NUMBER (offset, UINT64_MAX)         \
  FLAG (read)                         \
  FLAG (write)                        \
  FLAG (exec)
MESSAGE_MEMBERS (segment, struct hugetext_segment, SEGMENT_MEMBERS)

/* The members of struct hugetext_object other than its segments.  */
#define OBJECT_MEMBERS(NUMBER, FLAG) \
  NUMBER (relro_start, UINT64_MAX)   \
  NUMBER (relro_end, UINT64_MAX)     \
  NUMBER (align, UINT64_MAX)         \
  NUMBER (bias, UINT64_MAX)          \
  NUMBER (low, UINT64_MAX)           \
  NUMBER (high, UINT64_MAX)          \
  NUMBER (extra_prot, UINT32_MAX)
MESSAGE_MEMBERS (object, struct hugetext_object, OBJECT_MEMBERS)

/* The members of struct elf_object other than its object.  */
#define ELF_MEMBERS(NUMBER, FLAG) \
  FLAG (fixed)                    \
  FLAG (program)                  \
  FLAG (statically_linked)        \
  FLAG (text_relocations)         \
  FLAG (needs_path)               \
  NUMBER (looked_up, UINT64_MAX)
MESSAGE_MEMBERS (elf, struct elf_object, ELF_MEMBERS)

void
elfobject_put (struct message *message, const struct elf_object *elf)
{
  message_put_number (message, elf->object.nsegments);
  for (size_t i = 0; i < elf->object.nsegments; ++i)
    put_segment (message, &elf->object.segment[i]);
  put_object (message, &elf->object);
  put_elf (message, elf);
}

void
elfobject_get (struct message *message, struct elf_object *elf)
{
  elf->object.nsegments = message_get_number (message, HUGETEXT_SEGMENTS_MAX);
  for (size_t i = 0; i < elf->object.nsegments; ++i)
    get_segment (message, &elf->object.segment[i]);
  get_object (message, &elf->object);
  get_elf (message, elf);
}
