/* Stuck readers: processes that read on behalf of root and are blocked in the
   kernel.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The file of notes has a line for each stuck reader.  The line contains the
   reader's process ID, the reader's identity, what blocks the reader (a
   process ID, or a negative number for a file), the responsible user, and the
   number of the PID namespace in which both process IDs are valid.  Only root
   can open the file of notes.  A note is valid as long as the reader that it
   describes exists.  Normally the command has sent SIGKILL to the reader, and
   the reader is blocked in the kernel.  If root has no CAP_KILL, root cannot
   kill a process of another user, so the reader may also be running.

   When a reader has ended, any process of any user can get its ID.  Therefore
   a command first compares the identity of the process that has the ID in a
   note with the identity in the note.  The command parses no data of a process
   that may not be the reader.  The identity is the inode number of the
   reader's pidfd, which is unique until the machine reboots (since Linux 6.9).
   On older kernels the identity is the reader's start time (in clock ticks
   since the machine booted).  An unprivileged child reads the start time from
   /proc/PID/stat.  If the command has found a note valid, it keeps a pidfd of
   the reader, and polls this pidfd to find out whether the reader has
   ended.  */

#include "host/stuck.h"
#include "host/machine.h"
#include "host/procstat.h"
#include "host/readerchild.h"
#include "util/allocate.h"
#include "util/clock.h"
#include "util/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* The file of notes is in /run.  A file in /run does not survive a reboot, and
   neither does a stuck reader.  */
#ifndef STUCK_PATH
#  define STUCK_PATH "/run/hugetext-stuck"
#endif

/* The type of the filesystem pidfs (PID_FS_MAGIC in <linux/magic.h>).  A unit
   test defines PIDFS_TYPE as a number that no filesystem has, so that the code
   for kernels without pidfs runs.  */
#ifndef PIDFS_TYPE
#  define PIDFS_TYPE 0x50494446
#endif

/* Bit 63 marks an identity as the inode number of a pidfd.  A start time is
   always less than 2^63, so bit 63 is never set in a start time.  */
#define IDENTITY_INODE (UINT64_C (1) << 63)

struct note
{
  pid_t reader;
  uint64_t identity;
  pid_t pid;
  uid_t owner;
  ino_t space;
  int pidfd; /* The reader's pidfd if the note is valid, or -1 if the kernel
                has no pidfds.  */
  bool old;  /* True if the note can be removed from the file.  */
};

struct list
{
  struct note *list;
  size_t count;
};

/* The valid notes.  */
static struct list notes;
static bool notes_read;

static ino_t own_space (void);
static bool are_ids_own (void);

enum
{
  NOT_SAID = 0, /* The answer of a child that could not determine the requested
                   number.  */
};

/* Let an unprivileged child call WORK with the open file FD or the question
   ASKED, and set NUMBER to the number in the child's answer.  If the child
   does not answer in time, set NUMBER to NOT_SAID.  If no child can be made,
   or if the child fails, return false.  */
static bool
ask_number (int fd, reader_work *work, const void *asked, uint64_t *number)
{
  enum
  {
    PATIENCE = 5000, /* Milliseconds.  */
  };
  const int64_t end = clock_milliseconds () + PATIENCE;
  struct readerchild child;
  struct message answer;
  struct problem ignored;
  *number = NOT_SAID;
  if (!readerchild_start (&child, NULL, fd, work, asked, &ignored))
    return false;
  const bool heard = readerchild_hear (&child, end, &answer);
  /* If the child does not end, leave it behind without writing a note about
     it.  The kernel blocks the child while it reads /proc/PID/stat of a
     process that is in execve.  A stuck reader is never in execve, so a
     process in execve that has the ID of a stuck reader is another process.
     Therefore the command removes the note about the reader, and starts no
     second child to read the file "stat" of the other process.  */
  wait_until (child.pid, 0);
  bool good = readerchild_check (heard, &answer, &ignored);
  if (good)
    *number = message_get_number (&answer, UINT64_MAX);
  good = !heard || (good && message_is_done (&answer));
  message_free (&answer);
  return good;
}

/* In the unprivileged child: read a process's start time from FILE, its
   /proc/PID/stat, and put it into ANSWER.  If the process has ended, put
   NOT_SAID into ANSWER.  */
static void
answer_start (const struct reader_file *file, const void *none,
              struct message *answer)
{
  struct procstat stat;
  (void) none;
  const bool runs = (procstat_read (file->fd, &stat)
                     && strchr ("ZXx", stat.state) == NULL);
  message_put_number (answer, runs ? stat.start : NOT_SAID);
}

/* Set START to the start time of process PID, or to NOT_SAID if PID has ended.
   Return false if the start time is unknown.  */
static bool
read_start (pid_t pid, uint64_t *start)
{
  char path[64];
  *start = NOT_SAID;
  if (!are_ids_own ())
    return false;
  snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno == ENOENT || errno == ESRCH;
  const bool known = ask_number (fd, answer_start, NULL, start);
  close (fd);
  return known;
}

/* Return the identity of the process with the pidfd FD, or NOT_SAID if the
   kernel does not say.  */
static uint64_t
read_inode (int fd)
{
  struct statfs system;
  struct stat status;
  return (fd >= 0 && fstatfs (fd, &system) == 0 && system.f_type == PIDFS_TYPE
                  && fstat (fd, &status) == 0
              ? status.st_ino | IDENTITY_INODE
              : NOT_SAID);
}

/* Open a pidfd of process PID.  Return -1 on failure, with errno ENOSYS if the
   kernel has no pidfds.  A seccomp filter may let the call fail with
   EPERM.  */
static int
open_pidfd (pid_t pid)
{
  const int fd = syscall (__NR_pidfd_open, pid, 0);
  if (fd < 0 && errno == EPERM)
    errno = ENOSYS;
  return fd;
}

/* Return true if the process with the pidfd FD has ended.  */
static bool
stuck_has_ended (int fd)
{
  struct pollfd event = { .fd = fd, .events = POLLIN };
  return poll (&event, 1, 0) > 0;
}

/* Return true if the process NOTE->reader, whose pidfd is FD, is the reader of
   the note.  If the reader has ended, set NOTE->old.  */
static bool
is_reader (struct note *note, int fd)
{
  uint64_t now = read_inode (fd);
  if ((note->identity & IDENTITY_INODE) == 0
      && !read_start (note->reader, &now))
    return false;
  note->old = (now == NOT_SAID || now != note->identity
               || (fd >= 0 && stuck_has_ended (fd)));
  return !note->old;
}

/* Return true and set the pidfd of NOTE if NOTE, from the file of notes, is
   valid.  If NOTE is from another PID namespace, the reader's ID belongs to
   another process here, or to no process.  */
static bool
stuck_is_valid_note (struct note *note)
{
  if (note->space != own_space ())
    return false;
  const int fd = open_pidfd (note->reader);
  if (fd < 0 && errno != ENOSYS)
    {
      /* EINVAL and ENOENT mean that the ID now belongs to a thread.  */
      note->old = errno == ESRCH || errno == EINVAL || errno == ENOENT;
      return false;
    }
  if (is_reader (note, fd))
    {
      note->pidfd = fd;
      return true;
    }
  if (fd >= 0)
    close (fd);
  return false;
}

/* Return true if the reader that NOTE describes still exists.  NOTE was valid
   when this process read it.  */
static bool
holds (struct note *note)
{
  return note->pidfd >= 0 ? !stuck_has_ended (note->pidfd)
                          : is_reader (note, -1);
}

static void
stuck_add_note (struct list *list, const struct note *note)
{
  list->list = allocate_more (list->list, list->count, sizeof *note);
  list->list[list->count++] = *note;
}

static void
stuck_print_note (int fd, const struct note *note)
{
  dprintf (fd, "%d %ju %d %u %ju\n", (int) note->reader,
           (uintmax_t) note->identity, (int) note->pid,
           (unsigned int) note->owner, (uintmax_t) note->space);
}

/* Open the file of notes with FLAGS, and lock it.  Do not wait for a lock that
   another command has.  If another command has locked the file of notes, this
   command writes no note.  A later command may then start one more reader that
   gets stuck, which does little harm.  */
static int
open_locked (int flags)
{
  int fd = open (STUCK_PATH, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0 || flock (fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  close (fd);
  return -1;
}

/* Add the notes in FILE about stuck readers to LIST.  */
static void
stuck_read_file (FILE *file, struct list *list)
{
  int pid, reader;
  unsigned int owner;
  uintmax_t space, identity;
  while (fscanf (file, "%d %ju %d %u %ju", &reader, &identity, &pid, &owner,
                 &space)
         == 5)
    stuck_add_note (list, &(struct note){ .reader = reader,
                                          .identity = identity,
                                          .pid = pid,
                                          .owner = owner,
                                          .space = space,
                                          .pidfd = -1 });
}

/* Return true if LIST contains NOTE, and has marked it as old (to be
   removed).  */
static bool
is_old (const struct list *list, const struct note *note)
{
  for (size_t i = 0; i < list->count; ++i)
    {
      const struct note *other = &list->list[i];
      if (other->old && other->reader == note->reader
          && other->identity == note->identity && other->space == note->space)
        return true;
    }
  return false;
}

/* Remove the old notes of ALL from the file of notes.  Other commands may have
   added notes since this command has read the file, so lock the file and read
   it again before emptying it.  */
static void
shorten (const struct list *all)
{
  const int fd = open_locked (O_RDWR | O_APPEND);
  FILE *file = fd >= 0 ? fdopen (fd, "r+") : NULL;
  if (file == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  struct list now = { 0 };
  stuck_read_file (file, &now);
  if (ftruncate (fd, 0) == 0)
    for (size_t i = 0; i < now.count; ++i)
      if (!is_old (all, &now.list[i]))
        stuck_print_note (fd, &now.list[i]);
  fclose (file);
  free (now.list);
}

/* Find the valid notes of ALL, and mark old ones.  A note is old, and can be
   removed, if its reader has ended.  If there are more than FOREIGN_MOST notes
   from other PID namespaces, mark all of them as old.  Return true if there
   are old notes.  */
static bool
stuck_check_notes (struct list *all)
{
  enum
  {
    FOREIGN_MOST = 64,
  };
  size_t foreign = 0;
  bool old = false;
  for (size_t i = 0; i < all->count; ++i)
    foreign += all->list[i].space != own_space ();
  for (size_t i = 0; i < all->count; ++i)
    {
      struct note *note = &all->list[i];
      note->old = foreign > FOREIGN_MOST && note->space != own_space ();
      if (stuck_is_valid_note (note))
        stuck_add_note (&notes, note);
      old |= note->old;
    }
  return old;
}

/* Read the valid notes, unless this process has already read them.  */
static void
read_notes (void)
{
  if (notes_read || geteuid () != 0)
    return;
  notes_read = true;
  FILE *file = fopen (STUCK_PATH, "re");
  if (file == NULL)
    return;
  struct list all = { 0 };
  stuck_read_file (file, &all);
  fclose (file);
  if (stuck_check_notes (&all))
    shorten (&all);
  free (all.list);
}

/* Return the inode number of the namespace FD, or 0 if it is unknown.  */
static ino_t
stuck_get_inode (int fd)
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
_Static_assert(sizeof kinds / sizeof *kinds == KINDS,
               "each kind of namespace has a row");

/* The path or the name of a namespace.  */
struct path
{
  char text[64];
};

/* Return the path of process PID's namespace of the kind KIND.  PID 0 stands
   for this process, which may have a different ID in /proc
   (process_check_ids).  */
static struct path
stuck_get_namespace_path (pid_t pid, enum kind kind)
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

/* Return true if the process IDs in /proc are the same as those that system
   calls use.  */
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
  bool by_name; /* True if questions about the namespaces must be answered by
                   reading /proc.  */
  bool unknown; /* True if a question has failed for a reason unrelated to the
                   process, such as a lack of descriptors.  */
};

/* Call this function after an ioctl on SUBJECT's pidfd has failed with errno.
   Return true if the kernel does not have this ioctl, so that the caller must
   read the answer in /proc.  After any other error return false: the caller
   must not look into /proc instead, because a user can make a look-up in /proc
   block for any time.  */
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

/* Open SUBJECT's namespace of the kind KIND by an ioctl on SUBJECT's pidfd.
   Set *FD to the descriptor, or to -1 if the namespace is not known.  Return
   false if the caller must read the answer in /proc instead.  */
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
   can make execve last for any time.  An ioctl on a pidfd does not wait for
   execve.  */
static int
open_namespace (struct subject *subject, enum kind kind)
{
  int fd;
  return ask_namespace (subject, kind, &fd)
             ? fd
             : open (stuck_get_namespace_path (subject->pid, kind).text,
                     O_RDONLY | O_CLOEXEC);
}

/* Return the number of SUBJECT's namespace of the kind KIND, or 0 if it is not
   known.  */
static ino_t
stuck_read_namespace (struct subject *subject, enum kind kind)
{
  int fd;
  if (ask_namespace (subject, kind, &fd))
    {
      const ino_t number = fd >= 0 ? stuck_get_inode (fd) : 0;
      if (fd >= 0)
        close (fd);
      return number;
    }
  struct stat status;
  return (stat (stuck_get_namespace_path (subject->pid, kind).text, &status)
                  == 0
              ? status.st_ino
              : 0);
}

/* Return the number of this process's namespace of the kind KIND, or 0 if it
   is not known.  Determine the number of the namespace only once, because the
   command enters no namespace after the first call.  (Children of the command
   that enter a namespace do not call this function.)  */
static ino_t
read_own_number (enum kind kind)
{
  static struct subject own = { .pid = 0, .pidfd = -1, .by_name = true };
  static ino_t numbers[KINDS];
  if (numbers[kind] == 0)
    numbers[kind] = stuck_read_namespace (&own, kind);
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
      number = stuck_read_namespace (&first, MOUNT_KIND);
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
  if (own == 0 || stuck_read_namespace (subject, kind) == own)
    return -1;
  int fd = open_namespace (subject, kind), outer = -1;
  while (fd >= 0 && stuck_get_inode (fd) != own)
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
   is in the mount namespace of this process or of process 1.  If the command
   runs as a service with a mount namespace of its own, most other processes
   are in the mount namespace of process 1.  */
static int
find_mounts (struct subject *subject)
{
  const ino_t number = stuck_read_namespace (subject, MOUNT_KIND);
  return (number != 0
                  && (number == read_own_number (MOUNT_KIND)
                      || number == read_first_number ())
              ? -1
              : open_namespace (subject, MOUNT_KIND));
}

/* SUBJECT belongs to USER.  Return the user who is responsible for SUBJECT.  A
   process in another user namespace than this process may be in a container:
   the responsible user is the user who created the user namespace.  A process
   of root in the same user namespace may be in a container as well, if its PID
   namespace or its mount namespace differs.  If root created the namespace, or
   if it is not a user namespace, the inode number of the namespace stands for
   the responsible user.  If SUBJECT is in no container, the responsible user
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
  /* A process of root whose namespaces are unknown may be in a container.  */
  if (outer < 0)
    return user == 0 && subject->unknown ? STUCK_UNKNOWN : user;
  if (maker == 0)
    maker = stuck_get_inode (outer);
  close (outer);
  return maker;
}

/* The facts about a process that PIDFD_GET_INFO returns since Linux 6.13
   (struct pidfd_info in <linux/pidfd.h>).  */
struct info
{
  uint64_t mask, group;
  uint32_t pid, tgid, parent;
  uint32_t user, group_id, effective_user, effective_group_id;
  uint32_t saved_user, saved_group_id, file_user, file_group_id;
  int32_t exit_code;
};
_Static_assert(sizeof (struct info) == 64,
               "struct info has the size of Linux 6.13's struct pidfd_info");

/* Ask the kernel for the user who has started SUBJECT, and for the user whose
   rights SUBJECT has.  */
static bool
ask_users (const struct subject *subject, struct info *info)
{
  enum
  {
    USERS = 2, /* PIDFD_INFO_CREDS.  */
  };
  *info = (struct info){ .mask = USERS };
  return (subject->pidfd >= 0
          && ioctl (subject->pidfd, _IOWR (0xff, 11, struct info), info) == 0
          && (info->mask & USERS) != 0);
}

/* Read the beginning of SUBJECT's file "status", which never blocks, into
   STATUS.  Return false if the file cannot be read.  */
static bool
keep_status (const struct subject *subject, char status[], size_t size)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/status", (int) subject->pid);
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  const ssize_t length = fd >= 0 ? read (fd, status, size - 1) : 0;
  if (fd >= 0)
    close (fd);
  status[length > 0 ? length : 0] = '\0';
  return length > 0;
}

/* Return the owner of SUBJECT, the user whose rights SUBJECT has.  If the
   owner is root, return the user who started SUBJECT.  The kernel may report
   the user who started SUBJECT only in the file "status", which root must not
   parse.  If the user who started SUBJECT can be found only in the file
   "status", return root, and copy the beginning of this file to FACTS: an
   unprivileged child (stuck_find_responsible) then parses it.  */
static uid_t
stuck_read_owner (struct subject *subject, struct stuck_facts *facts)
{
  char path[64];
  struct info info;
  struct stat status;
  if (ask_users (subject, &info))
    return info.effective_user != 0 ? info.effective_user : info.user;
  if (subject->pidfd >= 0 && !must_ask_proc (subject))
    return STUCK_UNKNOWN;
  /* The directory always belongs to the effective user, unlike the files in
     it, which belong to root if the process cannot be traced.  */
  snprintf (path, sizeof path, "/proc/%d", (int) subject->pid);
  if (stat (path, &status) != 0)
    return STUCK_UNKNOWN;
  return (status.st_uid != 0
                  || keep_status (subject, facts->status, sizeof facts->status)
              ? status.st_uid
              : STUCK_UNKNOWN);
}

/* In the unprivileged child: find the user who started a process in TEXT, the
   beginning of the process's file "status".  Put the user's ID plus 1 into
   ANSWER, so that the number differs from NOT_SAID.  */
static void
answer_user (const struct reader_file *file, const void *text,
             struct message *answer)
{
  /* The process cannot put a newline into the file, because the kernel escapes
     newlines in its name.  */
  static const char field[] = "\nUid:";
  const char *at = strstr (text, field);
  unsigned int user;
  (void) file;
  message_put_number (
      answer, at != NULL && sscanf (at + strlen (field), "%u", &user) == 1
                  ? UINT64_C (1) + user
                  : NOT_SAID);
}

/* Return the user who is responsible for a process about which FACTS are
   known.  */
static uid_t
stuck_find_responsible (const struct stuck_facts *facts)
{
  uint64_t number;
  if (facts->status[0] == '\0')
    return facts->owner;
  if (!ask_number (-1, answer_user, facts->status, &number)
      || number == NOT_SAID || number > STUCK_UNKNOWN)
    return STUCK_UNKNOWN;
  return number > 1 ? number - 1 : facts->owner;
}

/* Return true if process PID is a child of this process.  */
static bool
is_child (pid_t pid)
{
  siginfo_t info;
  return waitid (P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

struct stuck_facts
stuck_user (uid_t user)
{
  return (struct stuck_facts){ .owner = user };
}

/* Return the facts about SUBJECT, which is not a child of this process.  */
static struct stuck_facts
stuck_get_facts (struct subject *subject)
{
  struct stuck_facts facts = { .owner = STUCK_UNKNOWN };
  facts.owner = find_maker (subject, stuck_read_owner (subject, &facts));
  /* If the process is in a user namespace, the user who has started it does
     not matter.  */
  if (facts.status[0] != '\0'
      && find_maker (subject, STUCK_UNKNOWN) != STUCK_UNKNOWN)
    facts.status[0] = '\0';
  return facts;
}

struct stuck_facts
stuck_remember (pid_t pid)
{
  /* Facts about a process are needed only for notes about stuck readers, which
     only root's commands write.  */
  if (geteuid () != 0)
    return stuck_user (STUCK_UNKNOWN);
  if (is_child (pid))
    return stuck_user (0);
  struct subject subject = open_subject (pid);
  const struct stuck_facts facts = stuck_get_facts (&subject);
  if (subject.pidfd >= 0)
    close (subject.pidfd);
  return facts;
}

uid_t
stuck_owner (pid_t pid)
{
  const struct stuck_facts facts = stuck_remember (pid);
  return stuck_find_responsible (&facts);
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
stuck_note (pid_t reader, pid_t pid, const struct stuck_facts *facts)
{
  /* Until this process has waited for a child, the child's ID cannot belong to
     another process.  */
  if (geteuid () != 0 || !is_child (reader))
    return;
  read_notes ();
  struct note note = { .reader = reader,
                       .pid = pid,
                       .owner = stuck_find_responsible (facts),
                       .space = own_space (),
                       .pidfd = open_pidfd (reader) };
  note.identity = read_inode (note.pidfd);
  if (note.identity == NOT_SAID)
    read_start (reader, &note.identity);
  if (note.identity == NOT_SAID)
    {
      if (note.pidfd >= 0)
        close (note.pidfd);
      return;
    }
  stuck_add_note (&notes, &note);
  int fd = open_locked (O_WRONLY | O_CREAT | O_APPEND);
  if (fd < 0)
    return;
  stuck_print_note (fd, &note);
  close (fd);
}

void
stuck_end (pid_t reader, pid_t pid, const struct stuck_facts *facts)
{
  if (reader > 0 && !wait_until (reader, 0))
    stuck_note (reader, pid, facts);
}

/* Return the number of stuck readers, according to the notes, but stop
   counting at MOST.  */
static size_t
count_notes (size_t most)
{
  size_t count = 0;
  read_notes ();
  for (size_t i = 0; i < notes.count && count < most; ++i)
    count += holds (&notes.list[i]);
  return count;
}

bool
stuck_any (void)
{
  return count_notes (1) > 0;
}

bool
stuck_blocks (pid_t pid)
{
  /* With fewer than STUCK_MOST / 2 stuck readers, no user can have reached the
     limit on stuck readers (stuck_because_of).  With so few stuck readers, do
     not look for the user who is responsible for process PID.  */
  enum
  {
    LEAST = STUCK_MOST / 2,
  };
  _Static_assert((int) STUCK_UNKNOWN_MOST >= (int) LEAST,
                 "no limit on the number of stuck readers may be lower than "
                 "STUCK_MOST / 2");
  return (stuck_any ()
          && stuck_because_of (
              pid, count_notes (LEAST) < LEAST ? 0 : stuck_owner (pid)));
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
  /* The limit on the stuck readers of OWNER is (STUCK_MOST - OTHERS) / 2,
     rounded up.  */
  return 2 * count >= STUCK_MOST - others;
}
