/* Map parts of files in another process, by system calls that the other
   process makes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/remote.h"
#include "tracee/filter.h"
#include "tracee/thread.h"
#include "object/textmap.h"
#include "util/fileid.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
/* A flag that mremap has had since Linux 5.7.  The flag MREMAP_DONTUNMAP has
   worked for mappings of files since Linux 5.13.  */
#  define MREMAP_DONTUNMAP 4
#endif

/* Return true if descriptor FILE of the stopped thread refers to the same file
   as FD of this process.  */
static bool
remote_file_is_same_file (const struct remote *remote, long file, int fd)
{
  char path[64];
  struct fileid theirs, ours;
  snprintf (path, sizeof path, "/proc/%d/fd/%ld", (int) remote->tracee->tid,
            file);
  return (fileid_of (AT_FDCWD, path, &theirs) && fileid_of (fd, "", &ours)
          && fileid_is_same (&theirs, &ours));
}

/* Return the path by which REMOTE's process can open the file that has the
   path NAME in this process.  The process may have another root directory
   (chroot).  */
static const char *
name_there (const struct remote *remote, const char *name)
{
  char path[64], root[PATH_MAX];
  snprintf (path, sizeof path, "/proc/%d/root", (int) remote->pid);
  ssize_t length = readlink (path, root, sizeof root);
  return (length > 1 && length < (ssize_t) sizeof root
                  && strncmp (name, root, length) == 0 && name[length] == '/'
              ? name + length
              : name);
}

static void
close_there (struct remote *remote, long file)
{
  tracee_cleanup (remote->tracee, REMOTE_FILE, -1, 0, 0);
  remote_call (remote, SYS_close, file, 0, 0, 0, 0, 0);
}

/* Overwrite the SIZE bytes of a file name at the address AT in the process's
   memory.  */
static void
remove_name (struct remote *remote, uintptr_t at, size_t size)
{
  static const char nothing[PATH_MAX];
  if (remote->tracee->at_exec)
    thread_write (remote->tracee->memory, at, nothing, size);
  else
    {
      remote_keep (remote);
      remote_call (remote, SYS_munmap, at, getpagesize (), 0, 0, 0, 0);
    }
}

/* Return the reason why a system call that opens or maps a file has failed.
   ERROR is the negative error number of the call, and OTHER is the reason for
   errors other than a lack of memory.  */
static enum hugetext_reason
why_failed (long error, enum hugetext_reason other)
{
  return error == -ENOMEM || error == -EAGAIN ? REASON_SPACE_LIMITED : other;
}

/* Write the SIZE bytes of NAME, a file name, to the process's memory, where a
   system call can read them.  Return the address of the file name in the
   process's memory.  On failure, set *WHY to the reason, and return 0.  If the
   program has not executed an instruction yet, write the name to the program's
   stack, below the data that the kernel has put there.  */
static uintptr_t
put_name (struct remote *remote, const char *name, size_t size,
          enum hugetext_reason *why)
{
  struct tracee *tracee = remote->tracee;
  const uintptr_t at
      = tracee->at_exec
            ? (tracee_stack (&tracee->saved) - size) & -sizeof (uintptr_t)
            : remote_map_at (remote, 0, getpagesize (), PROT_READ | PROT_WRITE,
                             MAP_ANONYMOUS, -1, 0);
  if (at == 0)
    *why = why_failed (remote->failed, REASON_NOT_MAPPED);
  if (at == 0 || thread_write (tracee->memory, at, name, size))
    return at;
  *why = REASON_NOT_WRITTEN;
  remove_name (remote, at, size);
  return 0;
}

/* Make the process open the file NAME, which this process has already opened
   as FD.  Return the descriptor, or a negative number with *WHY set.  Before
   the call, set *WHY to the reason to report if the process cannot open the
   file by NAME; if the call fails for another reason, the function overwrites
   *WHY.  */
static long
open_there (struct remote *remote, const char *name, int fd,
            enum hugetext_reason *why)
{
  struct tracee *tracee = remote->tracee;
  struct traces *traces = remote->traces;
  name = name_there (remote, name);
  const size_t size = strlen (name) + 1;
  if (remote_serves (remote))
    *why = REASON_SERVES;
  if (remote_serves (remote) || size > PATH_MAX
      || !fileid_of (fd, "", &traces->image))
    return -1;
  uintptr_t at = put_name (remote, name, size, why);
  if (at == 0)
    return -1;
  tracee_cleanup_result (tracee, REMOTE_FILE, SYS_close, 0);
  traces->file = TRACES_ANY_FILE;
  long file = remote_call (remote, SYS_openat, AT_FDCWD, at, FILTER_OPEN_FLAGS,
                           0, 0, 0);
  traces->file = file < 0 ? -1 : file;
  tracee_cleanup (tracee, REMOTE_FILE, file < 0 ? -1 : SYS_close, file, 0);
  remove_name (remote, at, size);
  if (file < 0)
    *why = why_failed (
        file, remote_why (remote, SYS_openat, FILTER_OPEN_FLAGS, *why));
  return file;
}

uintptr_t
remote_map_file (struct remote *remote, const char *name, int fd,
                 size_t length, int prot, uint64_t offset, bool image,
                 enum hugetext_reason *why)
{
  *why = image ? REASON_IMAGE_UNSEEN : REASON_NOT_MAPPED;
  const long file = open_there (remote, name, fd, why);
  const bool opened = file >= 0 && remote_file_is_same_file (remote, file, fd);
  const uintptr_t at
      = opened ? remote_map_at (remote, 0, length, prot, 0, file, offset) : 0;
  if (opened && at == 0)
    {
      /* The kernel forbids an executable mapping of the image if its
         filesystem is mounted with noexec, or if a security module forbids
         it.  */
      const bool forbidden
          = remote->failed == -EPERM || remote->failed == -EACCES;
      *why = why_failed (remote->failed, image && forbidden
                                             ? HUGETEXT_FORBIDDEN
                                             : REASON_NOT_MAPPED);
    }
  if (file >= 0)
    close_there (remote, file);
  return at;
}

/* Find a page of OBJECT's file that is mapped in the process, readable, shared
   with the page cache, not locked in memory, and at a file offset of at most
   OFFSET.  Prefer a page with the protection PROT.  Return the address of the
   page, and set *FROM to its file offset.  Return 0 if the function finds no
   page.  */
static uintptr_t
find_page (struct remote *remote, const struct convert_object *object,
           int prot, uint64_t offset, uint64_t *from)
{
  struct procmaps maps;
  uintptr_t page = 0;
  bool best = false;
  if (procmaps_read_range (remote->pid, object->start, object->end, &maps) < 0)
    return 0;
  for (size_t i = 0; i < maps.count; ++i)
    {
      const struct mapping *map = &maps.list[i];
      const bool suits = map->executable == ((prot & PROT_EXEC) != 0);
      if (map->inode != object->text->inode
          || map->device != object->text->device || map->shared
          || map->writable || !map->readable || map->offset > offset
          || (page != 0 && (best || !suits))
          /* Moving the page with mremap would split the huge page, or the
             mapping, that contains the page.  */
          || remote_is_huge (remote, map->start & -procmaps_block ())
          || textmap_private (remote->pages.pagemap, map->start,
                              map->start + getpagesize ())
                 != HUGETEXT_NONE
          /* MREMAP_DONTUNMAP would unlock the whole mapping.  A program that
             has not executed an instruction yet has no locked memory.  */
          || (!remote->tracee->at_exec
              && remote_may_be_locked (remote, map->start,
                                       map->start + getpagesize ())))
        continue;
      page = map->start;
      *from = map->offset;
      best = suits;
    }
  procmaps_free (&maps);
  return page;
}

/* Map LENGTH bytes of OBJECT's file without opening it: mremap with
   MREMAP_DONTUNMAP duplicates the mapping of a page, and the duplicate can
   then be made longer.  The process may be unable to open the file by its
   path: the file may have been deleted or replaced, the file may not exist in
   the process's mount namespace, or the process may be the file server (FUSE)
   that would have to answer the request to open the file.  */
static uintptr_t
copy_mapping (struct remote *remote, const struct convert_object *object,
              size_t length, int prot, uint64_t offset)
{
  const uintptr_t block = procmaps_block (), page = getpagesize ();
  uint64_t from = 0;
  /* If userfaultfd watches the page, mremap would tell the program that the
     page has moved, and wait until the program has read this message.  */
  uintptr_t source
      = object->watched ? 0 : find_page (remote, object, prot, offset, &from);
  if (source == 0)
    return 0;
  const size_t skipped = offset - from, all = skipped + length;
  uintptr_t at = remote_map_at (remote, -skipped & (block - 1), all, PROT_NONE,
                                MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == 0)
    return 0;
  bool good
      = remote_call (remote, SYS_mremap, source, page, page,
                     MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, at, 0)
        == (long) at;
  if (good)
    remote_call (remote, SYS_madvise, at, page, MADV_DONTFORK, 0, 0, 0);
  if (good && all > page)
    {
      tracee_cleanup (remote->tracee, REMOTE_MAP, SYS_munmap, at, page);
      remote_call (remote, SYS_munmap, at + page, all - page, 0, 0, 0, 0);
      good = remote_call (remote, SYS_mremap, at, page, all, 0, 0, 0)
             == (long) at;
      tracee_cleanup (remote->tracee, REMOTE_MAP, SYS_munmap, at,
                      good ? all : page);
      if (!good)
        {
          remote_keep (remote);
          remote_call (remote, SYS_munmap, at, page, 0, 0, 0, 0);
          return 0;
        }
    }
  if (good && skipped > 0)
    {
      tracee_cleanup (remote->tracee, REMOTE_MAP, SYS_munmap, at + skipped,
                      length);
      remote_call (remote, SYS_munmap, at, skipped, 0, 0, 0, 0);
      at += skipped;
    }
  if (good
      && remote_call (remote, SYS_mprotect, at, length, prot, 0, 0, 0) == 0)
    return at;
  remote_keep (remote);
  remote_call (remote, SYS_munmap, at, good ? length : all, 0, 0, 0, 0);
  return 0;
}

uintptr_t
remote_map_object (struct remote *remote, const struct convert_object *object,
                   size_t length, int prot, uint64_t offset,
                   enum hugetext_reason *why)
{
  uintptr_t at = copy_mapping (remote, object, length, prot, offset);
  return at != 0 ? at
                 : remote_map_file (remote, object->text->name, object->fd,
                                    length, prot, offset, false, why);
}

enum hugetext_reason
remote_needed (struct remote *remote, const struct convert_object *object,
               uintptr_t start)
{
  struct procmaps maps;
  const struct mapping *first = NULL;
  if (procmaps_read_range (remote->pid, object->start, object->end, &maps) < 0)
    return REASON_MAPPINGS_UNKNOWN;
  for (size_t i = 0; i < maps.count; ++i)
    {
      const struct mapping *map = &maps.list[i];
      if (map->inode == object->text->inode
          && map->device == object->text->device && map->readable
          && !map->writable && !map->shared
          && (first == NULL || map->offset < first->offset))
        first = map;
    }
  const bool kept
      = ((remote_serves (remote) || (first != NULL && first->deleted))
         && (first == NULL || first->start - start < procmaps_block ()));
  procmaps_free (&maps);
  return kept ? REASON_NEEDED : HUGETEXT_NONE;
}

/* Map LENGTH bytes of OBJECT's file from OFFSET on in free address space, so
   that the mapping can be moved over the text.  If LOCKED, lock the mapping in
   memory.  Return the address of the mapping, or 0 with *WHY set.  */
static uintptr_t
stage (struct remote *remote, const struct convert_object *object,
       size_t length, int prot, uint64_t offset, bool locked,
       enum hugetext_reason *why)
{
  *why = REASON_NOT_MAPPED;
  /* If huge pages are switched off for OBJECT's mapping, they are also
     switched off for a duplicate of this mapping.  */
  uintptr_t at = object->kept_small
                     ? remote_map_file (remote, object->text->name, object->fd,
                                        length, prot, offset, false, why)
                     : 0;
  if (at == 0)
    at = remote_map_object (remote, object, length, prot, offset, why);
  if (at == 0)
    return 0;
  *why = locked ? remote_lock (remote, at, length) : HUGETEXT_NONE;
  /* mlock also locks memory that cannot be accessed (PROT_NONE), but then
     returns an error.  */
  if (*why == HUGETEXT_NONE || prot == PROT_NONE)
    *why = remote_share (remote, at, length);
  remote_keep (remote);
  if (*why == HUGETEXT_NONE)
    return at;
  remote_call (remote, SYS_munmap, at, length, 0, 0, 0, 0);
  return 0;
}

/* Test whether remote_restore would be able to move the mapping of LENGTH
   bytes at AT over the text: move the mapping to free addresses, and unmap it
   there.  If the process has nearly reached its maximum number of mappings
   (vm.max_map_count), the kernel still makes a mapping, but refuses to move
   it.  */
static enum hugetext_reason
try_move (struct remote *remote, uintptr_t at, size_t length)
{
  const uintptr_t block = procmaps_block ();
  const uintptr_t lead
      = hugetext_round_down (at - remote->room + length, block) + 2 * block;
  const uintptr_t to = remote_map_at (remote, lead, length, PROT_NONE,
                                      MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const bool good = (to != 0
                     && remote_call (remote, SYS_mremap, at, length, length,
                                     MREMAP_MAYMOVE | MREMAP_FIXED, to, 0)
                            == (long) to);
  if (to != 0)
    {
      remote_keep (remote);
      remote_call (remote, SYS_munmap, to, length, 0, 0, 0, 0);
    }
  if (!good)
    remote_call (remote, SYS_munmap, at, length, 0, 0, 0, 0);
  return good ? HUGETEXT_NONE : REASON_NOT_MOVED;
}

enum hugetext_reason
remote_rehearse (struct remote *remote, const struct convert_object *object,
                 uintptr_t start, uintptr_t end, int prot, uint64_t offset,
                 bool locked)
{
  enum hugetext_reason why;
  const uintptr_t at
      = stage (remote, object, end - start, prot, offset, locked, &why);
  return at != 0 ? try_move (remote, at, end - start) : why;
}

enum hugetext_reason
remote_restore (struct remote *remote, const struct convert_object *object,
                uintptr_t start, uintptr_t end, int prot, uint64_t offset,
                bool locked)
{
  const size_t length = end - start;
  enum hugetext_reason why;
  const uintptr_t at
      = stage (remote, object, length, prot, offset, locked, &why);
  if (at == 0)
    return why;
  const long result = remote_call (remote, SYS_mremap, at, length, length,
                                   MREMAP_MAYMOVE | MREMAP_FIXED, start, 0);
  if (result == (long) start)
    return HUGETEXT_NONE;
  remote_call (remote, SYS_munmap, at, length, 0, 0, 0, 0);
  return result == -EPERM ? REASON_SEALED : REASON_NOT_MOVED;
}
