/* Test processes that give up their rights.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each test runs in a child that gives up its rights.  Root becomes nobody,
   other users remain who they are.  The child asks the kernel for the result:
   it reads /proc/self/status, and tries calls that must be refused.  */

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "host/unprivileged.c"
#include "plan-test.h"

/* Return true if a child that runs TEST finds no error: its exit status is
   0.  */
static bool
passes (void (*test) (void))
{
  int status = -1;
  fflush (NULL);
  pid_t pid = fork ();
  if (pid == 0)
    {
      test ();
      fflush (NULL);
      _exit (0);
    }
  return (pid > 0 && waitpid (pid, &status, 0) == pid && WIFEXITED (status)
          && WEXITSTATUS (status) == 0);
}

/* Return true if /proc/self/status has the line LINE.  FD is a descriptor of
   this file, which was opened before.  */
static bool
status_has (int fd, const char *line)
{
  static char text[8192];
  ssize_t n = pread (fd, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  return strstr (text, line) != NULL;
}

/* Return true if this user namespace has ID, according to the file MAP of
   /proc/self.  */
static bool
has_id (const char *map, unsigned int id)
{
  unsigned int first = 0, outside, count = 0;
  FILE *file = fopen (map, "r");
  while (file != NULL && (id < first || id - first >= count)
         && fscanf (file, "%u %u %u", &first, &outside, &count) == 3)
    continue;
  if (file != NULL)
    fclose (file);
  return id >= first && id - first < count;
}

/* Return true if this user namespace has a user nobody.  */
static bool
has_nobody (void)
{
  return has_id ("/proc/self/uid_map", UNPRIVILEGED_ID);
}

static void
become (void)
{
  struct problem problem = { 0 };
  const uid_t user = getuid () == 0 ? UNPRIVILEGED_ID : getuid ();
  const bool root = getuid () == 0;
  unprivileged_isolate ();
  int fd = open ("/proc/self/status", O_RDONLY);
  bool good = unprivileged_become (&problem);
  if (!good && root && !has_nobody ())
    return;
  if (!good)
    printf ("not so: %s\n", problem.text);
  EXPECT (good);
  EXPECT (status_has (fd, "\nCapInh:\t0000000000000000\n"));
  EXPECT (status_has (fd, "\nCapPrm:\t0000000000000000\n"));
  EXPECT (status_has (fd, "\nCapEff:\t0000000000000000\n"));
  EXPECT (status_has (fd, "\nCapAmb:\t0000000000000000\n"));
  EXPECT (status_has (fd, "\nNoNewPrivs:\t1\n"));
  EXPECT (prctl (PR_GET_DUMPABLE) == 0);
  EXPECT (getsid (0) == getpid () || getsid (0) == 0);
  if (root && has_nobody ())
    {
      char line[64];
      const gid_t group = has_id ("/proc/self/gid_map", UNPRIVILEGED_GROUP)
                              ? UNPRIVILEGED_GROUP
                              : UNPRIVILEGED_ID;
      const uid_t real = has_id ("/proc/self/uid_map", UNPRIVILEGED_REAL_ID)
                             ? UNPRIVILEGED_REAL_ID
                             : UNPRIVILEGED_ID;
      snprintf (line, sizeof line, "\nUid:\t%u\t%u\t%u\t%u\n", real, user,
                real, user);
      EXPECT (status_has (fd, line));
      snprintf (line, sizeof line, "\nGid:\t%u\t%u\t%u\t%u\n", group, group,
                group, group);
      EXPECT (status_has (fd, line));
      EXPECT (status_has (fd, "\nCapBnd:\t0000000000000000\n"));
      EXPECT (getgroups (0, NULL) == 0);
      EXPECT (setuid (0) < 0);
      EXPECT (open ("/etc/shadow", O_RDONLY) < 0);
      EXPECT (unprivileged_unite (&problem));
      snprintf (line, sizeof line, "\nUid:\t%u\t%u\t%u\t%u\n", real, real,
                real, real);
      EXPECT (status_has (fd, line));
    }
}

static void
limit (void)
{
  struct rlimit now;
  unprivileged_limit (RLIMIT_CORE, 4096);
  unprivileged_limit (RLIMIT_CORE, 8192);
  EXPECT (getrlimit (RLIMIT_CORE, &now) == 0 && now.rlim_max <= 4096
          && now.rlim_cur == now.rlim_max);
}

static void
filter (void)
{
  static const int calls[] = { __NR_read, __NR_write, __NR_exit_group };
  struct problem problem;
  EXPECT (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  EXPECT (
      unprivileged_filter (calls, sizeof calls / sizeof calls[0], &problem));
  /* From here on, call neither the C library nor a sanitizer.  */
  if (syscall (__NR_prctl, PR_GET_DUMPABLE, 0, 0, 0, 0) >= 0)
    syscall (__NR_exit_group, 0); /* The kernel does not support seccomp
                                     filters.  */
  syscall (__NR_exit_group,
           errno != EPERM || syscall (__NR_read, -1, NULL, 0) == 0
               || errno != EBADF
               || syscall (__NR_openat, AT_FDCWD, "/", O_RDONLY) >= 0
               || errno != EPERM || syscall (__NR_kill, 0, 0) == 0
               || errno != EPERM);
}

/* Test calls with arguments that no condition allows.  If the mask of a
   condition has 64 bits, all bits of the argument count.  */
static void
filter_arguments (void)
{
  static const struct unprivileged_condition conditions[] = {
    { __NR_lseek, 2, UINT32_MAX, { 7, 9 } },
    { __NR_dup, 0, UINT64_MAX, { UINT64_C (0x100000001), -1 } },
    { __NR_dup3, 0, UINT32_MAX, { 1234, 1235 } },
    { __NR_dup3, 1, 4, { 0, 0 } },
  };
  static const struct
  {
    long int call, arguments[3];
    int error;
  } tries[] = {
    { __NR_lseek, { -1, 0, 7 }, EBADF },
    { __NR_lseek, { -1, 0, 9 }, EBADF },
    { __NR_lseek, { -1, 0, 8 }, EPERM },
    { __NR_lseek, { -1, 0, 0x500000009 }, EBADF },
    { __NR_dup, { -1 }, EBADF },
    { __NR_dup, { 1 }, EPERM },
    { __NR_dup, { 0x200000001 }, EPERM },
    { __NR_dup3, { 1234, 3, 0 }, EBADF },
    { __NR_dup3, { 1235, 11, 0 }, EBADF },
    { __NR_dup3, { 1235, 12, 0 }, EPERM },
    { __NR_dup3, { 1236, 3, 0 }, EPERM },
    { __NR_read, { -1, 0, 0 }, EBADF },
  };
  struct problem problem;
  EXPECT (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  EXPECT (unprivileged_filter_arguments (
      conditions, sizeof conditions / sizeof conditions[0], &problem));
  if (prctl (PR_GET_SECCOMP, 0, 0, 0, 0) != 2)
    return; /* The kernel has no filters.  */
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; ++i)
    {
      const long int *with = tries[i].arguments;
      errno = 0;
      const long int result
          = syscall (tries[i].call, with[0], with[1], with[2]);
      if (result != -1 || errno != tries[i].error)
        printf ("not so: %zu: %ld, errno %d\n", i, result, errno);
      EXPECT (result == -1 && errno == tries[i].error);
    }
}

/* If root may not become nobody, it gives up nothing else, and gets an
   error.  */
static void
refused (void)
{
  static const int kept[] = { CAP_SETGID, CAP_SETUID };
  struct problem problem = { 0 };
  struct __user_cap_header_struct header
      = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (geteuid () != 0 || is_user_outside ())
    return;
  EXPECT (syscall (__NR_capget, &header, sets) == 0);
  for (int i = 0; i < 2; ++i)
    {
      sets[0].effective &= ~(1U << kept[i]);
      sets[0].permitted &= ~(1U << kept[i]);
    }
  EXPECT (set_capabilities (sets) == 0);
  EXPECT (!unprivileged_become (&problem));
  EXPECT (strstr (problem.text, "nobody") != NULL);
}

/* Run in a child that is root, or an ordinary user if USER is true.  Enter a
   user namespace, and write to READY whether this was possible.  The parent
   then writes the child's IDs there and closes GO.  After that, become
   unprivileged.  */
static void
become_alone (bool user, int ready, int go)
{
  struct problem problem = { 0 };
  char byte = 0;
  if (user)
    EXPECT (setresgid (12345, 12345, 12345) == 0
            && setresuid (12345, 12345, 12345) == 0);
  /* Otherwise the parent could not write to files of this process.  */
  EXPECT (prctl (PR_SET_DUMPABLE, 1) == 0);
  byte = unshare (CLONE_NEWUSER) == 0;
  EXPECT (write (ready, &byte, 1) == 1);
  EXPECT (read (go, &byte, 1) == 0);
  EXPECT (geteuid () == 0);
  EXPECT (unprivileged_become (&problem) == user);
  EXPECT (user == (problem.text[0] == '\0'));
}

/* In a user namespace with a single user, root cannot become the user nobody.
   If this root is an ordinary user outside of the namespace (USER), the
   process keeps its user; otherwise the function refuses to give up
   rights.  */
static void
alone (bool user)
{
  const char *const map = user ? "0 12345 1" : "0 0 1";
  char path[64], byte = 0;
  int ready[2], go[2], status;
  if (geteuid () != 0 || !has_nobody ())
    return;
  EXPECT (pipe (ready) == 0 && pipe (go) == 0);
  pid_t pid = fork ();
  if (pid == 0)
    {
      close (go[1]);
      become_alone (user, ready[1], go[0]);
      _exit (0);
    }
  close (ready[1]);
  EXPECT (read (ready[0], &byte, 1) == 1);
  if (byte == 0)
    kill (pid, SIGKILL); /* User namespaces are not available here.  */
  else
    {
      snprintf (path, sizeof path, "/proc/%d/uid_map", (int) pid);
      int fd = open (path, O_WRONLY);
      EXPECT (write (fd, map, strlen (map)) > 0);
      close (fd);
    }
  close (go[0]);
  close (go[1]);
  EXPECT (waitpid (pid, &status, 0) == pid && (byte == 0 || status == 0));
}

static void
alone_outside (void)
{
  alone (true);
}

static void
alone_root (void)
{
  alone (false);
}

int
main (void)
{
  EXPECT (passes (become));
  group_done ("rights", 1);
  EXPECT (passes (limit));
  group_done ("limits", 1);
  EXPECT (passes (filter));
  EXPECT (passes (filter_arguments));
  group_done ("filters", 2);
  EXPECT (passes (refused));
  EXPECT (passes (alone_outside));
  EXPECT (passes (alone_root));
  group_done ("refusals", 3);
  return 0;
}
