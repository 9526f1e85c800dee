/* The reading of an instruction trace of valgrind's tool lackey.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* An event of a trace.  */
enum trace_event
{
  TRACE_BLOCK,       /* ADDRESS: a superblock is entered.  */
  TRACE_INSTRUCTION, /* ADDRESS, SIZE.  */
  TRACE_PROCESS,     /* PID: the traced process.  */
  TRACE_TOTALS,      /* The totals at the end of the trace are complete.  */
  TRACE_PAUSE,       /* The trace has no event at present, but a signal may
                        have come.  */
  TRACE_END,
};

struct trace
{
  int fd;
  char *buffer;
  size_t next, filled;
  uint64_t line;

  uintptr_t address;
  unsigned int size;
  pid_t pid;
  uint64_t blocks, instructions; /* Totals as lackey has counted them.  */
};

/* Begin to read FD.  */
extern void trace_init (struct trace *trace, int fd);

/* Read to the next event and return it.  If the trace contains anything else,
   end the program with a message.  */
extern enum trace_event trace_next (struct trace *trace);

extern void trace_free (struct trace *trace);

#endif
