/* Objects that are profiled: what build a file is, and where its text is.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A file is opened by the name that a process has it by, in that process's
   mount namespace, and taken only if it is the one that was mapped: by its
   build ID, else by its inode.  Processes that are profiled may be gone when
   we get there; others in the same namespace then do as well.  */

#include "profile-object.h"
#include "elfhead.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
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
    for (size_t i = 0; i < size; i++)
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
  text[object->ntext++] = (struct profile_text){ phdr->p_offset, phdr->p_vaddr,
                                                 phdr->p_filesz };
  return true;
}

/* Set OBJECT's granules from its text.  */
static const char *
set_granules (struct profile_object *object)
{
  uint64_t low = UINT64_MAX, high = 0;
  for (size_t i = 0; i < object->ntext; i++)
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
  object->low = low & -(uint64_t)PROFILE_GRANULE;
  uint64_t count
      = (high - object->low + PROFILE_GRANULE - 1) / PROFILE_GRANULE;
  if (count > PROFILE_GRANULES_MAX)
    return "its text is spread over more than 4 GiB";
  object->ngranules = count;
  return NULL;
}

/* Describe in OBJECT the file FD with HEAD.  */
static const char *
read_headers (struct profile_object *object, int fd,
              const struct elf_head *head)
{
  for (size_t i = 0; i < head->count; i++)
    if (head->phdr[i].p_type == PT_LOAD
        && (head->phdr[i].p_flags & PF_X) != 0 && head->phdr[i].p_filesz > 0
        && !add_text (object, &head->phdr[i]))
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

/* Whether the file FD can be the one that maps have with INODE.  */
static bool
has_inode (int fd, ino_t inode)
{
  struct stat status;
  struct statfs filesystem;
  return (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
          && (inode == 0 || status.st_ino == inode
              /* Before Linux 6.8 that in maps is of the one below.  */
              || (fstatfs (fd, &filesystem) == 0
                  && filesystem.f_type == OVERLAYFS_SUPER_MAGIC)));
}

/* Describe PATH in OBJECT.  False if it is not FILE.  */
static bool
try_path (struct profile_object *object, const struct profile_file *file,
          const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return false;
  bool good = has_inode (fd, file->build_id == NULL ? file->inode : 0);
  if (good)
    {
      /* No more than is asked for is to be cached in small pages.  */
      posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
      profile_object_describe (object, fd);
      good = (file->build_id == NULL
              || strcmp (object->build_id, file->build_id) == 0);
      if (!good)
        profile_object_free (object);
    }
  close (fd);
  return good;
}

void
profile_object_read (struct profile_object *object,
                     const struct profile_file *file, pid_t pid, pid_t root,
                     uint64_t start, uint64_t end)
{
  char path[PATH_MAX + 64];
  *object = (struct profile_object){ .problem = unread };
  const pid_t roots[] = { pid, root };
  for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
    {
      snprintf (path, sizeof path, "/proc/%d/root%s", (int)roots[i],
                file->name);
      if (roots[i] > 0 && try_path (object, file, path))
        return;
    }
  if (try_path (object, file, file->name) || pid <= 0)
    return;
  /* What has been deleted; only the privileged can.  */
  snprintf (path, sizeof path, "/proc/%d/map_files/%llx-%llx", (int)pid,
            (unsigned long long)start, (unsigned long long)end);
  if (try_path (object, file, path))
    return;
  snprintf (path, sizeof path, "/proc/%d/exe", (int)pid);
  if ((file->build_id == NULL && file->inode == 0)
      || !try_path (object, file, path))
    *object = (struct profile_object){ .problem = unread };
}

bool
profile_object_at (const struct profile_object *object, uint64_t offset,
                   uint64_t *address)
{
  const uint64_t page = getpagesize ();
  for (size_t i = 0; i < object->ntext; i++)
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
  for (size_t i = 0; i < object->ntext; i++)
    if (address >= object->text[i].address
        && address - object->text[i].address < object->text[i].size)
      return true;
  return false;
}
