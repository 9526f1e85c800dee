/* Threads that notice disturbances: a sleep that is too short, a call that
   fails, a register or a signal mask that has changed, bytes out of order.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tracee-victim KINDS: a letter for each thread; the first is the main thread
     n  nanosleep           f  futex with a timeout    p  poll
     r  read from a pipe, to which another thread writes
     s  sigsuspend and ppoll, which a signal ends
     c  a loop that checks registers (x86-64)
   Prints its process ID, and works until SIGUSR2.  Then prints "ok" and the
   number of rounds of each kind of thread.  If something is wrong, prints
   what it is, and ends with SIGABRT.  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char letters[] = "nfprsc";
static atomic_long rounds[sizeof letters];
static volatile sig_atomic_t got;
static int ends[2];

static void
wrong (const char *what)
{
  fprintf (stderr, "%s (errno %d)\n", what, errno);
  abort ();
}

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void
do_nanosleep (void)
{
  double start = now ();
  if (syscall (SYS_nanosleep, &(struct timespec){ 0, 20000000 }, NULL) != 0)
    wrong ("nanosleep fails");
  if (now () - start < 0.02)
    wrong ("nanosleep is short");
}

static void
do_futex (void)
{
  static int word;
  double start = now ();
  if (syscall (SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0,
               &(struct timespec){ 0, 15000000 }, NULL, 0)
          != -1
      || errno != ETIMEDOUT)
    wrong ("futex fails");
  if (now () - start < 0.015)
    wrong ("futex is short");
}

static void
do_poll (void)
{
  double start = now ();
  if (poll (NULL, 0, 10) != 0)
    wrong ("poll fails");
  if (now () - start < 0.0099)
    wrong ("poll is short");
}

static void
do_read (void)
{
  static unsigned char want;
  unsigned char byte;
  if (read (ends[0], &byte, 1) != 1 || byte != want++)
    wrong ("a byte is lost");
}

static void *
write_bytes (void *closure)
{
  for (unsigned char byte = 0;; ++byte)
    {
      if (write (ends[1], &byte, 1) != 1)
        wrong ("write fails");
      usleep (700);
    }
  return closure;
}

static void
count (int signal)
{
  (void) signal;
  ++got;
}

static void
do_signals (void)
{
  sigset_t blocked, waiting;
  timer_t timer;
  struct sigevent event
      = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
  event._sigev_un._tid = syscall (SYS_gettid);
  sigfillset (&waiting);
  sigdelset (&waiting, SIGUSR1);
  sigdelset (&waiting, SIGUSR2);
  sigdelset (&waiting, SIGABRT);

  got = 0;
  pthread_kill (pthread_self (), SIGUSR1);
  if (sigsuspend (&waiting) != -1 || errno != EINTR || got != 1)
    wrong ("sigsuspend");
  got = 0;
  if (timer_create (CLOCK_MONOTONIC, &event, &timer) != 0
      || timer_settime (timer, 0,
                        &(struct itimerspec){ .it_value = { 0, 5000000 } },
                        NULL)
             != 0)
    wrong ("no timer");
  if (ppoll (NULL, 0, NULL, &waiting) != -1 || errno != EINTR || got != 1)
    wrong ("ppoll");
  timer_delete (timer);
  pthread_sigmask (SIG_BLOCK, NULL, &blocked);
  if (!sigismember (&blocked, SIGUSR1) || sigismember (&blocked, SIGHUP))
    wrong ("after ppoll, the thread has another signal mask");
}

static void
do_registers (void)
{
#ifdef __x86_64__
  unsigned long bad;
  asm volatile("mov $0x1111, %%rax; mov $0x2222, %%rcx; mov $0x3333, %%rdx\n"
               "mov $0x4444, %%rsi; mov $0x5555, %%rdi; mov $0x6666, %%r8\n"
               "mov $0x7777, %%r9; mov $0x8888, %%r10; mov $0x9999, %%r11\n"
               "movq %%rax, %%xmm5; mov $20000, %%r13; stc\n"
               /* The carry flag stays set, because dec does not change it.  */
               "1: jnc 9f; dec %%r13; jnz 1b; jnc 9f\n"
               "cmp $0x1111, %%rax; jne 9f; cmp $0x2222, %%rcx; jne 9f\n"
               "cmp $0x3333, %%rdx; jne 9f; cmp $0x4444, %%rsi; jne 9f\n"
               "cmp $0x5555, %%rdi; jne 9f; cmp $0x6666, %%r8; jne 9f\n"
               "cmp $0x7777, %%r9; jne 9f; cmp $0x8888, %%r10; jne 9f\n"
               "cmp $0x9999, %%r11; jne 9f; movq %%xmm5, %%rax\n"
               "cmp $0x1111, %%rax; jne 9f; mov $0, %0; jmp 8f\n"
               "9: mov $1, %0\n8:"
               : "=&b"(bad)
               :
               : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
                 "r13", "xmm5", "cc", "memory");
  if (bad)
    wrong ("registers have changed");
#else
  usleep (1000);
#endif
}

/* All threads pass this barrier before the first thread prints the process
   ID.  */
static pthread_barrier_t begun;
static const char *first;

static void *
work (void *letter)
{
  static void (*const all[]) (void)
      = { do_nanosleep, do_futex, do_poll, do_read, do_signals, do_registers };
  size_t i = strchr (letters, *(char *) letter) - letters;
  sigset_t set;
  pthread_t thread;
  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  if (all[i] == do_read
      && (pipe (ends) != 0
          || pthread_create (&thread, NULL, write_bytes, NULL) != 0))
    wrong ("no pipe");
  pthread_barrier_wait (&begun);
  if (letter == first)
    {
      printf ("%d\n", (int) getpid ());
      fflush (stdout);
    }
  for (;; ++rounds[i])
    all[i]();
  return NULL;
}

static void
finish (int signal)
{
  char text[256];
  (void) signal;
  int length = snprintf (text, sizeof text, "ok");
  for (size_t i = 0; letters[i] != '\0'; ++i)
    length += snprintf (text + length, sizeof text - length, " %c %ld",
                        letters[i], rounds[i]);
  text[length++] = '\n';
  _exit (write (1, text, length) != length);
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  if (argc != 2 || argv[1][0] == '\0'
      || argv[1][strspn (argv[1], letters)] != '\0')
    return 2;
  first = argv[1];
  pthread_barrier_init (&begun, NULL, strlen (first));
  signal (SIGUSR1, count);
  sigaction (
      SIGUSR2,
      &(struct sigaction){ .sa_handler = finish, .sa_flags = SA_RESTART },
      NULL);
  for (char *letter = argv[1] + 1; *letter != '\0'; ++letter)
    if (pthread_create (&thread, NULL, work, letter) != 0)
      wrong ("no thread");
  work (argv[1]);
  return 1;
}
