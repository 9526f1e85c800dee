/* Programs: find the file that is executed for a name, and the kind of this
   file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "object/program.h"
#include "host/reader.h"
#include "object/dependencies.h"
#include "object/elfhead.h"
#include "object/elfobject.h"
#include "object/loader.h"
#include "host/procfile.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The largest errno.  */
#define ERRNO_MAX 4095

/* The kernel's limit for the length of a chain of scripts, in which each
   script has the next one as its interpreter.  */
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

/* If FD is a script, store the interpreter in its first line in PROGRAM.  */
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

bool
program_check (int fd, struct problem *problem)
{
  struct elf_head head;
  struct problem none;
  if (!elfhead_read (fd, &head, &none))
    return true;
  elfhead_free (&head);
  return head.foreign == NULL || problem_set (problem, "%s", head.foreign);
}

bool
program_check_process (pid_t pid, struct problem *problem)
{
  const int fd = procfile_open (pid, "exe");
  if (fd < 0)
    return true;
  bool good = program_check (fd, problem);
  close (fd);
  return good;
}

/* Read the headers of the ELF file FD, and store the facts in PROGRAM.  */
static void
read_elf (int fd, struct program *program)
{
  struct problem problem;
  struct elf_head head;
  program->kind = PROGRAM_OTHER;
  program->interpreter[0] = '\0';
  if (!elfhead_read (fd, &head, &problem))
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

/* Return true if the file whose status is STATUS has the set-user-ID bit or
   the set-group-ID bit.  The set-group-ID bit has no effect on a file that the
   group must not execute.  */
static bool
sets_user (const struct stat *status)
{
  return (status->st_mode & S_ISUID) != 0;
}

static bool
sets_group (const struct stat *status)
{
  const mode_t set_group = S_ISGID | S_IXGRP;
  return (status->st_mode & set_group) == set_group;
}

/* Return true if executing the file with the status STATUS gives rights
   (set-user-ID or set-group-ID) to a process of user UID and group GID.  */
static bool
gives_rights (const struct stat *status, uid_t uid, gid_t gid)
{
  return ((sets_user (status) && status->st_uid != uid)
          || (sets_group (status) && status->st_gid != gid));
}

static bool
has_capabilities (const char *file)
{
  return getxattr (file, "security.capability", NULL, 0) > 0;
}

bool
program_gives_privileges (const char *file)
{
  struct stat status;
  return ((stat (file, &status) == 0
           && (sets_user (&status) || sets_group (&status)))
          || has_capabilities (file));
}

/* Return true if this user gains rights by executing FILE.  The function does
   not open FILE.  */
static bool
is_secure (const char *file)
{
  struct stat status;
  if (stat (file, &status) == 0
      && gives_rights (&status, geteuid (), getegid ()))
    return true;
  return geteuid () != 0 && has_capabilities (file);
}

/* Return true if the file FD is an ELF file.  If the file is not an ELF file,
   set PROBLEM and return false.  For a script, PROBLEM says which file the
   user should name instead of the script.  */
static bool
object_program_is_elf_file (int fd, struct problem *problem)
{
  char first[256];
  const ssize_t n = pread (fd, first, sizeof first, 0);
  if (n < 0)
    return problem_system (problem, errno);
  return ((n >= SELFMAG && memcmp (first, ELFMAG, SELFMAG) == 0)
          || elfhead_not_elf (first, n, problem));
}

/* Return true if the file whose status is STATUS is a regular file that no
   user may execute.  */
static bool
is_closed (const struct stat *status)
{
  return (S_ISREG (status->st_mode)
          && (status->st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0);
}

bool
program_cannot_run (const char *file, int error, struct problem *problem)
{
  struct stat status;
  const bool closed = (error == EACCES && file != NULL
                       && stat (file, &status) == 0 && is_closed (&status));
  return problem_set (problem, "%s%s",
                      error == ENOENT ? "not found" : strerror (error),
                      closed ? ": the file is not executable" : "");
}

bool
program_is_closed_script (int fd)
{
  struct stat status;
  char first[2];
  return (pread (fd, first, sizeof first, 0) == sizeof first
          && memcmp (first, "#!", sizeof first) == 0
          && fstat (fd, &status) == 0 && is_closed (&status));
}

/* Return true if FILE is a program.  Set STATUS to the file's status.  */
static bool
check_opened (const struct reader_file *file, struct stat *status,
              struct problem *problem)
{
  if (file->error != 0)
    return problem_set (problem, "%s", strerror (file->error));
  if (fstat (file->fd, status) < 0)
    return problem_system (problem, errno);
  if (!object_program_is_elf_file (file->fd, problem))
    return false;
  return ((status->st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0
          || problem_set (problem, "%s", strerror (EACCES)));
}

/* The user and the group of the process that has a question about a
   program.  */
struct asker
{
  uid_t uid;
  gid_t gid;
};

/* In an unprivileged process: answer with the facts about the program FILE.
   ASKED is a struct asker.  */
static void
object_program_read_opened (const struct reader_file *file, const void *asked,
                            struct message *answer)
{
  static struct program program = { .kind = PROGRAM_OTHER };
  const struct asker *asker = asked;
  struct stat status = { 0 };
  struct problem problem = { 0 };
  const bool good = check_opened (file, &status, &problem);
  if (good)
    read_elf (file->fd, &program);
  message_put_result (answer, good, &problem);
  message_put_text (answer, file->real);
  message_put_text (answer, program.interpreter);
  message_put_number (answer, program.kind);
  message_put_number (answer, gives_rights (&status, asker->uid, asker->gid));
}

bool
program_ask (const char *file, struct program *program,
             char real[static PATH_MAX], struct problem *problem)
{
  const struct asker asker = { geteuid (), getegid () };
  struct message answer;
  if (!reader_ask (file, object_program_read_opened, &asker, &answer, problem))
    return false;
  *program = (struct program){ .kind = PROGRAM_OTHER };
  const bool is_program = message_get_result (&answer, problem);
  message_get_text (&answer, real, PATH_MAX);
  message_get_text (&answer, program->interpreter,
                    sizeof program->interpreter);
  program->kind = message_get_number (&answer, PROGRAM_OTHER);
  program->secure = message_get_bool (&answer);
  strcpy (program->file, real);
  const bool done = message_is_done (&answer);
  message_free (&answer);
  if (done && !is_program)
    return false;
  return (done && real[0] == '/')
         || problem_unknown (problem, READER_MAKES_NO_SENSE);
}

/* In an unprivileged process: answer with the path of FILE or, if FILE was not
   opened, with the path ASKED.  Resolve symbolic links in the path.  */
static void
find_real (const struct reader_file *file, const void *asked,
           struct message *answer)
{
  char real[PATH_MAX];
  errno = 0;
  message_put_text (answer, file->real[0] != '\0'            ? file->real
                            : realpath (asked, real) != NULL ? real
                                                             : "");
  message_put_number (answer, errno);
}

bool
program_resolve (const char *name, char real[static PATH_MAX],
                 struct problem *problem)
{
  struct message answer;
  if (geteuid () != 0)
    return (realpath (name, real) != NULL
            || problem_set (problem, "%s", strerror (errno)));
  real[0] = '\0';
  if (!reader_ask (name, find_real, name, &answer, problem))
    return false;
  message_get_text (&answer, real, PATH_MAX);
  const int error = message_get_number (&answer, ERRNO_MAX);
  const bool good = message_is_done (&answer);
  message_free (&answer);
  if (good && real[0] == '/')
    return true;
  real[0] = '\0';
  return problem_set (problem, "%s",
                      good ? strerror (error) : READER_MAKES_NO_SENSE);
}

void
program_read_fd (int fd, struct program *program)
{
  read_elf (fd, program);
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
        /* Report no error, because a program that cannot be read may
           nevertheless be executable.  */
        return true;
      char *script = strdup (program->file);
      bool is_script = script != NULL && read_script (fd, program);
      if (is_script && program->script[0] == '\0')
        strcpy (program->script, script);
      free (script);
      if (!is_script)
        {
          read_elf (fd, program);
          program->secure = is_secure (program->file);
          close (fd);
          return true;
        }
      close (fd);
    }
  errno = ELOOP;
  return false;
}

/* In an unprivileged process: write to ANSWER how many bytes of text the
   program PATH and its libraries have together.  */
static void
add_text (const struct reader_file *none, const void *path,
          struct message *answer)
{
  struct file_list files = { 0 };
  size_t sum = 0;
  (void) none;
  file_list_add (&files, path);
  struct problem problem = { 0 };
  const bool good = file_list_dependencies (&files, readable_open, &problem);
  file_list_opened (&files);
  for (size_t i = 0; i < files.count; ++i)
    if (!loader_named (files.names[i]))
      sum += elfobject_file_text (files.names[i]);
  message_put_result (answer, good, &problem);
  message_put_number (answer, sum);
}

bool
program_ask_text (const char *file, size_t *text, struct problem *problem)
{
  struct message answer;
  struct problem unread;
  dependencies_prepare ();
  if (!reader_ask_about (file, add_text, file, &answer, problem))
    return false;
  const bool read = message_get_result (&answer, &unread);
  *text = message_get_number (&answer, SIZE_MAX);
  const bool good = message_is_done (&answer);
  message_free (&answer);
  if (!good)
    return problem_unknown (problem, READER_MAKES_NO_SENSE);
  return read
         || problem_from (problem, &unread,
                          "the program is unknown: a command that root runs "
                          "reads files as the user nobody, who has no "
                          "permission to read the file: %s",
                          unread.text);
}
