/* The file that an object was mapped from.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader opens the file anew for each start or dlopen, and trusts it only
   if it is the file that was mapped.  */

#include <array_length.h>
#include <string.h>
#include <sys/stat.h>

#include "dl-hugetext-source.h"
#include "dl-hugetext-sys.h"

void
_dl_hugetext_identify (int fd, struct hugetext_identity *file)
{
  struct stat64 status;
  bool known = __fstat64 (fd, &status) == 0;
  *file = (known ? HUGETEXT_IDENTITY (&status)
                 : (struct hugetext_identity){ .inode = 0 });
}

/* Return the path by which L is being opened, NULL if unknown.  A program
   given to the loader as an argument has no name in its link map; the loader
   searches the library path for it unless its name has a slash.  */
static const char *
path_of (const struct link_map *l)
{
  if (l->l_name[0] != '\0')
    return l->l_name;
  return strchr (rtld_progname, '/') != NULL ? rtld_progname : NULL;
}

void
_dl_hugetext_note_file (struct hugetext_file_name *name,
                        const struct link_map *l, int fd)
{
  name->path = path_of (l);
  _dl_hugetext_identify (fd, &name->file);
  if (name->file.inode == 0)
    name->path = NULL;
}

/* Whether the file FD begins with an ELF header whose PHNUM program headers
   are those at PHDR.  */
static bool
has_headers (int fd, const ElfW (Phdr) * phdr, size_t phnum)
{
  ElfW (Ehdr) header;
  if (sys_pread (fd, (uintptr_t) &header, sizeof header, 0) != sizeof header
      || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_phentsize != sizeof *phdr || header.e_phnum != phnum)
    return false;

  /* Read the headers in pieces, because there may be any number of them.  */
  ElfW (Phdr) buffer[8];
  uint64_t offset = header.e_phoff;
  for (size_t n; phnum > 0; phnum -= n, phdr += n, offset += n * sizeof *phdr)
    {
      n = phnum < array_length (buffer) ? phnum : array_length (buffer);
      size_t size = n * sizeof *phdr;
      if (sys_pread (fd, (uintptr_t) buffer, size, offset) != (long int) size
          || memcmp (buffer, phdr, size) != 0)
        return false;
    }
  return true;
}

int
_dl_hugetext_open_program (const ElfW (Phdr) * phdr, size_t phnum)
{
  long int fd = sys_open ("/proc/self/exe");
  if (sys_failed (fd))
    return -1;
  if (has_headers (fd, phdr, phnum))
    return fd;
  sys_close (fd);
  return -1;
}

int
_dl_hugetext_open_file (const struct hugetext_file_name *name,
                        const struct link_map *l)
{
  if (name->path == NULL)
    return _dl_hugetext_open_program (l->l_phdr, l->l_phnum);

  long int fd = sys_open (name->path);
  if (sys_failed (fd))
    return -1;
  struct hugetext_identity now;
  _dl_hugetext_identify (fd, &now);
  if (now.inode != 0 && now.device == name->file.device
      && now.inode == name->file.inode)
    return fd;
  sys_close (fd);
  return -1;
}

bool
_dl_hugetext_is_unmodified (struct hugetext_attempt *attempt, uintptr_t start,
                            uintptr_t end, uintptr_t copy)
{
  size_t length = end - start;
  if (!_dl_hugetext_can (attempt, HUGETEXT_CAN_READ_MEMORY))
    /* From Linux 5.14 on.  */
    return (!sys_failed (sys_madvise (start, length, MADV_POPULATE_READ))
            && memcmp ((const void *) start, (const void *) copy, length)
                   == 0);
  /* Compare in pieces, so that the buffer stays in the CPU's cache.  */
  size_t size = 16 * attempt->geo.page;
  long int buffer = sys_mmap (0, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys_failed (buffer))
    return false;
  bool same = true;
  for (size_t n; same && start < end; start += n, copy += n)
    {
      n = hugetext_min (end - start, size);
      struct sys_vector local = { buffer, n }, remote = { start, n };
      same = (sys_read_memory (&local, &remote, 1) == (long int) n
              && memcmp ((const void *) buffer, (const void *) copy, n) == 0);
    }
  sys_munmap (buffer, size);
  return same;
}
