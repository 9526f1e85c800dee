/* Find the objects in a process, and find out how much text of each object is
   on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Text on huge pages may be anonymous memory, so the mappings of the process
   do not contain the name of the object to which it belongs.  The data segment
   of each object is never copied, so at least the data segment is mapped from
   the object's file.  If file offset O is mapped at address A, and the program
   headers place O at the address V, the load bias is A - V.  For example, if a
   segment has p_offset 0x1fd000 and p_vaddr 0x1fe000, and offset 0x1fd000 is
   mapped at 0x7f00003fe000, the load bias is 0x7f0000200000.  If two segments
   share a page of the file, there are two candidates for the load bias; the
   right one also agrees with the other mappings of the file.  */

#include "text/objtext.h"
#include "hugetext-code.h"
#include "object/elfobject.h"
#include "text/textblocks.h"
#include "host/mapped.h"
#include "host/process.h"
#include "host/procfile.h"
#include "util/allocate.h"
#include "util/budget.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A limit that is above all addresses of programs on Linux.  The sum of two
   addresses below ADDRESS_MOST does not overflow.  */
#define ADDRESS_MOST (UINT64_C (1) << 56)

static bool
is_text (const Elf64_Phdr *phdr)
{
  return (phdr->p_flags & PF_X) != 0 && (phdr->p_flags & PF_W) == 0
         && phdr->p_memsz > 0;
}

static bool
same_file (const struct mapping *a, const struct mapping *b)
{
  return a->inode == b->inode && a->device == b->device;
}

/* If MAP can be a mapping of the segment PHDR, according to its file offset,
   set *BIAS to the load bias and return true.  */
static bool
bias_from (const struct mapping *map, const Elf64_Phdr *phdr, uintptr_t *bias)
{
  const uintptr_t page = getpagesize ();
  uint64_t first = phdr->p_offset & -page;
  if (phdr->p_filesz == 0 || map->offset < first
      || map->offset >= phdr->p_offset + phdr->p_filesz)
    return false;
  *bias = map->start - ((phdr->p_vaddr & -page) + (map->offset - first));
  return true;
}

/* Return true if MAPS contain the text of SEGMENTS, loaded at BIAS, in
   executable mappings.  (If a program has mapped an object's file only to read
   it, no mapping of the file is executable.)  */
static bool
text_is_mapped (const struct procmaps *maps, const struct segments *segments,
                uintptr_t bias)
{
  bool found = false;
  for (size_t i = 0; i < segments->count; ++i)
    if (is_text (&segments->list[i]))
      {
        uintptr_t start = bias + segments->list[i].p_vaddr;
        const struct mapping *first = procmaps_find (maps, start);
        const struct mapping *last
            = procmaps_find (maps, start + segments->list[i].p_memsz - 1);
        if (first == NULL || last == NULL || !first->executable
            || !last->executable)
          return false;
        found = true;
      }
  return found;
}

/* The mappings of one file, as indices into the list of all mappings.  */
struct file_maps
{
  const struct procmaps *maps;
  const size_t *index;
  size_t count;
  int *refused; /* The variable for add_files in which the error of opening a
                   file is stored.  */
};

/* The mapping of a writable segment has more votes on the load bias than the
   mappings of all other segments together, because the loader never copies a
   writable segment, so that its mapping shows the load bias reliably.  */
enum
{
  WRITABLE_VOTES = 64,
};

/* Count the mappings of FILE that fit SEGMENTS at the load bias BIAS.  */
static unsigned int
count_votes (const struct file_maps *file, const struct segments *segments,
             uintptr_t bias)
{
  unsigned int votes = 0;
  for (size_t i = 0; i < file->count && budget_spend (0); ++i)
    for (size_t j = 0; j < segments->count; ++j)
      {
        uintptr_t other;
        if (bias_from (&file->maps->list[file->index[i]], &segments->list[j],
                       &other)
            && other == bias)
          {
            votes += segments->list[j].p_flags & PF_W ? WRITABLE_VOTES : 1;
            break;
          }
      }
  return votes;
}

static void
free_object (struct object_text *object)
{
  free (object->name);
  free (object->blocks);
}

/* Add OBJECT to OBJECTS, which frees it later.  If another object in OBJECTS
   has the same addresses, keep only the object that agrees with more
   mappings.  */
static bool
objtext_add_object (struct object_list *objects, struct object_text *object)
{
  if (!budget_spend (sizeof *object))
    {
      free_object (object);
      return false;
    }
  for (size_t i = 0; i < objects->count; ++i)
    {
      struct object_text *other = &objects->list[i];
      if (other->end <= object->start || other->start >= object->end)
        continue;
      if (other->votes >= object->votes)
        {
          free_object (object);
          return true;
        }
      free_object (other);
      *other = objects->list[--objects->count];
      --i;
    }

  objects->list
      = allocate_more (objects->list, objects->count, sizeof *object);
  objects->list[objects->count++] = *object;
  return true;
}

/* Set the name, device and inode of OBJECT to those of MAP's file.  */
static void
name_object (struct object_text *object, const struct mapping *map)
{
  object->name = allocate_text (map->name);
  object->device = map->device;
  object->inode = map->inode;
  object->map_start = map->start;
  object->map_end = map->end;
  object->deleted = map->deleted;
}

/* Add an object for each load bias that is possible according to MAP, a
   mapping of FILE, which has SEGMENTS.  */
static bool
add_places (const struct file_maps *file, const struct mapping *map,
            const struct segments *segments, struct object_list *objects)
{
  for (size_t i = 0; i < segments->count; ++i)
    {
      struct object_text object = { 0 };
      if (!budget_spend (0))
        return false;
      if (!bias_from (map, &segments->list[i], &object.bias)
          || !text_is_mapped (file->maps, segments, object.bias))
        continue;
      const Elf64_Phdr *first = &segments->list[0];
      const Elf64_Phdr *last = &segments->list[segments->count - 1];
      object.start = object.bias + first->p_vaddr;
      object.end = object.bias + last->p_vaddr + last->p_memsz;
      /* No loader can have mapped an object at addresses above
         ADDRESS_MOST.  */
      if (object.bias > ADDRESS_MOST || object.end > ADDRESS_MOST
          || object.end < object.start)
        continue;
      object.votes = count_votes (file, segments, object.bias);
      name_object (&object, map);
      if (!objtext_add_object (objects, &object))
        return false;
    }
  return true;
}

/* Compute the sums of OBJECT.  The program headers of OBJECT are
   SEGMENTS.  */
static bool
objtext_compute_sums (struct pages *pages, const struct segments *segments,
                      struct object_text *object)
{
  for (size_t i = 0; i < segments->count; ++i)
    if (is_text (&segments->list[i]))
      {
        uintptr_t start = object->bias + segments->list[i].p_vaddr;
        if (!textblocks_add (pages, object, start,
                             start + segments->list[i].p_memsz))
          return false;
      }
  return true;
}

/* MAP and NEXT map the same file, NEXT at a higher address.  Return true if
   both can belong to one object; if they cannot, the program has mapped the
   file a second time.  */
static bool
continues_object (const struct mapping *map, const struct mapping *next)
{
  /* The maximum space that the linker leaves between segments.  */
  const uintptr_t most = 2 * procmaps_block ();
  return (next->offset >= map->offset
          && next->start - next->offset <= map->start - map->offset + most);
}

/* Add the executable mappings from the first to the last of the COUNT mappings
   INDEX of FILE as one object.  Mappings of other files and anonymous memory
   between the mappings INDEX are images and copies of the object's text.  */
static bool
add_unread_object (struct pages *pages, const struct file_maps *file,
                   const size_t *index, size_t count,
                   struct object_list *objects)
{
  const struct mapping *first = &file->maps->list[index[0]];
  struct object_text object
      = { .no_headers = true, .start = first->start, .bias = first->start };
  bool good = true;
  object.end = file->maps->list[index[count - 1]].end;
  /* Of an image only text is mapped, so an object whose data is mapped agrees
     with more mappings than its image.  */
  for (size_t i = 0; i < count; ++i)
    object.votes += file->maps->list[index[i]].writable ? WRITABLE_VOTES : 1;
  name_object (&object, first);
  for (size_t i = index[0]; good && i <= index[count - 1]; ++i)
    {
      const struct mapping *map = &file->maps->list[i];
      if (map->executable && !map->writable)
        good = textblocks_add (pages, &object, map->start, map->end);
    }
  if (good && object.nblocks > 0)
    return objtext_add_object (objects, &object);
  free_object (&object);
  return good;
}

/* Add the objects of FILE, whose headers cannot be read.  */
static bool
add_unread (struct pages *pages, const struct file_maps *file,
            struct object_list *objects)
{
  bool good = true;
  for (size_t i = 0, n; good && i < file->count; i += n)
    {
      for (n = 1;
           i + n < file->count
           && continues_object (&file->maps->list[file->index[i + n - 1]],
                                &file->maps->list[file->index[i + n]]);
           ++n)
        continue;
      good = add_unread_object (pages, file, file->index + i, n, objects);
    }
  return good;
}

bool
objtext_is_copy (const struct text_block *block)
{
  return block->copied && !block->image;
}

bool
objtext_has_copies (const struct object_text *object)
{
  for (size_t i = 0; i < object->nblocks; ++i)
    if (objtext_is_copy (&object->blocks[i]))
      return true;
  return false;
}

bool
objtext_has_code_name (const struct object_text *object)
{
  const char *slash = strrchr (object->name, '/');
  return slash != NULL && strcmp (slash + 1, HUGETEXT_CODE_FILE) == 0;
}

/* Return true if a block of OBJECT is a copy or maps an image.  */
static bool
objtext_has_replaced_block (const struct object_text *object)
{
  for (size_t i = 0; i < object->nblocks; ++i)
    if (object->blocks[i].copied)
      return true;
  return false;
}

/* Return true if one of MAPS, which may be a mapping of OBJECT's file or of an
   image, begins with OBJECT's ELF header.  */
static bool
begins_mapping (const struct procmaps *maps, const struct object_text *object)
{
  const struct mapping *map = procmaps_find (maps, object->start);
  return (map != NULL && map->start == object->start && map->inode != 0
          && !mapping_is_memory (map));
}

/* Return true if a segment of SEGMENTS, at the load bias BIAS, begins where
   MAP begins, in memory and in the file.  If TEXT is true, only a segment of
   text counts.  */
static bool
begins_segment (const struct mapping *map, const struct segments *segments,
                uintptr_t bias, bool text)
{
  const uintptr_t page = getpagesize ();
  for (size_t i = 0; i < segments->count; ++i)
    {
      const Elf64_Phdr *phdr = &segments->list[i];
      if ((is_text (phdr) || !text) && map->offset == (phdr->p_offset & -page)
          && map->start == bias + (phdr->p_vaddr & -page))
        return true;
    }
  return false;
}

/* Return true if the kernel maps all text of OBJECT from the object's file,
   and at least a part of it as huge pages.  */
static bool
is_in_file (const struct object_text *object)
{
  bool huge = false;
  for (size_t i = 0; i < object->nblocks; ++i)
    {
      if (object->blocks[i].copied)
        return false;
      huge |= object->blocks[i].backing == BACKING_FILE;
    }
  return huge;
}

/* MAP is a mapping of OBJECT's file.  The file has the program headers
   SEGMENTS.  Note in OBJECT which kinds of tools do not find the text of
   OBJECT in MAP.  */
static void
note_begin (const struct mapping *map, const struct segments *segments,
            struct object_text *object)
{
  if (!map->executable || map->end <= object->start
      || map->start >= object->end)
    return;
  if (!begins_segment (map, segments, object->bias, false))
    object->unseen[OBSERVER_OFFSET] = true;
  else if (!begins_segment (map, segments, object->bias, true))
    object->unseen[OBSERVER_SEGMENT] = true;
}

/* FILE has the segments SEGMENTS.  Note in OBJECT the kinds of tools
   (observers.def) that do not find the object with the mappings of FILE.  The
   sums in OBJECT must already be known.  */
static void
note_observers (const struct file_maps *file, const struct segments *segments,
                struct object_text *object)
{
  const bool in_file = is_in_file (object);
  bool header = false, text = false;
  for (size_t i = 0; i < object->nblocks; ++i)
    object->unseen[OBSERVER_IMAGE] |= object->blocks[i].image;
  for (size_t i = 0; i < file->count; ++i)
    {
      const struct mapping *map = &file->maps->list[file->index[i]];
      if (in_file)
        note_begin (map, segments, object);
      header |= map->start <= object->start && object->start < map->end;
      text |= (map->executable && map->start >= object->start
               && map->start < object->end);
    }
  object->unseen[OBSERVER_MAPS]
      = objtext_has_copies (object) && !(header && text);
  object->unseen[OBSERVER_HEADER] = objtext_has_replaced_block (object)
                                    && !begins_mapping (file->maps, object);
}

/* Add all objects loaded from FILE, and compute their sums.  */
static bool
objtext_add_file (struct pages *pages, const struct file_maps *file,
                  bool direct, struct object_list *objects)
{
  const struct mapping *first = &file->maps->list[file->index[0]];
  struct segments segments;
  if (!elfobject_segments (pages->pid, first, direct, &segments))
    {
      if (errno == EACCES || errno == EPERM || errno == ENOSYS)
        *file->refused = errno;
      return mapping_is_memory (first) || add_unread (pages, file, objects);
    }

  bool good = true;
  struct object_list places = { 0 };
  for (size_t i = 0; good && i < file->count; ++i)
    good = add_places (file, &file->maps->list[file->index[i]], &segments,
                       &places);
  for (size_t i = 0; good && i < places.count; ++i)
    {
      good = objtext_compute_sums (pages, &segments, &places.list[i]);
      note_observers (file, &segments, &places.list[i]);
      good = good && objtext_add_object (objects, &places.list[i]);
      places.list[i] = (struct object_text){ 0 };
    }
  objtext_free (&places);
  elfobject_free (&segments);
  return good;
}

static int
by_file (const void *a, const void *b, void *closure)
{
  const struct procmaps *maps = closure;
  const struct mapping *x = &maps->list[*(const size_t *) a];
  const struct mapping *y = &maps->list[*(const size_t *) b];
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  if (x->inode != y->inode)
    return x->inode < y->inode ? -1 : 1;
  return x->start < y->start ? -1 : 1;
}

/* For each file in MAPS, add the objects that were loaded from the file to
   OBJECTS.  If a file exists, but cannot be opened, set REFUSED to the
   error.  */
static bool
add_files (struct pages *pages, const struct procmaps *maps, bool direct,
           struct object_list *objects, int *refused)
{
  size_t *index = allocate (maps->count * sizeof *index);
  size_t count = 0;
  for (size_t i = 0; i < maps->count; ++i)
    if (maps->list[i].inode != 0 && maps->list[i].name[0] == '/')
      index[count++] = i;
  qsort_r (index, count, sizeof *index, by_file, (void *) maps);

  bool good = true;
  for (size_t i = 0, n; good && i < count; i += n)
    {
      const struct mapping *first = &maps->list[index[i]];
      bool executable = false;
      for (n = 0;
           i + n < count && same_file (first, &maps->list[index[i + n]]); ++n)
        executable |= maps->list[index[i + n]].executable;
      /* Also add files without executable mappings, because if all text of an
         object is copied, only the segments without text are mapped from the
         file.  A file that has only shared mappings is not an object.  */
      struct file_maps file = { maps, index + i, n, refused };
      if (executable || !first->shared)
        good = objtext_add_file (pages, &file, direct, objects);
    }
  free (index);
  return good;
}

static int
objtext_compare_text (const void *a, const void *b)
{
  const struct object_text *x = a, *y = b;
  if (x->sums.text != y->sums.text)
    return x->sums.text < y->sums.text ? 1 : -1;
  return strcmp (x->name, y->name);
}

int
objtext_read (pid_t pid, bool direct, struct object_list *objects)
{
  struct problem problem;
  struct procmaps maps;
  struct pages pages;
  *objects = (struct object_list){ 0 };
  if (procmaps_read (pid, &maps) < 0)
    return -1;
  if (pages_open (&pages, pid, &maps) < 0)
    {
      int error = errno;
      procmaps_free (&maps);
      errno = error;
      return -1;
    }

  int refused = 0;
  bool good = add_files (&pages, &maps, direct, objects, &refused);
  good = good && textblocks_add_code (&pages, objects);
  /* If the file of an object could not be opened, the command cannot tell
     copies of the object's text from code made at run time.  */
  const int unknown = objects->made.sums.text > 0 ? refused : 0;
  pages_close (&pages);
  procmaps_free (&maps);
  /* If the budget was used up before all objects were found, discard the
     objects found so far.  */
  bool enough = budget_check (&problem);
  if (!good || !enough || unknown != 0)
    {
      objtext_free (objects);
      errno = !enough ? EDQUOT : !good ? ENOMEM : unknown;
      return -1;
    }
  if (objects->count > 0)
    qsort (objects->list, objects->count, sizeof *objects->list,
           objtext_compare_text);
  return 0;
}

int
objtext_open (pid_t pid, const struct object_text *object)
{
  struct mapping map = { .start = object->map_start,
                         .end = object->map_end,
                         .device = object->device,
                         .inode = object->inode,
                         .name = object->name,
                         .deleted = object->deleted };
  return mapped_open_file (pid, &map);
}

void
objtext_free (struct object_list *objects)
{
  for (size_t i = 0; i < objects->count; ++i)
    free_object (&objects->list[i]);
  free_object (&objects->made);
  free (objects->list);
  *objects = (struct object_list){ 0 };
}

/* The maximum length of a name in /proc/PID/maps, where the kernel writes some
   characters as four characters.  */
#define NAME_MOST (4 * PATH_MAX + 64)

enum
{
  ALL_BACKINGS = (1 << BACKINGS) - 1,
  BLOCK_SIZE = 7 * sizeof (uint64_t), /* The size of a block in a message, in
                                         bytes.  */
#define TEXT_SUM(...) 1 +
  SUMS =
#include "text/columns.def"
      0,
  OBJECT_SIZE = (12 + SUMS) * sizeof (uint64_t), /* The minimum number of bytes
                                                    that an object takes in a
                                                    message.  */
};

static void
put_block (struct message *message, const struct text_block *block)
{
  message_put_number (message, block->start);
  message_put_number (message, block->text);
  message_put_number (message, block->huge);
  message_put_number (message, block->small);
  message_put_number (message, block->backing);
  message_put_number (message, block->guessed);
  message_put_number (message, block->copied);
  message_put_number (message, block->kept_small);
  message_put_number (message, block->image);
}

/* Read from MESSAGE how many bytes of a text are on huge pages, and how many
   are on small pages.  TEXT is the size of the text in bytes.  */
static void
get_parts (struct message *message, size_t text, size_t *huge, size_t *small)
{
  *huge = message_get_number (message, text);
  *small = message_get_number (message, text - *huge);
}

static void
get_block (struct message *message, struct text_block *block)
{
  block->start = message_get_number (message, UINTPTR_MAX);
  block->text = message_get_number (message, UINT32_MAX);
  get_parts (message, block->text, &block->huge, &block->small);
  block->backing = message_get_number (message, ALL_BACKINGS);
  block->guessed = message_get_bool (message);
  block->copied = message_get_bool (message);
  block->kept_small = message_get_bool (message);
  block->image = message_get_bool (message);
  message->bad |= block->start % procmaps_block () != 0;
}

static void
put_sums (struct message *message, const struct text_sums *sums)
{
#define TEXT_SUM(type, member, ...) message_put_number (message, sums->member);
#include "text/columns.def"
}

static void
get_sums (struct message *message, struct text_sums *sums)
{
#define TEXT_SUM(type, member, add, most, value) \
  sums->member = message_get_number (message, most);
#include "text/columns.def"
}

/* The members of struct object_text that are numbers.  */
#define OBJECT_MEMBERS(NUMBER, FLAG) \
  NUMBER (device, UINT64_MAX)        \
  NUMBER (inode, UINT64_MAX)         \
  NUMBER (map_start, UINTPTR_MAX)    \
  NUMBER (map_end, UINTPTR_MAX)      \
  FLAG (deleted)                     \
  NUMBER (bias, ADDRESS_MOST)        \
  NUMBER (start, ADDRESS_MOST)       \
  NUMBER (end, ADDRESS_MOST)         \
  FLAG (no_headers)                  \
  FLAG (program)
MESSAGE_MEMBERS (numbers, struct object_text, OBJECT_MEMBERS)

static void
put_object (struct message *message, const struct object_text *object)
{
  message_put_text (message, object->name != NULL ? object->name : "");
  put_numbers (message, object);
  put_sums (message, &object->sums);
  for (size_t i = 0; i < OBSERVERS; ++i)
    message_put_number (message, object->unseen[i]);
  message_put_number (message, object->nblocks);
  for (size_t i = 0; i < object->nblocks; ++i)
    put_block (message, &object->blocks[i]);
}

static void
objtext_get_object (struct message *message, struct object_text *object)
{
  *object = (struct object_text){ 0 };
  object->name = message_get_new_text (message, NAME_MOST);
  get_numbers (message, object);
  message->bad |= object->end < object->start;
  get_sums (message, &object->sums);
  for (size_t i = 0; i < OBSERVERS; ++i)
    object->unseen[i] = message_get_bool (message);
  object->nblocks = message_get_count (message, BLOCK_SIZE);
  object->blocks = allocate (object->nblocks * sizeof *object->blocks);
  for (size_t i = 0; i < object->nblocks; ++i)
    get_block (message, &object->blocks[i]);
}

void
objtext_put (struct message *message, const struct object_list *objects)
{
  message_put_number (message, objects->count);
  for (size_t i = 0; i < objects->count; ++i)
    put_object (message, &objects->list[i]);
  put_object (message, &objects->made);
}

void
objtext_get (struct message *message, struct object_list *objects)
{
  *objects = (struct object_list){ .count = message_get_count (message,
                                                               OBJECT_SIZE) };
  objects->list = allocate (objects->count * sizeof *objects->list);
  for (size_t i = 0; i < objects->count; ++i)
    objtext_get_object (message, &objects->list[i]);
  objtext_get_object (message, &objects->made);
}

bool
objtext_executed (pid_t pid, const struct object_list *objects,
                  struct object_text **executed)
{
  char path[PATH_MAX + 16];
  const bool known = procfile_exe (pid, path, sizeof path) && path[0] != '\0';
  const bool deleted = process_cut_deleted (path);
  *executed = NULL;
  for (size_t i = 0; known && *executed == NULL && i < objects->count; ++i)
    if (objects->list[i].deleted == deleted
        && strcmp (objects->list[i].name, path) == 0)
      *executed = &objects->list[i];
  return known;
}

struct object_text *
objtext_program (const struct object_list *objects)
{
  for (size_t i = 0; i < objects->count; ++i)
    if (objects->list[i].program)
      return &objects->list[i];
  return NULL;
}
