/* A process in a state that "hugetext attach" has to recognise.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   hold STATE READY

   STATE is

     plain              nothing is special
     filtered           it has a filter that allows all system calls
     filtered-CALL      it has a filter that kills the process at CALL
                        (mremap, mprotect, msync, prctl, restart), or that
                        makes madvise (CALL: madvise) or mprotect (CALL: mdwe)
                        fail
     strict             it may only read and write (strict mode of seccomp)
     dispatched         the kernel may turn its system calls into signals
     sqpoll             it has a kernel thread of io_uring
     leaderless         its first thread has ended
     leaves             its first thread ends on SIGUSR1
     dumping            it dumps a large core into its working directory
     mapped             it has 20,000 mappings
     full               at the first SIGUSR1 it makes as many mappings as it
                        may have, at each further SIGUSR1 it unmaps two of them
     mdwe               it may not make memory executable (PR_SET_MDWE)
     thp-off            it has switched huge pages off
     thp-unadvised      it has switched huge pages off, except in memory for
                        which it advises them
     advised            it has advised against huge pages for a page in the
                        middle of its text
     vdso               its vDSO is not executable
     vdso-moved         it has moved its vDSO
     elder              its child has mapped a page where attach would put
                        memory of its own
     locked             it has locked all of its memory
     locked-part        it has locked one page of its text
     locked-blocks      it has locked two blocks of its text
     future-locked      memory that it maps from now on is locked
     future-locked-old  the same, and a filter forbids it to collapse pages
     pinned             it has locked all of its memory, may not lock more, and
                        has a filter that allows all system calls
     synced             another thread calls the text; on SIGUSR1 all threads
                        get a filter that kills the process at mremap
     grows              another thread calls the text; on SIGUSR1 the process
                        uses 160 MiB more memory
     sealed             it has sealed its text (mseal)
     traced             its parent traces it
     zombie             it has ended, but its parent does not wait for it
     watched            userfaultfd watches a page in the middle of its text
     watched-first      userfaultfd watches the first page of its text
     becomes            when READY is deleted, it executes the program whose
                        path is its own path with "-suid" appended

   The program makes the file READY, which contains the ID of the process in
   this state.  Then it calls functions all over its text, which has TEXT_SIZE
   bytes, until a signal ends it or a result is wrong.  The exit status is 77
   if this machine does not allow STATE.  */

#define _GNU_SOURCE 1
#include "text-step.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#  define PR_SET_MDWE 65 /* Linux 6.3.  */
#endif

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#  define PR_SET_SYSCALL_USER_DISPATCH 59 /* Linux 5.11.  */
#endif

/* In the state "dispatched", the kernel reads this byte: 0 permits the
   program's system calls.  */
static char dispatch;

/* The functions of text.S, which return their own numbers.  */
extern const char main_text[];

/* Seal the mapping of the text (mseal, Linux 6.10).  */
static int
seal (void)
{
  uintptr_t page = sysconf (_SC_PAGESIZE);
  uintptr_t start = (uintptr_t) main_text & -page;
  return syscall (462, start, TEXT_SIZE & -page, 0);
}

/* Move the vDSO if MOVE is true, otherwise make it not executable.  */
static int
change_vdso (bool move)
{
  const uintptr_t vdso = getauxval (AT_SYSINFO_EHDR);
  unsigned long start = 0, end = 0, at, to;
  char line[4096];
  FILE *maps = fopen ("/proc/self/./maps", "r");
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    if (sscanf (line, "%lx-%lx", &at, &to) == 2 && at == vdso)
      {
        start = at;
        end = to;
      }
  if (maps == NULL || fclose (maps) != 0 || start == 0)
    return -1;
  return move ? (mremap ((void *) start, end - start, end - start,
                         MREMAP_MAYMOVE | MREMAP_FIXED,
                         mmap (NULL, end - start, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
                         != MAP_FAILED
                     ? 0
                     : -1)
              : mprotect ((void *) start, end - start, PROT_READ);
}

#define BLOCK (2UL << 20)

/* Return the page in the middle of the text.  */
static void *
middle (void)
{
  return (void *) (((uintptr_t) main_text + TEXT_SIZE / 2)
                   & -(uintptr_t) sysconf (_SC_PAGESIZE));
}

/* Return the first page of the program's executable segment.  */
static void *
first (void)
{
  const ElfW (Phdr) *segment = (void *) getauxval (AT_PHDR);
  /* The program headers follow the ELF header.  */
  uintptr_t base = (uintptr_t) segment - sizeof (ElfW (Ehdr));
  while (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0)
    ++segment;
  return (void *) ((base + segment->p_offset)
                   & -(uintptr_t) sysconf (_SC_PAGESIZE));
}

/* Make userfaultfd watch the page of text at AT, and report if the page is
   unmapped or moved (Linux 6.7).  */
static int
watch (void *at)
{
  struct uffdio_api api
      = { .api = UFFD_API,
          .features = UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMAP
                      | 1 << 15 /* WP_ASYNC */ };
  struct uffdio_register wanted
      = { .range = { (uintptr_t) at, sysconf (_SC_PAGESIZE) },
          .mode = UFFDIO_REGISTER_MODE_WP };
  const int file = syscall (SYS_userfaultfd, 0);
  return file < 0 || ioctl (file, UFFDIO_API, &api) != 0
                 || ioctl (file, UFFDIO_REGISTER, &wanted) != 0
             ? -1
             : 0;
}

/* Return true if all functions return their numbers.  */
static bool
text_is_right (void)
{
  for (int i = 0; i < TEXT_SIZE / STEP; ++i)
    if (((int (*) (void)) (main_text + (size_t) i * STEP)) () != i)
      return false;
  return true;
}

static int
ready (const char *file, pid_t pid)
{
  char temporary[4096];
  snprintf (temporary, sizeof temporary, "%s.new", file);
  FILE *stream = fopen (temporary, "w");
  if (stream == NULL)
    return 1;
  fprintf (stream, "%d\n", (int) pid);
  return fclose (stream) == 0 && rename (temporary, file) == 0 ? 0 : 1;
}

/* Install the filter CODE with FLAGS of seccomp.  CODE has COUNT instructions.
   Return 0, or 77 if the kernel does not permit this.  */
static int
install_filter (struct sock_filter *code, unsigned short count,
                unsigned int flags)
{
  const struct sock_fprog program = { count, code };
  return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                 || syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
                             &program)
                        != 0
             ? 77
             : 0;
}

/* Install the filter of the state whose name is "filtered" and NAME.  If NAME
   is "", the filter allows all calls.  Return 0, or 77 if this is not
   possible.  */
static int
filter (const char *name)
{
  static const struct
  {
    const char *name;
    unsigned int number, action;
  } calls[] = {
    { "", UINT_MAX, SECCOMP_RET_ALLOW },
    { "-mremap", SYS_mremap, SECCOMP_RET_KILL },
    { "-mprotect", SYS_mprotect, SECCOMP_RET_KILL },
    { "-msync", SYS_msync, SECCOMP_RET_KILL },
    { "-prctl", SYS_prctl, SECCOMP_RET_KILL },
    { "-restart", SYS_restart_syscall, SECCOMP_RET_KILL },
    { "-mdwe", SYS_mprotect, SECCOMP_RET_ERRNO | EPERM },
    { "-madvise", SYS_madvise, SECCOMP_RET_ERRNO | EPERM },
  };
  size_t i = 0;
  while (strcmp (calls[i].name, name) != 0)
    if (++i == sizeof calls / sizeof *calls)
      return 77;
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, calls[i].action),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return install_filter (code, sizeof code / sizeof *code, 0);
}

/* Install a filter under which madvise cannot collapse pages.  */
static int
forbid_collapse (void)
{
  enum
  {
    COLLAPSE = 25, /* MADV_COLLAPSE */
  };
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
              offsetof (struct seccomp_data, args[2])),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, COLLAPSE, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return install_filter (code, sizeof code / sizeof *code, 0);
}

/* Wait for SIGUSR1, which all threads block.  */
static bool
await_user (void)
{
  sigset_t user;
  int signal;
  sigemptyset (&user);
  sigaddset (&user, SIGUSR1);
  return sigwait (&user, &signal) == 0;
}

/* On SIGUSR1, use 160 MiB more memory.  */
static bool
grow (void)
{
  return (await_user ()
          && mmap (NULL, 160 << 20, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)
                 != MAP_FAILED);
}

/* On SIGUSR1, install a filter that kills the process at mremap, for all
   threads.  */
static int
filter_all (void)
{
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_mremap, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return await_user () ? install_filter (code, sizeof code / sizeof *code,
                                         SECCOMP_FILTER_FLAG_TSYNC)
                       : 1;
}

/* Allow this process to dump a core of any size.  Return false if setrlimit
   fails.  */
static bool
may_dump (void)
{
  const struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
  return setrlimit (RLIMIT_CORE, &limit) == 0;
}

/* Dump a large core.  */
static void
dump (void)
{
  /* Touch all pages, because a core contains only touched pages.  */
  mmap (NULL, 512 << 20, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  abort ();
}

/* Call the text again and again.  If a result is wrong, end the process.  */
static void *
work (void *unused)
{
  (void) unused;
  for (;;)
    {
      usleep (50000);
      if (!text_is_right ())
        _exit (1);
    }
}

/* Divide memory into 20,000 mappings.  */
static bool
map_often (void)
{
  enum
  {
    PAGE = 4096,
    MOST = 20000,
  };
  char *at = mmap (NULL, MOST * PAGE, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  bool good = at != MAP_FAILED;
  for (long i = 0; good && i < MOST; i += 2)
    good = mprotect (at + i * PAGE, PAGE, PROT_READ) == 0;
  return good;
}

/* NPAGES pages at PAGES.  Every other one of the first NDIVIDED pages is a
   mapping of its own.  */
static char *pages;
static long npages, ndivided;

/* A signal handler: divide PAGES into as many mappings as the process may
   have; if they are already divided, unmap two of the mappings.  */
static void
divide (int signal)
{
  enum
  {
    PAGE = 4096,
  };
  (void) signal;
  if (ndivided > 0)
    for (int i = 0; i < 2 && ndivided > 0; ++i, ndivided -= 2)
      munmap (pages + ndivided * PAGE, PAGE);
  else
    for (ndivided = 1;
         ndivided + 2 < npages
         && mprotect (pages + ndivided * PAGE, PAGE, PROT_READ) == 0;)
      ndivided += 2;
}

/* Map PAGES, and let SIGUSR1 divide them.  Return false if the process may
   have too many mappings.  */
static bool
await_full (void)
{
  FILE *stream = fopen ("/proc/sys/vm/max_map_count", "r");
  const bool known = stream != NULL && fscanf (stream, "%ld", &npages) == 1;
  if (stream != NULL)
    fclose (stream);
  if (!known || npages > 1 << 18)
    return false;
  npages += 1000;
  pages = mmap (NULL, npages * 4096, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages != MAP_FAILED && signal (SIGUSR1, divide) != SIG_ERR;
}

/* Make a child that maps a page in the middle of the largest gap between
   mappings, where attach would put memory of its own.  */
static bool
have_elder (void)
{
  unsigned long start, end, last = 0, largest = 0, room = 0;
  char line[4096];
  /* Use an unusual name: an object that contains the usual name of the maps
     file gets no image.  */
  FILE *maps = fopen ("/proc/self/./maps", "r");
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL
         && sscanf (line, "%lx-%lx", &start, &end) == 2)
    {
      if (last != 0 && (long) start > 0 && start - last > largest)
        {
          largest = start - last;
          room = last + largest / 2;
        }
      last = end;
    }
  if (maps == NULL || fclose (maps) != 0)
    return false;
  if (fork () != 0)
    return true;
  prctl (PR_SET_PDEATHSIG, 9, 0, 0, 0);
  volatile char *byte
      = mmap ((void *) (room & -(2UL << 20)), 4096, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (;;)
    {
      ++*byte;
      usleep (1000);
    }
}

/* Lock all memory, and give up the right to lock more.  */
static bool
pin (void)
{
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  const struct rlimit none = { 0, 0 };
  if (mlockall (MCL_CURRENT) != 0 || syscall (SYS_capget, &header, data) != 0)
    return false;
  data[0].effective &= ~(1U << CAP_IPC_LOCK);
  data[0].permitted &= ~(1U << CAP_IPC_LOCK);
  return (syscall (SYS_capset, &header, data) == 0
          && setrlimit (RLIMIT_MEMLOCK, &none) == 0);
}

int
main (int argc, char **argv)
{
  if (argc != 3)
    return 2;
  const char *state = argv[1];
  pid_t pid = getpid ();
  sigset_t user;
  sigemptyset (&user);
  sigaddset (&user, SIGUSR1);
  if (strcmp (state, "synced") == 0 || strcmp (state, "grows") == 0
      || strcmp (state, "leaves") == 0)
    sigprocmask (SIG_BLOCK, &user, NULL);
  /* Switch huge pages off before the text is used, because blocks that are
     already huge remain so.  */
  if (strcmp (state, "thp-off") == 0
      && prctl (PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
    return 77;
  /* PR_THP_DISABLE_EXCEPT_ADVISED, Linux 6.18.  */
  if (strcmp (state, "thp-unadvised") == 0
      && prctl (PR_SET_THP_DISABLE, 1, 2, 0, 0) != 0)
    return 77;
  if (strcmp (state, "sealed") == 0 && seal () != 0)
    return 77;
  if (!text_is_right ())
    return 1;
  if (strncmp (state, "vdso", 4) == 0 && change_vdso (state[4] != '\0') != 0)
    return 77;
  if (strcmp (state, "advised") == 0
      && madvise (middle (), sysconf (_SC_PAGESIZE), MADV_NOHUGEPAGE) != 0)
    return 77;
  if (strcmp (state, "locked-part") == 0
      && mlock (middle (), sysconf (_SC_PAGESIZE)) != 0)
    return 77;
  if (strcmp (state, "locked-blocks") == 0
      && mlock ((void *) ((uintptr_t) middle () & -BLOCK), 2 * BLOCK) != 0)
    return 77;
  if (strcmp (state, "watched") == 0 && watch (middle ()) != 0)
    return 77;
  if (strcmp (state, "watched-first") == 0 && watch (first ()) != 0)
    return 77;
  if (strncmp (state, "filtered", 8) == 0 && filter (state + 8) != 0)
    return 77;
  if (strcmp (state, "dispatched") == 0
      && prctl (PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &dispatch) != 0)
    return 77;
  struct io_uring_params ring
      = { .flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 100000000 };
  if (strcmp (state, "sqpoll") == 0
      && syscall (SYS_io_uring_setup, 8, &ring) < 0)
    return 77;
  if (strcmp (state, "mdwe") == 0 && prctl (PR_SET_MDWE, 1, 0, 0, 0) != 0)
    return 77;
  if (strcmp (state, "mapped") == 0 && !map_often ())
    return 77;
  if (strcmp (state, "full") == 0 && !await_full ())
    return 77;
  if (strcmp (state, "pinned") == 0 && (!pin () || filter ("") != 0))
    return 77;
  if (strcmp (state, "locked") == 0 && mlockall (MCL_CURRENT) != 0)
    return 77;
  if (strncmp (state, "future-locked", 13) == 0 && mlockall (MCL_FUTURE) != 0)
    return 77;
  if (strcmp (state, "future-locked-old") == 0 && forbid_collapse () != 0)
    return 77;
  if (strcmp (state, "traced") == 0 || strcmp (state, "zombie") == 0)
    {
      pid = fork ();
      if (pid == 0)
        {
          prctl (PR_SET_PDEATHSIG, 9, 0, 0, 0);
          if (state[0] == 'z')
            _exit (0);
          for (;;)
            pause ();
        }
      if (state[0] == 't' && ptrace (PTRACE_SEIZE, pid, NULL, NULL) != 0)
        return 77;
      if (state[0] == 'z')
        waitid (P_PID, pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
    }
  if (strcmp (state, "elder") == 0 && !have_elder ())
    return 77;
  if (strcmp (state, "dumping") == 0 && !may_dump ())
    return 77;
  if (ready (argv[2], pid) != 0)
    return 1;
  int ends[2];
  char byte;
  if (strcmp (state, "strict") == 0 && pipe (ends) == 0
      && prctl (PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0)
    return read (ends[0], &byte, 1);
  if (strcmp (state, "dumping") == 0)
    dump ();
  if (strcmp (state, "becomes") == 0)
    {
      char program[4096];
      snprintf (program, sizeof program, "%s-suid", argv[0]);
      while (access (argv[2], F_OK) == 0)
        usleep (10000);
      return execl (program, program, "plain", argv[2], NULL);
    }
  pthread_t thread;
  if (strcmp (state, "synced") == 0
      && (pthread_create (&thread, NULL, work, NULL) != 0
          || filter_all () != 0))
    return 1;
  if (strcmp (state, "grows") == 0
      && (pthread_create (&thread, NULL, work, NULL) != 0 || !grow ()))
    return 1;
  if (strcmp (state, "leaves") == 0
      && pthread_create (&thread, NULL, work, NULL) == 0 && await_user ())
    pthread_exit (NULL);
  if (strcmp (state, "leaderless") == 0
      && pthread_create (&thread, NULL, work, NULL) == 0)
    pthread_exit (NULL);
  work (NULL);
}
