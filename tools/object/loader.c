/* Loaders: find ld-hugetext.so and the system's loader, and compare them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Before the command runs a program, it compares the release of ld-hugetext.so
   with the release of the installed libc, because a program crashes if its
   loader and its libc are from different releases.  The command finds out the
   two releases without executing a program: ld-hugetext.so contains a note
   with its release, and this command itself uses the installed libc.  The
   command recognises loaders other than ld-hugetext.so by their DT_SONAME.  */

#include "object/loader.h"
#include "hugetext-note.h"
#include "object/elfhead.h"
#include "util/regular.h"

#include <elf.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Return PATH with symbolic links resolved, or PATH itself if its links cannot
   be resolved.  */
static const char *
loader_resolve_links (const char *path, char buffer[static PATH_MAX])
{
  if (realpath (path, buffer) == NULL)
    snprintf (buffer, PATH_MAX, "%s", path);
  return buffer;
}

/* Return true if the file BESIDE belongs to root or to the owner of COMMAND,
   the file of this command in the same directory.  Other users can also create
   files in a directory such as /tmp, but cannot replace COMMAND there.  */
static bool
is_trusted_beside (const char *beside, const char *command)
{
  struct stat own, link, file;
  return (stat (command, &own) == 0 && lstat (beside, &link) == 0
          && stat (beside, &file) == 0
          && (link.st_uid == 0 || link.st_uid == own.st_uid)
          && (file.st_uid == 0 || file.st_uid == own.st_uid));
}

/* Return the path of the file NAME in the directory of this command.  If the
   directory of this command does not contain the file NAME, or if the file
   belongs to another user, return INSTALLED.  */
static const char *
loader_find_beside (const char *name, const char *installed,
                    char buffer[static PATH_MAX])
{
  char beside[PATH_MAX];
  const ssize_t most = sizeof beside - strlen (name) - 1;
  ssize_t length = readlink ("/proc/self/exe", beside, most);
  const char *executed = (const char *) getauxval (AT_EXECFN);
  const char *command = length > 0 ? "/proc/self/exe" : executed;
  if (length > 0)
    beside[length] = '\0';
  else if (executed != NULL && strchr (executed, '/') != NULL
           && (ssize_t) strlen (executed) < most)
    /* Without /proc, take the path of this command from the auxiliary
       vector.  */
    length = stpcpy (beside, executed) - beside;
  if (length > 0)
    {
      strcpy (strrchr (beside, '/') + 1, name);
      if (access (beside, R_OK) == 0 && is_trusted_beside (beside, command))
        return loader_resolve_links (beside, buffer);
    }
  return loader_resolve_links (installed, buffer);
}

const char *
loader_path (const char *given)
{
  static char path[PATH_MAX];
  return given != NULL
             ? loader_resolve_links (given, path)
             : loader_find_beside ("ld-hugetext.so", LOADER_PATH, path);
}

const char *
loader_attach (void)
{
  static char path[PATH_MAX];
  return loader_find_beside ("hugetext-attach", ATTACH_PATH, path);
}

bool
loader_no_attach (int error, struct problem *problem)
{
  if (error == ENOENT)
    return problem_set (problem, "hugetext-attach is not installed: install "
                                 "the package ld-hugetext-attach");
  return problem_set (problem, "%s: %s", loader_attach (), strerror (error));
}

bool
loader_check_attach (struct problem *problem)
{
  return (access (loader_attach (), X_OK) == 0
          || loader_no_attach (errno, problem));
}

const char *
loader_system (void)
{
  static char path[PATH_MAX];
  /* Resolve the symbolic links of the path now, so that the path stays the
     same if another file is bind-mounted over the system's loader later.  */
  return path[0] != '\0' ? path : loader_resolve_links (SYSTEM_LOADER, path);
}

/* Return true if NAME looks like the name of a loader.  */
static bool
loader_has_name (const char *name)
{
  const char *slash = strrchr (name, '/');
  name = slash != NULL ? slash + 1 : name;
  return (strncmp (name, "ld-", 3) == 0 || strncmp (name, "ld.so", 5) == 0
          || strncmp (name, "ld64.so", 7) == 0);
}

/* Return true if the file FD is long enough for all its segments, and contains
   code at its entry point.  HEAD contains the headers of the file, and SIZE is
   the size of the file in bytes.  A file may be too short, or contain zeros,
   if the disk was full or the machine crashed when the file was written.  */
static bool
is_whole (int fd, const struct elf_head *head, uint64_t size)
{
  bool code = false;
  char byte;
  for (size_t i = 0; i < head->count; ++i)
    {
      const Elf64_Phdr *phdr = &head->phdr[i];
      uint64_t end;
      if (phdr->p_type != PT_LOAD)
        continue;
      if (__builtin_add_overflow (phdr->p_offset, phdr->p_filesz, &end)
          || end > size)
        return false;
      if ((phdr->p_flags & PF_X) != 0 && head->entry >= phdr->p_vaddr
          && head->entry - phdr->p_vaddr < phdr->p_filesz)
        code = (elfhead_bytes (fd, &byte, 1,
                               phdr->p_offset + (head->entry - phdr->p_vaddr))
                    == 1
                && byte != 0);
    }
  return code;
}

/* Read ld-hugetext's note from the file FD, whose headers are HEAD, and set
   LOADER from the type and the two strings of the note.  */
static void
loader_read_note (int fd, const struct elf_head *head, struct loader *loader,
                  uint32_t *type)
{
  char text[sizeof loader->version + sizeof loader->own] = { 0 };
  elfhead_note (fd, head, HUGETEXT_NOTE_NAME, type, text, sizeof text - 2);
  snprintf (loader->version, sizeof loader->version, "%s", text);
  snprintf (loader->own, sizeof loader->own, "%s", text + strlen (text) + 1);
}

/* Set LOADER's build to the first digits of the build ID of the file FD, whose
   headers are HEAD.  */
static void
read_build (int fd, const struct elf_head *head, struct loader *loader)
{
  unsigned char id[LOADER_BUILD / 2];
  uint32_t type = NT_GNU_BUILD_ID;
  if (elfhead_note (fd, head, "GNU", &type, id, sizeof id) >= sizeof id)
    for (size_t i = 0; i < sizeof id; ++i)
      sprintf (loader->build + 2 * i, "%02x", id[i]);
}

bool
loader_read_fd (int fd, struct loader *loader)
{
  struct problem problem;
  struct stat status;
  struct elf_head head;
  struct elf_dynamic dynamic;
  uint32_t type = 0;
  size_t at = 0;
  char soname[32];

  memset (loader->version, 0, sizeof loader->version);
  memset (loader->own, 0, sizeof loader->own);
  memset (loader->build, 0, sizeof loader->build);
  loader->loads = loader->ours = loader->stand_in = loader->whole = false;
  if (fstat (fd, &status) < 0)
    return false;
  if (!S_ISREG (status.st_mode) || status.st_size < EI_NIDENT)
    {
      errno = ENOEXEC;
      return false;
    }
  if (!elfhead_read (fd, &head, &problem))
    return true;
  if (head.foreign == NULL)
    {
      elfhead_dynamic (fd, &head, &dynamic);
      bool named = elfhead_string (fd, &head, &dynamic, DT_SONAME, &at, soname,
                                   sizeof soname);
      free (dynamic.list);
      loader_read_note (fd, &head, loader, &type);
      loader->ours = type == HUGETEXT_NOTE_LOADER;
      if (loader->ours)
        read_build (fd, &head, loader);
      loader->stand_in = type == HUGETEXT_NOTE_STAND_IN;
      loader->loads = loader->ours || (named && loader_has_name (soname));
      loader->whole = is_whole (fd, &head, status.st_size);
    }
  elfhead_free (&head);
  return true;
}

bool
loader_read (const char *path, struct loader *loader)
{
  snprintf (loader->path, sizeof loader->path, "%s", path);
  int fd = regular_open (path);
  if (fd < 0 && errno == EINVAL)
    errno = ENOEXEC;
  if (fd < 0)
    return false;
  bool good = loader_read_fd (fd, loader);
  int error = errno;
  close (fd);
  errno = error;
  return good;
}

bool
loader_named (const char *name)
{
  /* If file A is bind-mounted over file B, and B is replaced after the mount,
     the kernel reports the path "/" for A.  */
  return loader_has_name (name) || strcmp (name, "/") == 0;
}

bool
loader_is_loader (const char *name, int fd)
{
  struct loader loader;
  return (loader_named (name) && loader_read_fd (fd, &loader) && loader.loads);
}

bool
same_path (const char *a, const char *b)
{
  struct stat x, y;
  return (stat (a, &x) == 0 && stat (b, &y) == 0 && x.st_dev == y.st_dev
          && x.st_ino == y.st_ino);
}

static bool
loader_may_execute (const char *path)
{
  struct statvfs filesystem;
  return (access (path, X_OK) == 0
          && (statvfs (path, &filesystem) != 0
              || (filesystem.f_flag & ST_NOEXEC) == 0));
}

bool
loader_check (const struct loader *loader, struct problem *problem)
{
  if (loader->stand_in)
    problem_set (problem,
                 "%s replaces ld-hugetext.so, which failed its trial with the "
                 "installed libc6",
                 loader->path);
  else if (!loader->whole)
    problem_set (problem,
                 "%s is damaged: a segment is missing, or there is no code at "
                 "the entry point",
                 loader->path);
  else if (!loader->ours)
    problem_set (
        problem,
        "%s is not ld-hugetext.so: the file has no ELF note ld-hugetext",
        loader->path);
  else if (strcmp (loader->version, gnu_get_libc_version ()) != 0)
    problem_set (problem,
                 "%s is built for glibc %s, but glibc %s is installed",
                 loader->path,
                 loader->version[0] != '\0' ? loader->version : "(unknown)",
                 gnu_get_libc_version ());
  else if (!loader_may_execute (loader->path))
    problem_set (problem, "%s is not executable", loader->path);
  else
    return true;
  return false;
}

bool
loader_fits (const char *path, struct problem *problem)
{
  struct loader loader;
  if (loader_read (path, &loader))
    return loader_check (&loader, problem);
  return problem_set (problem, "%s: %s", path,
                      errno == ENOEXEC ? "no loader" : strerror (errno));
}

bool
loader_is_ours (const char *path)
{
  struct loader loader;
  return (loader_read (path, &loader) && loader.ours && loader.whole
          && strcmp (loader.version, gnu_get_libc_version ()) == 0
          && loader_may_execute (path));
}

const char *
loader_wanted (const char *given)
{
  if (given == NULL && loader_is_ours (loader_system ()))
    return loader_system ();
  return loader_path (given);
}
