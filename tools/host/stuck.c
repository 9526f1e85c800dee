/* Stuck readers: processes that read for root, and that the kernel keeps
   waiting.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The file of notes has a line for each: the reader, its start in ticks since
   the boot, the process or, as a negative number, the file that keeps the
   reader waiting, and the user who is responsible.  Only root can open the
   file.  A note holds until the reader ends.  The reader has been killed, so
   it waits in the kernel; or it has not, because this root may not kill other
   users' processes (CAP_KILL).  */

#include "host/stuck.h"
#include "host/machine.h"
#include "util/allocate.h"
#include "util/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The file of notes is in /run, so it disappears at the next boot, as the
   readers do.  */
#ifndef STUCK_PATH
#  define STUCK_PATH "/run/hugetext-stuck"
#endif

struct note
{
  pid_t reader;
  unsigned long long start;
  pid_t pid;
  uid_t owner;
};

static struct
{
  struct note *list;
  size_t count;
  bool read;
} notes;

/* Set START to the start time of process PID.  Return PID's state; '?' if PID
   does not exist.  PID's name is that of this command, which has no
   parentheses.  */
static char
read_state (pid_t pid, unsigned long long *start)
{
  char path[64], state = '?';
  snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
  FILE *file = fopen (path, "re");
  if (file == NULL)
    return '?';
  if (fscanf (file,
              "%*d (%*[^)]) %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u"
              " %*u %*d %*d %*d %*d %*d %*d %llu",
              &state, start)
      != 2)
    state = '?';
  fclose (file);
  return state;
}

/* Whether NOTE's reader has not ended yet.  */
static bool
holds (const struct note *note)
{
  unsigned long long start = 0;
  const char state = read_state (note->reader, &start);
  return (state != '?' && state != 'Z' && state != 'X'
          && start == note->start);
}

static void
add (const struct note *note)
{
  notes.list = allocate_more (notes.list, notes.count, sizeof *note);
  notes.list[notes.count++] = *note;
}

static void
print (int fd, const struct note *note)
{
  dprintf (fd, "%d %llu %d %u\n", (int) note->reader, note->start,
           (int) note->pid, (unsigned int) note->owner);
}

/* Open the file, with FLAGS and a lock.  Do not wait for another command that
   has the lock: a missing note only causes one more stuck reader.  */
static int
open_locked (int flags)
{
  int fd = open (STUCK_PATH, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0 || flock (fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  close (fd);
  return -1;
}

/* Add the notes in FILE that hold.  Return the number of notes that do not
   hold.  */
static size_t
read_file (FILE *file)
{
  size_t old = 0;
  struct note note;
  int pid, reader;
  unsigned int owner;
  while (fscanf (file, "%d %llu %d %u", &reader, &note.start, &pid, &owner)
         == 4)
    {
      note.reader = reader;
      note.pid = pid;
      note.owner = owner;
      if (holds (&note))
        add (&note);
      else
        ++old;
    }
  return old;
}

/* Remove the notes that do not hold from the file.  Other commands may have
   added notes since this command read the file, so read it again, with the
   lock, before emptying it.  */
static void
shorten (void)
{
  const int fd = open_locked (O_RDWR | O_APPEND);
  FILE *file = fd >= 0 ? fdopen (fd, "r+") : NULL;
  if (file == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  notes.count = 0;
  read_file (file);
  if (ftruncate (fd, 0) == 0)
    for (size_t i = 0; i < notes.count; ++i)
      print (fd, &notes.list[i]);
  fclose (file);
}

/* Read the notes that hold, once.  */
static void
read_notes (void)
{
  enum
  {
    OLD_MOST = 64, /* The number of outdated lines after which the file is
                      rewritten.  */
  };
  if (notes.read || geteuid () != 0)
    return;
  notes.read = true;
  FILE *file = fopen (STUCK_PATH, "re");
  const size_t old = file != NULL ? read_file (file) : 0;
  if (file != NULL)
    fclose (file);
  if (old > OLD_MOST)
    shorten ();
}

/* Return the owner of process PID; if it cannot be traced, the user who
   started it.  */
static uid_t
read_owner (pid_t pid)
{
  char path[64];
  struct stat status;
  snprintf (path, sizeof path, "/proc/%d", (int) pid);
  if (stat (path, &status) != 0)
    return STUCK_UNKNOWN;
  if (status.st_uid != 0)
    return status.st_uid;
  /* If a process cannot be traced, its directory in /proc belongs to root.
     The user who started the process is then the first in the line "Uid:".  */
  snprintf (path, sizeof path, "/proc/%d/status", (int) pid);
  const long int user = machine_field (path, "Uid:");
  return user >= 0 ? (uid_t) user : STUCK_UNKNOWN;
}

/* Return the number of the namespace FD, or 0 if it is not known.  */
static ino_t
number_of (int fd)
{
  struct stat status;
  return fstat (fd, &status) == 0 ? status.st_ino : 0;
}

/* A kind of namespaces.  */
struct kind
{
  const char *name;      /* The file in /proc/PID/ns.  */
  unsigned long request; /* PIDFD_GET_*_NAMESPACE, from Linux 6.11 on.  */
};
static const struct kind user_kind = { "user", _IO (0xff, 9) },
                         pid_kind = { "pid", _IO (0xff, 5) },
                         mount_kind = { "mnt", _IO (0xff, 3) };

/* The path or the name of a namespace.  */
struct path
{
  char text[64];
};

/* Return the path of the namespace KIND of process PID: a file in
   /proc/PID/ns.  PID 0 is this process, whose ID may be another one in /proc
   (process_check_ids).  */
static struct path
path_of (pid_t pid, const struct kind *kind)
{
  struct path path;
  if (pid == 0)
    snprintf (path.text, sizeof path.text, "/proc/self/ns/%s", kind->name);
  else
    snprintf (path.text, sizeof path.text, "/proc/%d/ns/%s", (int) pid,
              kind->name);
  return path;
}

/* Whether process IDs in /proc are those of system calls.  */
static bool
are_ids_own (void)
{
  static int own = -1;
  if (own < 0)
    own = machine_field ("/proc/self/status", "Pid:") == getpid ();
  return own != 0;
}

/* Ask a pidfd of process PID for the namespace KIND, and open it as *FD, -1 if
   the process has ended or may not be asked.  Return false if the kernel
   cannot tell.  */
static bool
ask_namespace (pid_t pid, const struct kind *kind, int *fd)
{
  const int process = pid != 0 && are_ids_own ()
                          ? (int) syscall (__NR_pidfd_open, pid, 0)
                          : -1;
  if (process < 0)
    return false;
  *fd = ioctl (process, kind->request, 0);
  const bool known = *fd >= 0 || errno == ESRCH || errno == EACCES;
  close (process);
  return known;
}

/* Open the namespace KIND of process PID.  Linux 6.18 lets those who look it
   up in /proc wait while the process executes a program, and a user can make
   this last as long as he likes.  A pidfd tells it without a wait.  */
static int
open_namespace (pid_t pid, const struct kind *kind)
{
  int fd;
  return ask_namespace (pid, kind, &fd)
             ? fd
             : open (path_of (pid, kind).text, O_RDONLY | O_CLOEXEC);
}

/* Return the number of the namespace KIND of process PID, 0 if it is not
   known.  If the kernel has only the names, which have the number, it is
   cheaper to read one than to open a namespace.  */
static ino_t
read_number (pid_t pid, const struct kind *kind)
{
  int fd;
  if (ask_namespace (pid, kind, &fd))
    {
      const ino_t number = fd >= 0 ? number_of (fd) : 0;
      if (fd >= 0)
        close (fd);
      return number;
    }
  struct path name = { "" };
  unsigned long number = 0;
  if (readlink (path_of (pid, kind).text, name.text, sizeof name.text - 1) > 0)
    sscanf (name.text, "%*[a-z]:[%lu]", &number);
  return number;
}

/* Whether processes PID and OTHER are known to have the same namespace KIND.
   Most processes are in the command's namespaces.  */
static bool
is_same (pid_t pid, pid_t other, const struct kind *kind)
{
  const ino_t number = read_number (pid, kind);
  return number != 0 && number == read_number (other, kind);
}

/* Return the outermost namespace KIND of process PID that is not this
   process's; -1 if the process has none.  Such namespaces are at most 32
   levels deep.  */
static int
find_namespace (pid_t pid, const struct kind *kind)
{
  if (is_same (pid, 0, kind))
    return -1;
  int fd = open_namespace (0, kind), outer = -1;
  const ino_t own = fd >= 0 ? number_of (fd) : 0;
  if (fd >= 0)
    close (fd);
  if (own == 0)
    return -1;
  fd = open_namespace (pid, kind);
  while (fd >= 0 && number_of (fd) != own)
    {
      if (outer >= 0)
        close (outer);
      outer = fd;
      fd = ioctl (outer, NS_GET_PARENT);
    }
  if (fd >= 0)
    close (fd);
  return outer;
}

/* Return the mount namespace of process PID, or -1 if it is this process's,
   or that of the first process, which most processes have if this one is a
   service.  */
static int
find_mounts (pid_t pid)
{
  return (is_same (pid, 0, &mount_kind) || is_same (pid, 1, &mount_kind)
              ? -1
              : open_namespace (pid, &mount_kind));
}

/* Return the user who is responsible for the user namespace that process PID
   of USER is in, or else, for root, for its PID namespace or its mount
   namespace: root of a container may have any of them.  Return USER if the
   process is in those of this process.  */
static uid_t
find_maker (pid_t pid, uid_t user)
{
  uid_t maker = 0;
  int outer = find_namespace (pid, &user_kind);
  if (outer >= 0 && ioctl (outer, NS_GET_OWNER_UID, &maker) != 0)
    maker = 0;
  if (outer < 0 && user == 0)
    outer = find_namespace (pid, &pid_kind);
  if (outer < 0 && user == 0)
    outer = find_mounts (pid);
  if (outer < 0)
    return user;
  if (maker == 0)
    maker = number_of (outer);
  close (outer);
  return maker;
}

/* Whether this process has started process PID.  */
static bool
is_child (pid_t pid)
{
  siginfo_t info;
  return waitid (P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

uid_t
stuck_owner (pid_t pid)
{
  /* Users other than root make no notes.  */
  if (geteuid () != 0)
    return STUCK_UNKNOWN;
  return is_child (pid) ? 0 : find_maker (pid, read_owner (pid));
}

pid_t
stuck_key (const char *path)
{
  /* FNV-1a with 32 bits.  */
  uint32_t hash = 0x811c9dc5;
  for (const char *p = path; *p != '\0'; ++p)
    hash = (hash ^ (unsigned char) *p) * 0x01000193;
  return -1 - (pid_t) (hash & INT_MAX >> 1);
}

void
stuck_note (pid_t reader, pid_t pid, uid_t owner)
{
  struct note note = { .reader = reader, .pid = pid, .owner = owner };
  if (geteuid () != 0 || read_state (reader, &note.start) == '?')
    return;
  read_notes ();
  add (&note);
  int fd = open_locked (O_WRONLY | O_CREAT | O_APPEND);
  if (fd < 0)
    return;
  print (fd, &note);
  close (fd);
}

void
stuck_end (pid_t reader, pid_t pid, uid_t owner)
{
  if (reader > 0 && !wait_until (reader, 0))
    stuck_note (reader, pid, owner);
}

bool
stuck_any (void)
{
  read_notes ();
  return notes.count > 0;
}

bool
stuck_because_of (pid_t pid, uid_t owner)
{
  int count = 0, others = 0;
  for (size_t i = 0; i < notes.count; ++i)
    if (holds (&notes.list[i]))
      {
        const struct note *note = &notes.list[i];
        if (pid != 0 && note->pid == pid)
          return true;
        count += note->owner == owner;
        others += (note->owner != owner && note->owner != 0
                   && note->owner != STUCK_UNKNOWN);
      }
  if (owner == 0)
    return false;
  if (owner == STUCK_UNKNOWN)
    return count >= STUCK_UNKNOWN_MOST;
  /* With 2 * COUNT the half is rounded up: one that is left is for a user who
     has none.  */
  return 2 * count >= STUCK_MOST - others;
}
