/* A filesystem (FUSE) whose server does not answer.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SILENT_H
#define SILENT_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parent.h"

/* Reads of a file at this offset or above are never answered.  */
#define SILENT_FROM (1 << 30)

/* On FD, answer request NUMBER of the kernel with ERROR, or with the SIZE
   bytes at DATA.  */
static inline void
silent_answer (int fd, unsigned long number, int error, const void *data,
               size_t size)
{
  static struct
  {
    struct fuse_out_header header;
    char data[1 << 17];
  } answer;
  answer.header
      = (struct fuse_out_header){ sizeof answer.header + size, error, number };
  if (size > 0)
    memcpy (answer.data, data, size);
  /* Ignore an error, because the kernel may have withdrawn the request.  */
  (void) !write (fd, &answer, sizeof answer.header + size);
}

/* If set, only processes that have children get no answer.  */
static bool silent_to_parents;

static inline bool
silent_has_children (unsigned int pid)
{
  char path[64], byte;
  snprintf (path, sizeof path, "/proc/%u/task/%u/children", pid, pid);
  const int file = open (path, O_RDONLY | O_CLOEXEC);
  const bool any = file >= 0 && read (file, &byte, 1) == 1;
  if (file >= 0)
    close (file);
  return any;
}

/* Additional mount options.  */
static const char *silent_options = "";

/* The inode number of every file in the filesystem.  */
static unsigned long silent_inode = 2;

/* Serve the filesystem FD.  Each name in this filesystem is a file with the
   contents of SOURCE.  If SOURCE is negative, a read ends only when it is
   interrupted, and the server never answers when a file is closed.  Unless
   STOP is NULL, the server stops answering as soon as the file STOP exists;
   with silent_to_parents, it stops answering only processes that have
   children.  */
static inline void
silent_serve (int fd, const char *stop, int source)
{
  static char request[1 << 20], data[1 << 17];
  const struct fuse_in_header *in = (const void *) request;
  const struct fuse_read_in *part = (const void *) (in + 1);
  const struct fuse_init_out init
      = { .major = 7, .minor = 31, .max_write = 4096 };
  const struct fuse_open_out open
      = { .open_flags = source < 0 ? FOPEN_DIRECT_IO : 0 };
  unsigned long waiting = 0;
  while (read (fd, request, sizeof request) > 0)
    {
      const struct fuse_attr attr
          = { .ino = in->nodeid == 1 ? 1 : silent_inode,
              .mode = in->nodeid == 1 ? S_IFDIR | 0755 : S_IFREG | 0755,
              .size = 2UL * SILENT_FROM,
              .blocks = 2UL * SILENT_FROM / 512,
              .nlink = 1 };
      struct fuse_entry_out entry = { .nodeid = 2, .attr = attr };
      ssize_t n;
      entry.attr.ino = silent_inode;
      entry.attr.mode = S_IFREG | 0755;
      if (in->opcode == FUSE_INTERRUPT && source < 0)
        silent_answer (fd, waiting, -EINTR, NULL, 0);
      if (in->opcode == FUSE_INTERRUPT || in->opcode == FUSE_FORGET
          || (in->opcode == FUSE_FLUSH && source < 0)
          || (stop != NULL && access (stop, F_OK) == 0
              && (!silent_to_parents || silent_has_children (in->pid))))
        continue;
      switch (in->opcode)
        {
        case FUSE_INIT:
          silent_answer (fd, in->unique, 0, &init, sizeof init);
          break;
        case FUSE_LOOKUP:
          silent_answer (fd, in->unique, 0, &entry, sizeof entry);
          break;
        case FUSE_GETATTR:
          silent_answer (fd, in->unique, 0,
                         &(struct fuse_attr_out){ .attr = attr },
                         sizeof (struct fuse_attr_out));
          break;
        case FUSE_FLUSH:
          silent_answer (fd, in->unique, 0, NULL, 0);
          break;
        case FUSE_STATFS:
          silent_answer (fd, in->unique, 0, &(struct fuse_statfs_out){ 0 },
                         sizeof (struct fuse_statfs_out));
          break;
        case FUSE_OPEN:
        case FUSE_OPENDIR:
          silent_answer (fd, in->unique, 0, &open, sizeof open);
          break;
        case FUSE_READ:
          waiting = in->unique;
          if (source < 0 || part->offset >= SILENT_FROM)
            break;
          memset (data, 0, sizeof data);
          n = pread (source, data, part->size, part->offset);
          silent_answer (fd, in->unique, n < 0 ? -EIO : 0, data, part->size);
          break;
        default:
          silent_answer (fd, in->unique, -ENOSYS, NULL, 0);
        }
    }
  _exit (0);
}

/* The file whose existence ends the server, and for how many seconds the
   server has been running.  */
static const char *silent_end;
static int silent_seconds;

static inline void
silent_look (int signal)
{
  (void) signal;
  /* End the server after 120 seconds in any case.  */
  if (++silent_seconds == 120
      || (silent_end != NULL && access (silent_end, F_OK) == 0))
    _exit (0);
  alarm (1);
}

/* Mount a filesystem, owned by USER, on DIRECTORY.  The filesystem's server is
   a child of this process, and ends when this process ends, or when the file
   END exists.  silent_serve explains STOP.  SOURCE is the name of a file, or
   NULL.  Return the server's process ID, or -1 if it cannot be started.  */
static inline pid_t
silent_mount (const char *directory, unsigned int user, const char *stop,
              const char *end, const char *source)
{
  char options[80];
  const int fd = open ("/dev/fuse", O_RDWR | O_CLOEXEC);
  const int from = source != NULL ? open (source, O_RDONLY | O_CLOEXEC) : -1;
  snprintf (options, sizeof options,
            "fd=%d,rootmode=40755,user_id=%u,group_id=%u%s", fd, user, user,
            silent_options);
  if (fd < 0 || mount ("silent", directory, "fuse", 0, options) != 0)
    return -1;
  const pid_t self = getpid (), server = fork ();
  if (server == 0)
    {
      end_with_parent (self);
      silent_end = end;
      signal (SIGALRM, silent_look);
      alarm (1);
      silent_serve (fd, stop, from);
    }
  close (fd);
  if (from >= 0)
    close (from);
  return server;
}

#endif
