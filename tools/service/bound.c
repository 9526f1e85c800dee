/* The copies of the loader that are bound over the system's for services.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each service has a copy of its own: changes of the package's file do not
   affect programs that a running service executes later.  The copy is made
   when the service starts and removed when it stops; a service without one has
   the system's loader.  */

#include "object/loader.h"
#include "service/parts.h"
#include "trust/trusted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define BOUND STATE_PATH "/bound"
#define REFUSED STATE_PATH "/refused"

const char *
bound_file (const char *unit)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, BOUND "/%s", unit);
  return path;
}

static const char *
note_file (const char *unit)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, REFUSED "/%s", unit);
  return path;
}

/* The mode does not depend on the umask, which is the service's.  */
static void
make_folder (const char *path)
{
  if (mkdir (path, 0755) == 0)
    chmod (path, 0755);
}

/* Give the file TO the label that SELinux has for loaders.  */
static bool
copy_label (const char *to)
{
  static const char name[] = "security.selinux";
  char label[512];
  ssize_t size = getxattr (loader_system (), name, label, sizeof label);
  return size < 0 || setxattr (to, name, label, size, 0) == 0;
}

/* Write the SIZE bytes at DATA to FD.  One call may write less if there is too
   little room.  */
static bool
write_whole (int fd, const unsigned char *data, size_t size)
{
  ssize_t n = write (fd, data, size);
  if (n >= 0 && (size_t) n < size)
    errno = ENOSPC;
  return n == (ssize_t) size;
}

/* Copy the file FROM to TO, a new one.  */
static bool
copy (const char *from, const char *to, struct problem *problem)
{
  struct stat status;
  const char *wrong;
  int in = trusted_open (from, &wrong);
  if (in < 0)
    return problem_set (problem, "%s: %s", from, wrong);
  unlink (to);
  int out = open (to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
  unsigned char *data = MAP_FAILED;
  bool good = false;
  if (out < 0)
    problem_errno (problem, to);
  else if (fstat (in, &status) < 0 || !S_ISREG (status.st_mode)
           || (data
               = mmap (NULL, status.st_size, PROT_READ, MAP_PRIVATE, in, 0))
                  == MAP_FAILED)
    problem_errno (problem, from);
  else
    good = ((write_whole (out, data, status.st_size) && fchmod (out, 0755) == 0
             && copy_label (to))
            || problem_errno (problem, to));
  if (data != MAP_FAILED)
    munmap (data, status.st_size);
  if (out >= 0)
    close (out);
  close (in);
  return good;
}

/* Return the milliseconds that systemd gives a command of the unit NAME, 0 for
   no limit that matters: if a trial took longer, the service would not
   start.  */
static long
patience_of (const char *name)
{
  struct unit unit;
  if (unit_read (name, &unit) != NULL)
    return 0;
  long patience = unit.patience;
  unit_free (&unit);
  return patience;
}

/* Remove unfinished copies: a limit of the service (LimitFSIZE=) may kill this
   process.  Their names are "." and the ID of the process.  */
static void
remove_unfinished (void)
{
  DIR *dir = opendir (BOUND);
  if (dir == NULL)
    return;
  for (struct dirent *entry; (entry = readdir (dir)) != NULL;)
    {
      pid_t pid = entry->d_name[0] == '.' ? atoi (entry->d_name + 1) : 0;
      if (pid > 0 && kill (pid, 0) < 0 && errno == ESRCH)
        unlinkat (dirfd (dir), entry->d_name, 0);
    }
  closedir (dir);
}

/* Whether the folder of the copies is on a mount with noexec.  */
static bool
is_noexec (void)
{
  struct statvfs filesystem;
  return (statvfs (BOUND, &filesystem) == 0
          && (filesystem.f_flag & ST_NOEXEC) != 0);
}

/* Do the work of bound_make, without the note.  */
static bool
make (const char *unit, const char *loader, struct problem *problem)
{
  char new[sizeof BOUND + 32];
  if (!trial_fits (loader, problem))
    return false;
  make_folder (STATE_PATH);
  make_folder (BOUND);
  /* No unit's name begins with a dot.  */
  snprintf (new, sizeof new, BOUND "/.%d", (int) getpid ());
  if (is_noexec ())
    return problem_set (problem, BOUND ": nothing may be executed from this"
                                       " file system");
  if (copy (loader, new, problem)
      && service_try (new, patience_of (unit), problem)
      && (rename (new, bound_file (unit)) == 0
          || problem_errno (problem, bound_file (unit))))
    return true;
  unlink (new);
  return false;
}

/* Remove the copy and the note for UNIT.  */
static void
forget (const char *unit)
{
  unlink (bound_file (unit));
  unlink (note_file (unit));
  remove_unfinished ();
  rmdir (REFUSED);
}

bool
bound_make (const char *unit, const char *loader, struct problem *problem)
{
  forget (unit);
  if (make (unit, loader, problem))
    return true;
  make_folder (STATE_PATH);
  make_folder (REFUSED);
  FILE *stream = fopen (note_file (unit), "we");
  if (stream != NULL)
    {
      fchmod (fileno (stream), 0644);
      fprintf (stream, "%s\n", problem->text);
      fclose (stream);
    }
  return false;
}

bool
bound_has_failed (const char *unit, struct problem *problem)
{
  FILE *stream = fopen (note_file (unit), "re");
  if (stream == NULL)
    return false;
  bool failed = fgets (problem->text, sizeof problem->text, stream) != NULL;
  fclose (stream);
  problem->text[failed ? strcspn (problem->text, "\n") : 0] = '\0';
  return failed;
}

void
bound_remove (const char *unit)
{
  forget (unit);
  rmdir (BOUND);
}
