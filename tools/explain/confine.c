/* The confinement of a process in a dry run, which may execute any user's
   code.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The confinement assumes that the dry run executes code of a hostile file.
   The seccomp filters allow no system call with which hostile code could do
   harm.  There are two seccomp filters: one checks the numbers of system
   calls, and the other the arguments of some calls.  */

#include "explain/confine.h"
#include "host/namespace.h"
#include "host/procmaps.h"
#include "host/unprivileged.h"
#include "util/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The allowed system calls: those that hugetext makes in a dry run to examine
   and execute the program, and those that the loader of any glibc release
   makes before the program's code begins.  */
static const int allowed_calls[] = {
  __NR_execve,
  __NR_brk,
  __NR_mmap,
  __NR_munmap,
  __NR_mprotect,
  __NR_mremap,
  __NR_madvise,
  __NR_mincore,
#ifdef __NR_mseal
  __NR_mseal,
#endif
  __NR_memfd_create,
  __NR_ftruncate,
  __NR_fallocate,
  __NR_fadvise64,
  __NR_fdatasync,
  __NR_openat,
  __NR_read,
  __NR_pread64,
  __NR_preadv2,
  __NR_write,
  __NR_writev,
  __NR_lseek,
  __NR_close,
  __NR_ioctl,
  __NR_fstat,
  __NR_newfstatat,
  __NR_statx,
  __NR_fstatfs,
  __NR_statfs,
  __NR_faccessat,
#ifdef __NR_faccessat2
  __NR_faccessat2,
#endif
  __NR_readlinkat,
  __NR_getcwd,
#ifdef __x86_64__
  __NR_arch_prctl,
  __NR_access,
  __NR_readlink,
  __NR_stat,
  __NR_lstat,
  __NR_time,
#endif
  __NR_prctl,
  __NR_prlimit64,
  __NR_process_vm_readv,
  __NR_set_tid_address,
  __NR_set_robust_list,
#ifdef __NR_rseq
  __NR_rseq,
#endif
  __NR_futex,
  __NR_getrandom,
  __NR_getpid,
  __NR_gettid,
  __NR_getuid,
  __NR_geteuid,
  __NR_getgid,
  __NR_getegid,
  __NR_getrusage,
  __NR_uname,
  __NR_clock_gettime,
  __NR_sched_getaffinity,
  __NR_rt_sigaction,
  __NR_rt_sigprocmask,
  __NR_rt_sigreturn,
  __NR_restart_syscall,
  __NR_exit,
  __NR_exit_group,
};

/* Allow some system calls only with harmless arguments.  */
static bool
filter_arguments (struct problem *problem)
{
  const uint64_t self = getpid ();
  const struct unprivileged_condition conditions[] = {
    { __NR_openat, 2, UNPRIVILEGED_OPEN_CHANGES, { O_RDONLY, O_RDONLY } },
    { __NR_ioctl, 1, UINT32_MAX, { PROCMAPS_SCAN, PROCMAPS_SCAN } },
    { __NR_process_vm_readv, 0, UINT32_MAX, { self, self } },
    { __NR_prlimit64, 0, UINT32_MAX, { 0, 0 } },
    { __NR_prctl, 0, UINT32_MAX, { PR_SET_MM, PR_SET_MM } },
  };
  return unprivileged_filter_arguments (
      conditions, sizeof conditions / sizeof conditions[0], problem);
}

/* Enter a new mount namespace, and make all its mounts read-only, without
   devices, set-user-ID bits and file capabilities.  Before Linux 5.12 the
   kernel has no mount_setattr, so only the other parts of the confinement
   protect the system.  */
static void
protect_mounts (void)
{
  struct problem problem;
#ifdef MOUNT_ATTR_RDONLY
  struct mount_attr attributes
      = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
          .propagation = MS_PRIVATE };
  /* Do not use a user namespace for root: in the namespace, root would appear
     as nobody, but still have root's rights.  */
  if (geteuid () == 0 ? unshare (CLONE_NEWNS) == 0
                      : namespace_enter (CLONE_NEWNS, &problem))
    syscall (__NR_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attributes,
             sizeof attributes);
#endif
}

/* If memory runs out, let the kernel kill this process first.  The process has
   no memory limit, because a limit would change the loader's decisions.  */
static void
offer_memory (void)
{
  int fd = open ("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  if (write (fd, "1000", 4) < 0)
    errno = 0;
  close (fd);
}

bool
confine (pid_t parent, int seconds, struct problem *problem)
{
  offer_memory ();
  protect_mounts ();
  if (!unprivileged_become (problem) || !unprivileged_unite (problem))
    return false;
  unprivileged_limit (RLIMIT_CORE, 0);
  unprivileged_limit (RLIMIT_CPU, seconds);
  /* Set the parent-death signal (PR_SET_PDEATHSIG) only after the change of
     the user ID, because the change of the user ID clears the signal.  */
  if (!wait_end_with (parent, SIGKILL))
    return problem_set (
        problem, "the hugetext command that started this dry run has ended");
  return (unprivileged_filter (allowed_calls,
                               sizeof allowed_calls / sizeof allowed_calls[0],
                               problem)
          && filter_arguments (problem));
}
