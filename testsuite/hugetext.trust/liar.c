/* A file system of a user, whose server says that all files belong to root.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: liar DIRECTORY SOURCE [sizes|contents|silent]
   Mounts a file system with the files of the directory SOURCE on DIRECTORY,
   for all users, and prints "mounted".  With "sizes", a file has a different
   size each time a process asks for it; with "contents", it has different
   bytes each time it is read.  With "silent", the server does not answer
   questions about the attributes of a file that is open, if there is a file
   "silent" in SOURCE; so a program can be executed, and then nobody learns
   which file it is.  The server ends when its parent ends.  */

#include "silent.h"

#include <stdlib.h>
#include <sys/stat.h>

/* True if the server reports wrong sizes, returns wrong contents, or does not
   answer requests for attributes.  */
static bool lies_sizes, lies_contents, is_silent;

/* Return the size to report next for a file of SIZE bytes.  */
static unsigned long
next_size (unsigned long size)
{
  const unsigned long sizes[]
      = { size, 0, 1UL << 62, size / 2, 1, 1UL << 46, size, 4096, -1UL >> 1 };
  static size_t i;
  return sizes[i++ % (sizeof sizes / sizeof sizes[0])];
}

/* The SIZE bytes at DATA were read from the file at OFFSET.  Change some of
   them: different ones each time, most of all in the headers.  */
static void
change_bytes (char *data, ssize_t size, unsigned long offset)
{
  static unsigned long state = 1;
  for (int i = 0; i < (offset == 0 ? 6 : 64); ++i)
    {
      state = state * 6364136223846793005 + 1442695040888963407;
      const ssize_t at = (state >> 33) % (offset == 0 ? 1024 : 1 << 17);
      if (at >= 4 && at < size)
        data[at] = state >> 20;
    }
}

/* Return the attributes of NODE: 1 is the root directory, any other node is a
   descriptor.  */
static struct fuse_attr
attributes (unsigned long node)
{
  struct stat status = { .st_mode = S_IFDIR };
  struct fuse_attr attr = { .ino = node, .nlink = 1 };
  if (node != 1)
    fstat (node, &status);
  attr.mode = (status.st_mode & S_IFMT) | 0755;
  attr.size = lies_sizes && node != 1 ? next_size (status.st_size)
                                      : (unsigned long) status.st_size;
  attr.blocks = status.st_blocks;
  return attr;
}

/* Return a descriptor of the file NAME in the directory SOURCE, the same one
   each time, or -1 if the file cannot be opened.  */
static int
find (int source, const char *name)
{
  static struct
  {
    char name[64];
    int fd;
  } list[16];
  static size_t count;
  for (size_t i = 0; i < count; ++i)
    if (strcmp (list[i].name, name) == 0)
      return list[i].fd;
  const int fd = openat (source, name, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && count < sizeof list / sizeof list[0])
    {
      snprintf (list[count].name, sizeof list[0].name, "%s", name);
      list[count++].fd = fd;
    }
  return fd;
}

static void
serve (int fd, int source)
{
  static char request[1 << 20], data[1 << 17];
  const struct fuse_in_header *in = (const void *) request;
  const struct fuse_read_in *part = (const void *) (in + 1);
  const struct fuse_init_out init
      = { .major = 7, .minor = 31, .max_write = 4096 };
  const struct fuse_attr_out attr = { .attr = attributes (1) };
  /* True if a node, a small number, was opened after it was last looked up. */
  static bool is_opened[64];
  const struct fuse_open_out open
      = { .open_flags = lies_sizes || lies_contents ? 0 : FOPEN_KEEP_CACHE };
  while (read (fd, request, sizeof request) > 0)
    {
      struct fuse_entry_out entry = { 0 };
      struct fuse_attr_out found = attr;
      ssize_t n;
      switch (in->opcode)
        {
        case FUSE_INIT:
          silent_answer (fd, in->unique, 0, &init, sizeof init);
          break;
        case FUSE_LOOKUP:
          n = find (source, (const char *) (in + 1));
          if (n >= 0)
            {
              is_opened[n] = false;
              entry.nodeid = n;
              entry.attr = attributes (n);
            }
          silent_answer (fd, in->unique, n < 0 ? -ENOENT : 0, &entry,
                         n < 0 ? 0 : sizeof entry);
          break;
        case FUSE_GETATTR:
          found.attr = attributes (in->nodeid);
          if (!is_silent || !is_opened[in->nodeid]
              || faccessat (source, "silent", F_OK, 0) != 0)
            silent_answer (fd, in->unique, 0, &found, sizeof found);
          break;
        case FUSE_OPEN:
          is_opened[in->nodeid] = true;
          /* Fall through.  */
        case FUSE_OPENDIR:
          silent_answer (fd, in->unique, 0, &open, sizeof open);
          break;
        case FUSE_READ:
          n = pread (in->nodeid, data, part->size, part->offset);
          if (lies_contents)
            change_bytes (data, n, part->offset);
          silent_answer (fd, in->unique, n < 0 ? -EIO : 0, data,
                         n < 0 ? 0 : n);
          break;
        case FUSE_STATFS:
          silent_answer (fd, in->unique, 0, &(struct fuse_statfs_out){ 0 },
                         sizeof (struct fuse_statfs_out));
          break;
        case FUSE_FLUSH:
        case FUSE_RELEASE:
        case FUSE_RELEASEDIR:
          silent_answer (fd, in->unique, 0, NULL, 0);
          break;
        case FUSE_FORGET:
        case FUSE_INTERRUPT:
          break;
        default:
          silent_answer (fd, in->unique, -ENOSYS, NULL, 0);
        }
    }
}

int
main (int argc, char **argv)
{
  char options[96];
  const int fd = open ("/dev/fuse", O_RDWR | O_CLOEXEC);
  const char *lie = argc == 4 ? argv[3] : "";
  const int source = argc >= 3 ? open (argv[2], O_RDONLY | O_CLOEXEC) : -1;
  snprintf (options, sizeof options,
            "fd=%d,rootmode=40755,user_id=65534,group_id=65534,allow_other",
            fd);
  if (fd < 0 || source < 0
      || mount ("liar", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) != 0)
    return 1;
  lies_sizes = strcmp (lie, "sizes") == 0;
  lies_contents = strcmp (lie, "contents") == 0;
  is_silent = strcmp (lie, "silent") == 0;
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  puts ("mounted");
  fflush (stdout);
  serve (fd, source);
  return 0;
}
