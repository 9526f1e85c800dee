/* Functions that open files of /proc/PID, and files that a process has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The inspector, an unprivileged process (inspector.h), has no right to open
   files of other users' processes.  The inspector asks the opener, a process
   with the command's rights, for descriptors of the files of other users'
   processes.  In a request, the inspector identifies a process by its ID, a
   file by its number in a list, and a mapping by its addresses.  The opener
   does not read the files.  If the command runs as root, the opener opens no
   file by a name that another process has chosen.  Processes without an opener
   use the same functions, and open the files directly.  */

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
   -1 if the kernel does not report the ID.  The inspector gets the ID from the
   opener, because the inspector's seccomp filter forbids the system call that
   returns the mount of a descriptor.  */
extern int procfile_root_mount (pid_t pid);

/* Open the index file in the root directory of process PID.  */
extern int procfile_index (pid_t pid);

/* Set PATH to the target of the link /proc/PID/exe.  If the link has no
   target, or this user may not read the link, set PATH to "".  If the opener
   (a process that opens files for the caller) does not answer, set PATH to ""
   and return false.  */
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
                           directory.  If the caller may follow the link of
                           PROCFILE_BY_MAP, do not open the file by its
                           name.  */
  PROCFILE_BY_PROGRAM,  /* Open the process's program by the kernel's link to
                           it.  */
  PROCFILE_WAYS
};

/* Open the file of MAP, a mapping of process PID, for reading; WAY says how.
   The opened file may not be the mapped file, because a process can rename
   files and change its mappings at any time.  FLAGS is 0 or O_DIRECT.  Open
   the file only if it is a regular file that takes space in its filesystem
   (st_blocks).  The caller must check that the opened file really is MAP's
   file.  Return a descriptor, or -1 with errno set.  */
extern int procfile_mapped (enum procfile_way way, pid_t pid,
                            const struct mapping *map, int flags);

/* In the inspector: get all descriptors that are usually needed for process
   PID in one request to the opener.  For most processes, the inspector then
   needs no second request, which would take two context switches.  If PID is
   0, close the descriptors of the earlier process.  */
extern void procfile_prepare (pid_t pid);

/* In the inspector: with one request to the opener, get the files of /proc/PID
   that answer a question of the kind INSPECTOR_BRIEF about process PID.
   Neither the opener nor the inspector can be blocked by PID, because they
   open and read only files that never block.  After it has answered the
   question, the inspector calls procfile_prepare with 0 to close these
   files.  */
extern void procfile_prepare_brief (pid_t pid);

/* In an unprivileged process: from now on, let the opener at the other end of
   SOCKET open all files.  */
extern void procfile_use (int socket);

/* Return false if this process has called procfile_use, and had no file
   /proc/PID/cgroup of its own at that time.  Otherwise return true.  */
extern bool procfile_has_groups (void);

/* Be the opener for the process at the other end of SOCKET, until that process
   ends.  Call MAY for the ID of each process whose files are requested.  If
   the command has just asked the inspector about the process, MAY must return
   the number of the command's question to the inspector.  If the command's
   question is not about the process, MAY must return 0, and the opener then
   opens none of the process's files.  All files opened for one question belong
   to the processes that had the IDs when the question began, even if the
   kernel reuses an ID.  */
extern void procfile_serve (int socket, unsigned int (*may) (pid_t pid));

#endif
