/* Functions by which a child of the command becomes unprivileged before it
   reads or executes untrusted files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/unprivileged.h"
#include "host/namespace.h"
#include "util/allocate.h"
#include "util/patience.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __aarch64__
#  define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#  define ARCHITECTURE AUDIT_ARCH_X86_64
#endif

/* Close the descriptors from FIRST to LAST.  */
static void
close_range_of (unsigned int first, unsigned int last)
{
  if (syscall (__NR_close_range, first, last, 0) == 0)
    return;
  const unsigned int end = sysconf (_SC_OPEN_MAX);
  for (unsigned int fd = first; fd <= last && fd < end; ++fd)
    close (fd);
}

void
unprivileged_close (int first)
{
  close_range_of (first, ~0U);
}

/* Close all descriptors except the COUNT descriptors FDS.  */
static void
unprivileged_close_others (const int fds[], size_t count)
{
  unsigned int at = 0, next;
  do
    {
      next = ~0U;
      for (size_t i = 0; i < count; ++i)
        if ((unsigned int) fds[i] >= at && (unsigned int) fds[i] < next)
          next = fds[i];
      if (next > at)
        close_range_of (at, next == ~0U ? next : next - 1);
      at = next + 1;
    }
  while (next != ~0U);
}

bool
unprivileged_keep (int fds[], size_t count, int first, struct problem *problem)
{
  const int end = first + count;
  unprivileged_close_others (fds, count);
  /* One descriptor may have the number that another descriptor is to get, so
     first move all descriptors to higher numbers.  */
  for (size_t i = 0; i < count; ++i)
    fds[i] = fcntl (fds[i], F_DUPFD_CLOEXEC, end);
  for (size_t i = 0; i < count; ++i)
    {
      if (fds[i] < 0 || dup3 (fds[i], first + i, O_CLOEXEC) < 0)
        return problem_errno (problem, "the descriptors");
      fds[i] = first + i;
    }
  unprivileged_close (end);
  for (int fd = 0; fd < first; ++fd)
    {
      close (fd);
      if (open ("/dev/null", O_RDWR) != fd)
        return problem_errno (problem, "/dev/null");
    }
  return true;
}

/* Enter namespaces of KINDS.  If this process is root, make no new user
   namespace, because in a new user namespace the user nobody has no ID.  */
static bool
unprivileged_enter_namespaces (int kinds)
{
  struct problem problem;
  return (geteuid () == 0 ? unshare (kinds) == 0
                          : namespace_enter (kinds, &problem));
}

void
unprivileged_isolate (void)
{
  static const int kinds[] = { CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWIPC,
                               CLONE_NEWUTS, CLONE_NEWPID };
  enum
  {
    COUNT = sizeof kinds / sizeof kinds[0]
  };
  int all = 0;
  for (size_t i = 0; i < COUNT; ++i)
    all |= kinds[i];
  if (unprivileged_enter_namespaces (all))
    return;
  /* Enter the namespaces one by one, because the kernel may not support all
     kinds of namespaces.  */
  for (size_t i = 0; i < COUNT; ++i)
    unprivileged_enter_namespaces (kinds[i]);
}

/* Use syscall (), because the C library has no function for capset.  */
static int
set_capabilities (const struct __user_cap_data_struct *sets)
{
  struct __user_cap_header_struct header
      = { .version = _LINUX_CAPABILITY_VERSION_3 };
  return syscall (__NR_capset, &header, sets);
}

/* Remove all capabilities, including those that this process could get by
   executing a program.  Without CAP_SETPCAP this process cannot change its
   bounding set, but no_new_privs has the same effect.  */
static bool
remove_capabilities (struct problem *problem)
{
  static const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
  prctl (PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (set_capabilities (none) < 0)
    return problem_errno (problem,
                          "the command cannot give up its capabilities");
  return true;
}

/* Return true if root in this process's user namespace is an ordinary user
   outside of the namespace.  If root is an ordinary user outside, a process of
   root without capabilities has only the rights of this user.  */
static bool
is_user_outside (void)
{
  unsigned int inside, outside, count;
  bool found = false;
  FILE *map = fopen ("/proc/self/uid_map", "re");
  while (map != NULL && !found
         && fscanf (map, "%u %u %u", &inside, &outside, &count) == 3)
    found = inside == 0 && outside != 0;
  if (map != NULL)
    fclose (map);
  return found;
}

bool
unprivileged_is_root (void)
{
  static enum { UNKNOWN, USER, ROOT } caller;
  if (caller == UNKNOWN)
    caller = geteuid () == 0 && !is_user_outside () ? ROOT : USER;
  return caller == ROOT;
}

/* Set the group to UNPRIVILEGED_GROUP or, if the user namespace does not have
   this ID, to the group of nobody.  Return the group.  If the process cannot
   get UNPRIVILEGED_GROUP or the group of nobody, set errno and return 0.  */
static gid_t
take_group (void)
{
  static const gid_t groups[] = { UNPRIVILEGED_GROUP, UNPRIVILEGED_ID };
  for (int i = 0; i < 2; ++i)
    if (setresgid (groups[i], groups[i], groups[i]) == 0)
      return groups[i];
  return 0;
}

/* Set the effective user to nobody, and the real and saved user to
   UNPRIVILEGED_REAL_ID or, if the user namespace does not have this ID, to
   nobody.  Return the real user.  If the process cannot change its user IDs,
   set errno and return 0.  */
static uid_t
take_user (void)
{
  static const uid_t users[] = { UNPRIVILEGED_REAL_ID, UNPRIVILEGED_ID };
  for (int i = 0; i < 2; ++i)
    if (setresuid (users[i], UNPRIVILEGED_ID, users[i]) == 0)
      return users[i];
  return 0;
}

/* Become the user nobody.  */
static bool
become_nobody (struct problem *problem)
{
  uid_t user[3], real = 0;
  gid_t group[3], taken = 0;
  if (setgroups (0, NULL) < 0 || (taken = take_group ()) == 0
      || (real = take_user ()) == 0)
    {
      /* A user namespace may have no ID for the user nobody, or may not allow
         a process to drop its supplementary groups.  */
      const int error = errno;
      if (is_user_outside ())
        return true;
      errno = error;
      return problem_errno (problem, "root cannot become the user nobody"
                                     " (CAP_SETUID, CAP_SETGID)");
    }
  if (getresuid (&user[0], &user[1], &user[2]) < 0
      || getresgid (&group[0], &group[1], &group[2]) < 0
      || getgroups (0, NULL) != 0)
    return problem_errno (problem, "user and group");
  const uid_t users[] = { real, UNPRIVILEGED_ID, real };
  for (int i = 0; i < 3; ++i)
    if (user[i] != users[i] || group[i] != taken)
      return problem_set (
          problem,
          "a child process of root's command has not become the user nobody");
  return true;
}

/* Return true if this process has no capabilities left.  */
static bool
check_capabilities (struct problem *problem)
{
  struct __user_cap_header_struct header
      = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct left[_LINUX_CAPABILITY_U32S_3];
  if (syscall (__NR_capget, &header, left) < 0)
    return problem_errno (problem, "capabilities");
  for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; ++i)
    if ((left[i].effective | left[i].permitted | left[i].inheritable) != 0)
      return problem_set (
          problem, "a child process of the command still has capabilities");
  return true;
}

bool
unprivileged_become_user (uid_t user, gid_t group, struct problem *problem)
{
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    return problem_errno (problem, "no_new_privs");
  if (geteuid () == 0
      && (setgroups (0, NULL) < 0 || setresgid (group, group, group) < 0
          || setresuid (user, user, user) < 0))
    return problem_errno (problem, "root cannot become the process's user"
                                   " (CAP_SETUID, CAP_SETGID)");
  if (geteuid () != user || getuid () != user)
    return problem_set (problem, "the process belongs to another user");
  if (!remove_capabilities (problem) || !check_capabilities (problem))
    return false;
  if (prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
    return problem_errno (problem, "PR_SET_DUMPABLE");
  return true;
}

bool
unprivileged_become (struct problem *problem)
{
  setsid ();
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    return problem_errno (problem, "no_new_privs");
  /* Shrink the bounding set before changing the user, because the change of
     the user removes CAP_SETPCAP.  */
  for (int i = 0; prctl (PR_CAPBSET_READ, i, 0, 0, 0) >= 0; ++i)
    prctl (PR_CAPBSET_DROP, i, 0, 0, 0);
  if (geteuid () == 0 && !become_nobody (problem))
    return false;
  if (!remove_capabilities (problem) || !check_capabilities (problem))
    return false;
  /* Join a new session keyring, because the present keyring contains root's
     keys.  */
  syscall (__NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
  /* Do not let other processes of the user nobody trace this one.  */
  if (prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
    return problem_errno (problem, "PR_SET_DUMPABLE");
  return true;
}

bool
unprivileged_unite (struct problem *problem)
{
  const uid_t id = getuid ();
  if (setresuid (id, id, id) < 0)
    return problem_errno (problem, "setresuid");
  /* The change of the effective user ID has set the dumpable flag to
     fs.suid_dumpable, so clear the flag again.  Until execve, this process
     holds a copy of the command's memory.  The processes of other dry runs
     have the same user and group, so they could read the command's memory if
     the dumpable flag were set.  */
  return (prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
          || problem_errno (problem, "PR_SET_DUMPABLE"));
}

void
unprivileged_limit (int resource, size_t most)
{
  struct rlimit limit;
  if (getrlimit (resource, &limit) < 0 || limit.rlim_max < most)
    return;
  limit.rlim_cur = limit.rlim_max = most;
  setrlimit (resource, &limit);
}

bool
unprivileged_filter (const int calls[], size_t count, struct problem *problem)
{
  const struct sock_filter head[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, arch)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
  };
  const struct sock_filter allow
      = BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_filter refuse
      = BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  enum
  {
    HEAD = sizeof head / sizeof head[0],
  };
  struct sock_filter *list = allocate ((HEAD + 2 * count + 1) * sizeof *list);
  struct sock_fprog program = { .filter = list };
  memcpy (list, head, sizeof head);
  list += HEAD;
  /* The list CALLS allows no x32 system calls, because the numbers of x32
     system calls have an additional bit.  */
  for (size_t i = 0; i < count; ++i)
    {
      *list++ = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                               calls[i], 0, 1);
      *list++ = allow;
    }
  *list++ = refuse;
  program.len = list - program.filter;
  bool good = (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0
               || errno == EINVAL || errno == ENOSYS);
  if (!good)
    problem_errno (problem, "hugetext cannot install a seccomp filter");
  free (program.filter);
  return good;
}

enum
{
  VALUES = 2,     /* The maximum number of permitted values that one condition
                     of a seccomp filter lists for an argument.  */
  VALUE_SIZE = 7, /* The number of instructions that check one value of a
                     condition.  */
  CONDITION_SIZE = 2 + VALUES * VALUE_SIZE + 1, /* The number of instructions
                                                   that check a condition with
                                                   VALUES values.  */
};

/* Write the instructions that check CONDITION to PROGRAM.  */
static void
write_condition (const struct unprivileged_condition *condition,
                 struct sock_filter program[static CONDITION_SIZE])
{
  const uint32_t argument
      = offsetof (struct seccomp_data, args) + 8 * condition->argument;
  const struct sock_filter head[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, condition->call, 0,
              CONDITION_SIZE - 2),
  };
  const struct sock_filter refuse
      = BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  memcpy (program, head, sizeof head);
  struct sock_filter *at = program + sizeof head / sizeof head[0];
  for (int i = 0; i < VALUES; ++i)
    {
      const uint64_t value = condition->values[i];
      /* The offsets are for little-endian machines; ld-hugetext supports no
         others.  */
      const struct sock_filter compare[] = {
        BPF_STMT (BPF_LD | BPF_W | BPF_ABS, argument),
        BPF_STMT (BPF_ALU | BPF_AND | BPF_K, (uint32_t) condition->mask),
        BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (uint32_t) value, 0, 4),
        BPF_STMT (BPF_LD | BPF_W | BPF_ABS, argument + 4),
        BPF_STMT (BPF_ALU | BPF_AND | BPF_K, condition->mask >> 32),
        BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, value >> 32, 0, 1),
        /* If the condition is true, continue with the next condition.  */
        BPF_STMT (BPF_JMP | BPF_JA, VALUE_SIZE * (VALUES - 1 - i) + 1),
      };
      _Static_assert(
          sizeof compare == VALUE_SIZE * sizeof (struct sock_filter),
          "a comparison with one value has VALUE_SIZE instructions");
      memcpy (at, compare, sizeof compare);
      at += VALUE_SIZE;
    }
  *at = refuse;
}

bool
unprivileged_filter_arguments (
    const struct unprivileged_condition conditions[], size_t count,
    struct problem *problem)
{
  const size_t length = count * CONDITION_SIZE + 1;
  struct sock_filter *list = allocate (length * sizeof *list);
  const struct sock_fprog program = { .len = length, .filter = list };
  for (size_t i = 0; i < count; ++i)
    write_condition (&conditions[i], &list[i * CONDITION_SIZE]);
  list[length - 1]
      = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const bool good
      = (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0
         || errno == EINVAL || errno == ENOSYS
         || problem_errno (
             problem,
             "a seccomp filter that checks arguments of system calls cannot "
             "be installed"));
  free (list);
  return good;
}

enum
{
  /* The time limits for an answer of an unprivileged process, in milliseconds.
     LIMIT applies until the command has waited VAIN milliseconds in total for
     answers that did not arrive in time; from then on, LEAST applies.  */
  LIMIT = 10000,
  LEAST = 200,
  VAIN = 20000,
};

static int64_t waited_in_vain;

int
unprivileged_patience (void)
{
  const int limit = waited_in_vain < VAIN ? LIMIT : LEAST;
  const int64_t left = patience_left ();
  return left >= 0 && left < limit ? left : limit;
}

void
unprivileged_note_wait (int64_t milliseconds)
{
  waited_in_vain += milliseconds;
}

static size_t failures;

void
unprivileged_note_failure (void)
{
  ++failures;
}

size_t
unprivileged_failures (void)
{
  return failures;
}
