/* Stuck readers: processes that read for root, and that the kernel keeps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The file of notes has a line for each: the reader, its start in ticks since
   the boot, the process that keeps it, and whose that one is.  Only root can
   open the file.  A note holds as long as the reader waits in the kernel.  */

#include "host/stuck.h"
#include "host/machine.h"
#include "util/allocate.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Gone at the next boot, as the readers are.  */
#define PATH "/run/hugetext-stuck"

struct note
{
  pid_t reader;
  unsigned long long start;
  pid_t pid;
  uid_t owner;
};

static struct
{
  struct note *list;
  size_t count;
  bool read;
} notes;

/* Set START to that of process PID.  Return its state, '?' if there is no such
   process.  The name is this command's, without parentheses.  */
static char
read_state (pid_t pid, unsigned long long *start)
{
  char path[64], state = '?';
  snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
  FILE *file = fopen (path, "re");
  if (file == NULL)
    return '?';
  if (fscanf (file,
              "%*d (%*[^)]) %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u"
              " %*u %*d %*d %*d %*d %*d %*d %llu",
              &state, start)
      != 2)
    state = '?';
  fclose (file);
  return state;
}

/* Whether NOTE's reader waits in the kernel.  */
static bool
holds (const struct note *note)
{
  unsigned long long start = 0;
  return read_state (note->reader, &start) == 'D' && start == note->start;
}

static void
add (const struct note *note)
{
  notes.list = allocate_more (notes.list, notes.count, sizeof *note);
  notes.list[notes.count++] = *note;
}

static void
print (int fd, const struct note *note)
{
  dprintf (fd, "%d %llu %d %u\n", (int) note->reader, note->start,
           (int) note->pid, (unsigned int) note->owner);
}

/* Open the file, with FLAGS and a lock.  Another command that has the lock is
   not waited for: a note that is missing costs another reader.  */
static int
open_locked (int flags)
{
  int fd = open (PATH, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0 || flock (fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  close (fd);
  return -1;
}

/* Add the notes in FILE that hold.  Return the number of the others.  */
static size_t
read_file (FILE *file)
{
  size_t old = 0;
  struct note note;
  int pid, reader;
  unsigned int owner;
  while (fscanf (file, "%d %llu %d %u", &reader, &note.start, &pid, &owner)
         == 4)
    {
      note.reader = reader;
      note.pid = pid;
      note.owner = owner;
      if (holds (&note))
        add (&note);
      else
        ++old;
    }
  return old;
}

/* Leave only the notes that hold in the file.  Other commands may have added
   some since it was read: it is read again, with the lock, before it is
   emptied.  */
static void
shorten (void)
{
  const int fd = open_locked (O_RDWR | O_APPEND);
  FILE *file = fd >= 0 ? fdopen (fd, "r+") : NULL;
  if (file == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  notes.count = 0;
  read_file (file);
  if (ftruncate (fd, 0) == 0)
    for (size_t i = 0; i < notes.count; ++i)
      print (fd, &notes.list[i]);
  fclose (file);
}

/* Read the notes that hold, once.  */
static void
read_notes (void)
{
  enum
  {
    OLD_MOST = 64, /* Lines that may have no use.  */
  };
  if (notes.read || geteuid () != 0)
    return;
  notes.read = true;
  FILE *file = fopen (PATH, "re");
  const size_t old = file != NULL ? read_file (file) : 0;
  if (file != NULL)
    fclose (file);
  if (old > OLD_MOST)
    shorten ();
}

uid_t
stuck_owner (pid_t pid)
{
  char path[64];
  struct stat status;
  /* Others make no notes.  */
  if (geteuid () != 0)
    return STUCK_UNKNOWN;
  snprintf (path, sizeof path, "/proc/%d", (int) pid);
  if (stat (path, &status) != 0)
    return STUCK_UNKNOWN;
  if (status.st_uid != 0)
    return status.st_uid;
  /* The folder of who cannot be traced is root's: who has started the process
     is the first user in the line.  */
  snprintf (path, sizeof path, "/proc/%d/status", (int) pid);
  const long int user = machine_field (path, "Uid:");
  return user >= 0 ? (uid_t) user : STUCK_UNKNOWN;
}

void
stuck_note (pid_t reader, pid_t pid, uid_t owner)
{
  struct note note = { .reader = reader, .pid = pid, .owner = owner };
  if (geteuid () != 0 || read_state (reader, &note.start) == '?')
    return;
  read_notes ();
  add (&note);
  int fd = open_locked (O_WRONLY | O_CREAT | O_APPEND);
  if (fd < 0)
    return;
  print (fd, &note);
  close (fd);
}

bool
stuck_any (void)
{
  read_notes ();
  return notes.count > 0;
}

bool
stuck_because_of (pid_t pid, uid_t owner)
{
  size_t count = 0, all = 0;
  for (size_t i = 0; i < notes.count; ++i)
    if (holds (&notes.list[i]))
      {
        if (notes.list[i].pid == pid)
          return true;
        count += notes.list[i].owner == owner;
        all += notes.list[i].owner != 0;
      }
  /* A file's user is not known, and its readers have a limit of their own:
     users could refuse root all files otherwise.  */
  return (owner != 0
          && (count >= STUCK_MOST
              || (owner != STUCK_UNKNOWN && all >= STUCK_ALL_MOST)));
}
