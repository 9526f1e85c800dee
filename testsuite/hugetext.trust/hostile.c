/* A process of a user who wants to harm who looks at it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: hostile ATTACK DIRECTORY
   Prepares ATTACK with DIRECTORY/lib.so, an ELF file, creates DIRECTORY/ready
   and goes on for a minute, or until it is killed.  */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void __attribute__ ((noreturn))
fail (const char *what)
{
  perror (what);
  exit (1);
}

static void
create (const char *file)
{
  int fd = open (file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0)
    fail (file);
  close (fd);
}

/* Map the first SIZE bytes of FILE, or all of it if that is 0, as text.  */
static char *
map_text (const char *file, size_t size)
{
  struct stat status;
  int fd = open (file, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat (fd, &status) != 0)
    fail (file);
  char *map = mmap (NULL, size != 0 ? size : (size_t)status.st_size,
                    PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  if (map == MAP_FAILED)
    fail ("mmap");
  close (fd);
  return map;
}

/* Have a child wait until somebody opens FIFO to read it, and then create
   "opened".  */
static void
watch_fifo (const char *fifo)
{
  if (mkfifo (fifo, 0666) != 0)
    fail (fifo);
  if (fork () != 0)
    return;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (open (fifo, O_WRONLY | O_CLOEXEC) >= 0)
    create ("opened");
  _exit (0);
}

/* What is mapped has been replaced by what must not be opened.  */
static void
fifo (void)
{
  map_text ("lib.so", 0);
  unlink ("lib.so");
  watch_fifo ("lib.so");
}

/* The same through a symbolic link.  */
static void
link_to_fifo (void)
{
  map_text ("lib.so", 0);
  unlink ("lib.so");
  watch_fifo ("fifo");
  if (symlink ("fifo", "lib.so") != 0)
    fail ("symlink");
}

static const struct
{
  const char *name;
  void (*prepare) (void);
} attacks[] = {
  { "fifo", fifo },
  { "link", link_to_fifo },
};

int
main (int argc, char **argv)
{
  if (argc != 3 || chdir (argv[2]) != 0)
    fail ("usage");
  for (size_t i = 0; i < sizeof attacks / sizeof attacks[0]; i++)
    if (strcmp (attacks[i].name, argv[1]) == 0)
      {
        attacks[i].prepare ();
        create ("ready");
        sleep (60);
        return 0;
      }
  fail (argv[1]);
}
