/* Processes: their lists and facts, and why a process cannot be read.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCESS_H
#define PROCESS_H

#include "util/problem.h"
#include "util/message.h"

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

struct process
{
  pid_t pid;
  char name[32]; /* The name in /proc/PID/comm.  The kernel cuts a program's
                    name to 15 characters.  */
  uid_t uid;
  char state;  /* The state in /proc/PID/stat.  */
  bool ended;  /* A zombie: its first thread has ended.  */
  bool others; /* Other threads of a zombie have not ended.  */
  bool kernel; /* A thread of the kernel.  */
  bool worker; /* A kernel thread among the threads of a process:
                  io_uring's.  */
};

/* Read the file NAME of /proc/PID into TEXT, of SIZE bytes, and end it with a
   null byte.  Return the length of TEXT, or 0 if the file cannot be read.  */
extern size_t process_text (pid_t pid, const char *name, char *text,
                            size_t size);

/* Read the owner and the name of process or thread PID, from files for which
   the kernel never waits.  Return false if there is no such process.  */
extern bool process_brief (pid_t pid, struct process *process);

/* Read all facts about process PID.  If PID is in execve, the kernel may make
   the caller wait.  Return false if there is no such process.  */
extern bool process_read (pid_t pid, struct process *process);

/* Ask the inspector for all facts about process PID.  Return false if there
   are none.  */
extern bool process_ask (pid_t pid, struct process *process,
                         struct problem *problem);

/* Ask the inspector for the path of the file that PID runs, "" if unknown.
   Characters that are not printable become "?", so that no name can control a
   terminal or begin a new line.  */
extern void process_exe (pid_t pid, char *path, size_t size);

/* Read the path of the file that PID runs, in this process.  */
extern void process_exe_read (pid_t pid, char *path, size_t size);

/* In the inspector, answer questions about a process.  */
extern void process_answer (struct message *asked, struct message *answer);

/* Add PROCESS to MESSAGE, or take it from MESSAGE.  */
extern void process_put (struct message *message,
                         const struct process *process);
extern void process_get (struct message *message, struct process *process);

/* Remove the kernel's suffix for a deleted or replaced file from PATH.  */
extern void process_cut_deleted (char *path);

/* Return GLIBC_TUNABLES in the environment with which PID was started, or
   NULL if it was not set or cannot be read.  The caller frees it.  */
extern char *process_tunables (pid_t pid);

/* Return the number after FIELD ("TracerPid:") in /proc/PID/status, or -1 if
   it is missing.  */
extern long process_number (pid_t pid, const char *field);

/* Whether thread TID has a seccomp filter.  */
extern bool process_is_filtered (pid_t tid);

/* Whether PID has switched transparent huge pages off for itself, or has
   inherited this setting from its parent (PR_SET_THP_DISABLE).  */
extern bool process_thp_disabled (pid_t pid);

/* Ask the inspector for the result of process_thp_disabled.  */
extern bool process_ask_thp_disabled (pid_t pid);

/* Return the value of TYPE in the auxiliary vector of PID, or 0 if it is
   missing or cannot be read.  */
extern uintptr_t process_auxiliary (pid_t pid, unsigned long type);

/* Whether PID gained rights when it was executed (AT_SECURE).  */
extern bool process_is_secure (pid_t pid);

/* Return false if /proc shows another PID namespace, whose process IDs differ
   from those of system calls, or if the namespace cannot be determined.  */
extern bool process_check_ids (struct problem *problem);

/* List all processes, or those named NAME: in /proc/PID/comm, or by the file
   that they run.  Return the number of processes, -1 with errno set.  The
   caller frees LIST.  */
extern ssize_t process_list (const char *name, pid_t **list);

/* Set PROBLEM to the reason why PROCESS, which was read before, cannot be read
   now; ERROR is errno.  Another process may have its ID by now.  Return
   false.  */
extern bool process_explain (const struct process *process, int error,
                             struct problem *problem);

#endif
