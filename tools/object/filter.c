/* Test whether ld-hugetext.so works under the seccomp filters of this process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   By default the loader makes only system calls that the stock loader also
   makes, because the kernel does not say what a filter allows, and a filter
   may kill a process because of any flag of a system call.  With the setting
   "hugetext = on+prctl" the loader makes further system calls, which the usual
   seccomp filter of a container allows.  To test a filter, a child process
   makes all system calls that copies need.  If the filter forbids one of the
   child's system calls, the kernel kills the child.  */

#include "object/filter.h"
#include "host/process.h"
#include "object/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: execute the command PROGRAM under LOADER, with settings that
   allow copies of text.  The settings choose a backing, because with the
   default backing the loader does not copy the text of a small program such as
   PROGRAM.  */
static void __attribute__ ((noreturn))
object_filter_execute_program (const char *loader, const char *program)
{
  static const struct rlimit none = { 0, 0 };
  struct settings settings = { 0 };
  settings.given[SETTING_MODE] = settings.given[SETTING_BACKING] = true;
  settings.value[SETTING_MODE] = SETTINGS_TEXT | SETTINGS_PRCTL;
  settings.value[SETTING_BACKING] = HUGETEXT_THP;
  char *tunables = settings_merge (&settings, NULL);
  const int nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);
  setrlimit (RLIMIT_CORE, &none);
  if (tunables != NULL && setenv ("GLIBC_TUNABLES", tunables, 1) == 0
      && dup2 (nothing, STDOUT_FILENO) >= 0
      && dup2 (nothing, STDERR_FILENO) >= 0)
    execl (loader, loader, program, "--version", NULL);
  _exit (127);
}

bool
filter_allows (const char *loader)
{
  char program[PATH_MAX];
  int status;
  if (!process_is_filtered (0))
    return false;
  const ssize_t length
      = readlink ("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0)
    return false;
  program[length] = '\0';
  const pid_t pid = fork ();
  if (pid == 0)
    object_filter_execute_program (loader, program);
  pid_t ended = 0;
  /* If fork has failed, do not wait: waiting for PID -1 would wait for any
     other child.  */
  while (pid > 0 && (ended = waitpid (pid, &status, 0)) < 0 && errno == EINTR)
    continue;
  return pid > 0 && ended == pid && status == 0;
}
