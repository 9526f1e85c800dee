/* Test the notes about stuck readers: which user is responsible for a
   process, and how many readers may be waited for.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   As stuck readers do, a process waits in the kernel: for a child that it has
   made with vfork.  Only root makes notes.  A child of the first process runs
   the tests.  The inspected processes are children of the first process, too,
   because children of the testing process would count as root's.  */

#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* The file with the notes.  */
static char notes_path[64];
#define STUCK_PATH notes_path

/* The type of the filesystem whose inode numbers identify processes.  The type
   is 0 if the tests should work without this filesystem, as before Linux
   6.9.  */
static long int pidfs_type;
#define PIDFS_TYPE pidfs_type

#include "host/stuck.c"
#include "../lib/waiting.h"
#include "plan-test.h"

/* A reader must not query its alternate signal stack (tst-reader.c).  */
extern const char *__asan_default_options (void);

const char *
__asan_default_options (void)
{
  return "symbolize=0";
}

/* Return the owner of process PID according to a pidfd, and check that /proc
   says the same.  */
static uid_t
owner_of (pid_t pid)
{
  struct subject subject = open_subject (pid);
  struct subject named = { .pid = pid, .pidfd = -1, .by_name = true };
  struct stuck_facts facts = stuck_user (0), by_name = stuck_user (0);
  facts.owner = stuck_read_owner (&subject, &facts);
  by_name.owner = stuck_read_owner (&named, &by_name);
  const uid_t owner = stuck_find_responsible (&facts);
  EXPECT (owner == stuck_find_responsible (&by_name));
  close (subject.pidfd);
  return owner;
}

/* The child that a test inspects, and the pipes between this child and the
   test.  */
static struct
{
  pid_t pid;
  int done[2], go[2];
} child;

/* In the child: tell the test whether everything was GOOD so far, and wait
   for its answer.  */
static void
say (bool good)
{
  const char byte = good;
  if (write (child.done[1], &byte, 1) != 1
      || read (child.go[0], &(char){ 0 }, 1) != 1)
    _exit (1);
}

/* Return true if the child reports that everything was good.  */
static bool
hear (void)
{
  char byte = 0;
  return read (child.done[0], &byte, 1) == 1 && byte == 1;
}

static void
go_on (void)
{
  EXPECT (write (child.go[1], "", 1) == 1);
}

/* Make a child that does WORK, with FLAGS of clone.  With CLONE_PARENT, the
   child belongs to the caller's parent, the first process.  Otherwise it
   belongs to the caller.  */
static void
begin (void (*work) (void), unsigned long int flags)
{
  EXPECT (pipe (child.done) == 0 && pipe (child.go) == 0);
  fflush (NULL);
  child.pid = syscall (__NR_clone, flags | SIGCHLD, NULL, NULL, NULL, 0);
  if (child.pid == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      close (child.done[0]);
      close (child.go[1]);
      work ();
      _exit (0);
    }
  close (child.done[1]);
  close (child.go[0]);
}

static void
end (void)
{
  kill (child.pid, SIGKILL);
  waitpid (child.pid, NULL, 0);
  close (child.done[0]);
  close (child.go[1]);
}

/* Give the child's user namespace the IDs in MAP, as newuidmap does.  */
static bool
map_users (const char *map)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/uid_map", (int) child.pid);
  const int fd = open (path, O_WRONLY);
  const bool good
      = fd >= 0 && write (fd, map, strlen (map)) == (ssize_t) strlen (map);
  close (fd);
  return good;
}

/* The child is a user with subordinate IDs, first in a user namespace and
   then in a second one inside it.  */
static void
be_many (void)
{
  say (setresuid (12345, 12345, 12345) == 0
       && prctl (PR_SET_DUMPABLE, 1) == 0);
  say (unshare (CLONE_NEWUSER) == 0);
  say (setresuid (5, 5, 5) == 0);
  say (prctl (PR_SET_DUMPABLE, 1) == 0 && unshare (CLONE_NEWUSER) == 0);
}

static void
test_subordinates (void)
{
  begin (be_many, CLONE_PARENT);
  EXPECT (hear ());
  EXPECT (stuck_owner (child.pid) == 12345);
  go_on ();
  if (!hear ())
    {
      end (); /* User namespaces are not available here.  */
      return;
    }
  EXPECT (map_users ("0 12345 1\n1 200000 100\n"));
  EXPECT (stuck_owner (child.pid) == 12345);
  go_on ();
  EXPECT (hear ());
  EXPECT (owner_of (child.pid) == 200004);
  EXPECT (stuck_owner (child.pid) == 12345);
  go_on ();
  if (hear ())
    EXPECT (stuck_owner (child.pid) == 12345);
  end ();
}

/* The child is a user of a container, whose user namespace root has made.  */
static void
be_container (void)
{
  say (unshare (CLONE_NEWUSER) == 0);
  say (setresuid (7, 7, 7) == 0);
}

static void
test_container (void)
{
  begin (be_container, CLONE_PARENT);
  if (hear () && map_users ("0 100000 65536\n"))
    {
      const uid_t container = stuck_owner (child.pid);
      go_on ();
      EXPECT (hear ());
      EXPECT (owner_of (child.pid) == 100007);
      EXPECT (container != 0 && stuck_owner (child.pid) == container);
    }
  end ();
}

/* The child is root of a container without a user namespace, then of a
   container inside it, and at last a user of that.  */
static void
be_container_root (void)
{
  say (true);
  const pid_t inner
      = syscall (__NR_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, 0);
  if (inner != 0)
    {
      waitpid (inner, NULL, 0);
      _exit (0);
    }
  say (true);
  say (setresuid (12345, 12345, 12345) == 0
       && prctl (PR_SET_DUMPABLE, 1) == 0);
}

/* Return the only child of process PID, or 0 if it has none.  */
static pid_t
child_of (pid_t pid)
{
  char path[64];
  int inner = 0;
  snprintf (path, sizeof path, "/proc/%d/task/%d/children", (int) pid,
            (int) pid);
  FILE *file = fopen (path, "re");
  EXPECT (file != NULL && fscanf (file, "%d", &inner) <= 1);
  fclose (file);
  return inner;
}

static void
test_container_root (void)
{
  begin (be_container_root, CLONE_PARENT | CLONE_NEWPID);
  EXPECT (hear ());
  const uid_t container = stuck_owner (child.pid);
  EXPECT (owner_of (child.pid) == 0 && container > 1 << 24);
  go_on ();
  EXPECT (hear ());
  const pid_t inner = child_of (child.pid);
  EXPECT (inner > 0 && stuck_owner (inner) == container);
  go_on ();
  EXPECT (hear () && stuck_owner (inner) == 12345);
  end ();
}

/* The child is root of a container that shares all namespaces of this process
   except the mount namespace, and then root without a container.  */
static void
be_root (void)
{
  say (true);
}

static void
test_mounts (void)
{
  begin (be_root, CLONE_PARENT | CLONE_NEWNS);
  EXPECT (hear () && stuck_owner (child.pid) > 1 << 24);
  end ();
  begin (be_root, CLONE_PARENT);
  EXPECT (hear () && stuck_owner (child.pid) == 0);
  end ();
}

/* Leave this process no free descriptor.  Return the process's previous limit
   of descriptors.  */
static struct rlimit
take_descriptors (void)
{
  struct rlimit before, none;
  EXPECT (getrlimit (RLIMIT_NOFILE, &before) == 0);
  none = before;
  /* The lowest number that is free.  */
  const int fd = dup (0);
  EXPECT (fd >= 0);
  close (fd);
  none.rlim_cur = fd;
  EXPECT (setrlimit (RLIMIT_NOFILE, &none) == 0);
  return before;
}

/* If there is no descriptor left, the namespaces of a process are unknown, and
   the command does not look for the namespaces in /proc.  Nor does it do so if
   the process does not exist.  */
static void
test_no_descriptors (void)
{
  begin (be_root, CLONE_PARENT | CLONE_NEWNS);
  EXPECT (hear ());
  struct subject subject = open_subject (child.pid);
  int fd = -1;
  const bool can = ask_namespace (&subject, MOUNT_KIND, &fd);
  EXPECT (!can || fd >= 0);
  close (fd);
  const struct rlimit before = take_descriptors ();
  int none = -1;
  const bool asked = ask_namespace (&subject, MOUNT_KIND, &none);
  struct subject unopened = open_subject (child.pid);
  EXPECT (setrlimit (RLIMIT_NOFILE, &before) == 0);
  EXPECT (none == -1 && asked == can);
  EXPECT (subject.unknown == can);
  /* Linux before 5.3 has no pidfds.  */
  if (subject.pidfd >= 0)
    {
      EXPECT (unopened.pidfd < 0 && !unopened.by_name && unopened.unknown);
      EXPECT (find_maker (&unopened, 0) == STUCK_UNKNOWN);
      EXPECT (find_maker (&unopened, 12345) == 12345);
      close (subject.pidfd);
    }
  const bool had = subject.pidfd >= 0;
  const pid_t pid = child.pid;
  end ();
  while (kill (pid, 0) == 0)
    continue;
  const struct subject gone = open_subject (pid);
  EXPECT (!had || (gone.pidfd < 0 && !gone.by_name && !gone.unknown));
}

/* Test a process of an ordinary user that this process has started.  */
static void
test_own (void)
{
  begin (be_many, 0);
  EXPECT (hear ());
  EXPECT (owner_of (child.pid) == 12345 && stuck_owner (child.pid) == 0);
  end ();
}

/* Return the state letter of process PID.  */
static char
state_of (pid_t pid)
{
  char path[64];
  struct procstat stat;
  snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  EXPECT (fd >= 0 && procstat_read (fd, &stat));
  close (fd);
  return stat.state;
}

/* Make a note which says that process PID, whose owner is OWNER, keeps READER
   waiting.  */
static void
note_reader (pid_t reader, pid_t pid, uid_t owner)
{
  const struct stuck_facts facts = stuck_user (owner);
  stuck_note (reader, pid, &facts);
}

/* Start a process that waits in the kernel.  */
static pid_t
begin_reader (void)
{
  const pid_t parent = getpid (), pid = fork ();
  if (pid == 0)
    wait_in_kernel (parent);
  while (state_of (pid) != 'D')
    continue;
  return pid;
}

static void
end_reader (pid_t pid)
{
  kill (pid, SIGKILL);
  EXPECT (waitpid (pid, NULL, 0) == pid);
}

/* Forget what was read from the file of notes.  */
static void
forget (void)
{
  for (size_t i = 0; i < notes.count; ++i)
    close (notes.list[i].pidfd);
  free (notes.list);
  notes = (struct list){ NULL, 0 };
  notes_read = false;
}

/* Make notes about READERS for OWNER until no more are allowed.  Return the
   number of notes.  */
static int
fill (const pid_t *readers, uid_t owner)
{
  int n = 0;
  for (; !stuck_because_of (99999, owner); ++n)
    {
      EXPECT (n < STUCK_MOST);
      const pid_t pid = 100000 + (owner % 100) * 100 + n;
      note_reader (readers[n], pid, owner);
      EXPECT (stuck_because_of (pid, owner));
    }
  return n;
}

static void
test_limits (void)
{
  /* Other users leave some of the 16 readers free.  A user may have half of
     these free readers.  */
  static const int shares[] = { 8, 4, 2, 1, 1, 0 };
  pid_t readers[STUCK_MOST];
  int made = 0;
  EXPECT (!stuck_any ());
  for (int i = 0; i < STUCK_MOST; ++i)
    readers[i] = begin_reader ();
  for (size_t i = 0; i < sizeof shares / sizeof *shares; ++i)
    {
      EXPECT (fill (readers + made, 1000 + i) == shares[i]);
      made += shares[i];
      forget ();
      EXPECT (stuck_any ());
      /* Stuck readers of other users do not matter to root or to an unknown
         owner.  */
      EXPECT (!stuck_because_of (99999, 0) && !stuck_because_of (0, 0)
              && !stuck_because_of (99999, STUCK_UNKNOWN));
    }
  EXPECT (made == STUCK_MOST);
  /* The note is about the process that keeps a reader waiting, even if that
     process has another owner now.  */
  EXPECT (stuck_because_of (100003, 1009) && stuck_because_of (100003, 0));
  /* A reader that has ended does not count any more.  */
  for (int i = 0; i < STUCK_MOST; ++i)
    end_reader (readers[i]);
  EXPECT (!stuck_because_of (99999, 1000) && !stuck_because_of (100003, 0));
  EXPECT (!stuck_any () && !stuck_blocks (100003));
  forget ();
  EXPECT (!stuck_any ());
}

/* Return true if the child PID has ended.  An ended child stays a zombie.  */
static bool
has_ended_child (pid_t pid)
{
  siginfo_t info = { .si_pid = 0 };
  EXPECT (waitid (P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0);
  return info.si_pid == pid;
}

/* Return how many lines the file of notes has.  */
static size_t
count_lines (void)
{
  char line[256];
  size_t count = 0;
  FILE *file = fopen (STUCK_PATH, "re");
  while (file != NULL && fgets (line, sizeof line, file) != NULL)
    ++count;
  EXPECT (file != NULL);
  fclose (file);
  return count;
}

/* Start a process with the ID PID, which an ended reader had.  In its file
   "stat" the name of the process looks like the end of a name and the fields
   that follow it.  Return false if no process can get this ID here.  */
static bool
begin_other (pid_t pid)
{
  struct clone_args args = { .exit_signal = SIGCHLD,
                             .set_tid = (uintptr_t) &pid,
                             .set_tid_size = 1 };
  const pid_t parent = getpid ();
  int ready[2];
  EXPECT (pipe (ready) == 0);
  fflush (NULL);
  const pid_t got = syscall (__NR_clone3, &args, sizeof args);
  if (got == 0)
    {
      prctl (PR_SET_NAME, "x) D 1 1 1 1 1");
      if (setresuid (12345, 12345, 12345) != 0 || write (ready[1], "", 1) != 1)
        _exit (1);
      end_with_parent (parent);
      for (;;)
        pause ();
    }
  EXPECT (got < 0 || (got == pid && read (ready[0], &(char){ 0 }, 1) == 1));
  close (ready[0]);
  close (ready[1]);
  return got > 0;
}

/* Add BY to the identity in the only line of the file of notes.  */
static void
change_identity (int by)
{
  struct list all = { NULL, 0 };
  FILE *file = fopen (STUCK_PATH, "re");
  EXPECT (file != NULL);
  stuck_read_file (file, &all);
  fclose (file);
  EXPECT (all.count == 1);
  all.list[0].identity += by;
  const int fd = open (STUCK_PATH, O_WRONLY | O_TRUNC);
  EXPECT (fd >= 0);
  stuck_print_note (fd, &all.list[0]);
  close (fd);
  free (all.list);
}

/* A note is about one process, not about every process that ever has its ID.
   Return whether the kernel has identified the reader by its pidfd.  */
static bool
check_identity (void)
{
  pid_t reader = begin_reader ();
  note_reader (reader, 100000, 1000);
  EXPECT (notes.count == 1);
  const bool inode = (notes.list[0].identity & IDENTITY_INODE) != 0;
  const int pidfd = notes.list[0].pidfd;
  EXPECT (pidfd < 0 || !stuck_has_ended (pidfd));
  forget ();
  EXPECT (stuck_any () && stuck_because_of (100000, 1000));
  /* A process with the same ID, but with a different identity.  */
  for (int i = 0; i < 2; ++i)
    {
      change_identity (i == 0 ? 1 : -1);
      forget ();
      EXPECT (!stuck_any () && count_lines () == 0);
      forget ();
      note_reader (reader, 100000, 1000);
    }
  /* An ended reader, before and after its parent has waited for it.  */
  forget ();
  EXPECT (stuck_any ());
  kill (reader, SIGKILL);
  while (!has_ended_child (reader))
    continue;
  EXPECT (!stuck_because_of (100000, 1000));
  forget ();
  EXPECT (!stuck_any () && count_lines () == 0);
  end_reader (reader);
  /* Another process gets the ID of the ended reader.  The test asks first with
     the note in memory, and then after the note was read again from the
     file.  */
  reader = begin_reader ();
  note_reader (reader, 100000, 1000);
  end_reader (reader);
  /* Start times of different processes may be equal within a clock tick.  */
  usleep (2 * 1000 * 1000 / sysconf (_SC_CLK_TCK));
  if (begin_other (reader))
    {
      EXPECT (notes.list[0].pidfd < 0 || !stuck_because_of (100000, 1000));
      forget ();
      EXPECT (!stuck_any () && count_lines () == 0);
      end_reader (reader);
    }
  else
    printf ("no other process can get the ID\n");
  forget ();
  EXPECT (truncate (STUCK_PATH, 0) == 0);
  return inode;
}

static void
test_identity (void)
{
  pidfs_type = 0;
  EXPECT (!check_identity ());
  pidfs_type = 0x50494446;
  const bool has = check_identity ();
  const int fd = open_pidfd (getpid ());
  EXPECT (has == (read_inode (fd) != NOT_SAID));
  close (fd);
}

/* Notes that other versions of the command have written: one has a start time
   where this version writes an inode number, the other cannot be read by this
   version.  */
static void
test_versions (void)
{
  const pid_t reader = begin_reader ();
  pidfs_type = 0;
  note_reader (reader, 100000, 1000);
  pidfs_type = 0x50494446;
  const int fd = open (STUCK_PATH, O_WRONLY | O_APPEND);
  EXPECT (fd >= 0 && dprintf (fd, "something else\n") > 0);
  close (fd);
  forget ();
  EXPECT (stuck_any () && stuck_because_of (100000, 1000) && notes.count == 1);
  end_reader (reader);
  forget ();
  EXPECT (!stuck_any () && count_lines () == 0);
}

/* Only a child of this process is noted.  The kernel may have given the ID of
   another process to a new one.  */
static void
test_no_child (void)
{
  note_reader (getppid (), 100000, 1000);
  note_reader (getpid (), 100000, 1000);
  EXPECT (notes.count == 0 && count_lines () == 0);
}

/* The child has root's rights, but another user has started it, as programs
   with the set-user-ID bit are.  */
static void
be_set_user (void)
{
  say (setresuid (12345, 0, 0) == 0);
}

static void
test_set_user (void)
{
  begin (be_set_user, CLONE_PARENT);
  EXPECT (hear () && owner_of (child.pid) == 12345
          && stuck_owner (child.pid) == 12345);
  struct subject named = { .pid = child.pid, .pidfd = -1, .by_name = true };
  const struct stuck_facts facts = stuck_get_facts (&named);
  EXPECT (facts.owner == 0 && facts.status[0] != '\0'
          && stuck_find_responsible (&facts) == 12345);
  end ();
  begin (be_root, CLONE_PARENT);
  EXPECT (hear () && owner_of (child.pid) == 0);
  end ();
}

/* A note that was made in another PID namespace is about no process of this
   namespace.  */
static void
test_space (void)
{
  const pid_t reader = begin_reader ();
  note_reader (reader, 100000, 1000);
  forget ();
  EXPECT (stuck_any ());
  struct note note = notes.list[0];
  ++note.space;
  const int fd = open (STUCK_PATH, O_WRONLY | O_TRUNC);
  EXPECT (fd >= 0);
  stuck_print_note (fd, &note);
  close (fd);
  forget ();
  EXPECT (!stuck_any ());
  end_reader (reader);
  EXPECT (truncate (STUCK_PATH, 0) == 0);
  forget ();
}

/* Test files with an unknown owner, and files that are identified by their
   paths.  */
static void
test_files (void)
{
  pid_t readers[STUCK_UNKNOWN_MOST];
  const pid_t key = stuck_key ("/home/a/file");
  EXPECT (key < 0 && key == stuck_key ("/home/a/file")
          && key != stuck_key ("/home/a/other"));
  for (int i = 0; i < STUCK_UNKNOWN_MOST; ++i)
    {
      EXPECT (!stuck_because_of (0, STUCK_UNKNOWN));
      readers[i] = begin_reader ();
      note_reader (readers[i], i == 0 ? key : 0, STUCK_UNKNOWN);
    }
  EXPECT (stuck_because_of (0, STUCK_UNKNOWN));
  EXPECT (stuck_because_of (key, 0) && !stuck_because_of (0, 0)
          && !stuck_because_of (stuck_key ("/home/a/other"), 0)
          && !stuck_because_of (99999, 1000));
  for (int i = 0; i < STUCK_UNKNOWN_MOST; ++i)
    end_reader (readers[i]);
  forget ();
}

/* Test that a process is refused because of its owner if, and only if, the
   owner is at a limit.  The owner of process 99999, which does not exist, is
   unknown.  */
static void
test_blocks (void)
{
  pid_t readers[STUCK_UNKNOWN_MOST];
  EXPECT (!stuck_blocks (99999));
  for (int i = 0; i < STUCK_UNKNOWN_MOST; ++i)
    {
      readers[i] = begin_reader ();
      note_reader (readers[i], 100000 + i, STUCK_UNKNOWN);
      EXPECT (stuck_blocks (100000 + i));
      EXPECT (!stuck_blocks (getppid ()));
      EXPECT (stuck_blocks (99999) == (i == STUCK_UNKNOWN_MOST - 1));
    }
  for (int i = 0; i < STUCK_UNKNOWN_MOST; ++i)
    end_reader (readers[i]);
  EXPECT (!stuck_blocks (100000));
  forget ();
}

/* Give this process, which is root, the capability KILL if HAVE, otherwise
   take it away.  */
static void
have_kill (bool have)
{
  struct __user_cap_header_struct header
      = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  const __u32 bit = 1U << CAP_KILL;
  EXPECT (syscall (__NR_capget, &header, sets) == 0);
  sets[0].effective = have ? sets[0].effective | (sets[0].permitted & bit)
                           : sets[0].effective & ~bit;
  EXPECT (syscall (__NR_capset, &header, sets) == 0);
}

/* Test readers that the command ends.  If root may kill a reader, no note is
   made.  If root may not kill the reader, the reader counts as long as it
   exists.  */
static void
test_end (void)
{
  for (int may = 0; may < 2; ++may)
    {
      int ready[2];
      EXPECT (pipe (ready) == 0);
      const pid_t parent = getpid (), reader = fork ();
      if (reader == 0)
        {
          if (may == 0 && setresuid (12345, 12345, 12345) != 0)
            _exit (1);
          end_with_parent (parent);
          if (write (ready[1], "", 1) != 1)
            _exit (1);
          for (;;)
            pause ();
        }
      have_kill (false);
      /* The first reader runs as another user, the second one as root.  */
      EXPECT (read (ready[0], &(char){ 0 }, 1) == 1);
      close (ready[0]);
      close (ready[1]);
      EXPECT (owner_of (reader) == (may == 0 ? 12345 : 0));
      const struct stuck_facts facts = stuck_user (12345);
      const int64_t begin = clock_milliseconds ();
      stuck_end (reader, 100000, &facts);
      /* On a busy machine a reader may take a second to end.  */
      const bool late = clock_milliseconds () - begin >= 1000;
      have_kill (true);
      const bool left = stuck_because_of (100000, 12345);
      EXPECT (may == 0 ? left : !left || late);
      if (left)
        end_reader (reader);
      EXPECT (waitpid (reader, NULL, WNOHANG) < 0);
      EXPECT (!stuck_because_of (100000, 12345));
    }
  forget ();
}

/* From now on, let the system call pidfd_open fail as on kernels that do not
   know it.  Return false if the kernel has no filters.  */
static bool
forbid_pidfds (void)
{
  const struct sock_filter list[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, __NR_pidfd_open, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = { .len = sizeof list / sizeof list[0],
                                      .filter = (struct sock_filter *) list };
  return (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
          && prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

/* Without pidfds, as before Linux 5.3, a child finds out which process a
   reader is, and /proc says which user is responsible for a process.  Each
   such check needs a child process, so make only a few.  */
static void
be_without_pidfds (void)
{
  EXPECT (open_pidfd (getpid ()) < 0 && errno == ENOSYS);
  EXPECT (!check_identity ());
  test_mounts ();
  test_set_user ();
}

static void
test_no_pidfds (void)
{
  int status;
  fflush (NULL);
  const pid_t tester = fork ();
  if (tester == 0)
    {
      if (forbid_pidfds ())
        be_without_pidfds ();
      else
        printf ("the kernel does not support seccomp filters\n");
      fflush (NULL);
      _exit (0);
    }
  EXPECT (waitpid (tester, &status, 0) == tester && status == 0);
  forget ();
}

/* Do the tests, with root's rights.  */
static void
test_all (void)
{
  strcpy (notes_path, "/tmp/tst-stuck-XXXXXX");
  const int fd = mkstemp (notes_path);
  EXPECT (fd >= 0);
  close (fd);
  EXPECT (stuck_owner (getppid ()) == 0);
  test_subordinates ();
  test_container ();
  test_container_root ();
  test_mounts ();
  test_no_descriptors ();
  test_own ();
  test_set_user ();
  group_done ("which user is responsible for a process", 7);
  for (int i = 0; i < 2; ++i)
    {
      pidfs_type = i == 0 ? 0x50494446 : 0;
      test_limits ();
      test_files ();
      test_blocks ();
    }
  group_done ("limits", 4);
  test_identity ();
  test_versions ();
  test_no_child ();
  test_no_pidfds ();
  group_done ("the identity of a reader process", 4);
  test_space ();
  group_done ("another PID namespace", 1);
  test_end ();
  group_done ("a reader process that root may not kill", 1);
  unlink (notes_path);
}

int
main (void)
{
  int status = 1;
  pid_t ended;
  if (geteuid () != 0)
    {
      EXPECT (stuck_owner (getpid ()) == STUCK_UNKNOWN && !stuck_any ());
      return 0;
    }
  const pid_t tester = fork ();
  if (tester == 0)
    {
      test_all ();
      return 0;
    }
  while ((ended = waitpid (-1, &status, 0)) > 0 && ended != tester)
    continue;
  return ended == tester && status == 0 ? 0 : 1;
}
