/* Standard output: make it printable, and report write errors.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OUTPUT_H
#define OUTPUT_H

#include "util/signals.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* Other users choose the names of files, processes, units and control groups,
   so the command must escape these names when it prints them.  A name that
   contains a newline must not become a line of output.  Therefore newlines on
   standard output and standard error come only from formats and literals:
   output_print replaces newlines and tabs in arguments by "?", and fputs and
   puts accept only literals.  An option of the compiler (in tools/rules.mk)
   includes this file in every source file of the command.  */
#define printf(...) output_print (stdout, __VA_ARGS__)
#define fprintf(stream, ...) output_print (stream, __VA_ARGS__)
#define vfprintf(stream, format, ap) output_vprint (stream, format, ap)
#define fputs(text, stream) output_lines (stream, "" text)
#define puts(text) output_lines (stdout, "" text "\n")

/* Print to STREAM like fprintf and vfprintf.  Newlines and tabs in arguments
   become "?", but only on standard output and standard error.  */
extern int output_print (FILE *stream, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
extern int output_vprint (FILE *stream, const char *format, va_list ap)
    __attribute__ ((format (printf, 2, 0)));

/* Write TEXT, whose newlines this program has chosen, as fputs does.  */
extern int output_lines (FILE *stream, const char *text);

/* From now on, make text on standard output and standard error printable
   (printable.h).  If writing to standard output fails, print one line on
   standard error when the command exits.  If standard input, output or error
   is closed, occupy its descriptor, so that no file that the command opens
   gets its number.  Programs that the command executes find this descriptor
   closed.  */
extern void output_watch (void);

/* Write out everything that was printed to standard output.  Return false if a
   part of the output could not be written.  */
extern bool output_flush (void);

/* Write out the buffers of all streams, then fork.  After a fork, the child
   has a copy of the buffers of its parent.  If the child redirects its
   standard output, and then writes out a buffer that it has copied from its
   parent, output of the command goes to the wrong file.  The child also must
   not handle signals as its parent does (signals_begin_child).  Therefore the
   command calls fork only through this function.  */
static inline pid_t
output_fork (void)
{
  sigset_t all, old;
  fflush (NULL);
  /* Block all signals from before fork until signals_begin_child has replaced
     the handlers in the child, so that the child does not run the parent's
     handlers.  */
  sigfillset (&all);
  sigprocmask (SIG_BLOCK, &all, &old);
  const pid_t pid = fork ();
  if (pid == 0)
    signals_begin_child ();
  sigprocmask (SIG_SETMASK, &old, NULL);
  return pid;
}
#define fork() output_fork ()

/* If standard output cannot be written, let the command print a message that
   begins with NAME, and exit with STATUS.  */
extern void output_failure (const char *name, int status);

#endif
