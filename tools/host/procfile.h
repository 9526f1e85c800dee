/* Functions that open files of /proc/PID, and files that a process has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The inspector (inspector.h) has no right to open these files.  The inspector
   asks the opener, a process with the caller's rights, for descriptors of the
   files.  In a request, the inspector identifies a process by its ID, a file
   by its number in a list, and a mapping by its addresses.  The opener does
   not read the files.  If the caller is root, the opener uses no file name
   that a process has chosen.  Processes without an opener use the same
   functions, and open the files directly.  */

#ifndef PROCFILE_H
#define PROCFILE_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct mapping;

/* Open the file NAME of /proc/PID for reading.  Return a descriptor, or -1
   with errno set.  The inspector may ask only for files in the list in
   procfile.c.  */
extern int procfile_open (pid_t pid, const char *name);

/* Open the file NAME of /proc/PID for reading (procfile_open), and return a
   stream.  */
extern FILE *procfile_stream (pid_t pid, const char *name);

/* Open the root directory of process PID, with O_PATH.  */
extern int procfile_root (pid_t pid);

/* Return the ID of the mount that the root directory of process PID is on, or
   -1 if the kernel does not tell.  The inspector is not allowed to find out
   the mount of a descriptor itself.  */
extern int procfile_root_mount (pid_t pid);

/* Open the index file in the root directory of process PID.  */
extern int procfile_index (pid_t pid);

/* Set PATH to the target of the link /proc/PID/exe.  If the link has no
   target, or this user may not read the link, set PATH to "".  If the opener
   has given no answer, set PATH to "" and return false.  */
extern bool procfile_exe (pid_t pid, char *path, size_t size) MAY_BE_UNKNOWN;

/* Set OWNER to the owner of /proc/PID.  Return -1 if process PID does not
   exist.  */
extern int procfile_owner (pid_t pid, uid_t *owner);

/* The ways to open a file that a process has mapped.  */
enum procfile_way
{
  PROCFILE_BY_MAP,      /* Open the file by the kernel's link, which only
                           privileged users may follow.  */
  PROCFILE_BY_NAME,     /* Open the file by its name below the process's root
                           directory.  */
  PROCFILE_BY_OUR_NAME, /* Open the file by its name below this process's root
                           directory.  Do not open the file by its name if the
                           caller may follow the kernel's link.  */
  PROCFILE_BY_PROGRAM,  /* Open the process's program by the kernel's link to
                           it.  */
  PROCFILE_WAYS
};

/* Open for reading, by WAY, the file that process PID has probably mapped as
   MAP.  FLAGS is 0 or O_DIRECT.  Open the file only if it is a regular file
   that takes space in its filesystem (st_blocks).  The caller must check that
   the opened file really is MAP's file.  Return a descriptor, or -1 with errno
   set.  */
extern int procfile_mapped (enum procfile_way way, pid_t pid,
                            const struct mapping *map, int flags);

/* In the inspector: get, by one request to the opener, all descriptors that
   are usually needed for process PID.  Most processes need no further
   requests, each of which would take two context switches.  If PID is 0,
   close the descriptors of the earlier process.  */
extern void procfile_prepare (pid_t pid);

/* In the inspector: get, by one request to the opener, what a brief question
   about process PID needs.  Neither the opener nor the inspector can be
   blocked by PID, because they open and read only files that never block.
   Afterwards, call procfile_prepare with 0.  */
extern void procfile_prepare_brief (pid_t pid);

/* In an unprivileged process: from now on, let the opener at the other end of
   SOCKET open all files.  */
extern void procfile_use (int socket);

/* Return false if this process had no file /proc/PID/cgroup of its own when it
   called procfile_use.  Otherwise return true.  */
extern bool procfile_has_groups (void);

/* Be the opener for the process at the other end of SOCKET, until that process
   ends.  Call MAY for the ID of each process whose files are requested.  If
   the command's present question is about the process, MAY returns the number
   of the question, otherwise 0.  If MAY returns 0 for a process, open none of
   its files.  All files opened for one question belong to the processes that
   had the IDs when the question began, even if the kernel reuses an ID.  */
extern void procfile_serve (int socket, unsigned int (*may) (pid_t pid));

#endif
