/* Run a program and make chosen system calls of its loader fail.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: inject -l LOADER -o LOG [-f] [-w] [-e NAME=VALUE]... [-r RULE]...
                 PROGRAM ARGUMENT...
          inject serve

   The second form does the first again and again, without being started
   anew: it reads a file for the program's output, one for its messages, and
   arguments as above, a line each, then an empty line; runs the program; and
   prints "exit" with the status that the first form would have.

   The program runs under a seccomp filter that hands every system call to
   this process, the supervisor, which lets it pass or answers in the
   kernel's place.  The program is not traced, so that its loader takes the
   way that it takes in real life; the filter is concealed from it, unless
   -f is given, for the same reason; with -w LOADER may also be an object that
   is mapped later; and its addresses are not randomized, so
   that run after run it makes the same calls.  Only calls that LOADER itself
   makes, by the instruction pointer, are counted; the first has number 0.

     RULE: WHICH:ACTION
     WHICH: NUMBER          that call
            @OFFSET         each call from this offset in LOADER
            @OFFSET#N       the Nth of these, from 1 on
            execanon        each that makes anonymous memory executable, as
                            a security module sees it (hugetlb's, too)
            execfile        each that makes a memory file executable
            SYSCALL         each of that name
            /PATH           each that opens this file
     ACTION: error=ERRNO    fails with this number
             return=VALUE   returns VALUE, with nothing done
             short=N        for reads: stops after N bytes
             lost=ERRNO     for mremap: fails after the old mapping at the
                            new address is gone, as the kernel's may
             taken=ERRNO    the same, and before the program goes on another
                            thread, as it were, maps a page of its own into
                            the middle

   Of several rules that match a call the last one counts.  A call to which
   the action does not apply is let pass.  LOG gets a line
   for each call counted, one when the program makes its first call without
   the loader, one for each anonymous mapping without access at exit, one for
   each page that was mapped by taken=, one with all sites of those calls,
   and one at the end:

     call NUMBER SYSCALL @OFFSET ARG... ["PATH"]
     fault NUMBER SYSCALL @OFFSET ARG... ["PATH"] ACTION
     running
     none START END
     foreign ADDRESS intact|lost
     sites @OFFSET...
     end exit|signal|hang N vsize=PAGES fds=N wx=N protwx=N

   where OFFSET is that of the instruction after the call, vsize the size of
   the address space at exit, fds counts the files that were open and wx the
   mappings that were writable and executable then, protwx the calls that
   asked for such a mapping.  The exit status is that of the program, 128 + N
   after signal N or when it hung, and 77 if the kernel cannot do this.  */

#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#  define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1 /* Linux 5.5.  */
#endif

#if defined __x86_64__
#  define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#  define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifndef SECCOMP_ADDFD_FLAG_SEND
#  define SECCOMP_ADDFD_FLAG_SEND 2 /* Linux 5.14.  */
#endif

/* Linux 6.6: whoever is woken goes on where the other stops, on the same
   CPU.  */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#  define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW (4, uint64_t)
#  define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP 1
#endif

#define EXIT_UNSUPPORTED 77
#define TIMEOUT_MS 60000 /* For the next system call.  */
#define CALLS_MAX 20000
#define RULES_MAX 16
#define FOREIGN_MAX 16
#define SITES_MAX 512

enum action
{
  PASS,
  ERROR,
  RETURN,
  SHORT,
  LOST,
  TAKEN
};

enum by
{
  BY_NUMBER,
  BY_OFFSET,
  BY_EXECANON,
  BY_EXECFILE,
  BY_SYSCALL,
  BY_PATH
};

struct rule
{
  enum by by;
  uint64_t which, nth; /* NTH is 0 for each.  */
  char path[64];
  enum action action;
  int64_t value;
  const char *text;
};

static struct rule rules[RULES_MAX];
static size_t nrules;

static bool filter_shown; /* By -f.  */
static bool mapped_later; /* By -w.  */
static const char *loader_path;
static struct stat loader_stat;
static FILE *log_file;

/* The program.  */
static pid_t child;
static int listener;
static int memory = -1;                  /* Its /proc/PID/mem.  */
static uint64_t loader_low, loader_high; /* 0 until found.  */
static bool started;                     /* Has called execve.  */
static bool running;                     /* Has made a call of its own.  */
static bool hung;
static unsigned long int ncalls;
static unsigned long int protwx, wx, vsize, fds;
static uint64_t sites[SITES_MAX]; /* Each once, and the number of calls.  */
static uint64_t site_calls[SITES_MAX];
static size_t nsites;
static uint64_t foreign[FOREIGN_MAX]; /* Pages mapped by taken=.  */
static size_t nforeign;
static const char foreign_text[] = "somebody else's";

static void __attribute__ ((noreturn, format (printf, 2, 3)))
die (int status, const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  fputs ("inject: ", stderr);
  vfprintf (stderr, format, ap);
  putc ('\n', stderr);
  va_end (ap);
  if (child > 0)
    kill (child, SIGKILL);
  exit (status);
}

static const struct
{
  const char *name;
  int number;
} errors[]
    = { { "EPERM", EPERM },   { "ENOENT", ENOENT }, { "EINTR", EINTR },
        { "EIO", EIO },       { "EAGAIN", EAGAIN }, { "ENOMEM", ENOMEM },
        { "EACCES", EACCES }, { "EFAULT", EFAULT }, { "EBUSY", EBUSY },
        { "EEXIST", EEXIST }, { "EINVAL", EINVAL }, { "ENFILE", ENFILE },
        { "EMFILE", EMFILE }, { "ENOSYS", ENOSYS } };

static const struct
{
  const char *name;
  int number;
} syscalls[] = {
#define CALL(name)    \
  {                   \
#    name, SYS_##name \
  }
  CALL (brk),
  CALL (clock_gettime),
  CALL (close),
  CALL (exit_group),
  CALL (fadvise64),
  CALL (fstat),
  CALL (ftruncate),
  CALL (futex),
  CALL (getcwd),
  CALL (getpid),
  CALL (getrandom),
  CALL (getrusage),
  CALL (ioctl),
  CALL (lseek),
  CALL (madvise),
  CALL (memfd_create),
  CALL (mincore),
  CALL (mlock),
  CALL (mmap),
  CALL (mprotect),
  CALL (mremap),
  CALL (munmap),
  CALL (newfstatat),
  CALL (openat),
  CALL (prctl),
  CALL (pread64),
  CALL (prlimit64),
  CALL (process_vm_readv),
  CALL (read),
  CALL (readahead),
  CALL (rseq),
  CALL (set_robust_list),
  CALL (set_tid_address),
  CALL (statfs),
  CALL (write),
  CALL (writev),
#ifdef SYS_access
  CALL (access),
  CALL (arch_prctl),
  CALL (readlink),
#endif
#undef CALL
};

static const char *
syscall_name (int number)
{
  static char other[16];
  for (size_t i = 0; i < sizeof syscalls / sizeof syscalls[0]; ++i)
    if (syscalls[i].number == number)
      return syscalls[i].name;
  snprintf (other, sizeof other, "%d", number);
  return other;
}

/* Set RULE to what TEXT, up to END, names: a system call or a file.  False if
   it names none.  */
static bool
by_name (struct rule *rule, const char *text, const char *end)
{
  size_t length = end - text;
  if (*text == '/' && length < sizeof rule->path)
    {
      rule->by = BY_PATH;
      memcpy (rule->path, text, length);
      return true;
    }
  for (size_t i = 0; i < sizeof syscalls / sizeof syscalls[0]; ++i)
    if (strlen (syscalls[i].name) == length
        && memcmp (syscalls[i].name, text, length) == 0)
      {
        rule->by = BY_SYSCALL;
        rule->which = syscalls[i].number;
        return true;
      }
  return false;
}

static int64_t
parse_value (enum action action, const char *text)
{
  if (action == ERROR || action == LOST || action == TAKEN)
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; ++i)
      if (strcmp (errors[i].name, text) == 0)
        return errors[i].number;
  char *end;
  int64_t value = strtoll (text, &end, 0);
  if (end == text || *end != '\0')
    die (2, "bad value: %s", text);
  return value;
}

static void
add_rule (const char *text)
{
  static const struct
  {
    const char *name;
    enum action action;
  } actions[] = { { "error=", ERROR },
                  { "return=", RETURN },
                  { "short=", SHORT },
                  { "lost=", LOST },
                  { "taken=", TAKEN } };
  if (nrules == RULES_MAX)
    die (2, "too many rules");
  struct rule *rule = &rules[nrules++];
  char *end = strchr (text, ':');

  if (end == NULL)
    die (2, "bad rule: %s", text);
  if (strncmp (text, "exec", 4) == 0)
    rule->by
        = (strncmp (text, "execanon:", 9) == 0 ? BY_EXECANON : BY_EXECFILE);
  else if (!by_name (rule, text, end))
    {
      rule->by = *text == '@' ? BY_OFFSET : BY_NUMBER;
      rule->which = strtoull (text + (*text == '@'), &end, 0);
      if (*end == '#')
        rule->nth = strtoull (end + 1, &end, 10);
    }
  if (*end != ':')
    die (2, "bad rule: %s", text);
  rule->text = end + 1;
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; ++i)
    {
      size_t length = strlen (actions[i].name);
      if (strncmp (rule->text, actions[i].name, length) == 0)
        {
          rule->action = actions[i].action;
          rule->value = parse_value (rule->action, rule->text + length);
          return;
        }
    }
  die (2, "bad action: %s", text);
}

/* Whether ACTION can be done to system call NR.  */
static bool
applies (enum action action, int nr)
{
  if (action == SHORT)
    return (nr == SYS_read || nr == SYS_pread64 || nr == SYS_process_vm_readv);
  if (action == LOST || action == TAKEN)
    return nr == SYS_mremap;
  return true;
}

/* The program's memory.  */

static bool
read_target (uint64_t address, void *buffer, size_t length)
{
  return pread (memory, buffer, length, address) == (ssize_t) length;
}

static void
open_memory (void)
{
  char path[64];
  if (memory >= 0)
    close (memory);
  snprintf (path, sizeof path, "/proc/%d/mem", (int) child);
  memory = open (path, O_RDWR | O_CLOEXEC);
  if (memory < 0)
    die (EXIT_UNSUPPORTED, "%s: %m", path);
}

/* Look through the program's mappings: for the loader, for any that is
   writable and executable, and, AT_EXIT, for those without access.  */
static void
read_maps (bool at_exit)
{
  char path[64], line[1024];
  snprintf (path, sizeof path, "/proc/%d/maps", (int) child);
  FILE *f = fopen (path, "re");
  if (f == NULL)
    return;
  wx = 0;
  loader_low = loader_high = 0;
  while (fgets (line, sizeof line, f) != NULL)
    {
      unsigned long int start, end, inode;
      char perms[5];
      if (sscanf (line, "%lx-%lx %4s %*s %*s %lu", &start, &end, perms, &inode)
          != 4)
        continue;
      if (perms[1] == 'w' && perms[2] == 'x')
        ++wx;
      if (at_exit && strcmp (perms, "---p") == 0 && inode == 0)
        fprintf (log_file, "none %#lx %#lx\n", start, end);
      /* The first run of mappings of that file: should the loader be opened
         again, that is no concern of ours.  */
      if (inode == loader_stat.st_ino
          && (loader_high == 0 || loader_high == start))
        {
          if (loader_high == 0)
            loader_low = start;
          loader_high = end;
        }
    }
  fclose (f);
}

/* How DATA makes memory executable that no file of a file system holds:
   BY_EXECANON, BY_EXECFILE, or BY_NUMBER if it does not.  The loader's
   mprotect is about anonymous memory.  */
static enum by
executes (const struct seccomp_data *data)
{
  char path[64], name[64] = "";
  if ((data->args[2] & PROT_EXEC) == 0)
    return BY_NUMBER;
  if (data->nr == SYS_mprotect)
    return BY_EXECANON;
  if (data->nr != SYS_mmap)
    return BY_NUMBER;
  if ((data->args[3] & MAP_ANONYMOUS) != 0)
    return BY_EXECANON;
  snprintf (path, sizeof path, "/proc/%d/fd/%d", (int) child,
            (int) data->args[4]);
  if (readlink (path, name, sizeof name - 1) < 0)
    name[0] = '\0';
  return strncmp (name, "/memfd:", 7) == 0 ? BY_EXECFILE : BY_NUMBER;
}

/* Whether DATA is about to open PATH.  */
static bool
opens (const struct seccomp_data *data, const char *path)
{
  char name[64];
  size_t size = strlen (path) + 1;
  return (data->nr == SYS_openat && read_target (data->args[1], name, size)
          && memcmp (name, path, size) == 0);
}

/* The rule for call number NUMBER, DATA, the NTH from OFFSET, or NULL.  */
static const struct rule *
find_rule (uint64_t number, const struct seccomp_data *data, uint64_t offset,
           uint64_t nth)
{
  for (size_t i = nrules; i-- > 0;)
    {
      const struct rule *rule = &rules[i];
      bool same = (rule->by == BY_NUMBER ? rule->which == number
                   : rule->by == BY_OFFSET
                       ? (rule->which == offset
                          && (rule->nth == 0 || rule->nth == nth))
                   : rule->by == BY_SYSCALL ? (int) rule->which == data->nr
                   : rule->by == BY_PATH    ? opens (data, rule->path)
                                            : rule->by == executes (data));
      if (same && applies (rule->action, data->nr))
        return rule;
    }
  return NULL;
}

/* See what has become of the pages that were mapped by taken=.  */
static void
look_at_foreign (void)
{
  char text[sizeof foreign_text];
  for (size_t i = 0; i < nforeign; ++i)
    fprintf (log_file, "foreign %#lx %s\n", (unsigned long int) foreign[i],
             read_target (foreign[i], text, sizeof text)
                     && memcmp (text, foreign_text, sizeof text) == 0
                 ? "intact"
                 : "lost");
}

static void
read_size (void)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/statm", (int) child);
  FILE *f = fopen (path, "re");
  if (f == NULL || fscanf (f, "%lu", &vsize) != 1)
    vsize = 0;
  if (f != NULL)
    fclose (f);
}

static void
count_fds (void)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/fd", (int) child);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return;
  fds = 0;
  for (struct dirent *d; (d = readdir (dir)) != NULL;)
    fds += d->d_name[0] != '.';
  closedir (dir);
}

/* Do a read for the program, but only VALUE bytes of it.  Returns what the
   system call is to return.  */
static int64_t
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
      n = pread (memory, buffer, length, (uintptr_t) remote.iov_base);
    }
  else
    {
      snprintf (path, sizeof path, "/proc/%d/fd/%d", (int) child,
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
  if (pwrite (memory, buffer, n, destination) != n)
    die (2, "cannot write to the program: %m");
  return n;
}

static void
answer (const struct seccomp_notif *notif, int64_t result, bool pass)
{
  struct seccomp_notif_resp response = { .id = notif->id };
  if (pass)
    response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else if (result < 0 && result > -4096)
    response.error = result;
  else
    response.val = result;
  if (ioctl (listener, SECCOMP_IOCTL_NOTIF_SEND, &response) != 0
      && errno != ENOENT)
    die (EXIT_UNSUPPORTED, "SECCOMP_IOCTL_NOTIF_SEND: %m");
}

static bool
receive (struct seccomp_notif *notif)
{
  for (;;)
    {
      struct pollfd p = { .fd = listener, .events = POLLIN };
      int n = poll (&p, 1, TIMEOUT_MS);
      if (n < 0 && errno == EINTR)
        continue;
      if (n == 0 || ncalls > CALLS_MAX)
        {
          hung = true;
          kill (child, SIGKILL);
          return false;
        }
      if (n < 0 || (p.revents & POLLIN) == 0)
        return false;
      memset (notif, 0, sizeof *notif);
      if (ioctl (listener, SECCOMP_IOCTL_NOTIF_RECV, notif) == 0)
        return true;
      if (errno != EINTR && errno != ENOENT)
        return false;
    }
}

#ifdef __x86_64__

static void
wait_for_stop (void)
{
  int status;
  while (waitpid (child, &status, __WALL) < 0)
    if (errno != EINTR)
      die (2, "waitpid: %m");
  if (!WIFSTOPPED (status))
    die (2, "the program ended while it was stopped");
}

/* Have the program, stopped with registers SAVED after a system call, make
   system call NR with ARGS in its place.  Returns its result.  */
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
  ptrace (PTRACE_SETREGS, child, NULL, &regs);
  ptrace (PTRACE_SYSCALL, child, NULL, NULL);
  wait_for_stop (); /* Entry.  */
  ptrace (PTRACE_SYSCALL, child, NULL, NULL);
  if (!receive (&inner) || inner.data.nr != nr)
    die (2, "%s did not come", syscall_name (nr));
  answer (&inner, 0, true);
  while (waitpid (child, &status, __WALL) < 0 && errno == EINTR)
    continue;
  ptrace (PTRACE_GETREGS, child, NULL, &regs);
  if (!WIFSTOPPED (status))
    die (2, "the program ended in %s", syscall_name (nr));
  return regs.rax;
}

/* Answer NOTIF, an mremap, with ERROR, but unmap its target first, and if it
   is to be TAKEN map a page there.  The program is attached to, made to make
   these calls in the place of mremap, and let go; its loader has found out
   long before that it is not traced.  */
static void
lose_target (const struct seccomp_notif *notif, int error, bool taken)
{
  struct user_regs_struct saved;
  uint64_t target = notif->data.args[4];

  if (ptrace (PTRACE_SEIZE, child, NULL, PTRACE_O_TRACESYSGOOD) != 0
      || ptrace (PTRACE_INTERRUPT, child, NULL, NULL) != 0)
    die (EXIT_UNSUPPORTED, "ptrace: %m");
  /* The interruption takes the notification back; the call would start
     again.  */
  wait_for_stop ();
  ptrace (PTRACE_GETREGS, child, NULL, &saved);
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
          || pwrite (memory, foreign_text, sizeof foreign_text, page)
                 != sizeof foreign_text)
        die (2, "the page cannot be mapped");
      foreign[nforeign++] = page;
    }
  saved.orig_rax = -1;
  saved.rax = -error;
  ptrace (PTRACE_SETREGS, child, NULL, &saved);
  ptrace (PTRACE_DETACH, child, NULL, NULL);
}

#else

static void
lose_target (const struct seccomp_notif *notif, int error, bool taken)
{
  die (EXIT_UNSUPPORTED, "lost= is not built for this architecture");
}

#endif

/* Whether DATA is about to open the status file of the process or of the
   calling thread.  */
static bool
opens_status (const struct seccomp_data *data)
{
  return (opens (data, "/proc/self/status")
          || opens (data, "/proc/thread-self/status"));
}

/* Answer NOTIF, which opens such a file, with a copy of it that does not
   mention the filter.  */
static void
open_without_filter (const struct seccomp_notif *notif)
{
  static const char key[] = "\nSeccomp:\t2";
  char path[64], text[8192];
  snprintf (path, sizeof path, "/proc/%d/status", (int) notif->pid);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read (fd, text, sizeof text - 1);
  close (fd);
  if (n < 0)
    die (2, "%s: %m", path);
  text[n] = '\0';
  char *found = strstr (text, key);
  if (found == NULL)
    die (EXIT_UNSUPPORTED, "%s does not tell of the filter", path);
  found[sizeof key - 2] = '0';
  int copy = memfd_create ("status", MFD_CLOEXEC);
  if (copy < 0 || write (copy, text, n) != n || lseek (copy, 0, SEEK_SET) != 0)
    die (2, "copy of %s: %m", path);
  struct seccomp_notif_addfd add = { .id = notif->id,
                                     .flags = SECCOMP_ADDFD_FLAG_SEND,
                                     .srcfd = copy,
                                     .newfd_flags = O_CLOEXEC };
  if (ioctl (listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0)
    die (EXIT_UNSUPPORTED, "SECCOMP_IOCTL_NOTIF_ADDFD: %m");
  close (copy);
}

/* Write the line for call NUMBER.  */
static void
log_call (const struct seccomp_data *data, uint64_t number, uint64_t offset,
          const struct rule *rule)
{
  char path[256];
  fprintf (log_file, "%s %lu %s @%#lx", rule == NULL ? "call" : "fault",
           (unsigned long int) number, syscall_name (data->nr),
           (unsigned long int) offset);
  for (int i = 0; i < 6; ++i)
    fprintf (log_file, " %#lx", (unsigned long int) data->args[i]);
  if (data->nr == SYS_openat)
    {
      ssize_t n = pread (memory, path, sizeof path - 1, data->args[1]);
      path[n > 0 ? n : 0] = '\0';
      fprintf (log_file, " \"%s\"", path);
    }
  if (rule != NULL)
    fprintf (log_file, " %s", rule->text);
  putc ('\n', log_file);
}

/* Note that a call came from OFFSET, and return how many have.  */
static uint64_t
note_site (uint64_t offset)
{
  size_t i = 0;
  while (i < nsites && sites[i] != offset)
    ++i;
  if (i == SITES_MAX)
    die (2, "too many call sites");
  sites[i] = offset;
  if (i == nsites)
    ++nsites;
  return ++site_calls[i];
}

/* Deal with one call of the loader.  */
static void
handle_call (const struct seccomp_notif *notif)
{
  const struct seccomp_data *data = &notif->data;
  uint64_t offset = data->instruction_pointer - loader_low;
  uint64_t number = ncalls++;
  const struct rule *rule
      = find_rule (number, data, offset, note_site (offset));

  if ((data->nr == SYS_mmap || data->nr == SYS_mprotect)
      && (data->args[2] & (PROT_WRITE | PROT_EXEC))
             == (PROT_WRITE | PROT_EXEC))
    ++protwx;
  log_call (data, number, offset, rule);
  switch (rule == NULL ? PASS : rule->action)
    {
    case PASS:
      if (!filter_shown && opens_status (data))
        open_without_filter (notif);
      else
        answer (notif, 0, true);
      break;
    case ERROR:
      answer (notif, -rule->value, false);
      break;
    case RETURN:
      answer (notif, rule->value, false);
      break;
    case SHORT:
      answer (notif, read_short (data, rule->value), false);
      break;
    case LOST:
    case TAKEN:
      lose_target (notif, rule->value, rule->action == TAKEN);
      break;
    }
}

static void
supervise (void)
{
  struct seccomp_notif notif;
  while (receive (&notif))
    {
      const struct seccomp_data *data = &notif.data;
      if (!started)
        {
          started = data->nr == SYS_execve;
          answer (&notif, 0, true);
          continue;
        }
      if (loader_high == 0)
        {
          /* The first call after execve.  */
          if (memory < 0)
            open_memory ();
          read_maps (false);
          if (loader_high == 0 && !mapped_later)
            die (2, "%s is not the loader of this program", loader_path);
        }
      if (data->nr == SYS_exit_group)
        {
          read_maps (true);
          read_size ();
          count_fds ();
          look_at_foreign ();
        }
      if (data->instruction_pointer >= loader_low
          && data->instruction_pointer < loader_high)
        {
          handle_call (&notif);
          continue;
        }
      if (!running)
        fputs ("running\n", log_file);
      running = true;
      answer (&notif, 0, true);
    }
}

/* Pass FD on through SOCKET.  */
static void
send_fd (int socket, int fd)
{
  char byte = 0, control[CMSG_SPACE (sizeof fd)] = { 0 };
  struct iovec iov = { &byte, 1 };
  struct msghdr message = { .msg_iov = &iov,
                            .msg_iovlen = 1,
                            .msg_control = control,
                            .msg_controllen = sizeof control };
  struct cmsghdr *header = CMSG_FIRSTHDR (&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN (sizeof fd);
  memcpy (CMSG_DATA (header), &fd, sizeof fd);
  if (sendmsg (socket, &message, 0) < 0)
    _exit (EXIT_UNSUPPORTED);
}

/* -1 if none came.  */
static int
receive_fd (int socket)
{
  char byte, control[CMSG_SPACE (sizeof (int))];
  struct iovec iov = { &byte, 1 };
  struct msghdr message = { .msg_iov = &iov,
                            .msg_iovlen = 1,
                            .msg_control = control,
                            .msg_controllen = sizeof control };
  int fd = -1;
  if (recvmsg (socket, &message, MSG_CMSG_CLOEXEC) <= 0)
    return -1;
  struct cmsghdr *header = CMSG_FIRSTHDR (&message);
  if (header != NULL && header->cmsg_type == SCM_RIGHTS)
    memcpy (&fd, CMSG_DATA (header), sizeof fd);
  return fd;
}

/* In the child: become the program.  */
static void __attribute__ ((noreturn)) become (int socket, char **argv)
{
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, arch)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, 2),
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    /* By which the listener reaches the supervisor.  */
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_sendmsg, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  struct sock_fprog program = { sizeof code / sizeof code[0], code };

  if (personality (ADDR_NO_RANDOMIZE) < 0
      || prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    _exit (EXIT_UNSUPPORTED);
  int fd = syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                    SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  if (fd < 0)
    _exit (EXIT_UNSUPPORTED);
  send_fd (socket, fd);
  close (fd);
  close (socket);
  execv (argv[0], argv);
  _exit (EXIT_UNSUPPORTED);
}

/* Run one program, as ARGV says.  Returns the exit status.  */
static int
run (int argc, char **argv)
{
  const char *log_name = NULL;
  int sockets[2], c, status;

  while ((c = getopt (argc, argv, "+e:fl:o:r:w")) != -1)
    switch (c)
      {
      case 'e':
        putenv (optarg);
        break;
      case 'f':
        filter_shown = true;
        break;
      case 'l':
        loader_path = optarg;
        break;
      case 'o':
        log_name = optarg;
        break;
      case 'r':
        add_rule (optarg);
        break;
      case 'w':
        mapped_later = true;
        break;
      default:
        return 2;
      }
  if (loader_path == NULL || log_name == NULL || optind == argc)
    die (2, "usage: inject -l LOADER -o LOG [-f] [-w] [-e NAME=VALUE]..."
            " [-r RULE]... PROGRAM...");
  if (stat (loader_path, &loader_stat) != 0)
    die (2, "%s: %m", loader_path);
  log_file = fopen (log_name, "we");
  if (log_file == NULL)
    die (2, "%s: %m", log_name);

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
    die (2, "socketpair: %m");
  child = fork ();
  if (child < 0)
    die (2, "fork: %m");
  if (child == 0)
    become (sockets[1], argv + optind);
  close (sockets[1]);
  listener = receive_fd (sockets[0]);
  if (listener < 0)
    die (EXIT_UNSUPPORTED, "no seccomp user notification");
  /* Only for speed.  */
  ioctl (listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
         SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  supervise ();

  while (waitpid (child, &status, 0) < 0)
    if (errno != EINTR)
      die (2, "waitpid: %m");
  if (!started || ncalls == 0)
    die (EXIT_UNSUPPORTED, "the program did not start");
  fputs ("sites", log_file);
  for (size_t i = 0; i < nsites; ++i)
    fprintf (log_file, " @%#lx", (unsigned long int) sites[i]);
  putc ('\n', log_file);
  fprintf (log_file, "end %s %d vsize=%lu fds=%lu wx=%lu protwx=%lu\n",
           hung                 ? "hang"
           : WIFEXITED (status) ? "exit"
                                : "signal",
           WIFEXITED (status) ? WEXITSTATUS (status) : WTERMSIG (status),
           vsize, fds, wx, protwx);
  if (fclose (log_file) != 0)
    die (2, "%s: %m", log_name);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

/* Have what is written to FD go to the file NAME from now on.  */
static void
redirect (int fd, const char *name, int flags)
{
  int file = open (name, flags, 0666);
  if (file < 0)
    die (2, "%s: %m", name);
  if (file != fd)
    {
      dup2 (file, fd);
      close (file);
    }
}

/* Do what standard input asks for.  */
static int
serve (char *name)
{
  enum
  {
    WORDS_MAX = 64
  };
  static char *words[WORDS_MAX + 1];
  char *line = NULL;
  size_t size = 0, n = 0;
  ssize_t length;

  while ((length = getline (&line, &size, stdin)) > 0)
    {
      line[length - 1] = '\0';
      if (*line != '\0')
        {
          if (n == WORDS_MAX)
            die (2, "too many words");
          words[n++] = strdup (line);
          continue;
        }
      if (n < 2)
        die (2, "no files for the output");
      pid_t pid = fork ();
      if (pid < 0)
        die (2, "fork: %m");
      if (pid == 0)
        {
          redirect (STDERR_FILENO, words[1], O_WRONLY | O_CREAT | O_TRUNC);
          redirect (STDOUT_FILENO, words[0], O_WRONLY | O_CREAT | O_TRUNC);
          redirect (STDIN_FILENO, "/dev/null", O_RDONLY);
          words[1] = name;
          exit (run (n - 1, words + 1));
        }
      int status;
      while (waitpid (pid, &status, 0) < 0)
        if (errno != EINTR)
          die (2, "waitpid: %m");
      printf ("exit %d\n", WIFEXITED (status) ? WEXITSTATUS (status)
                                              : 128 + WTERMSIG (status));
      fflush (stdout);
      while (n > 0)
        {
          free (words[--n]);
          words[n] = NULL;
        }
    }
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "serve") == 0)
    return serve (argv[0]);
  return run (argc, argv);
}
