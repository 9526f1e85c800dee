/* Find ld-hugetext.so and the system's loader, and compare them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A loader and a libc of different releases crash, so the version is looked
   at before anything is run.  Both are read without running them: the loader
   holds the words that "ld.so --version" prints, before 2.33 at least those
   by which ours refuses another libc, and the libc installed is the one that
   this program itself runs with.  */

#include "loader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Resolve the links of PATH, which is kept if it leads nowhere.  */
static const char *
resolve (const char *path, char buffer[static PATH_MAX])
{
  if (realpath (path, buffer) == NULL)
    snprintf (buffer, PATH_MAX, "%s", path);
  return buffer;
}

const char *
loader_path (const char *given)
{
  static const char name[] = "ld-hugetext.so";
  static char path[PATH_MAX];
  char beside[PATH_MAX];

  if (given != NULL)
    return resolve (given, path);
  ssize_t length
      = readlink ("/proc/self/exe", beside, sizeof beside - sizeof name);
  const char *executed = (const char *)getauxval (AT_EXECFN);
  if (length > 0)
    beside[length] = '\0';
  else if (executed != NULL && strchr (executed, '/') != NULL
           && strlen (executed) < sizeof beside - sizeof name)
    /* There is no /proc.  */
    length = stpcpy (beside, executed) - beside;
  if (length > 0)
    {
      strcpy (strrchr (beside, '/') + 1, name);
      if (access (beside, R_OK) == 0)
        return resolve (beside, path);
    }
  return resolve (LOADER_PATH, path);
}

const char *
loader_system (void)
{
  static char path[PATH_MAX];
  /* What is bound over it later has its name.  */
  return path[0] != '\0' ? path : resolve (SYSTEM_LOADER, path);
}

const char *
loader_libc_version (void)
{
  return gnu_get_libc_version ();
}

/* Copy the version that follows the words BEFORE in the SIZE bytes at TEXT to
   LOADER.  False if they are not there.  */
static bool
copy_version (const char *text, size_t size, const char *before,
              struct loader *loader)
{
  const char *found = memmem (text, size, before, strlen (before));
  if (found == NULL)
    return false;
  found += strlen (before);
  size -= found - text;
  text = found;
  size_t n = 0;
  while (n < size && n < sizeof loader->version - 1
         && (isdigit ((unsigned char)text[n]) || text[n] == '.'))
    n++;
  /* A full stop ends the sentence.  */
  while (n > 0 && text[n - 1] == '.')
    n--;
  memcpy (loader->version, text, n);
  loader->version[n] = '\0';
  return true;
}

/* Look in the SIZE bytes at DATA for what tells LOADER.  */
static void
look_for_words (const char *data, size_t size, struct loader *loader)
{
  static const char loads[] = "error while loading shared libraries";
  static const char tunable[] = "glibc.mem.hugetext_pad_threshold";
  /* Of debian/stand-in.c.  */
  static const char stand_in[] = " cannot take over: ";
  if (loader->version[0] == '\0'
      && !copy_version (data, size, " release version ", loader))
    copy_version (data, size, " ld-hugetext.so is for glibc ", loader);
  loader->loads |= memmem (data, size, loads, sizeof loads - 1) != NULL;
  loader->ours |= memmem (data, size, tunable, sizeof tunable) != NULL;
  loader->stand_in |= memmem (data, size, stand_in, sizeof stand_in) != NULL;
}

/* Whether the segment PHDR of a file of SIZE bytes is all in it.  */
static bool
is_inside (const ElfW (Phdr) *phdr, size_t size)
{
  return phdr->p_offset < size && phdr->p_filesz <= size - phdr->p_offset;
}

/* Whether in the SIZE bytes at DATA the COUNT segments LIST can be, and code
   where the kernel would ENTER it: a disk that was full, or a crash, leaves
   less of a file, or zeros.  */
static bool
is_whole (const char *data, size_t size, const ElfW (Phdr) *list,
          size_t count, uintptr_t enter)
{
  bool code = false;
  for (size_t i = 0; i < count; i++)
    {
      if (list[i].p_type == PT_LOAD && !is_inside (&list[i], size))
        return false;
      if (list[i].p_type == PT_LOAD && (list[i].p_flags & PF_X) != 0
          && enter >= list[i].p_vaddr
          && enter - list[i].p_vaddr < list[i].p_filesz)
        code = data[list[i].p_offset + (enter - list[i].p_vaddr)] != 0;
    }
  return code;
}

/* The same in the SIZE bytes of a file that are mapped at DATA, where words
   are mostly: in what is not code.  A start waits for us.  */
static void
look_beside_code (const char *data, size_t size, struct loader *loader)
{
  const ElfW (Ehdr) *header = (const void *)data;
  const ElfW (Phdr) *phdr = (const void *)(data + sizeof *header);
  if (size < sizeof *header || memcmp (header->e_ident, ELFMAG, SELFMAG) != 0
      || header->e_phoff != sizeof *header
      || header->e_phnum > (size - sizeof *header) / sizeof *phdr)
    return;
  for (size_t i = 0; i < header->e_phnum; i++)
    if (phdr[i].p_type == PT_LOAD && (phdr[i].p_flags & PF_X) == 0
        && is_inside (&phdr[i], size))
      look_for_words (data + phdr[i].p_offset, phdr[i].p_filesz, loader);
  loader->whole
      = is_whole (data, size, phdr, header->e_phnum, header->e_entry);
}

bool
loader_read_fd (int fd, struct loader *loader)
{
  struct stat status;

  loader->version[0] = '\0';
  loader->loads = false;
  loader->ours = false;
  loader->stand_in = false;
  loader->whole = false;
  if (fstat (fd, &status) < 0)
    return false;
  if (!S_ISREG (status.st_mode) || status.st_size < 64)
    {
      errno = ENOEXEC;
      return false;
    }
  size_t size = status.st_size;
  char *data = mmap (NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return false;
  look_beside_code (data, size, loader);
  if (loader->version[0] == '\0')
    look_for_words (data, size, loader);
  loader->stand_in &= !loader->ours;
  munmap (data, size);
  return true;
}

bool
loader_read (const char *path, struct loader *loader)
{
  snprintf (loader->path, sizeof loader->path, "%s", path);
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return false;
  bool good = loader_read_fd (fd, loader);
  int error = errno;
  close (fd);
  errno = error;
  return good;
}

bool
loader_is_loader (const char *name, int fd)
{
  struct loader loader;
  const char *slash = strrchr (name, '/');
  name = slash != NULL ? slash + 1 : name;
  /* "/": it was mounted on a file that has been replaced since.  */
  return ((name[0] == '\0' || strncmp (name, "ld-", 3) == 0
           || strncmp (name, "ld.so", 5) == 0
           || strncmp (name, "ld64.so", 7) == 0)
          && loader_read_fd (fd, &loader) && loader.loads);
}

bool
same_path (const char *a, const char *b)
{
  struct stat x, y;
  return (stat (a, &x) == 0 && stat (b, &y) == 0 && x.st_dev == y.st_dev
          && x.st_ino == y.st_ino);
}

static bool
may_execute (const char *path)
{
  struct statvfs filesystem;
  return (access (path, X_OK) == 0
          && (statvfs (path, &filesystem) != 0
              || (filesystem.f_flag & ST_NOEXEC) == 0));
}

const char *
loader_problem (const struct loader *loader)
{
  static char text[PATH_MAX + 256];

  if (loader->stand_in)
    snprintf (text, sizeof text,
              "%s stands in for ld-hugetext.so, which failed its"
              " trial with the libc6 that is installed",
              loader->path);
  else if (!loader->ours)
    snprintf (text, sizeof text,
              "%s is not ld-hugetext.so: it has no tunable"
              " glibc.mem.hugetext",
              loader->path);
  else if (strcmp (loader->version, loader_libc_version ()) != 0)
    snprintf (text, sizeof text,
              "%s is built for glibc %s, but glibc %s is installed",
              loader->path,
              loader->version[0] != '\0' ? loader->version : "(unknown)",
              loader_libc_version ());
  else if (!loader->whole)
    snprintf (text, sizeof text,
              "%s is damaged: what a loader begins with is not there",
              loader->path);
  else if (!may_execute (loader->path))
    snprintf (text, sizeof text, "%s may not be executed", loader->path);
  else
    return NULL;
  return text;
}

bool
loader_is_ours (const char *path)
{
  struct loader loader;
  return (loader_read (path, &loader) && loader.ours && loader.whole
          && strcmp (loader.version, loader_libc_version ()) == 0
          && may_execute (path));
}

const char *
loader_wanted (const char *given)
{
  if (given == NULL && loader_is_ours (loader_system ()))
    return loader_system ();
  return loader_path (given);
}
