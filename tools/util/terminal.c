/* The terminal: the characters and columns that standard output has.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/terminal.h"
#include "util/printable.h"

#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

/* Return the user's locale for characters; 0 if there is no such locale.  */
static locale_t
characters (void)
{
  static locale_t locale;
  static bool known;
  if (!known)
    locale = newlocale (LC_CTYPE_MASK, "", 0);
  known = true;
  return locale;
}

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

/* One character of a text.  */
struct character
{
  size_t bytes;
  int columns; /* The character's columns, -1 if it cannot be shown.  */
};

static struct character
next_character (const char *text, mbstate_t *state)
{
  wchar_t wide;
  size_t bytes = mbrtowc (&wide, text, strlen (text), state);
  if (bytes == 0 || bytes > MB_LEN_MAX)
    {
      *state = (mbstate_t){ 0 };
      return (struct character){ 1, -1 };
    }
  return (struct character){ bytes, wcwidth (wide) };
}

/* Copy as much of TEXT as fits into COLUMNS to BUFFER, of SIZE bytes.  Return
   whether all of it fits.  */
static bool
copy_characters (const char *text, int columns, char *buffer, size_t size)
{
  mbstate_t state = { 0 };
  while (*text != '\0')
    {
      struct character next = next_character (text, &state);
      size_t bytes = next.columns < 0 ? 1 : next.bytes;
      int width = next.columns < 0 ? 1 : next.columns;
      if (width > columns || bytes >= size)
        break;
      if (next.columns < 0)
        *buffer = '?';
      else
        memcpy (buffer, text, bytes);
      text += next.bytes;
      buffer += bytes;
      size -= bytes;
      columns -= width;
    }
  *buffer = '\0';
  return *text == '\0';
}

/* Return TEXT in BUFFER for a file or a pipe, whose reader gets all of it.  */
static const char *
plain_text (const char *text, char *buffer, size_t size)
{
  snprintf (buffer, size, "%s", text);
  printable_string (buffer);
  return buffer;
}

const char *
terminal_text (const char *text, int columns, char *buffer, size_t size)
{
  if (!isatty (STDOUT_FILENO) || characters () == 0)
    return plain_text (text, buffer, size);
  locale_t before = uselocale (characters ());
  if (columns == 0)
    columns = INT_MAX;
  if (!copy_characters (text, columns, buffer, size) && columns > 3)
    {
      copy_characters (text, columns - 3, buffer, size - 3);
      strcat (buffer, "...");
    }
  uselocale (before);
  return buffer;
}

const char *
terminal_tail (const char *text, int columns, char *buffer, size_t size)
{
  if (!isatty (STDOUT_FILENO) || characters () == 0)
    return plain_text (text, buffer, size);
  locale_t before = uselocale (characters ());
  bool all
      = copy_characters (text, columns > 0 ? columns : INT_MAX, buffer, size);
  mbstate_t state = { 0 };
  while (!all && columns > 3 && *text != '\0')
    {
      text += next_character (text, &state).bytes;
      all = copy_characters (text, columns - 3, buffer + 3, size - 3);
      memcpy (buffer, "...", 3);
    }
  uselocale (before);
  return buffer;
}

/* Return the columns of LENGTH bytes of TEXT.  */
static int
width_of (const char *text, size_t length)
{
  mbstate_t state = { 0 };
  int columns = 0;
  for (size_t i = 0; i < length;)
    {
      struct character next = next_character (text + i, &state);
      columns += next.columns < 0 ? 1 : next.columns;
      i += next.bytes;
    }
  return columns;
}

/* Print TEXT as terminal_fill does, on a terminal with COLUMNS.  */
static void
fill (FILE *stream, int columns, int column, int hang, const char *text)
{
  for (const char *word = text; *word != '\0';)
    {
      size_t blanks = strspn (word, " ");
      size_t length = strcspn (word + blanks, " ");
      int width = width_of (word + blanks, length);
      /* A word that would not fit behind HANG either stays on this line.  */
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
  if (columns > 0 && characters () != 0)
    {
      locale_t before = uselocale (characters ());
      fill (stream, columns, column, hang, text);
      uselocale (before);
    }
  else
    fputs (text, stream);
  fputc ('\n', stream);
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
