/* Stuck readers: processes that read on behalf of root and are blocked in the
   kernel.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The file of notes has a line for each stuck reader.  The line contains the
   reader's process ID, the reader's start time (in clock ticks since the
   machine booted), what blocks the reader (a process ID, or a negative number
   for a file), the responsible user, and the number of the PID namespace in
   which both process IDs are valid.  Only root can open the file of notes.  A
   note is valid until its reader ends.  Normally the reader has been sent
   SIGKILL, and is blocked in the kernel.  But root without CAP_KILL cannot
   kill a reader.  */

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

/* The file of notes is in /run, so it does not survive a reboot, and neither
   do the readers.  */
#ifndef STUCK_PATH
#  define STUCK_PATH "/run/hugetext-stuck"
#endif

struct note
{
  pid_t reader;
  unsigned long long start;
  pid_t pid;
  uid_t owner;
  ino_t space;
};

static struct
{
  struct note *list;
  size_t count;
  bool read;
} notes;

static ino_t own_space (void);

/* Set START to the start time of process PID, and return the letter of its
   state.  Return '?' if PID does not exist.  PID is a process of this command,
   so its name contains no parentheses.  */
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

/* Whether NOTE is still valid, that is, whether its reader has not ended.  If
   NOTE is from another PID namespace, the reader's ID means another process
   here, or none.  */
static bool
holds (const struct note *note)
{
  if (note->space != own_space ())
    return false;
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
  dprintf (fd, "%d %llu %d %u %ju\n", (int) note->reader, note->start,
           (int) note->pid, (unsigned int) note->owner,
           (uintmax_t) note->space);
}

/* Open the file of notes with FLAGS, and lock it.  Do not wait for a lock that
   another command has.  If a note is missing, the worst result is one more
   stuck reader.  */
static int
open_locked (int flags)
{
  int fd = open (STUCK_PATH, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0 || flock (fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  close (fd);
  return -1;
}

/* Add the valid notes in FILE to the list of notes.  Return how many notes in
   FILE are no longer valid.  */
static size_t
read_file (FILE *file)
{
  size_t old = 0;
  struct note note;
  int pid, reader;
  unsigned int owner;
  uintmax_t space;
  while (fscanf (file, "%d %llu %d %u %ju", &reader, &note.start, &pid, &owner,
                 &space)
         == 5)
    {
      note.reader = reader;
      note.pid = pid;
      note.owner = owner;
      note.space = space;
      if (holds (&note))
        add (&note);
      else
        ++old;
    }
  return old;
}

/* Remove notes that are no longer valid from the file of notes.  Other
   commands may have added notes since this command has read the file, so lock
   the file and read it again before emptying it.  */
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

/* Read the valid notes, unless this process has already read them.  */
static void
read_notes (void)
{
  enum
  {
    OLD_MOST = 64, /* If more than this many lines of the file are outdated,
                      rewrite the file.  */
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

/* Return the owner of process PID, as /proc shows it.  If PID cannot be
   traced, return the user who started PID.  */
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
     The user who started such a process is the first ID in the line "Uid:" of
     the file "status".  */
  snprintf (path, sizeof path, "/proc/%d/status", (int) pid);
  const long int user = machine_field (path, "Uid:");
  return user >= 0 ? (uid_t) user : STUCK_UNKNOWN;
}

/* Return the inode number of the namespace FD, or 0 if it is unknown.  */
static ino_t
number_of (int fd)
{
  struct stat status;
  return fstat (fd, &status) == 0 ? status.st_ino : 0;
}

/* Kinds of namespaces.  */
enum kind
{
  USER_KIND,
  PID_KIND,
  MOUNT_KIND,
  KINDS,
};
static const struct
{
  const char *name;      /* The name of the namespace's file in
                            /proc/PID/ns.  */
  unsigned long request; /* The ioctl request PIDFD_GET_*_NAMESPACE, which
                            exists since Linux 6.11.  */
} kinds[] = {
  [USER_KIND] = { "user", _IO (0xff, 9) },
  [PID_KIND] = { "pid", _IO (0xff, 5) },
  [MOUNT_KIND] = { "mnt", _IO (0xff, 3) },
};
_Static_assert(sizeof kinds / sizeof *kinds == KINDS, "a row for each kind");

/* The path or the name of a namespace.  */
struct path
{
  char text[64];
};

/* Return the path of the namespace of KIND of process PID.  PID 0 stands for
   this process, which may have a different ID in /proc
   (process_check_ids).  */
static struct path
path_of (pid_t pid, enum kind kind)
{
  struct path path;
  if (pid == 0)
    snprintf (path.text, sizeof path.text, "/proc/self/ns/%s",
              kinds[kind].name);
  else
    snprintf (path.text, sizeof path.text, "/proc/%d/ns/%s", (int) pid,
              kinds[kind].name);
  return path;
}

/* Whether the process IDs in /proc are the same as those that system calls
   use.  */
static bool
are_ids_own (void)
{
  static int own = -1;
  if (own < 0)
    own = machine_field ("/proc/self/status", "Pid:") == getpid ();
  return own != 0;
}

/* A process whose namespaces the functions of this file look up.  */
struct subject
{
  pid_t pid;    /* The ID of the process, or 0 for this process.  */
  int pidfd;    /* The pidfd of the process, or -1 if there is none.  */
  bool by_name; /* Whether questions about the namespaces must be answered by
                   reading /proc.  */
  bool unknown; /* Whether a question has failed for a reason unrelated to the
                   process, such as a lack of descriptors.  */
};

/* Call this function after a request to SUBJECT's pidfd has failed with errno.
   Return true if the kernel does not know requests for namespaces; the caller
   must then read the answer in /proc.  After any other error return false; the
   caller must then not read /proc, because /proc may make root wait.  */
static bool
must_ask_proc (struct subject *subject)
{
  if (errno == ENOTTY || errno == EINVAL || errno == EOPNOTSUPP
      || errno == ENOSYS)
    return true;
  /* The errors ESRCH and EACCES mean that the process has ended, or that this
     user has no right to know its namespaces.  */
  if (errno != ESRCH && errno != EACCES)
    subject->unknown = true;
  return false;
}

/* Return a struct subject for process PID.  */
static struct subject
open_subject (pid_t pid)
{
  struct subject subject
      = { .pid = pid, .pidfd = -1, .by_name = !are_ids_own () };
  if (!subject.by_name)
    subject.pidfd = syscall (__NR_pidfd_open, pid, 0);
  if (!subject.by_name && subject.pidfd < 0)
    subject.by_name = must_ask_proc (&subject);
  return subject;
}

/* Open SUBJECT's namespace of the kind KIND by a request to its pidfd.  Set
   *FD to the descriptor, or to -1 if the namespace is not known.  Return false
   if the caller must read the answer in /proc instead.  */
static bool
ask_namespace (struct subject *subject, enum kind kind, int *fd)
{
  *fd = -1;
  if (subject->by_name || subject->pidfd < 0)
    return !subject->by_name;
  *fd = ioctl (subject->pidfd, kinds[kind].request, 0);
  return *fd >= 0 || !must_ask_proc (subject);
}

/* Open SUBJECT's namespace of the kind KIND.  On Linux 6.18, a look-up in
   /proc would make this process wait while SUBJECT is in execve, and a user
   can make execve last for any time.  A request to a pidfd does not wait.  */
static int
open_namespace (struct subject *subject, enum kind kind)
{
  int fd;
  return ask_namespace (subject, kind, &fd)
             ? fd
             : open (path_of (subject->pid, kind).text, O_RDONLY | O_CLOEXEC);
}

/* Return the number of SUBJECT's namespace of the kind KIND, or 0 if it is not
   known.  If /proc must be used, read the number from the target of the link
   in /proc, which is faster than opening the namespace.  */
static ino_t
read_number (struct subject *subject, enum kind kind)
{
  int fd;
  if (ask_namespace (subject, kind, &fd))
    {
      const ino_t number = fd >= 0 ? number_of (fd) : 0;
      if (fd >= 0)
        close (fd);
      return number;
    }
  struct path name = { "" };
  unsigned long number = 0;
  if (readlink (path_of (subject->pid, kind).text, name.text,
                sizeof name.text - 1)
      > 0)
    sscanf (name.text, "%*[a-z]:[%lu]", &number);
  return number;
}

/* Return the number of this process's namespace of the kind KIND, or 0 if it
   is not known.  Look up the number only once: the command enters no namespace
   after the first call, and children of the command that enter a namespace do
   not call this function.  */
static ino_t
read_own_number (enum kind kind)
{
  static struct subject own = { .pid = 0, .pidfd = -1, .by_name = true };
  static ino_t numbers[KINDS];
  if (numbers[kind] == 0)
    numbers[kind] = read_number (&own, kind);
  return numbers[kind];
}

/* Return the number of this process's PID namespace, or 0 if it is not
   known.  */
static ino_t
own_space (void)
{
  return read_own_number (PID_KIND);
}

/* Return the number of the mount namespace of process 1, or 0 if it is not
   known.  */
static ino_t
read_first_number (void)
{
  static ino_t number;
  if (number == 0)
    {
      struct subject first = open_subject (1);
      number = read_number (&first, MOUNT_KIND);
      if (first.pidfd >= 0)
        close (first.pidfd);
    }
  return number;
}

/* Return a descriptor of the outermost namespace of the kind KIND that
   contains SUBJECT but not this process, or -1 if there is none.  The kernel
   nests user and PID namespaces at most 32 levels deep.  */
static int
find_namespace (struct subject *subject, enum kind kind)
{
  const ino_t own = read_own_number (kind);
  if (own == 0 || read_number (subject, kind) == own)
    return -1;
  int fd = open_namespace (subject, kind), outer = -1;
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

/* Return a descriptor of the mount namespace of SUBJECT.  Return -1 if SUBJECT
   is in the mount namespace of this process or of process 1.  If this process
   is a service, most processes are in the mount namespace of process 1.  */
static int
find_mounts (struct subject *subject)
{
  const ino_t number = read_number (subject, MOUNT_KIND);
  return (number != 0
                  && (number == read_own_number (MOUNT_KIND)
                      || number == read_first_number ())
              ? -1
              : open_namespace (subject, MOUNT_KIND));
}

/* Return the user who is responsible for SUBJECT, which belongs to USER.  This
   is the user who created SUBJECT's user namespace.  If root created it, this
   is the user who created SUBJECT's PID namespace, or else the one who created
   its mount namespace, because a container may have any of these namespaces.
   If SUBJECT is in the same namespaces as this process, the responsible user
   is USER.  */
static uid_t
find_maker (struct subject *subject, uid_t user)
{
  uid_t maker = 0;
  int outer = find_namespace (subject, USER_KIND);
  if (outer >= 0 && ioctl (outer, NS_GET_OWNER_UID, &maker) != 0)
    maker = 0;
  if (outer < 0 && user == 0)
    outer = find_namespace (subject, PID_KIND);
  if (outer < 0 && user == 0)
    outer = find_mounts (subject);
  /* If a process belongs to root and its namespaces are unknown, it may be in
     a container.  */
  if (outer < 0)
    return user == 0 && subject->unknown ? STUCK_UNKNOWN : user;
  if (maker == 0)
    maker = number_of (outer);
  close (outer);
  return maker;
}

/* Whether process PID is a child of this process.  */
static bool
is_child (pid_t pid)
{
  siginfo_t info;
  return waitid (P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

uid_t
stuck_owner (pid_t pid)
{
  /* Commands of users other than root leave no notes.  */
  if (geteuid () != 0)
    return STUCK_UNKNOWN;
  if (is_child (pid))
    return 0;
  struct subject subject = open_subject (pid);
  const uid_t maker = find_maker (&subject, read_owner (pid));
  if (subject.pidfd >= 0)
    close (subject.pidfd);
  return maker;
}

pid_t
stuck_key (const char *path)
{
  /* Compute the hash FNV-1a with 32 bits.  */
  uint32_t hash = 0x811c9dc5;
  for (const char *p = path; *p != '\0'; ++p)
    hash = (hash ^ (unsigned char) *p) * 0x01000193;
  return -1 - (pid_t) (hash & INT_MAX >> 1);
}

void
stuck_note (pid_t reader, pid_t pid, uid_t owner)
{
  struct note note = {
    .reader = reader, .pid = pid, .owner = owner, .space = own_space ()
  };
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
  /* A user may cause half of what the others leave of the maximum.  Because
     COUNT is doubled instead, this half is rounded up: if only one more stuck
     reader is allowed, a user who has caused none may still cause it.  */
  return 2 * count >= STUCK_MOST - others;
}
