/* Programs: the file that a name executes, and its kind.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "object/program.h"
#include "object/elfhead.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The most scripts that may name one another: the kernel's limit.  */
#define SCRIPTS_MAX 5

char *
program_find (const char *name)
{
  if (strchr (name, '/') != NULL)
    return strdup (name);

  const char *path = getenv ("PATH");
  if (path == NULL)
    path = "/bin:/usr/bin";
  int error = ENOENT;
  while (true)
    {
      size_t length = strcspn (path, ":");
      char *file;
      struct stat status;
      if (asprintf (&file, "%.*s/%s", length > 0 ? (int) length : 1,
                    length > 0 ? path : ".", name)
          < 0)
        return NULL;
      if (stat (file, &status) == 0 && S_ISREG (status.st_mode))
        {
          if (access (file, X_OK) == 0)
            return file;
          error = EACCES;
        }
      free (file);
      if (path[length] == '\0')
        break;
      path += length + 1;
    }
  errno = error;
  return NULL;
}

/* If FD is a script, put the interpreter in its first line into PROGRAM.  */
static bool
read_script (int fd, struct program *program)
{
  char line[sizeof program->file], *rest = line + 2;
  ssize_t length = pread (fd, line, sizeof line - 1, 0);
  if (length < 2 || line[0] != '#' || line[1] != '!')
    return false;
  line[length] = '\0';
  line[strcspn (line, "\n")] = '\0';
  for (size_t end = strlen (line); strchr (" \t", line[end]) != NULL; --end)
    line[end] = '\0';
  rest += strspn (rest, " \t");
  const char *name = strsep (&rest, " \t");
  const char *argument = rest != NULL ? rest + strspn (rest, " \t") : "";
  if (name[0] == '\0')
    return false;
  snprintf (program->file, sizeof program->file, "%s", name);
  snprintf (program->argument, sizeof program->argument, "%s", argument);
  return true;
}

const char *
program_foreign (int fd)
{
  struct elf_head head;
  if (elfhead_read (fd, &head) != NULL)
    return NULL;
  elfhead_free (&head);
  return head.foreign;
}

/* Read the headers of the ELF file FD into PROGRAM.  */
static void
read_elf (int fd, struct program *program)
{
  struct elf_head head;
  program->kind = PROGRAM_OTHER;
  program->interpreter[0] = '\0';
  if (elfhead_read (fd, &head) != NULL)
    return;
  program->foreign = head.foreign;
  if (head.foreign != NULL)
    program->kind = PROGRAM_FOREIGN;
  else if (head.type == ET_EXEC || head.type == ET_DYN)
    program->kind = PROGRAM_STATIC;
  for (size_t i = 0; program->kind != PROGRAM_OTHER && i < head.count; ++i)
    if (head.phdr[i].p_type == PT_INTERP
        && head.phdr[i].p_filesz < sizeof program->interpreter)
      {
        size_t length
            = elfhead_bytes (fd, program->interpreter, head.phdr[i].p_filesz,
                             head.phdr[i].p_offset);
        program->interpreter[length] = '\0';
        program->kind = PROGRAM_DYNAMIC;
      }
  elfhead_free (&head);
}

/* Whether the file FD gives rights when it is executed.  */
static bool
is_secure (int fd)
{
  struct stat status;
  if (fstat (fd, &status) == 0
      && (((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid ())
          || ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP)
              && status.st_gid != getegid ())))
    return true;
  return (geteuid () != 0
          && fgetxattr (fd, "security.capability", NULL, 0) > 0);
}

bool
program_read (const char *file, struct program *program)
{
  *program = (struct program){ .kind = PROGRAM_OTHER };
  if (strlen (file) >= sizeof program->file)
    {
      errno = ENAMETOOLONG;
      return false;
    }
  strcpy (program->file, file);
  for (int i = 0; i <= SCRIPTS_MAX; ++i)
    {
      struct stat status;
      if (stat (program->file, &status) < 0
          || access (program->file, X_OK) < 0)
        return false;
      if (!S_ISREG (status.st_mode))
        {
          errno = EACCES;
          return false;
        }
      int fd = regular_open (program->file);
      if (fd < 0)
        /* The file can be executed even if it cannot be read.  */
        return true;
      char *script = strdup (program->file);
      bool is_script = script != NULL && read_script (fd, program);
      if (is_script && program->script[0] == '\0')
        strcpy (program->script, script);
      free (script);
      if (!is_script)
        {
          read_elf (fd, program);
          program->secure = is_secure (fd);
          close (fd);
          return true;
        }
      close (fd);
    }
  errno = ELOOP;
  return false;
}
