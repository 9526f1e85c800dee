/* The files of objects.  To read the file of an object, the loader opens the
   file again.  The loader uses the opened file only if device, inode and other
   facts show that it is the file that was mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>
#include <sys/stat.h>

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* The last file on which the stock loader has called fstat, and which it maps
   next.  FD is negative if the stock loader has not called fstat yet, or if a
   record already contains the file's identity.  */
static struct
{
  int fd;
  struct hugetext_identity identity;
} asked = { .fd = -1 };

bool
_dl_hugetext_ask_file (int fd, dev_t *device, ino64_t *inode)
{
  struct stat64 status;
  if (__fstat64 (fd, &status) != 0)
    {
      asked.fd = -1;
      return false;
    }
  if (__glibc_unlikely (_dl_hugetext_settings () != NULL))
    {
      asked.fd = fd;
      asked.identity = HUGETEXT_IDENTITY (&status);
    }
  *device = status.st_dev;
  *inode = status.st_ino;
  return true;
}

/* Set FILE to the identity of the file on descriptor FD, or to zeros if fstat
   fails.  */
static void
source_identify_file (int fd, struct hugetext_identity *file)
{
  struct stat64 status;
  bool known = __fstat64 (fd, &status) == 0;
  *file = (known ? HUGETEXT_IDENTITY (&status)
                 : (struct hugetext_identity){ .inode = 0 });
}

const struct hugetext_identity *
_dl_hugetext_asked_file (const struct link_map *l, int fd)
{
  return (l != NULL && l->l_type != lt_executable && fd >= 0 && asked.fd == fd
              ? &asked.identity
              : NULL);
}

/* Return the path by which L is being opened, or NULL if the path is unknown.
   The link map of a program that is an argument of the loader (ld.so PROGRAM)
   has no name.  If the argument PROGRAM has no slash, its path is unknown,
   because the loader searches for it in the directories for libraries.  */
static const char *
source_get_path (const struct link_map *l)
{
  if (l->l_name[0] != '\0')
    return l->l_name;
  return strchr (rtld_progname, '/') != NULL ? rtld_progname : NULL;
}

void
_dl_hugetext_note_file (struct hugetext_record *record, int fd)
{
  const struct hugetext_identity *file
      = _dl_hugetext_asked_file (record->map, fd);
  if (file != NULL)
    {
      record->file = *file;
      asked.fd = -1;
    }
  else
    source_identify_file (fd, &record->file);
  record->path = (record->map != NULL && record->file.inode != 0
                      ? source_get_path (record->map)
                      : NULL);
  /* This value is only preliminary if the loader can open the file: the trial
     (dl-hugetext-trial.c), if there is one, later decides whether the file can
     have huge pages.  */
  record->file_ruled_out = fd < 0;
}

/* Return true if the file FD begins with an ELF header whose PHNUM program
   headers equal those at PHDR.  */
static bool
has_headers (struct hugetext_state *state, int fd, const ElfW (Phdr) * phdr,
             size_t phnum)
{
  ElfW (Ehdr) header;
  long int size = phnum * sizeof *phdr;
  return (sys_pread (fd, &header, sizeof header, 0) == sizeof header
          && memcmp (header.e_ident, ELFMAG, SELFMAG) == 0
          && header.e_phentsize == sizeof *phdr && header.e_phnum == phnum
          && phnum <= HUGETEXT_PHDRS_MAX
          && sys_pread (fd, state->scratch.phdr, size, header.e_phoff) == size
          && memcmp (state->scratch.phdr, phdr, size) == 0);
}

int
_dl_hugetext_open_program (struct hugetext_state *state,
                           const ElfW (Phdr) * phdr, size_t phnum)
{
  long int fd = sys_open ("/proc/self/exe");
  if (sys_failed (fd))
    return -1;
  if (has_headers (state, fd, phdr, phnum))
    return fd;
  sys_close (fd);
  return -1;
}

int
_dl_hugetext_open_file (struct hugetext_state *state,
                        const struct hugetext_record *record)
{
  if (record->path == NULL)
    return _dl_hugetext_open_program (state, record->map->l_phdr,
                                      record->map->l_phnum);

  long int fd = sys_open (record->path);
  if (sys_failed (fd))
    return -1;
  struct hugetext_identity now;
  source_identify_file (fd, &now);
  if (now.inode != 0 && now.device == record->file.device
      && now.inode == record->file.inode)
    return fd;
  sys_close (fd);
  return -1;
}
