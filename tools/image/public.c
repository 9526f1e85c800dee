/* Open a file only if every user can read it (a public file).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An object that some user cannot read must not get an image, because all
   users can read images, and the list of objects that have images.  If root
   calls the command, the command does not open the object itself, because root
   can open any file.  An unprivileged child (unprivileged.h) opens the object,
   and sends the descriptor to the command.  If the child cannot open an
   object, the object gets no image.  The reason why the child cannot open the
   object does not matter: it may be the object's mode, an access control list,
   a directory in the path, or a security module.  Because the child may be
   able to open a file that rules forbid only to certain other users,
   trusted_find first refuses the file if some users are not allowed to open
   it.  */

#include "image/public.h"
#include "host/stuck.h"
#include "host/unprivileged.h"
#include "util/clock.h"
#include "util/descriptors.h"
#include "util/regular.h"
#include "util/wait.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The child that opens files.  */
static struct
{
  pid_t pid;    /* The process ID of the child, or 0 if none is running.  */
  pid_t parent; /* The process that has started the child.  */
  int socket;
} child;

/* The child's answer.  */
struct answer
{
  int error; /* The result: 0 or an error number.  */
  int elf;   /* 1 if the file begins like an ELF file, otherwise 0.  */
};

/* Return true if the file FD begins like an ELF file.  */
static bool
image_public_is_elf_file (int fd)
{
  char magic[SELFMAG];
  return (pread (fd, magic, SELFMAG, 0) == SELFMAG
          && memcmp (magic, ELFMAG, SELFMAG) == 0);
}

/* Allow the child, from now on, only the system calls that the function
   "serve" needs.  */
static bool
image_public_filter_calls (struct problem *problem)
{
  static const int calls[]
      = { __NR_recvfrom,   __NR_openat,          __NR_sendmsg, __NR_close,
          __NR_exit_group, __NR_restart_syscall, __NR_pread64 };
  static const struct unprivileged_condition condition
      = { __NR_openat, 2, UNPRIVILEGED_OPEN_CHANGES, { O_RDONLY, O_RDONLY } };
  return (
      unprivileged_filter_arguments (&condition, 1, problem)
      && unprivileged_filter (calls, sizeof calls / sizeof calls[0], problem));
}

/* In the unprivileged child: open the files whose paths arrive on SOCKET.  */
static void __attribute__ ((noreturn)) image_public_serve_paths (int socket)
{
  struct problem problem;
  char path[PATH_MAX];
  ssize_t length;
  if (dup2 (socket, STDIN_FILENO) < 0)
    _exit (1);
  /* Close all inherited descriptors, so that the child does not keep files or
     locks of root.  */
  unprivileged_close (STDIN_FILENO + 1);
  if (!unprivileged_become (&problem))
    _exit (1);
  if (!wait_end_with (child.parent, SIGKILL)
      || !image_public_filter_calls (&problem))
    _exit (1);
  while ((length = recv (STDIN_FILENO, path, sizeof path - 1, 0)) > 0)
    {
      path[length] = '\0';
      int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
      const struct answer answer
          = { fd < 0 ? errno : 0, fd >= 0 && image_public_is_elf_file (fd) };
      if (!descriptors_send (STDIN_FILENO, &answer, sizeof answer, &fd,
                             fd >= 0))
        break;
      if (fd >= 0)
        close (fd);
    }
  _exit (0);
}

/* Start the child.  */
static bool
image_public_start_child (void)
{
  int ends[2];
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return false;
  child.parent = getpid ();
  child.pid = fork ();
  if (child.pid == 0)
    image_public_serve_paths (ends[1]);
  close (ends[1]);
  child.socket = ends[0];
  if (child.pid > 0)
    return true;
  child.pid = 0;
  close (ends[0]);
  return false;
}

/* Kill the child.  If the child does not end, leave a note about the child
   (stuck.h).  */
static void
image_public_kill_child (void)
{
  close (child.socket);
  /* If the child does not end, stuck_end leaves a note, which normally names
     the user who blocks the child.  No user can block this child, because it
     only opens files in directories of root.  */
  const struct stuck_facts nobody = stuck_user (0);
  stuck_end (child.pid, child.pid, &nobody);
  child.pid = 0;
}

/* Receive the child's answer, and set ELF from it.  Return the descriptor, or
   -1 with errno set; EIO means that the child has not answered.  */
static int
image_public_receive_answer (bool *elf)
{
  struct pollfd event = { .fd = child.socket, .events = POLLIN };
  struct answer answer = { 0 };
  int fd = -1, ready;
  size_t count;
  /* Every directory in the path of the file belongs to root, so only a slow
     disk, or signals from another process of the child's user, can delay the
     child.  */
  const int limit = unprivileged_patience ();
  while ((ready = poll (&event, 1, limit)) < 0 && errno == EINTR)
    continue;
  if (ready == 0)
    unprivileged_note_wait (limit);
  if (ready <= 0
      || descriptors_receive (child.socket, &answer, sizeof answer, &fd, 1,
                              &count)
             != sizeof answer)
    {
      if (fd >= 0)
        close (fd);
      image_public_kill_child ();
      errno = EIO;
      return -1;
    }
  *elf = answer.elf != 0;
  errno = answer.error;
  return fd;
}

/* Let the child open PATH, and set ELF.  Return the descriptor, or -1 with
   errno set; EIO means that there is no child, or that the child has not
   answered.  */
static int
image_public_ask_child (const char *path, bool *elf)
{
  if ((child.pid == 0 || child.parent != getpid ())
      && !image_public_start_child ())
    {
      /* Set errno to EIO, because the failure to make a child has nothing to
         do with the file PATH.  */
      errno = EIO;
      return -1;
    }
  if (send (child.socket, path, strlen (path), MSG_NOSIGNAL) < 0)
    {
      image_public_kill_child ();
      errno = EIO;
      return -1;
    }
  return image_public_receive_answer (elf);
}

/* Do the work of image_public_ask_child.  If a child has ended without an
   answer, ask a new one: for example, the kernel may have had no memory for
   the first child or its filter.  */
static int
open_by_child (const char *path, bool *elf)
{
  const int64_t end = clock_milliseconds () + unprivileged_patience ();
  const int fd = image_public_ask_child (path, elf);
  if (fd < 0 && errno == EIO && child.pid == 0 && clock_milliseconds () < end)
    return image_public_ask_child (path, elf);
  return fd;
}

/* Return true if A and B are the same file.  */
static bool
image_public_is_same_file (int a, int b)
{
  struct stat one, other;
  return (fstat (a, &one) == 0 && fstat (b, &other) == 0
          && one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

int
public_open (const char *path, struct problem *problem)
{
  bool elf;
  return public_open_object (path, &elf, problem);
}

int
public_open_object (const char *path, bool *elf, struct problem *problem)
{
  *elf = false;
  int place = trusted_find (path, TRUST_EVERYBODY, problem);
  if (place < 0)
    return -1;
  /* If the user is not root, open the file directly, because a child would
     have no rights to drop.  */
  if (geteuid () != 0)
    {
      int fd = regular_reopen (place, 0);
      *elf = fd >= 0 && image_public_is_elf_file (fd);
      if (fd < 0)
        regular_problem (problem, errno);
      return fd;
    }
  int fd = open_by_child (path, elf);
  if (fd < 0 && !problem_is_of_file (errno))
    unprivileged_note_failure ();
  if (fd < 0)
    problem_set (problem, "%s",
                 errno == EIO ? "hugetext's unprivileged helper process, "
                                "which opens the file, has failed"
                 : errno == EACCES || errno == EPERM
                     ? "an unprivileged process cannot open the file"
                     : strerror (errno));
  else if (!image_public_is_same_file (place, fd))
    {
      problem_set (problem, "the file is being replaced");
      close (fd);
      fd = -1;
    }
  close (place);
  return fd;
}

int
image_open_object (const struct image *image, struct problem *problem)
{
  int fd = public_open (image->object, problem);
  if (fd >= 0 && image_is_of (fd, &image->note.object))
    return fd;
  if (fd >= 0)
    {
      problem_set (problem,
                   "the file was changed, or another file is now at its path");
      close (fd);
    }
  return -1;
}
