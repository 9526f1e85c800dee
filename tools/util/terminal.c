/* The terminal: how many columns it has, and which characters standard output
   can show.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each character of UTF-8 is assumed to take one column.  */

#include "util/terminal.h"
#include "util/allocate.h"
#include "util/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int
terminal_columns (void)
{
  struct winsize size;
  if (!isatty (STDOUT_FILENO))
    return 0;
  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

/* Return how many columns the LENGTH bytes at TEXT take: one for each byte
   that begins a character.  */
static int
width_of (const char *text, size_t length)
{
  int columns = 0;
  for (size_t i = 0; i < length; ++i)
    columns += (text[i] & 0xc0) != 0x80;
  return columns;
}

/* Return the beginning of the character that is at COLUMN of TEXT.  */
static char *
find_column (char *text, int column)
{
  for (; *text != '\0'; ++text)
    if ((*text & 0xc0) != 0x80 && column-- == 0)
      break;
  return text;
}

/* Copy TEXT to BUFFER in a form that standard output can show.  Return how
   many columns must be cut so that the rest of TEXT and an ellipsis fit into
   COLUMNS.  If the whole TEXT fits into COLUMNS, the result is 0 or
   negative.  */
static int
terminal_copy_text (const char *text, int columns, char *buffer, size_t size)
{
  snprintf (buffer, size, "%s", text);
  printable_string (buffer);
  int width = width_of (buffer, strlen (buffer));
  return (columns <= 3 || width <= columns || !isatty (STDOUT_FILENO)
              ? 0
              : width - columns + 3);
}

const char *
terminal_text (const char *text, int columns, char *buffer, size_t size)
{
  if (terminal_copy_text (text, columns, buffer, size) > 0)
    strcpy (find_column (buffer, columns - 3), "...");
  return buffer;
}

const char *
terminal_tail (const char *text, int columns, char *buffer, size_t size)
{
  int more = terminal_copy_text (text, columns, buffer, size);
  if (more > 0)
    {
      const char *rest = find_column (buffer, more);
      memmove (buffer + 3, rest, strlen (rest) + 1);
      memcpy (buffer, "...", 3);
    }
  return buffer;
}

/* Print TEXT with line breaks (terminal_fill), on a terminal that is COLUMNS
   wide.  */
static void
terminal_fill_text (FILE *stream, int columns, int column, int hang,
                    const char *text)
{
  for (const char *word = text; *word != '\0';)
    {
      size_t blanks = strspn (word, " ");
      size_t length = strcspn (word + blanks, " ");
      int width = width_of (word + blanks, length);
      /* If a word would not fit even on a new line, which begins at HANG, keep
         the word on this line.  */
      if (column > hang && column + (int) blanks + width > columns)
        {
          fprintf (stream, "\n%*s", hang, "");
          column = hang;
          word += blanks;
          blanks = 0;
        }
      fprintf (stream, "%.*s", (int) (blanks + length), word);
      column += blanks + width;
      word += blanks + length;
    }
}

void
terminal_fill (FILE *stream, int column, int hang, const char *text)
{
  int columns = terminal_columns ();
  char *line = allocate_text (text);
  printable_string (line);
  if (columns > 0)
    terminal_fill_text (stream, columns, column, hang, line);
  else
    fprintf (stream, "%s", line);
  fputc ('\n', stream);
  free (line);
}

void
terminal_say (FILE *stream, int hang, const char *format, ...)
{
  char *line;
  va_list ap;
  va_start (ap, format);
  int length = vasprintf (&line, format, ap);
  va_end (ap);
  if (length < 0)
    return;
  terminal_fill (stream, 0, hang, line);
  free (line);
}
