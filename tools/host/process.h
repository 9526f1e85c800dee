/* Processes: find them, and say why one cannot be looked at.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

struct process
{
  pid_t pid;
  char name[32]; /* As the kernel has it, cut off.  */
  uid_t uid;
  char state;  /* As in /proc/PID/stat.  */
  bool ended;  /* A zombie.  */
  bool kernel; /* A thread of the kernel.  */
  bool worker; /* The same, but among those of a process: io_uring's.  */
};

/* Read about PID, or a thread.  False if there is none such.  */
extern bool process_read (pid_t pid, struct process *process);

/* The file that PID runs, "" if unknown.  What is not printable is "?": no
   name that a terminal would obey, or that begins a line of its own.  */
extern void process_exe (pid_t pid, char *path, size_t size);

/* Take away from PATH what the kernel puts behind the name of a file that is
   gone, or replaced.  */
extern void process_cut_deleted (char *path);

/* GLIBC_TUNABLES in the environment that PID was started with; NULL if it was
   not set or cannot be read.  To be freed.  */
extern char *process_tunables (pid_t pid);

/* The number after FIELD ("TracerPid:") in /proc/PID/status; -1 if it is not
   there.  */
extern long process_number (pid_t pid, const char *field);

/* The value of TYPE in the auxiliary vector of PID, 0 if it is not there or
   cannot be read.  */
extern uintptr_t process_auxiliary (pid_t pid, unsigned long type);

/* Whether PID gained rights when it was executed (AT_SECURE).  */
extern bool process_is_secure (pid_t pid);

/* All processes, or those named NAME (as the kernel has it, or the file that
   they run).  Returns their number, -1 with errno set.  LIST is to be
   freed.  */
extern ssize_t process_list (const char *name, pid_t **list);

/* Why PID, which was PROCESS before, cannot be looked at; ERROR is errno.  */
extern const char *process_problem (const struct process *process, int error);

#endif
