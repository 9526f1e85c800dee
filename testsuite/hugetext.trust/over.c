/* Hostile code that a loader maps over its own code by mistake.  The code
   tries to do harm, and prints "it ran:" and what was possible.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only for x86-64.  The code needs no relocation.  Before it is a long row of
   nop instructions: a process that is anywhere in this row reaches the code.
   The code creates the file "owned" in DIRECTORY.  The file "victim" there may
   be a symbolic link to the environment of a process.  */

#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

__asm__(".text\n"
        ".globl over_sled\n"
        "over_sled: .fill 0x800000, 1, 0x90\n"
        "jmp over_start\n"
        ".globl over_start\n"
        "over_start: and $-16, %rsp\n"
        "call over_attack");

static long
call (long number, long a, long b, long c, long d)
{
  long result;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
}

static void
say (const char *text)
{
  long length = 0;
  while (text[length] != '\0')
    ++length;
  call (SYS_write, 2, (long) text, length, 0);
}

/* Print NAME, an attempt to do harm, if its RESULT is not an error.  */
static void
possible (const char *name, long result)
{
  if (result >= 0)
    say (name);
}

void __attribute__ ((noreturn, visibility ("hidden"))) over_attack (void)
{
  static const char owned[] = DIRECTORY "/owned";
  const long parent = call (SYS_getppid, 0, 0, 0, 0);
  long open_ones = 0;
  long buffer[1];
  struct stat status;
  say ("it ran:");
  possible (" file",
            call (SYS_openat, AT_FDCWD, (long) owned, O_CREAT | O_RDWR, 0666));
  possible (" change", call (SYS_openat, AT_FDCWD, (long) owned, O_WRONLY, 0));
  possible (" unnamed", call (SYS_openat, AT_FDCWD, (long) DIRECTORY,
                              O_TMPFILE | O_RDWR, 0));
  possible (" old-open",
            call (SYS_open, (long) owned, O_CREAT | O_RDWR, 0666, 0));
  possible (" directory",
            call (SYS_mkdir, (long) DIRECTORY "/owned.d", 0755, 0, 0));
  possible (" mode", call (SYS_chmod, (long) DIRECTORY, 0777, 0, 0));
  possible (" unlink", call (SYS_unlink, (long) DIRECTORY "/x", 0, 0, 0));
  possible (" user", call (SYS_setuid, 0, 0, 0, 0));
  possible (" groups", call (SYS_setgroups, 0, 0, 0, 0));
  possible (" unix-socket", call (SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0));
  possible (" network", call (SYS_socket, AF_INET, SOCK_STREAM, 0, 0));
  possible (" kill-parent", call (SYS_kill, parent, 0, 0, 0));
  possible (" kill-all", call (SYS_kill, -1, 0, 0, 0));
  possible (" trace", call (SYS_ptrace, PTRACE_SEIZE, parent, 0, 0));
  possible (" memory",
            call (SYS_process_vm_writev, parent, (long) buffer, 0, 0));
  possible (" read-memory",
            call (SYS_process_vm_readv, parent, (long) buffer, 0, 0));
  possible (" environment", call (SYS_openat, AT_FDCWD,
                                  (long) DIRECTORY "/victim", O_RDONLY, 0));
  possible (" mount", call (SYS_mount, 0, (long) "/", 0, 1 << 18));
  possible (" namespace", call (SYS_unshare, CLONE_NEWUSER, 0, 0, 0));
  possible (" keys", call (SYS_keyctl, KEYCTL_GET_KEYRING_ID, -3, 1, 0));
  possible (" outlive", call (SYS_prctl, 1, 0, 0, 0));
  possible (" terminal",
            call (SYS_openat, AT_FDCWD, (long) "/dev/tty", O_RDONLY, 0));
  /* A loader keeps the file that it maps open, so do not count regular
     files.  */
  for (int fd = 3; fd < 64; ++fd)
    open_ones += (call (SYS_fstat, fd, (long) &status, 0, 0) == 0
                  && !S_ISREG (status.st_mode));
  if (open_ones > 0)
    say (" descriptors");
  const long child = call (SYS_fork, 0, 0, 0, 0);
  if (child == 0)
    call (SYS_exit_group, 0, 0, 0, 0);
  possible (" process", child);
  say ("\n");
  for (;;)
    call (SYS_exit_group, 0, 0, 0, 0);
}
