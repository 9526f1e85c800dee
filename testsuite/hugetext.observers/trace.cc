/* Crash in a function below another one, with the traces of glog.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <csignal>
#include <glog/logging.h>

extern "C"
{
  int big_text ();

  __attribute__ ((noinline)) int
  inner_frame (int crash)
  {
    if (crash)
      raise (SIGSEGV);
    return crash + 1;
  }

  __attribute__ ((noinline)) int
  outer_frame (int crash)
  {
    return inner_frame (crash) + 1;
  }
}

int
main (int, char **argv)
{
  google::InitGoogleLogging (argv[0]);
  google::InstallFailureSignalHandler ();
  return outer_frame (big_text () + 1);
}
