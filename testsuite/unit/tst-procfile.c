/* Test the opener, a process that opens files of /proc for another process.
   While it serves one question, it refuses a PID that has got a new process
   since the question began.  A client cannot send descriptors to the opener.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only root may start a process with a PID of its choice.  */

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* If REAL is false, the opener gets these made-up results of statx for its own
   root directory and for that of the process.  */
static struct
{
  bool real;
  struct statx own, its;
} told = { .real = true };

static int
tell (int fd, const char *path, int flags, unsigned int mask,
      struct statx *buffer)
{
  if (told.real)
    return statx (fd, path, flags, mask, buffer);
  *buffer = path[0] == '/' ? told.own : told.its;
  return 0;
}

#define statx(fd, path, flags, mask, buffer) \
  tell (fd, path, flags, mask, buffer)
#include "host/procfile.c"
#undef statx
#include "idle.h"
#include "plan-test.h"

/* More descriptors than a receiver of a message has room for.  */
enum
{
  MOST_SENT = 64
};

/* The number that identifies the question, and the number of requests to the
   opener so far.  Both numbers are in memory that this process shares with the
   opener.  */
static volatile unsigned int *question, *requests;

static unsigned int
may (pid_t pid)
{
  ++*requests;
  return pid != 1 ? *question : 0;
}

/* Start the opener, which reads from the second descriptor of ENDS.  */
static pid_t
begin_opener (const int ends[2])
{
  const pid_t pid = fork ();
  if (pid == 0)
    {
      close (ends[0]);
      procfile_serve (ends[1], may);
      _exit (0);
    }
  return pid;
}

static void
end (pid_t pid)
{
  int status;
  EXPECT (kill (pid, SIGKILL) == 0 && waitpid (pid, &status, 0) == pid);
}

/* Return true if the opener opens files of process PID.  */
static bool
opens (pid_t pid)
{
  uid_t owner = 0;
  char path[PATH_MAX];
  const int maps = procfile_open (pid, "maps"), root = procfile_root (pid);
  const bool owned = procfile_owner (pid, &owner) == 0;
  EXPECT (procfile_exe (pid, path, sizeof path) || maps < 0);
  EXPECT ((maps >= 0) == (root >= 0) && (maps >= 0) == owned
          && (maps >= 0) == (path[0] != '\0'));
  if (maps >= 0)
    close (maps);
  if (root >= 0)
    close (root);
  return maps >= 0;
}

/* Test a process that ends while it is inspected, and another process that
   gets its number.  */
static void
test_another (void)
{
  const pid_t first = begin_idle (0);
  EXPECT (first > 0);
  EXPECT (opens (first));
  end (first);
  EXPECT (!opens (first));
  const pid_t second = begin_idle (first);
  /* Not every user can start a process with a given number, and no user can
     before Linux 5.5.  */
  if (second < 0)
    return;
  EXPECT (second == first);
  EXPECT (!opens (second));
  procfile_prepare (second);
  EXPECT (!opens (second));
  ++*question;
  EXPECT (opens (second));
  procfile_prepare (second);
  EXPECT (opens (second));
  procfile_prepare (0);
  end (second);
}

/* Test questions about several processes.  */
static void
test_several (void)
{
  pid_t list[5];
  ++*question;
  for (int i = 0; i < 5; ++i)
    EXPECT ((list[i] = begin_idle (0)) > 0);
  for (int i = 0; i < 10; ++i)
    EXPECT (opens (list[i % 5]) && opens (list[0]));
  for (int i = 0; i < 5; ++i)
    end (list[i]);
  for (int i = 0; i < 5; ++i)
    EXPECT (!opens (list[i]));
  EXPECT (procfile_open (1, "maps") < 0 && errno == EPERM);
}

/* Open all files of process PID that the inspector needs; open mem only if
   WITH_MEM is true.  Return the number of requests to the opener.  */
static unsigned int
count_requests (pid_t pid, bool with_mem)
{
  static const char *const names[]
      = { "stat",    "maps", "pagemap", "auxv", "status",
          "environ", "auxv", "stat",    "mem" };
  const size_t count = sizeof names / sizeof names[0] - !with_mem;
  const unsigned int before = *requests;
  uid_t owner;
  char path[PATH_MAX], number[16], byte;
  snprintf (number, sizeof number, "%d", (int) pid);
  ++*question;
  procfile_prepare (pid);
  for (size_t i = 0; i < count; ++i)
    {
      const int fd = procfile_open (pid, names[i]);
      EXPECT (fd >= 0);
      /* Each time, the file is read from its beginning.  */
      if (strcmp (names[i], "stat") == 0)
        EXPECT (read (fd, &byte, 1) == 1 && byte == number[0]);
      close (fd);
    }
  const int root = procfile_root (pid);
  EXPECT (root >= 0 && procfile_owner (pid, &owner) == 0);
  close (root);
  EXPECT (procfile_exe (pid, path, sizeof path) && path[0] == '/');
  for (int i = 0; i < 2; ++i)
    EXPECT (procfile_index (pid) < 0 && errno == ENOENT);
  procfile_prepare (0);
  return *requests - before;
}

/* The opener gets one request for each process.  If mem of the previous
   process was opened, the opener asks for mem of the next process in the same
   request.  */
static void
test_requests (void)
{
  const pid_t pid = begin_idle (0);
  EXPECT (pid > 0);
  EXPECT_EQUAL (count_requests (pid, false), 1);
  EXPECT_EQUAL (count_requests (pid, true), 2);
  EXPECT_EQUAL (count_requests (pid, true), 1);
  EXPECT_EQUAL (count_requests (pid, false), 1);
  EXPECT_EQUAL (count_requests (pid, true), 2);
  /* A file that is used a second time needs a request of its own.  */
  procfile_prepare (pid);
  EXPECT (opens (pid) && opens (pid));
  procfile_prepare (0);
  end (pid);
}

/* Start a process with another root directory than ours.  Return -1 if that
   is not possible.  */
static pid_t
begin_elsewhere (void)
{
  int ends[2];
  char byte = 0;
  EXPECT (pipe (ends) == 0);
  const pid_t pid = fork ();
  if (pid == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      byte = chroot ("/proc") == 0;
      EXPECT (write (ends[1], &byte, 1) == 1);
      for (;;)
        pause ();
    }
  EXPECT (pid > 0 && read (ends[0], &byte, 1) == 1);
  close (ends[0]);
  close (ends[1]);
  if (byte != 0)
    return pid;
  end (pid);
  return -1;
}

/* In another root directory, only files that are needed are looked up.  */
static void
test_elsewhere (void)
{
  const pid_t pid = begin_elsewhere ();
  unsigned int before = *requests;
  if (pid < 0)
    return;
  ++*question;
  procfile_prepare (pid);
  EXPECT_EQUAL (given.reply.errors[INDEX], NOT_TRIED);
  EXPECT_EQUAL (given.reply.errors[ROOT], 0);
  EXPECT_EQUAL (*requests - before, 1);
  for (int i = 0; i < 3; ++i)
    EXPECT (procfile_index (pid) < 0 && errno == ENOENT);
  EXPECT_EQUAL (*requests - before, 2);
  procfile_prepare (0);
  end (pid);
}

/* Test root directories that differ from ours in one of the numbers that the
   kernel tells.  Subvolumes of btrfs in one mount differ in the device
   only.  */
static void
test_own_root (void)
{
#ifdef STATX_MNT_ID
  const struct statx own = { .stx_mask = STATX_MNT_ID | STATX_INO,
                             .stx_mnt_id = 29,
                             .stx_dev_major = 254,
                             .stx_dev_minor = 3,
                             .stx_ino = 256 };
  struct statx others[] = { own, own, own, own, own };
  others[0].stx_mnt_id = 30;
  others[1].stx_dev_major = 0;
  others[2].stx_dev_minor = 4;
  others[3].stx_ino = 257;
  others[4].stx_mask = STATX_INO;
  told.real = false;
  told.own = told.its = own;
  EXPECT (is_own_root (0));
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    {
      told.its = others[i];
      EXPECT (!is_own_root (0));
    }
  told.real = true;
#endif
}

/* The number of open descriptors of process PID.  */
static int
count_descriptors (pid_t pid)
{
  char path[32];
  int count = 0;
  snprintf (path, sizeof path, "/proc/%d/fd", (int) pid);
  DIR *directory = opendir (path);
  EXPECT (directory != NULL);
  while (readdir (directory) != NULL)
    ++count;
  closedir (directory);
  return count;
}

/* Send a message of two bytes with COUNT descriptors to SOCKET.  */
static void
send_descriptors (int socket, size_t count)
{
  static union
  {
    char bytes[CMSG_SPACE (MOST_SENT * sizeof (int))];
    struct cmsghdr head;
  } control;
  struct iovec part = { "ab", 2 };
  struct msghdr message
      = { .msg_iov = &part,
          .msg_iovlen = 1,
          .msg_control = control.bytes,
          .msg_controllen = CMSG_SPACE (count * sizeof (int)) };
  int fds[MOST_SENT] = { 0 };
  control.head.cmsg_level = SOL_SOCKET;
  control.head.cmsg_type = SCM_RIGHTS;
  control.head.cmsg_len = CMSG_LEN (count * sizeof (int));
  memcpy (CMSG_DATA (&control.head), fds, count * sizeof (int));
  EXPECT_EQUAL (sendmsg (socket, &message, MSG_NOSIGNAL), 2);
}

/* Test descriptors that were sent without a request.  The receiver gets as
   many descriptors as it has room for, the opener gets none.  */
static void
test_uninvited (pid_t server)
{
  const int before = count_descriptors (getpid ());
  for (size_t room = 0; room <= DESCRIPTORS_MAX; ++room)
    for (size_t sent = 1; sent <= MOST_SENT; sent += sent)
      {
        int ends[2], fds[DESCRIPTORS_MAX + 2];
        char data[2];
        size_t count;
        EXPECT (socketpair (AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
        send_descriptors (ends[0], sent);
        for (size_t i = 0; i < DESCRIPTORS_MAX + 2; ++i)
          fds[i] = -1;
        EXPECT_EQUAL (
            descriptors_receive (ends[1], data, 2, fds, room, &count), 2);
        EXPECT_EQUAL (count, sent < room ? sent : room);
        for (size_t i = 0; i < DESCRIPTORS_MAX + 2; ++i)
          {
            EXPECT ((fds[i] >= 0) == (i < count));
            if (fds[i] >= 0)
              close (fds[i]);
          }
        close (ends[0]);
        close (ends[1]);
      }
  EXPECT_EQUAL (count_descriptors (getpid ()), before);

  struct reply reply;
  const int opened = count_descriptors (server);
  for (size_t sent = 1; sent <= MOST_SENT; ++sent)
    {
      send_descriptors (opener, sent);
      EXPECT (recv (opener, &reply, sizeof reply, 0) > 0);
      EXPECT_EQUAL (reply.error, EPERM);
    }
  EXPECT_EQUAL (count_descriptors (server), opened);
}

int
main (void)
{
  int ends[2], status;
  question = mmap (NULL, 2 * sizeof *question, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT (question != MAP_FAILED);
  requests = question + 1;
  *question = 1;
  EXPECT (socketpair (AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
  const pid_t pid = begin_opener (ends);
  close (ends[1]);
  procfile_use (ends[0]);
  test_another ();
  group_done ("another process that has got the same PID", 1);
  test_several ();
  group_done ("several processes", 1);
  test_requests ();
  group_done ("one request a process", 1);
  test_elsewhere ();
  group_done ("another root directory", 1);
  test_own_root ();
  group_done ("our root directory", 6);
  test_uninvited (pid);
  group_done ("descriptors that were not requested", 1);
  close (ends[0]);
  EXPECT (waitpid (pid, &status, 0) == pid && status == 0);
  return 0;
}
