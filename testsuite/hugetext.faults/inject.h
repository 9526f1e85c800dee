/* What inject.c, inject-rules.c and inject-program.c have in common.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INJECT_H
#define INJECT_H

#define _GNU_SOURCE 1
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define EXIT_UNSUPPORTED 77

enum action
{
  PASS,
  ERROR,
  RETURN,
  SHORT,
  LOST,
  TAKEN
};

enum by
{
  BY_NUMBER,
  BY_OFFSET,
  BY_EXECANON,
  BY_EXECFILE,
  BY_SYSCALL,
  BY_PATH
};

struct rule
{
  enum by by;
  uint64_t which, nth; /* NTH is 0: any.  */
  char path[64];
  enum action action;
  int64_t value;
  const char *text;
};

/* The program.  */
struct program
{
  pid_t pid;
  int memory;                       /* Its /proc/PID/mem, or -1.  */
  ino_t loader_inode;               /* Of its loader.  */
  uint64_t loader_low, loader_high; /* 0 until found.  */
  unsigned long int wx, vsize, fds; /* The program's state at its exit, for
                                       LOG.  */
};
extern struct program program;

/* inject.c: print a message, kill the program, and end this process.  */
extern void die (int status, const char *format, ...)
    __attribute__ ((noreturn, format (printf, 2, 3)));

/* Receive the next call of the program in NOTIF.  Return false if there is
   none.  */
extern bool receive (struct seccomp_notif *notif);

/* Answer NOTIF with RESULT or, if PASS is true, let the kernel execute the
   call.  */
extern void answer (const struct seccomp_notif *notif, int64_t result,
                    bool pass);

/* inject-rules.c.  */
extern const char *syscall_name (int number);
extern void add_rule (const char *text);

/* Return true if the call DATA opens PATH.  */
extern bool opens (const struct seccomp_data *data, const char *path);

/* Return the rule for the call DATA, or NULL if there is none.  The call has
   the number NUMBER, and is the NTH call from OFFSET.  */
extern const struct rule *find_rule (uint64_t number,
                                     const struct seccomp_data *data,
                                     uint64_t offset, uint64_t nth);

/* inject-program.c: the program's memory, mappings and files.  */
extern void open_memory (void);
extern bool read_target (uint64_t address, void *buffer, size_t length);

/* Read the program's mappings: find LOADER, and count the mappings that are
   writable and executable.  If LOG is not NULL, write a line to it for each
   anonymous mapping without access.  */
extern void read_maps (FILE *log);
extern void read_size (void);
extern void count_fds (void);

/* Do the read DATA for the program, but read at most VALUE bytes.  Return the
   result for the program.  */
extern int64_t read_short (const struct seccomp_data *data, int64_t value);

/* NOTIF is a call of mremap.  Answer it with ERROR, but unmap its target first
   and, if TAKEN is true, map a page there.  */
extern void lose_target (const struct seccomp_notif *notif, int error,
                         bool taken);

/* For each page of a mapping that the action "taken=" has made, write a line
   to LOG that says whether the page is intact.  */
extern void look_at_foreign (FILE *log);

#endif
