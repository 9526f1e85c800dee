/* C++ exceptions and backtraces through text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <cstdio>
#include <cstring>
#include <execinfo.h>
#include <stdexcept>
#include <unwind.h>

int throw_through (int depth, void (*callback) (int), int *count);

static int count;
static int frames;

static _Unwind_Reason_Code
count_frame (struct _Unwind_Context *, void *)
{
  ++frames;
  return _URC_NO_REASON;
}

static void
callback (int depth)
{
  void *addresses[64];
  if (depth == 5)
    {
      std::printf ("backtrace: %d\n", backtrace (addresses, 64));
      _Unwind_Backtrace (count_frame, nullptr);
      std::printf ("frames: %d\n", frames);
    }
  throw_through (depth, callback, &count);
}

int
main ()
{
  for (int i = 0; i < 1000; ++i)
    try
      {
        throw_through (i == 0 ? 10 : 3, callback, &count);
      }
    catch (const std::runtime_error &error)
      {
        if (std::strcmp (error.what (), "from a library") != 0)
          return 1;
      }
  std::printf ("destroyed: %d\n", count);
}
