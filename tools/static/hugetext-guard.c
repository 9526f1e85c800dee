/* The program hugetext-guard executes "hugetext guard".  It works even if a
   broken file is mounted over the system's loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: hugetext-guard UNIT [COMMAND ARG...]

   systemd runs all commands of a service in the service's mount namespace,
   with all bind mounts, even commands with a "+" (seen with systemd 252).  In
   the service's mount namespace, a bad loader may be mounted over the system's
   loader, and would break every dynamically linked program.  A broken loader
   can be mounted, for instance, after a loss of power: the link to the loader
   may then lead to a loader for an older libc.  Another problem is that /var
   may be an empty directory in the service's mount namespace.  For these
   reasons hugetext-guard is statically linked.  hugetext-guard enters the
   mount namespace of process 1, removes UNIT's link to the loader, and
   executes COMMAND there.

   systemd runs this program with root's rights, but with the service's
   environment, umask and working directory.  The user who configures the
   service may have set LD_PRELOAD or PATH in this environment, which must not
   affect a program that runs as root.  COMMAND inherits neither the
   environment nor the umask nor the working directory.  Before main, the C
   library would read tunables and search paths from the environment.
   Therefore the program's entry point removes the environment before it starts
   the C library.  The exit status is 1 only for wrong usage, because after
   other errors the service must still start.  */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The program's entry point (option -e of the linker).  STACK points to the
   initial stack, which contains argc, the arguments, the environment, and the
   auxiliary vector.  The C library expects the auxiliary vector right after
   the environment.  */
#ifdef __x86_64__
__asm__(".text\n"
        ".globl hugetext_guard_begin\n"
        ".type hugetext_guard_begin, @function\n"
        "hugetext_guard_begin:\n"
        "\tendbr64\n"
        "\tmovq %rsp, %rdi\n"
        "\tcall hugetext_guard_forget\n"
        "\txorl %edx, %edx\n"
        "\tjmp _start\n"
        ".size hugetext_guard_begin, .-hugetext_guard_begin\n");
#else
__asm__(".text\n"
        ".globl hugetext_guard_begin\n"
        ".type hugetext_guard_begin, %function\n"
        "hugetext_guard_begin:\n"
        "\thint #34\n" /* bti c */
        "\tmov x0, sp\n"
        "\tbl hugetext_guard_forget\n"
        "\tmov x0, #0\n"
        "\tb _start\n"
        ".size hugetext_guard_begin, .-hugetext_guard_begin\n");
#endif

#ifdef __has_attribute
#  if __has_attribute(no_stack_protector)
#    define NO_PROTECTOR __attribute__ ((no_stack_protector))
#  endif
#endif
#ifndef NO_PROTECTOR
#  define NO_PROTECTOR
#endif

/* Remove the environment from STACK.  When this function runs, nothing is
   relocated, and there is no thread pointer, so it must not call other
   functions.  STACK is volatile, because otherwise the compiler could replace
   the loop by a call to memmove.  */
extern void hugetext_guard_forget (volatile uintptr_t *stack) NO_PROTECTOR;

void
hugetext_guard_forget (volatile uintptr_t *stack)
{
  /* The environment follows argc, the arguments and a null pointer.  */
  volatile uintptr_t *to = stack + 1 + stack[0] + 1, *from = to;
  while (*from++ != 0)
    continue;
  *to++ = 0;
  /* Move the auxiliary vector: pairs of words, up to AT_NULL.  */
  for (bool end = false; !end; from += 2, to += 2)
    {
      to[0] = from[0];
      to[1] = from[1];
      end = to[0] == AT_NULL;
    }
}

static void
complain (const char *what)
{
  fprintf (stderr, "hugetext-guard: %s: %s\n", what, strerror (errno));
}

int
main (int argc, char **argv)
{
  static const char namespace[] = "/proc/1/ns/mnt";
  char bound[PATH_MAX];
  if (argc < 2 || argv[1][strcspn (argv[1], "/\n")] != '\0')
    {
      fputs ("usage: hugetext-guard UNIT [COMMAND ARG...]\n", stderr);
      return 2;
    }
  umask (022);
  /* Close the service's sockets, because root's commands must not inherit
     them.  */
  syscall (__NR_close_range, STDERR_FILENO + 1, ~0U, 0);
  snprintf (bound, sizeof bound, STATE_PATH "/bound/%s", argv[1]);
  int fd = open (namespace, O_RDONLY | O_CLOEXEC);
  bool good = fd >= 0 && setns (fd, CLONE_NEWNS) == 0;
  if (!good)
    complain (namespace);
  if (unlink (bound) < 0 && errno != ENOENT)
    {
      complain (bound);
      good = false;
    }
  if (!good || argc == 2)
    return 0;
  if (argv[2][0] == '/' && chdir ("/") == 0)
    execve (argv[2], argv + 2, (char *[]){ "LC_ALL=C", NULL });
  complain (argv[2]);
  return 0;
}
