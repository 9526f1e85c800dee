/* Files of /proc/PID, and files that a process has mapped: which process opens
   them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The inspector (inspector.h) has no rights to open such files, and asks the
   opener, a process with the caller's rights, for descriptors.  The opener
   identifies processes by their IDs, their files by numbers in a list, and
   mappings by addresses.  It does not read the files, and, if the caller is
   root, follows no name that a process has chosen.  Other processes open the
   same files directly, by the same functions.  */

#ifndef PROCFILE_H
#define PROCFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct mapping;

/* Open the file NAME of /proc/PID for reading.  Return -1 with errno set.  The
   inspector may ask for files in a list in procfile.c only.  */
extern int procfile_open (pid_t pid, const char *name);

/* Open the file NAME of /proc/PID as procfile_open does, as a stream.  */
extern FILE *procfile_stream (pid_t pid, const char *name);

/* Open the root directory of process PID, with O_PATH.  */
extern int procfile_root (pid_t pid);

/* Open the index file in the root directory of process PID.  */
extern int procfile_index (pid_t pid);

/* Set PATH to the target of /proc/PID/exe, "" if unknown.  */
extern void procfile_exe (pid_t pid, char *path, size_t size);

/* Return the owner of /proc/PID, or -1 if there is no such process.  */
extern int procfile_owner (pid_t pid, uid_t *owner);

/* The paths by which a file can be opened that a process has mapped.  */
enum procfile_way
{
  PROCFILE_BY_MAP,  /* The kernel's link; privileged users may follow it.  */
  PROCFILE_BY_NAME, /* The name, in the process's root directory.  */
  PROCFILE_BY_OUR_NAME, /* The name, in this process's root directory.  Callers
                           who may follow the kernel's link do not use this
                           way.  */
  PROCFILE_BY_PROGRAM,  /* The kernel's link to the program.  */
  PROCFILE_WAYS
};

/* Open by WAY a file that may be the one that MAP of process PID shows, for
   reading with FLAGS (0 or O_DIRECT), if it is a regular file that uses blocks
   of its filesystem.  The caller checks whether the file is MAP's.  Return -1
   with errno set.  */
extern int procfile_mapped (enum procfile_way way, pid_t pid,
                            const struct mapping *map, int flags);

/* In the inspector: fetch the descriptors of process PID that are usually
   needed with one request, or close all if PID is 0.  For most processes the
   inspector then asks the opener nothing else; each request costs two context
   switches.  */
extern void procfile_prepare (pid_t pid);

/* In a process without rights: from now on the opener behind SOCKET opens all
   files.  */
extern void procfile_use (int socket);

/* Be the opener for the process behind SOCKET, until that process ends, and
   only for processes for which MAY returns the number of the command's
   question, not 0.  All files that it opens for one question belong to the
   processes that had their IDs when the question began.  */
extern void procfile_serve (int socket, unsigned int (*may) (pid_t pid));

#endif
