/* A library that throws, and calls back, in the middle of its text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdexcept>

/* Destroyed on the way out: its landing pad is in this text.  */
struct guard
{
  int *count;
  ~guard () { ++*count; }
};

int
throw_through (int depth, void (*callback) (int), int *count)
{
  guard g = { count };
  if (depth == 0)
    throw std::runtime_error ("from a library");
  try
    {
      callback (depth - 1);
    }
  catch (const std::logic_error &)
    {
      return -1;
    }
  return depth;
}
