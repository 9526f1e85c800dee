/* Profiled objects: the build of a file, and the addresses of its text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command opens a file by the name that a process has for it, in that
   process's mount namespace, and takes it only if it is the one that was
   mapped: by its build ID, else by its inode.  A profiled process may be gone
   by then; another process in the same namespace serves as well.  */

#include "heat/profile-object.h"
#include "object/elfhead.h"
#include "object/program.h"
#include "host/mapped.h"
#include "util/regular.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char unread[]
    = "its file cannot be opened, or is not the one any more that was sampled";
static const char no_build_id[]
    = "it has no build ID: link it with -Wl,--build-id";
static const char no_elf[] = "it is not an ELF file that can be read";

/* Set OBJECT's build ID from the notes of the file FD with HEAD.  */
static void
read_notes (struct profile_object *object, int fd, const struct elf_head *head)
{
  unsigned char id[PROFILE_BUILD_ID_MAX];
  uint32_t type = NT_GNU_BUILD_ID;
  size_t size = elfhead_note (fd, head, "GNU", &type, id, sizeof id);
  if (size >= PROFILE_BUILD_ID_MIN && size <= sizeof id)
    for (size_t i = 0; i < size; ++i)
      sprintf (object->build_id + 2 * i, "%02x", id[i]);
}

/* Add the segment PHDR to OBJECT's text.  */
static bool
add_text (struct profile_object *object, const Elf64_Phdr *phdr)
{
  struct profile_text *text
      = reallocarray (object->text, object->ntext + 1, sizeof *text);
  if (text == NULL)
    return false;
  object->text = text;
  text[object->ntext++]
      = (struct profile_text){ phdr->p_offset, phdr->p_vaddr, phdr->p_filesz };
  return true;
}

/* Set OBJECT's granules from its text.  */
static const char *
set_granules (struct profile_object *object)
{
  uint64_t low = UINT64_MAX, high = 0;
  for (size_t i = 0; i < object->ntext; ++i)
    {
      const struct profile_text *text = &object->text[i];
      if (text->address + text->size < text->address)
        return no_elf;
      if (text->address < low)
        low = text->address;
      if (text->address + text->size > high)
        high = text->address + text->size;
    }
  if (high == 0)
    return "it has no text";
  object->low = low & -(uint64_t) PROFILE_GRANULE;
  uint64_t count
      = (high - object->low + PROFILE_GRANULE - 1) / PROFILE_GRANULE;
  if (count > PROFILE_GRANULES_MAX)
    return "its text is spread over more than 4 GiB";
  object->ngranules = count;
  return NULL;
}

/* Describe the file FD with HEAD in OBJECT.  */
static const char *
read_headers (struct profile_object *object, int fd,
              const struct elf_head *head)
{
  for (size_t i = 0; i < head->count; ++i)
    if (head->phdr[i].p_type == PT_LOAD && (head->phdr[i].p_flags & PF_X) != 0
        && head->phdr[i].p_filesz > 0 && !add_text (object, &head->phdr[i]))
      return strerror (ENOMEM);
  read_notes (object, fd, head);
  const char *problem = set_granules (object);
  return (problem == NULL && object->build_id[0] == '\0' ? no_build_id
                                                         : problem);
}

void
profile_object_describe (struct profile_object *object, int fd)
{
  struct elf_head head;
  *object = (struct profile_object){ .problem = program_foreign (fd) };
  if (object->problem != NULL)
    return;
  if (elfhead_read (fd, &head) != NULL)
    {
      object->problem = no_elf;
      return;
    }
  object->problem = read_headers (object, fd, &head);
  elfhead_free (&head);
}

void
profile_object_free (struct profile_object *object)
{
  free (object->text);
  *object = (struct profile_object){ .problem = unread };
}

/* Describe the file FD in OBJECT, and close it.  False if it is not FILE.  */
static bool
try_open (struct profile_object *object, const struct profile_file *file,
          int fd)
{
  if (fd < 0)
    return false;
  profile_object_describe (object, fd);
  close (fd);
  if (file->build_id == NULL || strcmp (object->build_id, file->build_id) == 0)
    return true;
  profile_object_free (object);
  return false;
}

/* Describe the file with FILE's name, in the root directory of PID, or in ours
   if PID is 0, in OBJECT.  False if it is not FILE.  */
static bool
try_name (struct profile_object *object, const struct profile_file *file,
          pid_t pid)
{
  int fd = mapped_by_name (pid, file->name);
  if (fd >= 0 && file->build_id == NULL && file->inode != 0
      && !mapped_is (fd, file->device, file->inode))
    {
      close (fd);
      return false;
    }
  return fd >= 0 && try_open (object, file, regular_reopen (fd, 0));
}

/* Describe the file to which the kernel's link LINK of process PID leads in
   the same way.  */
static bool
try_link (struct profile_object *object, const struct profile_file *file,
          pid_t pid, const char *link)
{
  char path[96];
  snprintf (path, sizeof path, "/proc/%d/%s", (int) pid, link);
  return try_open (object, file, regular_open (path, 0));
}

void
profile_object_read (struct profile_object *object,
                     const struct profile_file *file, pid_t pid, pid_t root,
                     uint64_t start, uint64_t end)
{
  char link[64];
  const struct mapping map = { .start = start,
                               .end = end,
                               .device = file->device,
                               .inode = file->inode,
                               .name = (char *) file->name };
  *object = (struct profile_object){ .problem = unread };
  snprintf (link, sizeof link, "map_files/%llx-%llx",
            (unsigned long long) start, (unsigned long long) end);
  if (file->build_id == NULL && file->inode != 0
      && try_open (object, file, mapped_open (pid, &map, 0)))
    return;
  if (file->build_id != NULL
      && (try_link (object, file, pid, link)
          || try_link (object, file, pid, "exe")))
    return;
  if (!try_name (object, file, pid)
      && (root <= 0 || !try_name (object, file, root))
      && !try_name (object, file, 0))
    *object = (struct profile_object){ .problem = unread };
}

bool
profile_object_at (const struct profile_object *object, uint64_t offset,
                   uint64_t *address)
{
  const uint64_t page = getpagesize ();
  for (size_t i = 0; i < object->ntext; ++i)
    {
      const struct profile_text *text = &object->text[i];
      uint64_t first = text->offset & -page;
      uint64_t end = (text->offset + text->size + page - 1) & -page;
      if (offset >= first && offset < end)
        {
          *address = text->address + (offset - text->offset);
          return *address / PROFILE_GRANULE * PROFILE_GRANULE >= object->low;
        }
    }
  return false;
}

bool
profile_object_has (const struct profile_object *object, uint64_t address)
{
  for (size_t i = 0; i < object->ntext; ++i)
    if (address >= object->text[i].address
        && address - object->text[i].address < object->text[i].size)
      return true;
  return false;
}
