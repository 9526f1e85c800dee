/* The copies of the loader that lie over the system's for services.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A copy for each service: what happens to the package's file does nothing
   to commands that a running service has yet to execute.  It is made when
   the service starts and removed when it stops; a service without one has
   the system's loader.  */

#include "bound.h"
#include "dl-hugetext-index.h"
#include "loader.h"
#include "trusted.h"
#include "trial.h"
#include "unit.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#define BOUND STATE_PATH "/bound"
#define REFUSED STATE_PATH "/refused"
/* What has passed the whole trial last.  */
#define TRIED STATE_PATH "/tried"

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

static const char *
failure (const char *path)
{
  static char text[PATH_MAX + 64];
  snprintf (text, sizeof text, "%s: %s", path, strerror (errno));
  return text;
}

/* Whatever our umask, which is the service's.  */
static void
make_folder (const char *path)
{
  if (mkdir (path, 0755) == 0)
    chmod (path, 0755);
}

/* The first line of the file PATH in LINE, "" if there is none.  */
static void
read_line (const char *path, char *line, int size)
{
  FILE *stream = fopen (path, "re");
  line[0] = '\0';
  if (stream == NULL)
    return;
  if (fgets (line, size, stream) != NULL)
    line[strcspn (line, "\n")] = '\0';
  fclose (stream);
}

static void
write_line (const char *path, const char *line)
{
  FILE *stream = fopen (path, "we");
  if (stream == NULL)
    return;
  fchmod (fileno (stream), 0644);
  fprintf (stream, "%s\n", line);
  fclose (stream);
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

/* Write the SIZE bytes at DATA to FD.  Less is written at once where there is
   no room for more.  */
static bool
write_whole (int fd, const unsigned char *data, size_t size)
{
  ssize_t n = write (fd, data, size);
  if (n >= 0 && (size_t)n < size)
    errno = ENOSPC;
  return n == (ssize_t)size;
}

/* Copy the file FROM to TO, a new one, and set SUM for what is in it.  */
static const char *
copy (const char *from, const char *to, uint32_t *sum)
{
  struct stat status;
  static char text[2 * PATH_MAX];
  const char *problem;
  int in = trusted_open (from, &problem);
  if (in < 0)
    {
      snprintf (text, sizeof text, "%s: %s", from, problem);
      return text;
    }
  unlink (to);
  int out = open (to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
  unsigned char *data = MAP_FAILED;
  if (out < 0)
    problem = failure (to);
  else if (fstat (in, &status) < 0 || !S_ISREG (status.st_mode)
           || (data = mmap (NULL, status.st_size, PROT_READ, MAP_PRIVATE, in,
                            0))
                  == MAP_FAILED)
    problem = failure (from);
  else if (!write_whole (out, data, status.st_size)
           || fchmod (out, 0755) < 0 || !copy_label (to))
    problem = failure (to);
  else
    *sum = hugetext_index_hash (data, status.st_size);
  if (data != MAP_FAILED)
    munmap (data, status.st_size);
  if (out >= 0)
    close (out);
  close (in);
  return problem;
}

/* What a trial of a loader with SUM depends on, as a line of text.  */
static void
describe_trial (uint32_t sum, char *line, size_t size)
{
  struct utsname kernel;
  struct stat libc = { 0 };
  Dl_info info;
  uname (&kernel);
  if (dladdr ((void *)gnu_get_libc_version, &info) != 0)
    stat (info.dli_fname, &libc);
  snprintf (line, size, "%08" PRIx32 " %ju:%ju:%jd:%jd.%09ld %s", sum,
            (uintmax_t)libc.st_dev, (uintmax_t)libc.st_ino,
            (intmax_t)libc.st_size, (intmax_t)libc.st_mtim.tv_sec,
            libc.st_mtim.tv_nsec, kernel.release);
}

/* Milliseconds that systemd gives a command of the unit NAME, 0 for plenty: if
   a trial took longer, the service would not start.  */
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

/* Try LOADER, whose contents have SUM, for UNIT: as a whole where anything has
   changed since it was last done.  */
static const char *
try_loader (const char *unit, const char *loader, uint32_t sum)
{
  char now[512], before[512];
  describe_trial (sum, now, sizeof now);
  read_line (TRIED, before, sizeof before);
  bool known = strcmp (now, before) == 0;
  const char *problem = trial_run (loader, !known,
                                   known ? 0 : patience_of (unit));
  if (problem != NULL)
    unlink (TRIED);
  else if (!known)
    write_line (TRIED, now);
  return problem;
}

/* Remove copies that were not finished: a limit of the service's may kill us
   (LimitFSIZE=).  Their names are "." and the ID of the process.  */
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

/* Whether nothing may be executed from where the copies are.  */
static bool
is_noexec (void)
{
  struct statvfs filesystem;
  return (statvfs (BOUND, &filesystem) == 0
          && (filesystem.f_flag & ST_NOEXEC) != 0);
}

/* bound_make, without the note.  */
static const char *
make (const char *unit, const char *loader)
{
  char new[sizeof BOUND + 32];
  uint32_t sum;
  const char *problem = trial_problem (loader);
  if (problem != NULL)
    return problem;
  make_folder (STATE_PATH);
  make_folder (BOUND);
  /* No unit's name begins like this.  */
  snprintf (new, sizeof new, BOUND "/.%d", (int)getpid ());
  if (is_noexec ())
    return BOUND ": nothing may be executed from this file system";
  problem = copy (loader, new, &sum);
  if (problem == NULL)
    problem = trial_problem (new);
  if (problem == NULL)
    problem = try_loader (unit, new, sum);
  if (problem == NULL && rename (new, bound_file (unit)) < 0)
    problem = failure (bound_file (unit));
  if (problem != NULL)
    unlink (new);
  return problem;
}

const char *
bound_make (const char *unit, const char *loader)
{
  unlink (bound_file (unit));
  unlink (note_file (unit));
  remove_unfinished ();
  rmdir (REFUSED);
  const char *problem = make (unit, loader);
  if (problem != NULL)
    {
      make_folder (STATE_PATH);
      make_folder (REFUSED);
      write_line (note_file (unit), problem);
    }
  return problem;
}

const char *
bound_problem (const char *unit)
{
  static char line[1024];
  read_line (note_file (unit), line, sizeof line);
  return line[0] != '\0' ? line : NULL;
}

void
bound_remove (const char *unit)
{
  unlink (bound_file (unit));
  unlink (note_file (unit));
  remove_unfinished ();
  rmdir (REFUSED);
  if (rmdir (BOUND) == 0)
    unlink (TRIED);
}
