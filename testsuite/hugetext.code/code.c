/* A program that makes code at run time, as language runtimes do, and prints
   how much of it is huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: code VERB [WANTED]

   Each page of code is a function that returns the page's number.  The program
   calls all functions.  Lines "huge NAME N" say how many blocks of NAME are
   huge according to /proc/self/smaps.  The other lines must be the same with
   every loader.  If blocks become huge only later, the program waits until
   WANTED blocks are huge, for at most ten seconds.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <error-name.h>
#include <filter.h>

#define STEP (64UL << 10)
#define RWX (PROT_READ | PROT_WRITE | PROT_EXEC)
#define NOTHING (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static size_t page, block;

static void
fail (const char *what)
{
  printf ("%s: %m\n", what);
  exit (1);
}

/* Fill the LENGTH bytes at TO with functions.  The first function returns
   FIRST.  */
static void
fill (char *to, size_t length, unsigned int first)
{
  for (size_t i = 0; i < length; i += page, ++first)
    {
#if defined __x86_64__
      unsigned char code[] = { 0xb8, first, first >> 8, 0, 0, 0xc3 };
#elif defined __aarch64__
      uint32_t code[] = { 0x52800000 | (first & 0xffff) << 5, 0xd65f03c0 };
#endif
      memcpy (to + i, code, sizeof code);
      __builtin___clear_cache (to + i, to + i + sizeof code);
    }
}

/* Return how many of the functions in LENGTH bytes at CODE return a wrong
   number.  */
static size_t
wrong (char *code, size_t length, unsigned int first)
{
  size_t n = 0;
  for (size_t i = 0; i < length; i += page, ++first)
    n += ((int (*) (void)) (code + i)) () != (int) (first & 0xffff);
  return n;
}

/* Return how many blocks in [START, END) are huge and executable.  */
static size_t
huge (uintptr_t start, uintptr_t end)
{
  char line[512];
  bool inside = false;
  unsigned long int a, b, kib, sum = 0;
  char perms[5];
  FILE *stream = fopen ("/proc/self/smaps", "re");
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL)
    if (sscanf (line, "%lx-%lx %4s", &a, &b, perms) == 3)
      inside = a >= start && b <= end && perms[2] == 'x';
    else if (inside
             && (sscanf (line, "AnonHugePages: %lu", &kib) == 1
                 || sscanf (line, "ShmemPmdMapped: %lu", &kib) == 1))
      sum += kib;
  if (stream != NULL)
    fclose (stream);
  return sum * 1024 / block;
}

static size_t
huge_at (char *code, size_t length)
{
  return huge ((uintptr_t) code, (uintptr_t) code + length);
}

static double
seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

/* Call TOUCH, which makes a call that the code object sees, until WANTED
   blocks of LENGTH bytes at CODE are huge.  */
static void
await (char *code, size_t length, size_t wanted, void (*touch) (char *))
{
  for (double end = seconds () + 10;
       huge_at (code, length) < wanted && seconds () < end;)
    {
      usleep (2000);
      touch (code);
    }
}

static char *
reserve (size_t length)
{
  char *code = mmap (NULL, length, PROT_NONE, NOTHING, -1, 0);
  if (code == MAP_FAILED)
    fail ("reserve");
  return code;
}

/* Commit and fill bytes [FROM, TO) of CODE, as HotSpot does.  */
static void
grow (char *code, size_t from, size_t to)
{
  for (size_t i = from; i < to; i += STEP)
    {
      if (mmap (code + i, STEP, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                -1, 0)
          != code + i)
        fail ("commit");
      fill (code + i, STEP, i / page);
    }
}

/* Test that a reservation is aligned to blocks.  */
static void
do_place (size_t wanted)
{
  (void) wanted;
  size_t odd = 0;
  char *first = reserve (8 * block + page);
  for (int i = 0; i < 4; ++i)
    odd += (uintptr_t) reserve (8 * block + page) % block != 0;
  odd += (uintptr_t) first % block != 0;
  printf ("huge odd %zu\n", odd);
  /* The code object does not move a mapping that is small, or for which the
     caller asks for an address.  */
  munmap (first, 8 * block + page);
  char *again = mmap (first + page, block, PROT_NONE, NOTHING, -1, 0);
  printf ("as wished %d\n", again == first + page);
}

static void
do_grow (size_t wanted)
{
  char *code = reserve (16 * block);
  grow (code, 0, wanted * block + STEP);
  printf ("huge grown %zu\n", huge_at (code, 16 * block));
  printf ("wrong %zu\n", wrong (code, wanted * block + STEP, 0));
}

/* Test that the code object notices when code is unmapped, mapped over,
   emptied or moved.  */
static void
do_change (size_t wanted)
{
  char *code = reserve (16 * block);
  grow (code, 0, wanted * block + STEP);
  printf ("huge first %zu\n", huge_at (code, 16 * block));
  /* Unmap a part of one block, map data over a part of another, and empty a
     third block.  */
  munmap (code + STEP, STEP);
  if (mmap (code + block + STEP, STEP, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
      == MAP_FAILED)
    fail ("over");
  memset (code + block + STEP, 1, STEP);
  madvise (code + 2 * block, block, MADV_DONTNEED);
  fill (code + 2 * block, STEP, 7);
  printf ("wrong %zu %zu %zu %d\n", wrong (code, STEP, 0),
          wrong (code + block, STEP, block / page),
          wrong (code + 2 * block, STEP, 7), code[block + STEP]);
  /* The places of lost blocks can be used again.  */
  char *other = reserve (16 * block);
  grow (other, 0, wanted * block + STEP);
  printf ("huge others %zu\n", huge_at (other, 16 * block));
  char *moved = mremap (other, wanted * block, wanted * block,
                        MREMAP_MAYMOVE | MREMAP_FIXED, code + 8 * block);
  if (moved != code + 8 * block)
    fail ("mremap");
  printf ("wrong %zu\n", wrong (moved, wanted * block, 0));
  printf ("huge moved %zu\n", huge_at (moved, wanted * block));
  munmap (code, 16 * block);
}

static char *toggled;
static size_t toggled_length;

static void
toggle (char *code)
{
  (void) code;
  if (mprotect (toggled, toggled_length, PROT_READ | PROT_WRITE) != 0
      || mprotect (toggled, toggled_length, PROT_READ | PROT_EXEC) != 0)
    fail ("mprotect");
}

/* Test shared memory that is writable or executable as a whole, as in PHP.  */
static void
do_toggle (size_t wanted)
{
  toggled_length = 4 * block;
  char *space = reserve (5 * block);
  toggled = (char *) (((uintptr_t) space + block - 1) & -block);
  if (mmap (toggled, toggled_length, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
      != toggled)
    fail ("mmap");
  for (size_t i = 0; i < wanted * block; i += STEP)
    {
      mprotect (toggled, toggled_length, PROT_READ | PROT_WRITE);
      fill (toggled + i, STEP, i / page);
      mprotect (toggled, toggled_length, PROT_READ | PROT_EXEC);
    }
  await (toggled, toggled_length, wanted, toggle);
  printf ("huge toggled %zu\n", huge_at (toggled, toggled_length));
  printf ("wrong %zu\n", wrong (toggled, wanted * block, 0));
  /* Changing the protection of all of it keeps the blocks huge.  */
  for (int i = 0; i < 100; ++i)
    toggle (NULL);
  printf ("huge kept %zu\n", huge_at (toggled, toggled_length));
}

static void
call_something (char *code)
{
  (void) code;
  void *space = mmap (NULL, page, PROT_NONE, NOTHING, -1, 0);
  munmap (space, page);
}

/* Test a memory file that is mapped twice, as in BEAM.  */
static void
do_memfd (size_t wanted)
{
  int fd = memfd_create ("code", MFD_CLOEXEC);
  size_t length = 4 * block;
  if (fd < 0 || ftruncate (fd, length) != 0)
    fail ("memfd");
  char *code = mmap (NULL, length, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
  char *data = mmap (NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (code == MAP_FAILED || data == MAP_FAILED)
    fail ("mmap");
  fill (data, wanted * block, 0);
  await (code, length, wanted, call_something);
  printf ("huge memfd %zu\n", huge_at (code, length));
  printf ("wrong %zu\n", wrong (code, wanted * block, 0));
}

/* The contexts of do_stack, and the stack on which make_code runs.  */
static ucontext_t contexts[2];
static char small_stack[32 << 10];

/* Make code in the memory that do_stack has reserved, and do nothing else that
   uses the stack.  */
static void
make_code (void)
{
  for (size_t i = 0; i < toggled_length; i += STEP)
    mmap (toggled + i, STEP, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
          0);
  for (size_t i = 0; i < toggled_length; i += page)
    toggled[i] = 0xc3;
  /* Continue for a while, because the code object's clock advances in steps of
     a few milliseconds.  */
  for (double end = seconds () + 0.2; seconds () < end;)
    mprotect (toggled, toggled_length, RWX);
}

/* Test whether calls that make blocks take more than 768 bytes of stack.  */
static void
do_stack (size_t wanted)
{
  toggled_length = wanted * block;
  toggled = reserve (toggled_length + 4 * block);
  /* Call the functions once before the test, because at the first call the
     loader looks a function up.  */
  if (mprotect (toggled, page, PROT_NONE) != 0 || seconds () < 0)
    fail ("mprotect");
  memset (small_stack, 0x5a, sizeof small_stack);
  getcontext (&contexts[1]);
  contexts[1].uc_stack.ss_sp = small_stack;
  contexts[1].uc_stack.ss_size = sizeof small_stack;
  contexts[1].uc_link = &contexts[0];
  makecontext (&contexts[1], make_code, 0);
  swapcontext (&contexts[0], &contexts[1]);
  size_t left = 0;
  while (small_stack[left] == 0x5a)
    ++left;
  printf ("more than 768 bytes: %d\n", sizeof small_stack - left > 768);
  printf ("huge stack %zu\n", huge_at (toggled, toggled_length));
}

/* Test memory that is no code, or that is not worth huge pages.  */
static void
do_nothing (size_t wanted)
{
  (void) wanted;
  /* Pieces with guards between them.  */
  char *pieces = reserve (4 * block);
  for (size_t i = 0; i < 4 * block; i += 4 * STEP)
    if (mprotect (pieces + i + page, 4 * STEP - 2 * page, RWX) == 0)
      memset (pieces + i + page, 1, 4 * STEP - 2 * page);
  /* Little of the memory is used.  */
  char *sparse
      = mmap (NULL, 8 * block, RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < 8 * block; i += 4 * page)
    sparse[i] = 1;
  /* All of the memory is used before it becomes code.  */
  char *bulk = mmap (NULL, 16 * block, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  /* Use prctl to get small pages.  Do not use madvise, because khugepaged
     would make advised memory huge by itself.  */
  prctl (PR_SET_THP_DISABLE, 1, 0, 0, 0);
  memset (bulk, 0xcc, 16 * block);
  prctl (PR_SET_THP_DISABLE, 0, 0, 0, 0);
  mprotect (bulk, 16 * block, PROT_READ | PROT_EXEC);
  for (int i = 0; i < 200; ++i)
    {
      usleep (1000);
      call_something (NULL);
    }
  printf ("huge pieces %zu\nhuge sparse %zu\nhuge bulk %zu\n",
          huge_at (pieces, 4 * block), huge_at (sparse, 8 * block),
          huge_at (bulk, 16 * block));
}

/* Test that a block with a page that is written again and again is not made
   huge each time.  */
static void
do_patch (size_t wanted)
{
  char *code = reserve (16 * block);
  grow (code, 0, wanted * block + STEP);
  mprotect (code, wanted * block + STEP, PROT_READ | PROT_EXEC);
  size_t made = 0, was = huge_at (code, block);
  for (int i = 0; i < 300; ++i)
    {
      mprotect (code + page, page, PROT_READ | PROT_WRITE);
      fill (code + page, page, 1);
      mprotect (code + page, page, PROT_READ | PROT_EXEC);
      size_t is = huge_at (code, block);
      made += is > was;
      was = is;
    }
  printf ("huge again %zu\nwrong %zu\n", made,
          wrong (code, wanted * block, 0));
}

static void
say (const char *what, bool failed)
{
  printf ("%s: %s\n", what, failed ? error_name (errno) : "works");
  errno = 0;
}

/* Make code of several kinds, without waiting for huge blocks: chance decides
   which blocks are huge at the end.  */
static void
do_some (size_t wanted)
{
  (void) wanted;
  char *code = reserve (8 * block + page);
  char *start = (char *) (((uintptr_t) code + block - 1) & -block);
  grow (start, 0, 2 * block + STEP);
  int fd = memfd_create ("code", MFD_CLOEXEC);
  if (fd < 0 || ftruncate (fd, 4 * block) != 0)
    fail ("memfd");
  char *shared
      = mmap (NULL, 4 * block, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
  char *data
      = mmap (NULL, 4 * block, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared == MAP_FAILED || data == MAP_FAILED)
    fail ("mmap");
  fill (data, block, 0);
  for (int i = 0; i < 4; ++i)
    {
      usleep (8000);
      call_something (NULL);
    }
  mprotect (start, 2 * block, PROT_READ | PROT_EXEC);
  madvise (start + block, page, MADV_DONTNEED);
  fill (data, block, 0);
  errno = 0;
  printf ("wrong %zu %zu\n", wrong (start, block, 0),
          wrong (shared, block, 0));
  printf ("huge some %zu\n", huge (0, UINTPTR_MAX));
  munmap (code, 8 * block + page);
  munmap (shared, 4 * block);
  munmap (data, 4 * block);
  close (fd);
  say ("errno", errno != 0);
}

static size_t errors;

static void *
run_thread (void *number)
{
  char *code = NULL;
  for (int i = 0; i < 6; ++i)
    {
      code = reserve (4 * block);
      grow (code, 0, 2 * block + STEP);
      __atomic_fetch_add (&errors, wrong (code, 2 * block, 0),
                          __ATOMIC_RELAXED);
      if ((uintptr_t) number % 2 == 0 || i < 5)
        munmap (code, 4 * block);
    }
  return code;
}

static void
do_threads (size_t wanted)
{
  pthread_t thread[8];
  (void) wanted;
  for (uintptr_t i = 0; i < 8; ++i)
    if (pthread_create (&thread[i], NULL, run_thread, (void *) i) != 0)
      fail ("pthread_create");
  /* Fork while other threads make blocks.  */
  for (int i = 0; i < 20; ++i)
    {
      pid_t pid = fork ();
      if (pid == 0)
        {
          char *code = reserve (4 * block);
          grow (code, 0, block + STEP);
          _exit (wrong (code, block, 0) != 0);
        }
      int status;
      if (pid < 0 || waitpid (pid, &status, 0) != pid || status != 0)
        ++errors;
    }
  void *kept[8];
  for (int i = 0; i < 8; ++i)
    pthread_join (thread[i], &kept[i]);
  printf ("wrong %zu\nhuge all %zu\n", errors, huge (0, UINTPTR_MAX));
  /* Test that blocks can still be made huge up to the cap.  Unmap the
     remaining blocks of the threads first, because the kernel may have split
     them at the forks.  */
  for (int i = 1; i < 8; i += 2)
    munmap (kept[i], 4 * block);
  char *code = reserve (16 * block);
  grow (code, 0, 8 * block + STEP);
  printf ("huge then %zu\n", huge (0, UINTPTR_MAX));
}

static void
do_fork (size_t wanted)
{
  char *code = reserve (16 * block);
  grow (code, 0, wanted * block + STEP);
  fflush (stdout);
  pid_t pid = fork ();
  if (pid == 0)
    {
      char *own = reserve (16 * block);
      grow (own, 0, wanted * block + STEP);
      printf ("huge child %zu\nwrong %zu\n", huge_at (own, 16 * block),
              wrong (own, wanted * block, 0)
                  + wrong (code, wanted * block, 0));
      munmap (code, 16 * block);
      char *more = reserve (16 * block);
      grow (more, 0, wanted * block + STEP);
      printf ("huge more %zu\n", huge_at (more, 16 * block));
      exit (0);
    }
  int status;
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    fail ("fork");
  printf ("child %d wrong %zu\n", status, wrong (code, wanted * block, 0));
}

/* Test that the program gets each error of its calls, and no other error.  */
static void
do_errors (size_t wanted)
{
  (void) wanted;
  char *code = reserve (16 * block);
  grow (code, 0, 2 * block + STEP);
  errno = 0;
  say ("errno", errno != 0);
  say ("mmap no length", mmap (NULL, 0, RWX, NOTHING, -1, 0) == MAP_FAILED);
  say ("mmap no file",
       mmap (NULL, page, PROT_EXEC, MAP_SHARED, 99, 0) == MAP_FAILED);
  say ("mmap odd",
       mmap (code + 1, page, RWX, NOTHING | MAP_FIXED, -1, 0) == MAP_FAILED);
  say ("mmap too much",
       mmap (NULL, UINTPTR_MAX - block, RWX, NOTHING, -1, 0) == MAP_FAILED);
  say ("mmap taken",
       mmap (code, page, RWX, NOTHING | MAP_FIXED_NOREPLACE, -1, 0)
           == MAP_FAILED);
  say ("munmap odd", munmap (code + 1, page) != 0);
  say ("munmap nothing", munmap (code, 0) != 0);
  say ("munmap too much", munmap (code, UINTPTR_MAX) != 0);
  say ("mprotect odd", mprotect (code + 1, page, PROT_READ) != 0);
  say ("mprotect hole", mprotect (NULL, page, PROT_EXEC) != 0);
  say ("mprotect bad", mprotect (code, page, 0x100) != 0);
  say ("mprotect nothing", mprotect (code, 0, PROT_EXEC) != 0);
  say ("pkey -1", pkey_mprotect (code, page, RWX, -1) != 0);
  say ("mremap odd", mremap (code + 1, page, page, 0) == MAP_FAILED);
  say ("mremap flags", mremap (code, page, page, 64) == MAP_FAILED);
  say ("mremap over",
       mremap (code, page, page, MREMAP_FIXED | MREMAP_MAYMOVE, code)
           == MAP_FAILED);
  say ("madvise bad", madvise (code, page, 9999) != 0);
  say ("madvise hole", madvise (NULL, page, MADV_DONTNEED) != 0);
  printf ("wrong %zu\n", wrong (code, 2 * block, 0));
}

/* The calls that the filter of do_filter allows: those of the program
   itself.  */
static const int allowed[] = { SYS_mmap,  SYS_mprotect,   SYS_munmap,
                               SYS_write, SYS_exit_group, SYS_rt_sigreturn };

/* Calls that neither a start with the stock loader nor malloc makes.  A filter
   may therefore kill a process that makes such calls during its start.  */
static const int unusual[]
    = { SYS_mincore, SYS_getpid,       SYS_clock_gettime, SYS_process_vm_readv,
        SYS_ioctl,   SYS_memfd_create, SYS_prctl };

/* The functions by which a filter is installed.  */
static int (*call_prctl) (int option, ...) = prctl;
static long int (*call_syscall) (long int number, ...) = syscall;

/* Find these functions by dlsym: prctl in libc, because some runtimes find
   functions of libc by name; syscall in the objects after this program.  */
static void
find_functions (void)
{
  void *libc = dlopen (LIBC_SO, RTLD_LAZY);
  if (libc == NULL)
    fail ("dlopen");
  *(void **) &call_prctl = dlsym (libc, "prctl");
  *(void **) &call_syscall = dlsym (RTLD_NEXT, "syscall");
  if (call_prctl == NULL || call_syscall == NULL)
    fail ("dlsym");
}

/* Install a filter.  If KILLS is true, it kills the process at the N calls in
   LIST, otherwise at all other calls.  If BY_PRCTL is true, install it by the
   function prctl, otherwise by the function syscall, with a higher bit set in
   the operation, of which the kernel uses only the low 32 bits.  */
static void
filter (const int list[], size_t n, bool kills, bool by_prctl)
{
  struct sock_filter code[FILTER_MAX + 3];
  size_t k = filter_fill (
      code, list, n, kills ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ALLOW,
      kills ? SECCOMP_RET_ALLOW : SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog program = { k, code };
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || (by_prctl
              ? call_prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
              : call_syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER | 1L << 32,
                              0, &program))
             != 0)
    fail ("seccomp");
}

/* Install a filter while the program executes code that it has made at run
   time.  If WANTED is odd, install it by prctl, otherwise by syscall.  If
   WANTED is 2 or more, find these functions by dlsym.  */
static void
do_filter (size_t wanted)
{
  if (wanted >= 2)
    find_functions ();
  char *code = reserve (16 * block + page);
  grow (code, 0, 2 * block + STEP);
  printf ("huge before %zu\n", huge_at (code, 16 * block));
  fflush (stdout);
  filter (allowed, sizeof allowed / sizeof *allowed, false, wanted % 2 == 1);
  grow (code, 2 * block + STEP, 5 * block);
  mprotect (code, 2 * block, PROT_READ | PROT_EXEC);
  munmap (code + block, block);
  char answer[] = "wrong 0\n";
  answer[6] += wrong (code, block, 0) != 0;
  if (write (1, answer, sizeof answer - 1) < 0)
    _exit (1);
  reserve (8 * block + page);
  syscall (SYS_exit_group, 0);
}

static sigjmp_buf start_again;
static volatile int inside, left_calls, leaving = 1;

static void
leave (int signal)
{
  (void) signal;
  if (!inside)
    return;
  inside = 0;
  ++left_calls;
  siglongjmp (start_again, 1);
}

/* Make code again and again, while a signal handler jumps out of the calls
   that make it.  */
static void *
make_and_leave (void *closure)
{
  char *volatile code = NULL;
  while (leaving)
    {
      if (sigsetjmp (start_again, 1) == 0)
        {
          code = reserve (8 * block);
          inside = 1;
          grow (code, 0, 4 * block);
          for (int i = 0; i < 50 && leaving; ++i)
            mprotect (code, 4 * block, RWX);
        }
      inside = 0;
      munmap (code, 8 * block);
    }
  return closure;
}

/* Test that a handler that jumps out of a call has no lasting effect: later
   blocks become huge, and a filter is installed at once.  */
static void
do_leave (size_t wanted)
{
  pthread_t thread;
  signal (SIGUSR1, leave);
  if (pthread_create (&thread, NULL, make_and_leave, NULL) != 0)
    fail ("pthread_create");
  for (double end = seconds () + 3; left_calls < 200 && seconds () < end;)
    {
      pthread_kill (thread, SIGUSR1);
      usleep (300);
    }
  leaving = 0;
  pthread_join (thread, NULL);
  char *code = reserve (16 * block);
  grow (code, 0, wanted * block + STEP);
  await (code, 16 * block, wanted, call_something);
  printf ("calls left: %d\n", left_calls > 0);
  printf ("huge later %zu\n", huge_at (code, 16 * block));
  for (int i = 0; i < 2; ++i)
    {
      double begin = seconds ();
      filter (NULL, 0, true, true);
      printf ("a filter takes seconds: %d\n", seconds () - begin > 1);
    }
}

#ifdef __x86_64__
static unsigned int steps_left;

/* Let STEPS_LEFT instructions of munmap run, and then jump out of munmap.  If
   munmap comes to its system call before that, let it run to its end.  */
static void
step (int signal, siginfo_t *info, void *closure)
{
  (void) signal;
  (void) info;
  ucontext_t *context = closure;
  const unsigned char *rip
      = (const unsigned char *) context->uc_mcontext.gregs[REG_RIP];
  if (rip[0] == 0x0f && rip[1] == 0x05)
    context->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
  else if (--steps_left == 0)
    siglongjmp (start_again, 1);
}

/* Call munmap, and let the handler jump out of the call after N instructions.
   Return true if the handler has jumped out of the call.  */
static bool
unmap_and_leave (char *code, size_t length, unsigned int n)
{
  steps_left = n;
  if (sigsetjmp (start_again, 1) != 0)
    return true;
  asm volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
  munmap (code, length);
  asm volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
  return false;
}

/* A handler jumps out of munmap after one instruction, after two, and so on up
   to the system call.  The cap allows WANTED blocks.  Test that after each
   jump WANTED blocks can become huge again.  */
static void
do_step (size_t wanted)
{
  const struct sigaction action
      = { .sa_sigaction = step, .sa_flags = SA_SIGINFO };
  const size_t length = 16 * block;
  size_t least = wanted;
  bool left = true;
  sigaction (SIGTRAP, &action, NULL);
  /* Call munmap once before the test, because at the first call the loader
     looks the function up.  */
  munmap (reserve (length), length);
  for (unsigned int n = 1; left && n < 5000; n += 1 + n / 400)
    {
      char *code = reserve (length);
      grow (code, 0, wanted * block + STEP);
      const size_t made = huge_at (code, length);
      least = made < least ? made : least;
      left = unmap_and_leave (code, length, n);
      munmap (code, length);
    }
  printf ("interrupted at each instruction of munmap: %d\n", !left);
  printf ("huge stepped %zu\n", least);
}
#endif

/* Test that a filter that a child of vfork installs does not affect the
   parent, although the child shares its memory.  */
static void
do_vfork (size_t wanted)
{
  size_t length = 16 * block, end = wanted * block;
  char *code = reserve (length);
  grow (code, 0, end + STEP);
  printf ("huge before %zu\n", huge_at (code, length));
  fflush (stdout);
  for (int i = 0; i < 3; ++i)
    {
      int status = -1;
      pid_t child = vfork ();
      if (child == 0)
        {
          filter (NULL, 0, true, i % 2);
          _exit (0);
        }
      waitpid (child, &status, 0);
      printf ("child %d\n", status);
    }
  grow (code, end + STEP, 2 * end + STEP);
  printf ("huge after %zu\n", huge_at (code, length));
}

static void
count_frames (int signal)
{
  void *frame[64];
  int n = backtrace (frame, 64);
  printf ("signal %d, %d frames\n", signal, n);
  fflush (stdout);
}

static long int __attribute__ ((noinline)) sleep_deeply (int depth)
{
  struct timespec time = { 10, 0 };
  if (depth == 0)
    return syscall (SYS_nanosleep, &time, NULL);
  long int result = sleep_deeply (depth - 1);
  __asm__ volatile("" : : : "memory");
  return result;
}

/* Test a signal handler that runs, and makes a backtrace, during a call that
   the code object passes on.  */
static void
do_backtrace (size_t wanted)
{
  (void) wanted;
  struct itimerval timer = { .it_value = { 0, 100000 } };
  signal (SIGALRM, count_frames);
  setitimer (ITIMER_REAL, &timer, NULL);
  printf ("sleep %ld\n", sleep_deeply (5));
}

/* Start this program again under a filter.  */
static void
do_filtered (size_t wanted)
{
  char *const words[] = { "code", wanted == 1 ? "grow" : "some", "3", NULL };
  fflush (stdout);
  filter (unusual, sizeof unusual / sizeof *unusual - (wanted != 1) * 2, true,
          false);
  execv ("/proc/self/exe", words);
  fail ("execv");
}

/* Test results of syscall (2): with seven arguments, and errors.  */
static void
do_syscalls (size_t wanted)
{
  (void) wanted;
  errno = 0;
  long int result = syscall (SYS_mmap, 0, page, PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
  printf ("mmap %d\n", result > 0);
  say ("syscall", syscall (SYS_munmap, result + 1, page) == -1);
  say ("number", syscall (9999) == -1);
  say ("close", syscall (SYS_close, 99) == -1);
  say ("prctl", prctl (PR_SET_NAME, "name", 0, 0, 0) != 0);
  char name[16] = "";
  prctl (PR_GET_NAME, name, 0, 0, 0);
  puts (name);
  say ("prctl", prctl (-1, 0, 0, 0, 0) != 0);
  say ("action", syscall (SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0,
                          &(uint32_t){ SECCOMP_RET_ALLOW })
                     != 0);
  /* The call of SYS_seccomp installs no filter, so blocks still become
     huge.  */
  do_grow (2);
}

static int
print_object (struct dl_phdr_info *info, size_t size, void *closure)
{
  (void) size;
  (void) closure;
  const char *name = strrchr (info->dlpi_name, '/');
  if (name != NULL)
    printf ("huge object%s 0\n", name);
  return 0;
}

/* Print the environment that the program and its child see, and the loaded
   objects.  */
static void
do_environ (size_t wanted)
{
  extern char **environ;
  char text[65536];
  (void) wanted;
  for (char **e = environ; *e != NULL; ++e)
    if (strncmp (*e, "GLIBC_TUNABLES=", 15) != 0)
      puts (*e);
  FILE *stream = fopen ("/proc/self/environ", "re");
  size_t n = fread (text, 1, sizeof text, stream);
  for (size_t i = 0; i < n; i += strlen (text + i) + 1)
    if (strncmp (text + i, "GLIBC_TUNABLES=", 15) != 0)
      printf ("%s\n", text + i);
  fflush (stdout);
  if (system ("env | grep -v '^GLIBC_TUNABLES=' | sort") != 0)
    fail ("env");
  dl_iterate_phdr (print_object, NULL);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*run) (size_t wanted);
  } verbs[] = { { "place", do_place },       { "grow", do_grow },
                { "change", do_change },     { "toggle", do_toggle },
                { "memfd", do_memfd },       { "nothing", do_nothing },
                { "patch", do_patch },       { "threads", do_threads },
                { "fork", do_fork },         { "errors", do_errors },
                { "filter", do_filter },     { "filtered", do_filtered },
                { "vfork", do_vfork },       { "backtrace", do_backtrace },
                { "syscalls", do_syscalls }, { "some", do_some },
                { "environ", do_environ },   { "stack", do_stack },
#ifdef __x86_64__
                { "step", do_step },
#endif
                { "leave", do_leave } };
  page = sysconf (_SC_PAGESIZE);
  block = page / 8 * page;
  for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; ++i)
    if (strcmp (argv[1], verbs[i].name) == 0)
      {
        verbs[i].run (argc > 2 ? atoi (argv[2]) : 0);
        return 0;
      }
  fputs ("usage: code VERB [WANTED]\n", stderr);
  return 2;
}
