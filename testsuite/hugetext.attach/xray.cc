/* A program whose functions are patched by XRay, on and off.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   xray READY [LIBRARY]

   While functions are patched, XRay calls a handler for each of their calls,
   so a lost patch shows as a call that the handler does not see, or as one that
   it sees when nothing is patched any more.  Two other threads call the
   functions all the time; at each SIGUSR1 all functions are patched and
   unpatched some times.  Text by text.S lies behind them, so that they share a
   huge page with it.  The program ends on SIGTERM with "ok" and the number of
   patches.  */

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <xray/xray_interface.h>

extern "C" const char main_text[];

namespace
{
std::atomic<long> seen, patches;
std::atomic<bool> stop;
volatile sig_atomic_t asked;
thread_local bool counted;

[[clang::xray_never_instrument]] void
handle (int32_t, XRayEntryType type)
{
  if (counted && type == XRayEntryType::ENTRY)
    seen.fetch_add (1);
}

[[clang::xray_never_instrument]] void
on_user (int)
{
  ++asked;
}

[[clang::xray_never_instrument]] void
on_term (int)
{
  stop = true;
}

[[clang::xray_never_instrument]] void
fail (const char *what, long wanted, long had)
{
  std::printf ("wrong: %s: %ld calls, %ld seen\n", what, wanted, had);
  std::fflush (stdout);
  _exit (1);
}
}

/* Functions that call one another, each with two sleds.  */
#define FUNCTION(N)                                                    \
  [[clang::xray_always_instrument]] __attribute__ ((noinline)) int f##N \
    (int x)                                                             \
  {                                                                     \
    asm volatile ("");                                                  \
    return x + N;                                                       \
  }
#define TEN(N)                                                         \
  FUNCTION (N##0) FUNCTION (N##1) FUNCTION (N##2) FUNCTION (N##3)       \
  FUNCTION (N##4) FUNCTION (N##5) FUNCTION (N##6) FUNCTION (N##7)       \
  FUNCTION (N##8) FUNCTION (N##9)
TEN (1)
TEN (2)
TEN (3)
TEN (4)
#define NAMES(N) f##N##0, f##N##1, f##N##2, f##N##3, f##N##4, f##N##5, \
                 f##N##6, f##N##7, f##N##8, f##N##9
static int (*const functions[]) (int) = { NAMES (1), NAMES (2), NAMES (3),
                                          NAMES (4) };
static const int count = sizeof functions / sizeof *functions;

/* Call all functions, and return the number of calls that XRay has seen.  */
[[clang::xray_never_instrument]] static long
call_all ()
{
  counted = true;
  const long before = seen;
  for (int i = 0; i < count; ++i)
    if (functions[i](1) < 10)
      std::abort ();
  counted = false;
  return seen - before;
}

/* Call all functions without a count.  */
[[clang::xray_never_instrument]] static void
call_often ()
{
  while (!stop)
    {
      for (int i = 0; i < count; ++i)
        functions[i](2);
      usleep (50);
    }
}

[[clang::xray_never_instrument]] static void
patch_all ()
{
  usleep (std::rand () % 20000);
  for (int i = 0; i < 8; ++i)
    {
      __xray_patch ();
      long had = call_all ();
      if (had != count)
        fail ("patched", count, had);
      usleep (std::rand () % 3000);
      __xray_unpatch ();
      had = call_all ();
      if (had != 0)
        fail ("unpatched", count, had);
      patches += 2;
      usleep (std::rand () % 3000);
    }
}

[[clang::xray_never_instrument]] int
main (int argc, char **argv)
{
  if (argc < 2 || main_text[0] == 0)
    return 2;
  std::signal (SIGUSR1, on_user);
  std::signal (SIGTERM, on_term);
  __xray_set_handler (handle);
  std::thread first (call_often), second (call_often);
  std::FILE *ready = std::fopen (argv[1], "w");
  if (ready == nullptr
      || std::fprintf (ready, "%d\n", static_cast<int> (getpid ())) < 0
      || std::fclose (ready) != 0)
    return 2;
  for (int done = 0; !stop;)
    if (done < asked)
      {
        ++done;
        patch_all ();
      }
    else
      usleep (500);
  first.join ();
  second.join ();
  std::printf ("ok %ld\n", patches.load ());
  return 0;
}
