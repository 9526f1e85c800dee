/* Run a program and make chosen system calls of its loader fail.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: inject -l LOADER -o LOG [-f] [-w] [-e NAME=VALUE]... [-r RULE]...
                 PROGRAM ARGUMENT...
          inject serve

   In the form "inject serve", inject does the same many times in one process.
   For each run it reads lines from standard input: the name of a file for the
   program's output, the name of a file for its error messages, the arguments
   of the first form, one a line, and an empty line.  Then it runs the program,
   and prints "exit" and the exit status that the first form would return.

   The program runs under a seccomp filter that hands each system call to this
   process, the supervisor.  The supervisor lets the kernel execute the call,
   or answers in the kernel's place.  The program is not traced, so that its
   loader behaves as usual.  For the same reason the supervisor conceals the
   filter from the loader, unless -f is given.  With -w, LOADER may also be an
   object that is mapped later.  Addresses are not randomized, so that each run
   makes the same calls.  Only system calls made by instructions in LOADER
   count; the first of them has number 0.

     RULE: WHICH:ACTION
     WHICH: NUMBER          the call with this number
            @OFFSET         each call from this offset in LOADER
            @OFFSET#N       call number N of these; the first is number 1
            execanon        each call that makes anonymous memory executable,
                            as security modules see it (also in hugetlb)
            execfile        each call that makes a memory file executable
            SYSCALL         each call with this name
            /PATH           each call that opens this file
     ACTION: error=ERRNO    the call fails with this number
             return=VALUE   the call returns VALUE, and does nothing
             short=N        for reads: the call stops after N bytes
             lost=ERRNO     for mremap: the call fails after the old mapping at
                            the new address is gone, as can happen in the
                            kernel
             taken=ERRNO    the same, but before the program goes on, a page is
                            mapped in the middle, as if by another thread

   If several rules match a call, the last one counts.  A rule whose action
   cannot be applied to a call does not match the call.  LOG gets a line for
   each counted call, and one when the program makes its first call outside of
   LOADER.  At exit it gets a line for each anonymous mapping without access,
   one for each page that "taken=" has mapped, one with the offsets of all
   counted calls, and a last line:

     call NUMBER SYSCALL @OFFSET ARG... ["PATH"]
     fault NUMBER SYSCALL @OFFSET ARG... ["PATH"] ACTION
     running
     none START END
     foreign ADDRESS intact|lost
     sites @OFFSET...
     end exit|signal|hang N vsize=PAGES fds=N wx=N protwx=N

   OFFSET is the offset of the instruction after the call.  vsize is the size
   of the address space, fds the number of open files, and wx the number of
   mappings that were writable and executable, all at exit.  protwx is the
   number of calls that asked for such a mapping.

   The exit status is that of the program; 128 + N if signal N ended the
   program, also if the supervisor killed it because it hung; or 77 if the
   kernel cannot do this.  */

#include "inject.h"

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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

/* A flag of Linux 6.6: the process that is woken continues on the CPU of the
   process that wakes it.  */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#  define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW (4, uint64_t)
#  define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP 1
#endif

#define TIMEOUT_MS 60000 /* For the next system call.  */
#define CALLS_MAX 20000
#define SITES_MAX 512

struct program program = { .memory = -1 };

static bool filter_shown; /* By -f.  */
static bool mapped_later; /* By -w.  */
static const char *loader_path;
static FILE *log_file;

static int listener;
static bool started; /* The program has called execve.  */
static bool running; /* The program has made a call outside of LOADER, so its
                        own code runs.  */
static bool hung;
static unsigned long int ncalls;
static unsigned long int protwx;
/* The offsets from which calls came, and how many calls came from each
   offset.  */
static uint64_t sites[SITES_MAX];
static uint64_t site_calls[SITES_MAX];
static size_t nsites;

void
die (int status, const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  fputs ("inject: ", stderr);
  vfprintf (stderr, format, ap);
  putc ('\n', stderr);
  va_end (ap);
  if (program.pid > 0)
    kill (program.pid, SIGKILL);
  exit (status);
}

void
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

bool
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
          kill (program.pid, SIGKILL);
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

/* Return true if the call DATA opens the status file of the process or of the
   calling thread.  */
static bool
opens_status (const struct seccomp_data *data)
{
  return (opens (data, "/proc/self/status")
          || opens (data, "/proc/thread-self/status"));
}

/* Answer NOTIF, which opens a file that shows the filter, with a copy of the
   file that does not mention the filter.  */
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
    die (EXIT_UNSUPPORTED, "%s does not mention the filter", path);
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

/* Write the line for call NUMBER to the log.  */
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
      ssize_t n = pread (program.memory, path, sizeof path - 1, data->args[1]);
      path[n > 0 ? n : 0] = '\0';
      fprintf (log_file, " \"%s\"", path);
    }
  if (rule != NULL)
    fprintf (log_file, " %s", rule->text);
  putc ('\n', log_file);
}

/* Count a call from OFFSET.  Return how many calls have come from there.  */
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

/* Answer a call of LOADER as the rules say.  */
static void
handle_call (const struct seccomp_notif *notif)
{
  const struct seccomp_data *data = &notif->data;
  uint64_t offset = data->instruction_pointer - program.loader_low;
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
      if (program.loader_high == 0)
        {
          /* The first call after execve.  */
          if (program.memory < 0)
            open_memory ();
          read_maps (NULL);
          if (program.loader_high == 0 && !mapped_later)
            die (2, "%s is not the loader of this program", loader_path);
        }
      if (data->nr == SYS_exit_group)
        {
          read_maps (log_file);
          read_size ();
          count_fds ();
          look_at_foreign (log_file);
        }
      if (data->instruction_pointer >= program.loader_low
          && data->instruction_pointer < program.loader_high)
        {
          handle_call (&notif);
          continue;
        }
      if (!running)
        fputs ("running\n", log_file);
      running = true;
      /* The program's loader may look for a filter before it maps LOADER.  */
      if (mapped_later && !filter_shown && opens_status (data))
        open_without_filter (&notif);
      else
        answer (&notif, 0, true);
    }
}

/* Send FD through SOCKET.  */
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

/* Receive a descriptor through SOCKET.  Return -1 if none has come.  */
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
    /* Allow sendmsg, which sends the listener to the supervisor.  */
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

/* Run one program, as ARGV says.  Return the exit status.  */
static int
run (int argc, char **argv)
{
  const char *log_name = NULL;
  struct stat loader;
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
  if (stat (loader_path, &loader) != 0)
    die (2, "%s: %m", loader_path);
  program.loader_inode = loader.st_ino;
  log_file = fopen (log_name, "we");
  if (log_file == NULL)
    die (2, "%s: %m", log_name);

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
    die (2, "socketpair: %m");
  program.pid = fork ();
  if (program.pid < 0)
    die (2, "fork: %m");
  if (program.pid == 0)
    become (sockets[1], argv + optind);
  close (sockets[1]);
  listener = receive_fd (sockets[0]);
  if (listener < 0)
    die (EXIT_UNSUPPORTED, "no seccomp user notification");
  /* This only makes the run faster.  */
  ioctl (listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
         SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  supervise ();

  while (waitpid (program.pid, &status, 0) < 0)
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
           program.vsize, program.fds, program.wx, protwx);
  if (fclose (log_file) != 0)
    die (2, "%s: %m", log_name);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

/* Make FD a descriptor of the file NAME.  */
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

/* Do the runs that standard input asks for.  */
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
