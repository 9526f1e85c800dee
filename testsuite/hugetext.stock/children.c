/* fork and vfork with text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   children NAME
   The program is linked with the object NAME.  The parent writes a record
   "parent" (facts.h), and the child of fork a record "child".  The child of
   vfork executes this program again.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facts.h"
#include "text.h"

/* Wait for the child PID and print its status.  */
static void
reap (const char *what, pid_t pid)
{
  int status;
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    exit (1);
  printf ("%s: status %d\n", what, status);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  const char *name = argv[1];
  if (argc == 3)
    {
      printf ("after vfork: %d wrong results\n",
              text_call (RTLD_DEFAULT, name));
      return 0;
    }

  pid_t pid = fork ();
  if (pid == 0)
    {
      hugetext_facts ("child");
      /* Write to the data of the object, and call its functions.  */
      text_use (RTLD_DEFAULT, name, 0);
      exit (0);
    }
  reap ("fork", pid);
  hugetext_facts ("parent");
  text_use (RTLD_DEFAULT, name, 0);
  fflush (stdout);

  /* Execute this program by its name, because /proc/self/exe may be the
     loader.  */
  char *again[] = { argv[0], argv[1], (char *) "again", NULL };
  pid = vfork ();
  if (pid == 0)
    {
      execv (again[0], again);
      _exit (127);
    }
  reap ("vfork", pid);
  return 0;
}
