/* The program that runs under inject.c: its memory, mappings and files, and
   system calls that inject.c forces it to make.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "inject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOREIGN_MAX 16

static uint64_t foreign[FOREIGN_MAX]; /* Pages that a rule "taken=" has
                                         mapped.  */
static size_t nforeign;
static const char foreign_text[] = "somebody else's";

bool
read_target (uint64_t address, void *buffer, size_t length)
{
  return pread (program.memory, buffer, length, address) == (ssize_t) length;
}

void
open_memory (void)
{
  char path[64];
  if (program.memory >= 0)
    close (program.memory);
  snprintf (path, sizeof path, "/proc/%d/mem", (int) program.pid);
  program.memory = open (path, O_RDWR | O_CLOEXEC);
  if (program.memory < 0)
    die (EXIT_UNSUPPORTED, "%s: %m", path);
}

void
read_maps (FILE *log)
{
  char path[64], line[1024];
  snprintf (path, sizeof path, "/proc/%d/./maps", (int) program.pid);
  FILE *f = fopen (path, "re");
  if (f == NULL)
    return;
  program.wx = 0;
  program.loader_low = program.loader_high = 0;
  while (fgets (line, sizeof line, f) != NULL)
    {
      unsigned long int start, end, inode;
      char perms[5];
      if (sscanf (line, "%lx-%lx %4s %*s %*s %lu", &start, &end, perms, &inode)
          != 4)
        continue;
      if (perms[1] == 'w' && perms[2] == 'x')
        ++program.wx;
      if (log != NULL && strcmp (perms, "---p") == 0 && inode == 0)
        fprintf (log, "none %#lx %#lx\n", start, end);
      /* Take only the first adjacent mappings of the loader's file, because
         the program may open this file again.  */
      if (inode == program.loader_inode
          && (program.loader_high == 0 || program.loader_high == start))
        {
          if (program.loader_high == 0)
            program.loader_low = start;
          program.loader_high = end;
        }
    }
  fclose (f);
}

void
look_at_foreign (FILE *log)
{
  char text[sizeof foreign_text];
  for (size_t i = 0; i < nforeign; ++i)
    fprintf (log, "foreign %#lx %s\n", (unsigned long int) foreign[i],
             read_target (foreign[i], text, sizeof text)
                     && memcmp (text, foreign_text, sizeof text) == 0
                 ? "intact"
                 : "lost");
}

void
read_size (void)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/statm", (int) program.pid);
  FILE *f = fopen (path, "re");
  if (f == NULL || fscanf (f, "%lu", &program.vsize) != 1)
    program.vsize = 0;
  if (f != NULL)
    fclose (f);
}

void
count_fds (void)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/fd", (int) program.pid);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return;
  program.fds = 0;
  for (struct dirent *d; (d = readdir (dir)) != NULL;)
    program.fds += d->d_name[0] != '.';
  closedir (dir);
}

int64_t
read_short (const struct seccomp_data *data, int64_t value)
{
  uint64_t destination, length;
  char path[64], buffer[4096];
  ssize_t n;

  if (value > (int64_t) sizeof buffer)
    value = sizeof buffer;
  if (data->nr == SYS_process_vm_readv)
    {
      struct iovec local, remote;
      if (!read_target (data->args[1], &local, sizeof local)
          || !read_target (data->args[3], &remote, sizeof remote))
        die (2, "cannot read an iovec");
      destination = (uintptr_t) local.iov_base;
      length = remote.iov_len;
      if (length > (uint64_t) value)
        length = value;
      n = pread (program.memory, buffer, length, (uintptr_t) remote.iov_base);
    }
  else
    {
      snprintf (path, sizeof path, "/proc/%d/fd/%d", (int) program.pid,
                (int) data->args[0]);
      int fd = open (path, O_RDONLY | O_CLOEXEC);
      if (fd < 0)
        die (2, "%s: %m", path);
      destination = data->args[1];
      length = data->args[2];
      if (length > (uint64_t) value)
        length = value;
      n = pread (fd, buffer, length,
                 data->nr == SYS_pread64 ? data->args[3] : 0);
      close (fd);
    }
  if (n < 0)
    return -errno;
  if (pwrite (program.memory, buffer, n, destination) != n)
    die (2, "cannot write to the program: %m");
  return n;
}

#ifdef __x86_64__

static void
wait_for_stop (void)
{
  int status;
  while (waitpid (program.pid, &status, __WALL) < 0)
    if (errno != EINTR)
      die (2, "waitpid: %m");
  if (!WIFSTOPPED (status))
    die (2, "the program ended while it was stopped");
}

/* The program has stopped after a system call, with the registers SAVED.  Make
   the program execute system call NR with ARGS instead.  Return the result of
   NR.  */
static uint64_t
make_call (const struct user_regs_struct *saved, int nr,
           const uint64_t args[6])
{
  struct user_regs_struct regs = *saved;
  struct seccomp_notif inner;
  int status = 0;

  regs.orig_rax = -1;
  regs.rip -= 2; /* The syscall instruction.  */
  regs.rax = nr;
  regs.rdi = args[0];
  regs.rsi = args[1];
  regs.rdx = args[2];
  regs.r10 = args[3];
  regs.r8 = args[4];
  regs.r9 = args[5];
  ptrace (PTRACE_SETREGS, program.pid, NULL, &regs);
  ptrace (PTRACE_SYSCALL, program.pid, NULL, NULL);
  wait_for_stop (); /* Entry.  */
  ptrace (PTRACE_SYSCALL, program.pid, NULL, NULL);
  if (!receive (&inner) || inner.data.nr != nr)
    die (2, "%s did not come", syscall_name (nr));
  answer (&inner, 0, true);
  while (waitpid (program.pid, &status, __WALL) < 0 && errno == EINTR)
    continue;
  ptrace (PTRACE_GETREGS, program.pid, NULL, &regs);
  if (!WIFSTOPPED (status))
    die (2, "the program ended in %s", syscall_name (nr));
  return regs.rax;
}

/* Attach to the program, make it call munmap and mmap instead of mremap, and
   detach from it.  The program's loader has looked for a tracer long before
   this.  */
void
lose_target (const struct seccomp_notif *notif, int error, bool taken)
{
  struct user_regs_struct saved;
  uint64_t target = notif->data.args[4];

  if (ptrace (PTRACE_SEIZE, program.pid, NULL, PTRACE_O_TRACESYSGOOD) != 0
      || ptrace (PTRACE_INTERRUPT, program.pid, NULL, NULL) != 0)
    die (EXIT_UNSUPPORTED, "ptrace: %m");
  /* PTRACE_INTERRUPT has cancelled the notification.  If the program went on,
     it would make the call again.  */
  wait_for_stop ();
  ptrace (PTRACE_GETREGS, program.pid, NULL, &saved);
  if (make_call (&saved, SYS_munmap,
                 (uint64_t[6]){ target, notif->data.args[2] })
      != 0)
    die (2, "munmap failed");
  if (taken)
    {
      uint64_t page = target + ((notif->data.args[2] / 2) & -4096L);
      if (nforeign == FOREIGN_MAX
          || make_call (&saved, SYS_mmap,
                        (uint64_t[6]){ page, 4096, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS
                                           | MAP_FIXED_NOREPLACE,
                                       -1, 0 })
                 != page
          || pwrite (program.memory, foreign_text, sizeof foreign_text, page)
                 != sizeof foreign_text)
        die (2, "the page cannot be mapped");
      foreign[nforeign++] = page;
    }
  saved.orig_rax = -1;
  saved.rax = -error;
  ptrace (PTRACE_SETREGS, program.pid, NULL, &saved);
  ptrace (PTRACE_DETACH, program.pid, NULL, NULL);
}

#else

void
lose_target (const struct seccomp_notif *notif, int error, bool taken)
{
  die (EXIT_UNSUPPORTED, "lost= is not built for this architecture");
}

#endif
