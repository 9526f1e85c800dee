/* Processes: lists of processes, facts about a process, and the reasons why a
   process cannot be read.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCESS_H
#define PROCESS_H

#include "host/confinement.h"
#include "util/problem.h"
#include "util/message.h"

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

struct process
{
  pid_t pid;
  char name[32]; /* The name in /proc/PID/comm, which has at most 15
                    characters.  */
  uid_t uid;
  uint64_t start; /* The time at which the process was started, in clock ticks
                     since the machine booted, or 0 if unknown
                     (host/brief).  */
  char state;     /* The state letter in /proc/PID/stat.  */
  bool ended; /* True if the process is a zombie, because its first thread has
                 ended.  */
  bool exiting; /* True if the first thread of the process is ending, and may
                   already have given back its memory.  */
  bool others;  /* True if the process is a zombie whose other threads still
                   run.  */
  bool kernel;  /* True if the process is a kernel thread.  */
  bool worker;  /* True if this thread of the process is a kernel thread that
                   works for io_uring or vhost.  */
};

/* The text of the problem if the first thread of a process has ended, but
   other threads still run (the member OTHERS).  */
#define PROCESS_LEADERLESS                                    \
  "the first thread of the process has ended, so its memory " \
  "cannot be read"

/* Read at most SIZE - 1 bytes of the file NAME of /proc/PID into TEXT, a
   buffer of SIZE bytes, and end TEXT with a null byte.  Return the length of
   TEXT, or 0 if the file cannot be read.  */
extern size_t process_text (pid_t pid, const char *name, char *text,
                            size_t size);

/* Return true if process PID has ended.  A process whose threads have all
   ended counts as ended, even if its parent has not yet waited for it (a
   zombie).  Before Linux 5.3, a zombie does not count as ended.  */
extern bool process_has_ended (pid_t pid);

/* Read all facts about process PID.  While PID is in execve, the kernel may
   block the caller of this function.  Return false if PID does not exist.  */
extern bool process_read (pid_t pid, struct process *process);

/* Return true if A and B, which were read at different times, describe the
   same process, not two successive processes with the same ID.  If the start
   of A or B is unknown, compare only their IDs.  */
extern bool process_is_same (const struct process *a, const struct process *b);

/* Ask the inspector for all facts about process PID.  If the inspector does
   not answer, set PROBLEM and return false.  */
extern bool process_ask (pid_t pid, struct process *process,
                         struct problem *problem);

/* In the inspector: set PATH to the path of the program that PID executes
   (procfile_exe).  Replace unprintable characters by "?", so that no name can
   control a terminal or begin a new line.  */
extern bool process_exe_read (pid_t pid, char *path,
                              size_t size) MAY_BE_UNKNOWN;

/* In the inspector, answer questions about a process.  */
extern void process_answer (struct message *asked, struct message *answer);

/* Append PROCESS to MESSAGE (process_put), or read it from MESSAGE
   (process_get).  */
extern void process_put (struct message *message,
                         const struct process *process);
extern void process_get (struct message *message, struct process *process);

/* Remove from PATH the suffix by which the kernel marks a deleted or replaced
   file.  Return false if PATH does not end with the suffix " (deleted)".  */
extern bool process_cut_deleted (char *path);

/* Several processes about which the same message is printed: their number, and
   the IDs of the first of them, separated by commas.  */
struct process_ids
{
  size_t count;
  char text[64];
};

/* The size of the buffer for process_ids_each.  */
#define PROCESS_IDS_WORDS 128

/* Add process PID to IDS.  */
extern void process_ids_add (struct process_ids *ids, pid_t pid);

/* Set WORDS to IDS as the subject of a sentence in the singular, for example
   "process 12" or "each of 2 processes (12, 15)".  Return WORDS.  */
extern const char *process_ids_each (const struct process_ids *ids,
                                     char words[static PROCESS_IDS_WORDS]);

/* Return the value of GLIBC_TUNABLES in the environment with which PID was
   executed; the caller frees it.  Return NULL if GLIBC_TUNABLES was not set or
   cannot be read.  */
extern char *process_tunables (pid_t pid);

/* Return the number after FIELD, such as "TracerPid:", in /proc/PID/status.
   Return -1 if /proc/PID/status does not have FIELD.  For this function and
   the next two, PID 0 means the calling process.  getpid may return another ID
   than the one that the process has in /proc (process_check_ids).  */
extern long process_number (pid_t pid, const char *field);

/* Return true if thread PID has a seccomp filter.  */
extern bool process_is_filtered (pid_t pid);

/* Return true if PID has switched transparent huge pages off for itself
   (PR_SET_THP_DISABLE), or has inherited this from its parent.  */
extern bool process_thp_disabled (pid_t pid);

/* Ask the inspector for the result of process_thp_disabled.  If the result is
   unknown, set PROBLEM.  */
extern struct truth process_ask_thp_disabled (pid_t pid,
                                              struct problem *problem);

/* Ask the inspector for the AppArmor profile that the kernel enforces for
   PROCESS, which was read earlier, and set NAME to the profile.  Return false
   if the kernel enforces no profile, or if another process has the ID now.  */
extern struct truth
process_ask_profile (const struct process *process,
                     char name[static CONFINEMENT_PROFILE]);

/* Return the value of the entry TYPE in the auxiliary vector of PID.  Return 0
   if the entry is missing or cannot be read.  */
extern uintptr_t process_auxiliary (pid_t pid, unsigned long type);

/* Return true if PID gained rights when it executed its program
   (AT_SECURE).  */
extern bool process_is_secure (pid_t pid);

/* Return false if /proc belongs to another PID namespace, so that its process
   IDs are not those of system calls.  Also return false if the namespace of
   /proc cannot be determined.  */
extern bool process_check_ids (struct problem *problem);

/* Set LIST to the IDs of all processes.  Return the number of processes, or -1
   with errno set.  The caller frees LIST.  */
extern ssize_t process_list (pid_t **list);

/* Set PROBLEM to the reason why PROCESS cannot be read now, and return false.
   ERROR is the value of errno.  PROCESS was read earlier, and its ID may now
   belong to another process.  */
extern bool process_explain (const struct process *process, int error,
                             struct problem *problem);

#endif
