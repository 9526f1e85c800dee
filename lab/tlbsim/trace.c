/* The reading of an instruction trace of valgrind's tool lackey.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   With --trace-superblocks=yes there is a line "SB ADDRESS" for each
   superblock entered, with --trace-mem=yes a line "I  ADDRESS,SIZE" for each
   instruction and lines that begin with a space for the memory that the
   instruction accesses.  Lines of valgrind itself begin with "==PID==", or
   "--PID--"; the last of them have the totals, with commas.  */

#include "trace.h"
#include "memory.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The size of a pipe.  With a larger buffer, a pause of the trace would be
   noticed later.  */
#define BUFFER_SIZE 65536

/* The length of the longest line of a trace.  */
#define LINE_SIZE 4096

void
trace_init (struct trace *trace, int fd)
{
  *trace = (struct trace){ .fd = fd };
  trace->buffer = memory_array (NULL, BUFFER_SIZE + 1, 1);
}

void
trace_free (struct trace *trace)
{
  free (trace->buffer);
}

/* Read more of the trace.  Return false at the end of the trace.  */
static bool
fill (struct trace *trace)
{
  size_t rest = trace->filled - trace->next;
  if (rest >= LINE_SIZE)
    error (EXIT_FAILURE, 0, "line %ju of the trace is too long",
           (uintmax_t) trace->line + 1);
  memmove (trace->buffer, trace->buffer + trace->next, rest);
  trace->next = 0;
  trace->filled = rest;
  ssize_t n;
  do
    n = read (trace->fd, trace->buffer + rest, BUFFER_SIZE - rest);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    error (EXIT_FAILURE, errno, "the trace");
  trace->filled += n;
  return n > 0;
}

/* Read a hexadecimal number at *TEXT, and set *TEXT to the character behind
   it.  */
static inline uintptr_t
hexadecimal (const char **text)
{
  uintptr_t value = 0;
  for (;; ++*text)
    {
      unsigned char c = **text;
      if (c >= '0' && c <= '9')
        value = value << 4 | (c - '0');
      else if (c >= 'a' && c <= 'f')
        value = value << 4 | (c - 'a' + 10);
      else
        return value;
    }
}

/* Return the number after NAME in LINE, which may contain commas, or 0 if LINE
   does not contain NAME.  */
static uint64_t
total (const char *line, const char *name)
{
  uint64_t value = 0;
  const char *at = strstr (line, name);
  if (at != NULL)
    for (at += strlen (name); *at == ' ' || *at == ',' || isdigit (*at); ++at)
      if (isdigit (*at))
        value = 10 * value + (*at - '0');
  return value;
}

/* Parse LINE, which valgrind itself has printed.  */
static enum trace_event
own_line (struct trace *trace, const char *line)
{
  if (trace->pid == 0 && sscanf (line, "==%d==", &trace->pid) == 1)
    return TRACE_PROCESS;
  uint64_t value = total (line, "SBs entered:");
  if (value != 0)
    trace->blocks = value;
  value = total (line, "guest instrs:");
  if (value == 0)
    return TRACE_PAUSE;
  trace->instructions = value;
  return TRACE_TOTALS;
}

enum trace_event
trace_next (struct trace *trace)
{
  for (;;)
    {
      char *line = trace->buffer + trace->next;
      char *end = memchr (line, '\n', trace->filled - trace->next);
      if (end == NULL)
        {
          if (fill (trace))
            return TRACE_PAUSE;
          if (trace->filled == 0)
            return TRACE_END;
          /* The last line of a process that was killed may be cut short.  */
          trace->filled = 0;
          return TRACE_END;
        }
      trace->next = end + 1 - trace->buffer;
      ++trace->line;

      const char *text = line + 3;
      if (line[0] == 'S' && line[1] == 'B' && line[2] == ' ')
        {
          trace->address = hexadecimal (&text);
          if (text == end)
            return TRACE_BLOCK;
        }
      else if (line[0] == 'I' && line[1] == ' ' && line[2] == ' ')
        {
          trace->address = hexadecimal (&text);
          trace->size = *text == ',' ? atoi (text + 1) : 0;
          if (trace->size > 0)
            return TRACE_INSTRUCTION;
        }
      else if (line[0] == ' ')
        continue;
      else if (line[0] == '=' || line[0] == '-')
        {
          *end = '\0';
          enum trace_event event = own_line (trace, line);
          if (event != TRACE_PAUSE)
            return event;
          continue;
        }
      *end = '\0';
      error (EXIT_FAILURE, 0, "line %ju is not of a trace by lackey: %.60s",
             (uintmax_t) trace->line, line);
    }
}
