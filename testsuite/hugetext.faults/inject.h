/* Parts of inject.c: the rules, and the program that runs.
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
  uint64_t which, nth; /* NTH is 0 for each.  */
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
  unsigned long int wx, vsize, fds; /* At exit, for LOG.  */
};
extern struct program program;

/* inject.c: end with a message, and the program, too.  */
extern void die (int status, const char *format, ...)
    __attribute__ ((noreturn, format (printf, 2, 3)));

/* Receive the next call of the program; false if there is none.  Answer NOTIF
   with RESULT, or let it PASS.  */
extern bool receive (struct seccomp_notif *notif);
extern void answer (const struct seccomp_notif *notif, int64_t result,
                    bool pass);

/* inject-rules.c.  */
extern const char *syscall_name (int number);
extern void add_rule (const char *text);

/* Whether DATA is about to open PATH.  */
extern bool opens (const struct seccomp_data *data, const char *path);

/* The rule for call number NUMBER, DATA, the NTH from OFFSET, or NULL.  */
extern const struct rule *find_rule (uint64_t number,
                                     const struct seccomp_data *data,
                                     uint64_t offset, uint64_t nth);

/* inject-program.c: the program's memory, mappings and files.  */
extern void open_memory (void);
extern bool read_target (uint64_t address, void *buffer, size_t length);

/* Look through the program's mappings: for the loader, for any that is
   writable and executable, and, if LOG is not NULL, for those without access,
   which get lines there.  */
extern void read_maps (FILE *log);
extern void read_size (void);
extern void count_fds (void);

/* Do a read for the program, but only VALUE bytes of it.  Returns what the
   system call is to return.  */
extern int64_t read_short (const struct seccomp_data *data, int64_t value);

/* Answer NOTIF, an mremap, with ERROR, but unmap its target first, and map a
   page there if TAKEN.  */
extern void lose_target (const struct seccomp_notif *notif, int error,
                         bool taken);

/* Say in LOG what has become of the pages that were mapped by taken=.  */
extern void look_at_foreign (FILE *log);

#endif
