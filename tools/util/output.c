/* Standard output: make it printable, and report write errors.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/output.h"
#include "util/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char failure_name[64] = "hugetext";
static int failure_status = 1;

/* The filter through which all output goes.  */
struct filter
{
  int fd;
  size_t held; /* The number of bytes of an incomplete character that the
                  filter has not written yet.  */
  char bytes[4];
};

/* TEXT and OTHER were made from the same arguments, with two formats.  The
   formats differ wherever one has a newline or a tab.  If TEXT and OTHER have
   a newline or tab at the same place, it is therefore part of an argument.
   Replace each such newline or tab in TEXT by "?".  */
static void
hide_foreign (char *text, const char *other)
{
  for (; *text != '\0' && *other != '\0'; ++text, ++other)
    if ((*text == '\n' || *text == '\t') && *text == *other)
      *text = '?';
}

/* Return what printf would print for FORMAT and AP, in allocated memory.  */
static char *
format_text (const char *format, va_list ap)
{
  char *text;
  va_list copy;
  va_copy (copy, ap);
  const int length = vasprintf (&text, format, copy);
  va_end (copy);
  return length < 0 ? NULL : text;
}

/* True if the command was unable to produce a part of its standard output.  */
static bool lost;

int
output_vprint (FILE *stream, const char *format, va_list ap)
{
  if (stream != stdout && stream != stderr)
    return (vfprintf) (stream, format, ap);
  int length = -1;
  char *blank = strdup (format);
  for (char *c = blank; c != NULL && *c != '\0'; ++c)
    if (*c == '\n' || *c == '\t')
      *c = ' ';
  char *text = format_text (format, ap);
  char *other = blank != NULL ? format_text (blank, ap) : NULL;
  if (text != NULL && other != NULL)
    {
      hide_foreign (text, other);
      length = output_lines (stream, text) < 0 ? -1 : (int) strlen (text);
    }
  else
    {
      output_lines (stderr, "hugetext: the command has run out of memory\n");
      lost |= stream == stdout;
    }
  free (other);
  free (text);
  free (blank);
  return length;
}

int
output_print (FILE *stream, const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  const int length = output_vprint (stream, format, ap);
  va_end (ap);
  return length;
}

int
output_lines (FILE *stream, const char *text)
{
  return (fputs) (text, stream);
}

static bool
write_all (int fd, const char *from, size_t size)
{
  while (size > 0)
    {
      ssize_t n = write (fd, from, size);
      if (n < 0 && errno != EINTR)
        return false;
      from += n > 0 ? n : 0;
      size -= n > 0 ? n : 0;
    }
  return true;
}

static ssize_t
write_filtered (void *cookie, const char *from, size_t size)
{
  struct filter *filter = cookie;
  char buffer[4096];
  for (size_t done = 0; done < size;)
    {
      size_t n = sizeof buffer - filter->held;
      n = n < size - done ? n : size - done;
      memcpy (buffer, filter->bytes, filter->held);
      memcpy (buffer + filter->held, from + done, n);
      done += n;
      n += filter->held;
      size_t whole = printable (buffer, n, true, true);
      filter->held = n - whole;
      memcpy (filter->bytes, buffer + whole, filter->held);
      if (!write_all (filter->fd, buffer, whole))
        return 0;
    }
  return size;
}

static int
close_filtered (void *cookie)
{
  struct filter *filter = cookie;
  bool good = write_all (filter->fd, "???", filter->held);
  return close (filter->fd) == 0 && good ? 0 : EOF;
}

/* Replace *STREAM, which writes to the descriptor FD, with a stream that
   passes its output through FILTER.  If there is no memory for the new stream,
   leave *STREAM as it is.  */
static void
output_watch_stream (FILE **stream, int fd, struct filter *filter)
{
  const cookie_io_functions_t functions
      = { .write = write_filtered, .close = close_filtered };
  filter->fd = fd;
  FILE *filtered = fopencookie (filter, "w", functions);
  if (filtered != NULL)
    *stream = filtered;
}

bool
output_flush (void)
{
  errno = 0;
  return fflush (stdout) == 0 && ferror (stdout) == 0;
}

/* Close standard output.  Do not report that standard output is closed if the
   command has written nothing, because the caller may have closed it before
   the command was executed.  */
static void
close_output (void)
{
  bool written = __fpending (stdout) > 0;
  bool good = output_flush () && !lost;
  int error = errno;
  if (fclose (stdout) != 0 && (written || errno != EBADF) && good)
    {
      good = false;
      error = errno;
    }
  if (good)
    return;
  /* If a function of stdio has failed earlier, errno no longer contains the
     reason.  */
  fprintf (stderr, "%s: standard output cannot be written%s%s\n", failure_name,
           error != 0 ? ": " : "", error != 0 ? strerror (error) : "");
  _exit (failure_status);
}

void
output_watch (void)
{
  /* If a standard descriptor is closed, open /dev/null in its place, so that
     no file of the command gets its number.  Descriptor 0 is opened only for
     writing, and 1 and 2 only for reading, so that reading or writing fails
     with EBADF, as with a closed descriptor.  */
  for (int fd = 0; fd <= STDERR_FILENO; ++fd)
    while (fcntl (fd, F_GETFD) < 0 && errno == EBADF)
      if (open ("/dev/null",
                (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
          < 0)
        break;
  static struct filter filters[2];
  output_watch_stream (&stdout, STDOUT_FILENO, &filters[0]);
  output_watch_stream (&stderr, STDERR_FILENO, &filters[1]);
  setvbuf (stdout, NULL, isatty (STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
  setvbuf (stderr, NULL, _IONBF, 0);
  atexit (close_output);
}

void
output_failure (const char *name, int status)
{
  snprintf (failure_name, sizeof failure_name, "%s", name);
  failure_status = status;
}
