/* The rights and limits that a program started from here inherits.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "doctor/start.h"
#include "host/machine.h"

#include <dl-hugetext-limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Linux 6.3, from <linux/prctl.h>; not in the headers of Debian 12.  */
#ifndef PR_GET_MDWE
#  define PR_GET_MDWE 66
#  define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

/* The result of a trial, as an exit status.  */
enum
{
  TRIED_ANONYMOUS = 1,
  TRIED_FILE = 2,
  TRIED_MDWE = 4,
};

/* Whether memory that was writable may become executable; true if the trial is
   not possible.  */
static bool
may_protect (void)
{
  void *page = mmap (NULL, getpagesize (), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return (page == MAP_FAILED
          || mprotect (page, getpagesize (), PROT_READ | PROT_EXEC) == 0);
}

/* Whether a memory file may be mapped executable.  */
static bool
may_map_file (void)
{
  int fd = memfd_create ("ld-hugetext", MFD_CLOEXEC);
  return (
      fd >= 0
      && mmap (NULL, getpagesize (), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0)
             != MAP_FAILED);
}

/* Try in a child which memory may become executable.  Under a filter the
   loader uses no memory file.  Return -1 if the child was killed for the
   trial.  */
static int
try_text (bool filtered)
{
  int status;
  fflush (NULL);
  pid_t pid = fork ();
  if (pid == 0)
    {
      int tried = may_protect () ? TRIED_ANONYMOUS | TRIED_FILE : 0;
      if (tried == 0 && !filtered)
        {
          int mdwe = prctl (PR_GET_MDWE, 0, 0, 0, 0);
          if (mdwe > 0 && (mdwe & PR_MDWE_REFUSE_EXEC_GAIN) != 0)
            tried |= TRIED_MDWE;
          if (may_map_file ())
            tried |= TRIED_FILE;
        }
      _exit (tried);
    }
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    return TRIED_ANONYMOUS | TRIED_FILE;
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

const struct start *
start_look (void)
{
  static struct start start;
  static bool looked;
  if (looked)
    return &start;
  looked = true;
  start.filtered = machine_field ("/proc/self/status", "Seccomp:") > 0;
  start.no_slack = _dl_hugetext_space_limited ();
  int tried = try_text (start.filtered);
  start.killed = tried < 0;
  tried = start.killed ? 0 : tried;
  start.anonymous_text = (tried & TRIED_ANONYMOUS) != 0;
  start.file_text = (tried & TRIED_FILE) != 0;
  if ((tried & TRIED_MDWE) != 0)
    {
      start.refusal = "MDWE";
      start.remedy = "MemoryDenyWriteExecute=no";
    }
  else if (start.filtered)
    {
      start.refusal = start.killed ? "a filter (seccomp) kills who tries"
                                   : "a filter (seccomp), as of systemd's"
                                     " MemoryDenyWriteExecute=";
      start.remedy = "MemoryDenyWriteExecute=no";
    }
  else
    {
      start.refusal = "a security module, as SELinux";
      start.remedy = "allow execmem";
    }
  return &start;
}

bool
start_may_copy (const struct start *start)
{
  return start->anonymous_text || (start->file_text && !start->filtered);
}
