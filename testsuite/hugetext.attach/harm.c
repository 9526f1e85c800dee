/* A process that "hugetext attach" could harm.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   harm MODE READY LIBRARY

   When the program is in the state of MODE, it makes the file READY, which
   contains its process ID.  MODE is

     moved   it has replaced the beginning of its text by a copy in anonymous
             memory, and has mapped a page of data directly before this copy
     beside  at each SIGUSR1 it maps pages of data in the free addresses before
             its text; it checks the contents of all these pages
     again   it has threads that call LIBRARY, and one thread that soon
             executes the program's own file again
     crowd   it has 2,000 busy threads
     forks   it forks children all the time, which check whether hugetext has
             left anything in them
     seldom  as forks, but it forks only every 20 ms, and its children live
             longer
     traced  as seldom, but another process traces each child for the first two
             seconds, so that hugetext cannot trace the child
     mounts  as seldom, but each fork takes long after the child has its copy
             of the memory, because the kernel also copies thousands of mounts
     serves  its only thread decides for the kernel whether the program's file
             may be opened (fanotify)
     silent  it reads a file on a FUSE file system; the server ends a read only
             when the read is interrupted, and never answers when the file is
             closed
     shared  a child shares its memory, but is not in its thread group
     gap     it measures the longest time for which it was stopped

   On SIGTERM the program ends.  If nothing was wrong, it prints "ok" and a
   number, and the exit status is 0.  */

#define _GNU_SOURCE 1
#include "asked.h"
#include "silent.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK (2UL << 20)

extern const char __ehdr_start[];

static char **arguments;
static const char *library_text;

static void
ready (void)
{
  char temporary[4096];
  snprintf (temporary, sizeof temporary, "%s.new", arguments[2]);
  FILE *stream = fopen (temporary, "w");
  if (stream == NULL || fprintf (stream, "%d\n", (int) getpid ()) < 0
      || fclose (stream) != 0 || rename (temporary, arguments[2]) != 0)
    fail ("ready");
}

static void
rest (void)
{
  usleep (2000);
}

static char *
hole (void)
{
  return (char *) ((unsigned long) __ehdr_start & -BLOCK);
}

/* Map a page of data, at AT if AT is not NULL.  */
static unsigned char *
new_data (char *at)
{
  unsigned char *page = mmap (at, 4096, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS
                                  | (at != NULL ? MAP_FIXED_NOREPLACE : 0),
                              -1, 0);
  if (page == MAP_FAILED)
    return NULL;
  memset (page, 0x5a, 4096);
  return page;
}

static void
check_data (const unsigned char *page)
{
  if (page != NULL && (page[0] != 0x5a || page[4095] != 0x5a))
    fail ("data");
}

static long
moved (void)
{
  size_t length = hole () + BLOCK - __ehdr_start;
  /* Copy the program's part of this block: the text, and the bytes before
     it.  */
  char *start = (char *) __ehdr_start;
  char *copy = mmap (NULL, length, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == hole () || copy == MAP_FAILED)
    return 0;
  memcpy (copy, start, length);
  mprotect (copy, length, PROT_READ | PROT_EXEC);
  if (mremap (copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, start)
      != start)
    fail ("mremap");
  const unsigned char *page = new_data (start - 4096);
  if (page == NULL)
    fail ("hole");
  ready ();
  for (; !stop; rest ())
    {
      check_text (main_text, TEXT_SIZE);
      check_data (page);
    }
  return 1;
}

static long
beside (void)
{
  static unsigned char *pages[256];
  size_t n = 0;
  ready ();
  for (; !stop; rest ())
    {
      if (asked && n < 256)
        {
          asked = 0;
          for (char *at = hole (); at + 4096 <= __ehdr_start; at += 64 * 4096)
            if (n < 256 && (pages[n] = new_data (at)) != NULL)
              ++n;
        }
      check_text (main_text, TEXT_SIZE);
      for (size_t i = 0; i < n; ++i)
        check_data (pages[i]);
    }
  return n;
}

static void *
turn (void *unused)
{
  for (;; usleep (300))
    if (library_text != NULL)
      check_text (library_text, LIBRARY_SIZE);
  return unused;
}

static void *
execute (void *unused)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  usleep (60000 + time.tv_nsec / 1000 % 120000);
  if (!stop)
    execv ("/proc/self/exe", arguments);
  return unused;
}

static long
again (void)
{
  pthread_t thread;
  long count = 0;
  const char *before = getenv ("HARM_COUNT");
  char text[64];
  if (before != NULL)
    count = atol (before) + 1;
  snprintf (text, sizeof text, "%ld", count);
  setenv ("HARM_COUNT", text, 1);
  if (count == 0)
    ready ();
  /* Block SIGTERM in the other threads, so that only this thread gets it.
     When one of these threads executes the program's file again, SIGTERM stays
     blocked until the program has installed its handler again.  */
  sigset_t mask;
  sigemptyset (&mask);
  sigaddset (&mask, SIGTERM);
  pthread_sigmask (SIG_BLOCK, &mask, NULL);
  for (int i = 0; i < 8; ++i)
    pthread_create (&thread, NULL, turn, NULL);
  pthread_create (&thread, NULL, execute, NULL);
  pthread_sigmask (SIG_UNBLOCK, &mask, NULL);
  while (!stop)
    rest ();
  return count;
}

/* The first thread holds this lock for writing until the other threads may
   begin.  */
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;

static void *
spin (void *unused)
{
  pthread_rwlock_rdlock (&gate);
  for (volatile unsigned long i = 0;; ++i)
    continue;
  return unused;
}

static long
crowd (void)
{
  pthread_attr_t small;
  pthread_t thread;
  pthread_attr_init (&small);
  pthread_attr_setstacksize (&small, 65536);
  pthread_rwlock_wrlock (&gate);
  for (int i = 0; i < 2000; ++i)
    if (pthread_create (&thread, &small, spin, NULL) != 0)
      fail ("thread");
  ready ();
  pthread_rwlock_unlock (&gate);
  while (!stop)
    rest ();
  return 1;
}

/* The maximum number of children at a time.  */
#define MOST 600

/* The number of microseconds between forks, and the minimum number of seconds
   for which a child lives.  Attach cleans up children at the end of its work,
   and this work takes longer on a busy machine.  */
static unsigned int interval = 100, life = 3;

enum
{
  MOST_LIFE = 20,
};

/* True if another process traces each child for the first two seconds.  */
static bool traced;

/* If this process has many mounts: a descriptor of a mount namespace with few
   mounts; otherwise -1.  */
static int few_mounts = -1;

enum
{
  MANY_MOUNTS = 20000,
};

/* Move this process to a mount namespace with MANY_MOUNTS mounts.  */
static bool
have_many_mounts (void)
{
  char path[PATH_MAX + 16];
  const int home = open ("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  snprintf (path, sizeof path, "%s.mounts", arguments[2]);
  mkdir (path, 0700);
  if (home < 0 || unshare (CLONE_NEWNS) != 0
      || mount ("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
      || mount ("none", path, "tmpfs", 0, NULL) != 0)
    return false;
  const int directory = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 || fchdir (directory) != 0 || mkdir ("from", 0700) != 0)
    return false;
  for (int i = 0; i < MANY_MOUNTS; ++i)
    {
      snprintf (path, sizeof path, "%d", i);
      if (mkdir (path, 0700) != 0
          || mount ("from", path, NULL, MS_BIND, NULL) != 0)
        return false;
    }
  close (directory);
  few_mounts = home;
  return true;
}

/* Fork.  If this process has many mounts, the kernel copies them for the
   child.  */
static pid_t
have_child (void)
{
  if (few_mounts < 0)
    return fork ();
  const pid_t pid = syscall (SYS_clone, CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0);
  /* Give up the copied mounts, because the kernel needs memory for each of
     them.  */
  if (pid == 0)
    setns (few_mounts, CLONE_NEWNS);
  return pid;
}

/* Make a process that traces this process for two seconds.  Return its ID.  */
static pid_t
have_tracer (void)
{
  const pid_t pid = fork ();
  if (pid != 0)
    return pid;
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (ptrace (PTRACE_SEIZE, getppid (), NULL, NULL) == 0)
    sleep (2);
  _exit (0);
}

/* Return true if no mapping is more than 8 GiB away from both of its
   neighbours, and the number of descriptors is still DESCRIPTORS.  */
static bool
is_clean (int descriptors)
{
  unsigned long start, end, last = 0;
  char line[512];
  bool clean = true;
  int n = 0;
  FILE *stream = fopen ("/proc/self/./maps", "r");
  unsigned long starts[512], ends[512];
  size_t count = 0;
  while (stream != NULL && count < 512
         && fgets (line, sizeof line, stream) != NULL)
    if (sscanf (line, "%lx-%lx", &start, &end) == 2 && end < 1UL << 56)
      {
        starts[count] = start;
        ends[count++] = end;
      }
  fclose (stream);
  for (size_t i = 0; i < count; last = ends[i++])
    if (i > 0 && i + 1 < count && starts[i] - last > 1UL << 33
        && starts[i + 1] - ends[i] > 1UL << 33)
      clean = false;
  DIR *dir = opendir ("/proc/self/fd");
  while (dir != NULL && readdir (dir) != NULL)
    ++n;
  closedir (dir);
  return clean && n == descriptors;
}

static void *
have_children (void *result)
{
  long count = 0, children = 0;
  int n = 0, status;
  DIR *dir = opendir ("/proc/self/fd");
  while (dir != NULL && readdir (dir) != NULL)
    ++n;
  closedir (dir);
  ready ();
  while (!stop || children > 0)
    {
      pid_t pid = stop || children > MOST ? -1 : have_child ();
      if (pid == 0)
        {
          prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
          const pid_t tracer = traced ? have_tracer () : -1;
          check_text (main_text, TEXT_SIZE);
          sleep (life);
          if (tracer > 0)
            waitpid (tracer, NULL, 0);
          check_text (main_text, TEXT_SIZE);
          for (unsigned int i = life; i < MOST_LIFE && !is_clean (n); ++i)
            sleep (1);
          _exit (is_clean (n) ? 0 : 1);
        }
      children += pid > 0;
      count += pid > 0;
      while (waitpid (-1, &status, WNOHANG) > 0)
        {
          --children;
          if (status != 0)
            fail (WIFEXITED (status) ? "a child has kept a mapping or "
                                       "descriptor that hugetext made"
                                     : "a child was killed");
        }
      usleep (children > MOST || stop ? 2000 : interval);
    }
  *(long *) result = count;
  return NULL;
}

/* Fork in a second thread.  The first thread is idle, so hugetext stops the
   first thread.  */
static long
forks (void)
{
  pthread_t thread;
  long count = 0;
  if (pthread_create (&thread, NULL, have_children, &count) != 0)
    fail ("thread");
  pthread_join (thread, NULL);
  return count;
}

static long
seldom (void)
{
  interval = 20000;
  life = 9;
  return forks ();
}

static long
traced_seldom (void)
{
  traced = true;
  return seldom ();
}

static long
mounts (void)
{
  if (!have_many_mounts ())
    _exit (77);
  interval = 50000;
  life = 9;
  return forks ();
}

static long
serves (void)
{
  struct fanotify_event_metadata event;
  long count = 0;
  int fd = fanotify_init (FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY);
  if (fd < 0
      || fanotify_mark (fd, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD,
                        "/proc/self/exe")
             != 0)
    _exit (77);
  ready ();
  while (!stop && read (fd, &event, sizeof event) > 0)
    {
      struct fanotify_response answer = { event.fd, FAN_ALLOW };
      check_text (main_text, TEXT_SIZE);
      if (write (fd, &answer, sizeof answer) != sizeof answer)
        fail ("answer");
      close (event.fd);
      ++count;
    }
  return count;
}

static long
silent (void)
{
  char path[PATH_MAX], byte;
  long count = 0;
  snprintf (path, sizeof path, "%s.silent", arguments[2]);
  mkdir (path, 0700);
  if (unshare (CLONE_NEWNS) != 0
      || mount ("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    _exit (77);
  const pid_t server = silent_mount (path, 0, NULL, NULL, NULL);
  if (server < 0)
    _exit (77);
  strcat (path, "/file");
  const int fd = open (path, O_RDONLY);
  if (fd < 0)
    fail ("open");
  ready ();
  for (; !stop; ++count)
    {
      if (read (fd, &byte, 1) >= 0 || errno != EINTR)
        fail ("read");
      check_text (main_text, TEXT_SIZE);
    }
  /* Kill the server; otherwise the end of this process would wait for it.  */
  kill (server, SIGKILL);
  waitpid (server, NULL, 0);
  return count;
}

static int
run_along (void *unused)
{
  (void) unused;
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  for (; !stop; rest ())
    check_text (main_text, TEXT_SIZE);
  return 0;
}

static long
shared (void)
{
  static char stack[65536] __attribute__ ((aligned (16)));
  if (clone (run_along, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL) < 0)
    fail ("clone");
  ready ();
  for (; !stop && waitpid (-1, NULL, WNOHANG) == 0; rest ())
    check_text (main_text, TEXT_SIZE);
  if (!stop)
    fail ("the process that shares this memory has ended");
  return 1;
}

/* Return the number of milliseconds for which the process has waited for a
   processor.  */
static long
waited (void)
{
  long unused, wait = 0;
  FILE *stream = fopen ("/proc/self/schedstat", "r");
  if (stream != NULL && fscanf (stream, "%ld %ld", &unused, &wait) != 2)
    wait = 0;
  if (stream != NULL)
    fclose (stream);
  return wait / 1000000;
}

/* Return the longest time, in milliseconds, for which this process was
   stopped.  Time for which other programs have the processor does not
   count.  */
static long
gap (void)
{
  struct timespec time;
  long last = 0, now, longest = 0;
  ready ();
  for (; !stop; last = now)
    {
      clock_gettime (CLOCK_MONOTONIC, &time);
      now = time.tv_sec * 1000 + time.tv_nsec / 1000000 - waited ();
      if (last != 0 && now - last > longest)
        longest = now - last;
      usleep (500);
    }
  return longest;
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    long (*work) (void);
  } modes[] = { { "moved", moved },          { "beside", beside },
                { "again", again },          { "crowd", crowd },
                { "forks", forks },          { "seldom", seldom },
                { "traced", traced_seldom }, { "mounts", mounts },
                { "serves", serves },        { "silent", silent },
                { "shared", shared },        { "gap", gap } };
  if (argc != 4)
    return 2;
  arguments = argv;
  sigaction (SIGTERM, &(struct sigaction){ .sa_handler = on_term }, NULL);
  sigset_t mask;
  sigemptyset (&mask);
  sigaddset (&mask, SIGTERM);
  sigprocmask (SIG_UNBLOCK, &mask, NULL);
  sigaction (SIGUSR1, &(struct sigaction){ .sa_handler = on_user }, NULL);
  void *handle = dlopen (argv[3], RTLD_NOW);
  library_text = handle != NULL ? dlsym (handle, "lib_text") : NULL;
  if (library_text == NULL)
    fail ("library");
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i)
    if (strcmp (modes[i].name, argv[1]) == 0)
      {
        printf ("ok %ld\n", modes[i].work ());
        fflush (stdout);
        _exit (0);
      }
  return 2;
}
