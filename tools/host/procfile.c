/* Functions that open files of /proc/PID, and files that a process has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/procfile.h"
#include "host/procmaps.h"
#include "trust/mount.h"
#include "util/descriptors.h"
#include "util/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The files of /proc/PID that the inspector may ask for.  The opener can send
   descriptors of the first OFTEN files of the array "files" in one message.
   The inspector reads the first TWICE files of the array "files" more than
   once, so it keeps their descriptors open.  */
static const char *const files[]
    = { "stat",        "auxv",    "maps",   "pagemap",
        "status",      "environ", "cgroup", "comm",
        "mem",         "smaps",   "exe",    "attr/apparmor/current",
        "attr/current" };
enum
{
  FILES = sizeof files / sizeof files[0],
  TWICE = 2,
  GROUP = 6,
  COMM,
  MEM,
  OFTEN,
  /* The numbers of two descriptors that can be sent together with the files of
     /proc/PID: the root directory, and the index.  */
  ROOT = OFTEN,
  INDEX,
  SEVERAL,
  /* In a request of the kind WANT_SEVERAL, the number of the bit that asks
     for the program's path.  */
  EXE = SEVERAL,
  /* In the member ERRORS of struct reply, this value means that the opener has
     not tried to open the file.  */
  NOT_TRIED = EAGAIN,
};

/* The kinds of requests that the inspector can send to the opener.  */
enum wanted
{
  WANT_FILE,
  WANT_ROOT,
  WANT_INDEX,
  WANT_EXE,
  WANT_OWNER,
  WANT_MAPPED,
  WANT_SEVERAL, /* The opener answers with one message, which contains the
                   owner of the process and the items whose bits are set in the
                   question's FILE.  The items are files of the list, the root
                   directory, the index (only if the root directory is also
                   that of the opener), and the program's path.  */
};

/* The sets of answers that the inspector asks for.  Reading the files of the
   set BRIEF never blocks.  */
enum
{
  BRIEF = 1 << GROUP | 1 << COMM | 1 << EXE,
  USUAL = ((1 << (EXE + 1)) - 1) & ~(1 << COMM | 1 << MEM),
};

struct question
{
  uint32_t wanted;
  int32_t pid;
  uint32_t file, way;
  int32_t direct;
  uint32_t length;          /* The length of NAME.  */
  uint64_t start, end;      /* The start and the end of the mapping.  */
  char name[PATH_MAX + 16]; /* The name of the mapping's file.  */
};

struct reply
{
  int32_t error;           /* The result: 0 or an error number.  */
  int32_t errors[SEVERAL]; /* For each item of WANT_SEVERAL that is a file:
                              the error number of the opener's open call, or
                              0.  */
  uint32_t owner;
  int32_t mount;   /* The ID of the mount of the root directory, or -1.  */
  int32_t unnamed; /* If NAME is the path of a program: 0 if the path could be
                      read, otherwise the error number.  */
  uint32_t length; /* The length of NAME.  */
  char name[PATH_MAX];
};

/* The inspector's end of its socket to the opener, or -1 in other
   processes.  */
static int opener = -1;

/* The inspector's process ID, and the descriptors of the inspector's list of
   mappings, list of mounts and root directory.  */
static pid_t own_pid;
static int own_maps = -1, own_mounts = -1, own_root = -1;

/* True if this process has no file "cgroup", because the kernel has no control
   groups.  */
static bool no_groups;

/* Descriptors of the directories /proc/PID of the processes that the command
   has asked the inspector about.  While the inspector answers a question, the
   opener holds these directories open, so that all files that it opens belong
   to the same process, even if the kernel meanwhile gives the process's ID to
   another process.  */
static struct
{
  unsigned int round; /* The number of the command's question to the inspector
                         for which the opener has opened the directory, or 0 if
                         FD is not open.  */
  pid_t pid;
  int fd;
} directories[2];

/* In the opener: the number of the question (request of the command) that the
   inspector is now answering.  In processes other than the opener, this number
   is 0.  */
static unsigned int round_now;

/* In the opener: return a descriptor of the directory in /proc of process
   PID.  If PID does not exist, return -1 with errno set.  */
static int
host_procfile_find_directory (pid_t pid)
{
  enum
  {
    COUNT = sizeof directories / sizeof directories[0],
  };
  static size_t next;
  char path[64];
  for (size_t i = 0; i < COUNT; ++i)
    if (directories[i].round == round_now && directories[i].pid == pid)
      return directories[i].fd;
  const size_t i = next++ % COUNT;
  if (directories[i].round != 0)
    close (directories[i].fd);
  directories[i].round = 0;
  snprintf (path, sizeof path, "/proc/%d", (int) pid);
  const int fd = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return -1;
  directories[i].round = round_now;
  directories[i].pid = pid;
  directories[i].fd = fd;
  return fd;
}

/* The file NAME of process PID, split into a directory and a path relative to
   this directory.  */
struct place
{
  int directory; /* A descriptor of the process's directory, or -1 if the
                    process does not exist.  */
  char path[NAME_MAX + PATH_MAX];
};

static bool
find_place (struct place *place, pid_t pid, const char *name)
{
  const bool opener = round_now != 0;
  place->directory = opener ? host_procfile_find_directory (pid) : AT_FDCWD;
  if (opener)
    snprintf (place->path, sizeof place->path, "%s", name);
  else
    snprintf (place->path, sizeof place->path, "/proc/%d/%s", (int) pid, name);
  return place->directory != -1;
}

static int
host_procfile_open_in_directory (pid_t pid, const char *name, int flags)
{
  struct place place;
  return find_place (&place, pid, name)
             ? openat (place.directory, place.path, flags | O_CLOEXEC)
             : -1;
}

/* Open the path NAME below the directory ROOT with O_PATH, one component after
   the other, without following symbolic links.  NAME contains no component "."
   or "..".  Return -1 with errno set on failure.  */
static int
walk (int root, const char *name)
{
  char part[NAME_MAX + 1];
  int fd = dup (root);
  while (fd >= 0 && *(name += strspn (name, "/")) != '\0')
    {
      const size_t length = strcspn (name, "/");
      const bool last = name[length] == '\0';
      const int directory = fd;
      snprintf (part, sizeof part, "%.*s", (int) length, name);
      if (length > NAME_MAX || strcmp (part, ".") == 0
          || strcmp (part, "..") == 0)
        {
          fd = -1;
          errno = EINVAL;
        }
      else
        fd = openat (directory, part,
                     O_PATH | O_NOFOLLOW | O_CLOEXEC
                         | (last ? 0 : O_DIRECTORY));
      const int error = errno;
      close (directory);
      errno = error;
      name += length;
    }
  return fd;
}

/* Open the file NAME below the directory ROOT with O_PATH.  Follow no symbolic
   link that leads out of ROOT, or that FLAGS (of openat2) exclude.  Without
   openat2, follow no symbolic link at all.  (Linux before 5.6 has no openat2,
   and systemd's RestrictSUIDSGID= makes openat2 fail with ENOSYS.) Return -1
   with errno set on failure.  */
static int
find_in_root (int root, const char *name, uint64_t flags)
{
  const struct open_how how
      = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | flags };
  const int fd = syscall (__NR_openat2, root, name, &how, sizeof how);
  return fd >= 0 || errno != ENOSYS ? fd : walk (root, name);
}

static int
open_root (pid_t pid)
{
  return host_procfile_open_in_directory (pid, "root", O_PATH | O_DIRECTORY);
}

/* Open the file NAME with O_PATH (find_in_root), below the root directory of
   process PID.  If PID is 0, open the file below this process's root
   directory.  Follow no symbolic links.  */
static int
find_by_name (pid_t pid, const char *name)
{
  const int root = name[0] != '/' ? -1
                   : pid != 0     ? open_root (pid)
                              : open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0)
    return -1;
  const int fd = find_in_root (root, name, RESOLVE_NO_SYMLINKS);
  const int error = errno;
  close (root);
  errno = error;
  return fd;
}

/* Open with O_PATH the file that QUESTION is about.  */
static int
host_procfile_find_mapped (const struct question *question)
{
  char name[64];
  snprintf (name, sizeof name, "map_files/%lx-%lx",
            (unsigned long) question->start, (unsigned long) question->end);
  if (question->way == PROCFILE_BY_PROGRAM)
    return host_procfile_open_in_directory (question->pid, "exe", O_PATH);
  int fd = host_procfile_open_in_directory (question->pid, name, O_PATH);
  if (question->way == PROCFILE_BY_MAP)
    return fd;
  /* If the user may follow the kernel's link to the file, never open the file
     by its name.  */
  if (fd >= 0)
    {
      close (fd);
      errno = EACCES;
    }
  if (fd >= 0 || errno != EPERM)
    return -1;
  return find_by_name (question->way == PROCFILE_BY_NAME ? question->pid : 0,
                       question->name);
}

/* Open the file that QUESTION is about, if it is a regular file that takes
   space in its filesystem (st_blocks).  The check excludes files that the
   kernel generates when they are read (in /proc, /sys, tracefs and others),
   because opening or reading such a file may have side effects.  Generated
   files take no space, no matter where their filesystem is mounted.  */
static int
open_mapped (const struct question *question)
{
  int fd = host_procfile_find_mapped (question);
  return (fd >= 0 ? regular_reopen_stored (fd, question->direct ? O_DIRECT : 0)
                  : -1);
}

static int
host_procfile_open_by_number (pid_t pid, size_t number)
{
  return host_procfile_open_in_directory (pid, files[number],
                                          O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

/* Open the index in the directory ROOT, which is a process's root directory.
   Return -1 if the index cannot be opened.  If ROOT is the root directory of a
   container, the container's administrator can make the path of the index lead
   to any file, so open only a regular file, and follow no links that lead out
   of ROOT.  */
static int
open_index (int root)
{
  if (root < 0)
    return -1;
  const int fd = find_in_root (root, INDEX_PATH, RESOLVE_NO_MAGICLINKS);
  return fd >= 0 ? regular_reopen_stored (fd, 0) : -1;
}

/* Return true if the directory ROOT is this process's root directory.
   Compare the mount, the device and the inode number of both directories,
   because the root directories of all subvolumes of btrfs have the same inode
   number.  To report mount, device and inode number, the kernel need not ask
   the server of a filesystem, which may not answer.  A comparison of links in
   /proc/PID/ns would wait while the process executes a program.  */
static bool
is_own_root (int root)
{
#ifdef STATX_MNT_ID
  static struct statx own;
  struct statx its;
  const unsigned int mask = STATX_MNT_ID | STATX_INO;
  if ((own.stx_mask & mask) != mask
      && statx (AT_FDCWD, "/", AT_STATX_DONT_SYNC, mask, &own) != 0)
    return false;
  return (
      (own.stx_mask & mask) == mask
      && statx (root, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask, &its) == 0
      && (its.stx_mask & mask) == mask && its.stx_mnt_id == own.stx_mnt_id
      && its.stx_dev_major == own.stx_dev_major
      && its.stx_dev_minor == own.stx_dev_minor && its.stx_ino == own.stx_ino);
#else
  (void) root;
  return false;
#endif
}

static int
open_index_of (pid_t pid)
{
  const int root = open_root (pid), fd = open_index (root);
  const int error = errno;
  if (root >= 0)
    close (root);
  errno = error;
  return fd;
}

/* Set the name in REPLY to the path of the program that process PID
   executes.  */
static void
read_exe (pid_t pid, struct reply *reply)
{
  struct place place;
  const ssize_t length = find_place (&place, pid, "exe")
                             ? readlinkat (place.directory, place.path,
                                           reply->name, sizeof reply->name - 1)
                             : -1;
  reply->unnamed = length >= 0 ? 0 : errno;
  reply->length = length > 0 ? length : 0;
}

/* Set the owner in REPLY to the owner of process PID.  Return 0 or an error
   number.  */
static int
host_procfile_read_owner (pid_t pid, struct reply *reply)
{
  struct place place;
  struct stat status, file;
  /* Use the owner of the directory /proc/PID, because the files in this
     directory may belong to root although the process does not.  (If the
     process has ended, the directory belongs to root.)  */
  if (!find_place (&place, pid, ".")
      || fstatat (place.directory, place.path, &status, 0) < 0
      || !find_place (&place, pid, "comm")
      || fstatat (place.directory, place.path, &file, 0) < 0)
    return errno;
  reply->owner = status.st_uid;
  return 0;
}

/* Answer QUESTION, either in REPLY or by returning a descriptor.  If REPLY
   contains the whole answer, return -1.  If QUESTION asks for a descriptor and
   the opener cannot open the file, REPLY contains the error.  */
static int
host_procfile_answer_question (const struct question *question,
                               struct reply *reply)
{
  const pid_t pid = question->pid;
  int fd = -1;
  errno = 0;
  switch (question->wanted)
    {
    case WANT_FILE:
      if (question->file < FILES)
        fd = host_procfile_open_by_number (pid, question->file);
      else
        errno = EINVAL;
      break;
    case WANT_ROOT:
      fd = open_root (pid);
      reply->mount = fd >= 0 ? mount_ask (fd) : -1;
      break;
    case WANT_INDEX:
      fd = open_index_of (pid);
      break;
    case WANT_EXE:
      read_exe (pid, reply);
      break;
    case WANT_OWNER:
      errno = host_procfile_read_owner (pid, reply);
      break;
    case WANT_MAPPED:
      fd = open_mapped (question);
      break;
    default:
      errno = EINVAL;
    }
  reply->error = fd >= 0 ? 0 : errno;
  return fd;
}

_Static_assert((int) SEVERAL <= DESCRIPTORS_MAX,
               "one message has space for all descriptors");

/* Set REPLY to the items about process PID whose bits are set in WANTED, and
   FDS to the descriptors of the items that are files.  Return the number of
   descriptors.  Opening the index in a root directory other than that of this
   process may block for ever, so do not open it in advance.  */
static size_t
answer_several (pid_t pid, uint32_t wanted, struct reply *reply,
                int fds[SEVERAL])
{
  size_t count = 0;
  int root = -1;
  *reply = (struct reply){ .error = 0 };
  reply->error = host_procfile_read_owner (pid, reply);
  if ((wanted & 1U << EXE) != 0)
    read_exe (pid, reply);
  for (size_t i = 0; i < SEVERAL; ++i)
    {
      int fd = -1;
      errno = NOT_TRIED;
      if ((wanted & 1U << i) != 0 && i < OFTEN)
        fd = host_procfile_open_by_number (pid, i);
      else if ((wanted & 1U << i) != 0 && i == ROOT)
        fd = root = open_root (pid);
      else if ((wanted & 1U << i) != 0 && root >= 0 && is_own_root (root))
        fd = open_index (root);
      reply->errors[i] = fd >= 0 ? 0 : errno;
      if (fd >= 0)
        fds[count++] = fd;
    }
  reply->mount = root >= 0 ? mount_ask (root) : -1;
  return count;
}

static void
close_all (const int *fds, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    close (fds[i]);
}

void
procfile_use (int socket)
{
  opener = socket;
  own_pid = getpid ();
  own_maps = host_procfile_open_in_directory (own_pid, "maps", O_RDONLY);
  own_mounts
      = host_procfile_open_in_directory (own_pid, "mountinfo", O_RDONLY);
  own_root = open_root (own_pid);
  const int groups
      = host_procfile_open_in_directory (own_pid, "cgroup", O_RDONLY);
  no_groups = groups < 0 && errno == ENOENT;
  if (groups >= 0)
    close (groups);
}

bool
procfile_has_groups (void)
{
  return !no_groups;
}

void
procfile_serve (int socket, unsigned int (*may) (pid_t pid))
{
  static struct question question;
  static struct reply reply;
  const size_t least = offsetof (struct question, name);
  int fds[SEVERAL];
  size_t count;
  ssize_t n;
  /* Accept no descriptors: the inspector must not be able to make the opener
     hold files open.  */
  while ((n = descriptors_receive (socket, &question, sizeof question - 1,
                                   NULL, 0, &count))
         > 0)
    {
      reply = (struct reply){ .error = EPERM, .unnamed = EPERM };
      count = 0;
      question.name[sizeof question.name - 1] = '\0';
      if ((size_t) n >= least && question.length == n - least
          && (round_now = may (question.pid)) != 0)
        {
          question.name[question.length] = '\0';
          if (question.wanted == WANT_SEVERAL)
            count = answer_several (question.pid, question.file, &reply, fds);
          else
            {
              fds[0] = host_procfile_answer_question (&question, &reply);
              count = fds[0] >= 0;
            }
        }
      const bool sent = descriptors_send (
          socket, &reply, offsetof (struct reply, name) + reply.length, fds,
          count);
      close_all (fds, count);
      if (!sent)
        break;
    }
}

/* Send QUESTION with the *COUNT descriptors FDS to the opener, and receive
   its answer.  */
static void
ask_opener (struct question *question, struct reply *reply, int fds[SEVERAL],
            size_t *count)
{
  const size_t least = offsetof (struct reply, name);
  *reply = (struct reply){ .error = EPIPE, .unnamed = EPIPE };
  *count = 0;
  question->length = strlen (question->name);
  ssize_t n = -1;
  if (descriptors_send (opener, question,
                        offsetof (struct question, name) + question->length,
                        NULL, 0))
    n = descriptors_receive (opener, reply, sizeof *reply - 1, fds, SEVERAL,
                             count);
  /* If the opener has ended, this process would give wrong answers, for
     example that a process does not exist.  Therefore it ends too, and the
     command knows that there is no answer.  */
  if (n <= 0)
    _exit (1);
  if (n < (ssize_t) least || reply->length != n - least)
    {
      *reply = (struct reply){ .error = EPIPE, .unnamed = EPIPE };
      close_all (fds, *count);
      *count = 0;
    }
}

/* Get the answer to QUESTION about a process.  The inspector sends QUESTION to
   its opener.  A process without an opener answers QUESTION by opening the
   file itself.  Return a descriptor.  If there is no descriptor, set errno and
   return -1.  If the answer consists of REPLY, without a descriptor, set errno
   to 0.  */
static int
host_procfile_ask_question (struct question *question, struct reply *reply)
{
  int fds[SEVERAL] = { -1 };
  size_t count;
  *reply = (struct reply){ .error = 0 };
  if (opener < 0)
    fds[0] = host_procfile_answer_question (question, reply);
  else
    ask_opener (question, reply, fds, &count);
  errno = reply->error;
  return opener < 0 || count > 0 ? fds[0] : -1;
}

/* The descriptors that the opener has sent to the inspector in one message,
   all of files of one process.  */
static struct
{
  pid_t pid;       /* The ID of the process, or 0 if there is none.  */
  uint32_t wanted; /* What the inspector has asked for (WANT_SEVERAL).  */
  struct reply reply;
  int fds[SEVERAL]; /* The descriptors of files in /proc/PID, of the process's
                       root directory and of its index.  If the opener could
                       not open a file, its element is -1 and REPLY contains
                       the error.  If take_given has handed the descriptor to a
                       caller, the element is -1 as well.  */
} given;

/* True if the inspector has read /proc/PID/mem of the process that it
   inspected last.  The inspector reads "mem" of the processes that run under
   ld-hugetext.so or that the command has attached to.  Processes that are
   inspected one after the other often have the same loader.  Therefore, if the
   inspector has read "mem" of one process, the inspector asks for "mem" of the
   next process together with the other files.  The inspector does not ask for
   "mem" of every process, because a security module may log each access to
   "mem".  */
static bool used_mem;

/* With one request to the opener, get the items about process PID whose bits
   are set in WANTED.  If PID is 0, close the descriptors of the earlier
   process.  */
static void
host_procfile_prepare_items (pid_t pid, uint32_t wanted)
{
  struct question question
      = { .wanted = WANT_SEVERAL, .pid = pid, .file = wanted };
  int fds[SEVERAL];
  size_t count, used = 0;
  if (opener < 0)
    return;
  for (size_t i = 0; given.pid != 0 && i < SEVERAL; ++i)
    if (given.fds[i] >= 0)
      close (given.fds[i]);
  given.pid = 0;
  given.wanted = wanted;
  if (pid == 0)
    return;
  ask_opener (&question, &given.reply, fds, &count);
  for (size_t i = 0; i < SEVERAL; ++i)
    given.fds[i]
        = given.reply.errors[i] == 0 && used < count ? fds[used++] : -1;
  if (given.reply.error == 0 && used == count)
    given.pid = pid;
  else
    close_all (fds, count);
}

void
procfile_prepare (pid_t pid)
{
  const bool with_mem = used_mem;
  used_mem = used_mem && pid == 0;
  host_procfile_prepare_items (pid, USUAL | (with_mem ? 1U << MEM : 0));
}

void
procfile_prepare_brief (pid_t pid)
{
  host_procfile_prepare_items (pid, BRIEF);
}

/* If prepare has already got item NUMBER of process PID from the opener, set
   *FD to the descriptor of the item.  If the opener could not open the item's
   file, set *FD to -1, and set errno.  Return false if prepare has not asked
   for the item, or if an earlier call of this function has returned the
   descriptor.  */
static bool
take_given (pid_t pid, size_t number, int *fd)
{
  if (pid != given.pid || number >= SEVERAL)
    return false;
  *fd = given.fds[number];
  errno = given.reply.errors[number];
  if (*fd < 0)
    return errno != 0 && errno != NOT_TRIED;
  if ((number < TWICE || number == INDEX) && lseek (*fd, 0, SEEK_SET) == 0)
    *fd = dup (*fd);
  else
    given.fds[number] = -1;
  return true;
}

/* If this process keeps a descriptor of the file NAME in its own /proc/PID,
   return this descriptor, otherwise -1.  */
static int
find_own (const char *name)
{
  return (strcmp (name, "maps") == 0        ? own_maps
          : strcmp (name, "mountinfo") == 0 ? own_mounts
                                            : -1);
}

int
procfile_open (pid_t pid, const char *name)
{
  struct question question = { .wanted = WANT_FILE, .pid = pid };
  struct reply reply;
  if (opener < 0)
    return host_procfile_open_in_directory (pid, name, O_RDONLY);
  if (pid == own_pid && lseek (find_own (name), 0, SEEK_SET) == 0)
    return dup (find_own (name));
  while (question.file < FILES && strcmp (files[question.file], name) != 0)
    ++question.file;
  int fd = -1;
  if (question.file >= OFTEN || !take_given (pid, question.file, &fd))
    fd = host_procfile_ask_question (&question, &reply);
  if (question.file == MEM)
    used_mem = fd >= 0;
  return fd;
}

FILE *
procfile_stream (pid_t pid, const char *name)
{
  int fd = procfile_open (pid, name);
  FILE *stream = fd >= 0 ? fdopen (fd, "r") : NULL;
  if (stream == NULL && fd >= 0)
    close (fd);
  return stream;
}

int
procfile_root (pid_t pid)
{
  struct question question = { .wanted = WANT_ROOT, .pid = pid };
  struct reply reply;
  if (opener >= 0 && pid == own_pid)
    return dup (own_root);
  int fd;
  return take_given (pid, ROOT, &fd)
             ? fd
             : host_procfile_ask_question (&question, &reply);
}

int
procfile_root_mount (pid_t pid)
{
  struct question question = { .wanted = WANT_ROOT, .pid = pid };
  struct reply reply;
  if (pid == given.pid && (given.wanted & 1U << ROOT) != 0)
    return given.reply.mount;
  const int fd = host_procfile_ask_question (&question, &reply);
  if (fd < 0)
    return -1;
  close (fd);
  return reply.mount;
}

int
procfile_index (pid_t pid)
{
  struct question question = { .wanted = WANT_INDEX, .pid = pid };
  struct reply reply;
  int fd;
  if (take_given (pid, INDEX, &fd))
    return fd;
  fd = host_procfile_ask_question (&question, &reply);
  if (pid != given.pid)
    return fd;
  /* Keep the descriptor of the index, because the inspector needs it
     twice.  */
  given.fds[INDEX] = fd;
  given.reply.errors[INDEX] = fd >= 0 ? 0 : errno;
  return take_given (pid, INDEX, &fd) ? fd : -1;
}

bool
procfile_exe (pid_t pid, char *path, size_t size)
{
  struct question question = { .wanted = WANT_EXE, .pid = pid };
  struct reply reply;
  if (pid == given.pid && (given.wanted & 1U << EXE) != 0)
    reply = given.reply;
  else
    host_procfile_ask_question (&question, &reply);
  snprintf (path, size, "%.*s", (int) reply.length, reply.name);
  const int error = reply.unnamed;
  return (error == 0 || error == ENOENT || error == ESRCH || error == EACCES
          || error == ENAMETOOLONG);
}

int
procfile_owner (pid_t pid, uid_t *owner)
{
  struct question question = { .wanted = WANT_OWNER, .pid = pid };
  struct reply reply;
  if (pid == given.pid)
    {
      *owner = given.reply.owner;
      return 0;
    }
  host_procfile_ask_question (&question, &reply);
  *owner = reply.owner;
  return reply.error == 0 ? 0 : -1;
}

int
procfile_mapped (enum procfile_way way, pid_t pid, const struct mapping *map,
                 int flags)
{
  struct question question = { .wanted = WANT_MAPPED,
                               .pid = pid,
                               .way = way,
                               .direct = flags != 0,
                               .start = map->start,
                               .end = map->end };
  struct reply reply;
  if (way == PROCFILE_BY_NAME || way == PROCFILE_BY_OUR_NAME)
    {
      if (strlen (map->name) >= PATH_MAX)
        {
          errno = ENAMETOOLONG;
          return -1;
        }
      /* The name of a file may end with " (deleted)" even if the file has not
         been deleted.  */
      snprintf (question.name, sizeof question.name, "%s%s", map->name,
                map->deleted ? " (deleted)" : "");
    }
  return host_procfile_ask_question (&question, &reply);
}
