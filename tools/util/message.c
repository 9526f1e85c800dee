/* Messages: plain data between processes that do not trust each other.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/message.h"
#include "util/allocate.h"
#include "util/printable.h"

#include <stdlib.h>
#include <string.h>

void
message_put_bytes (struct message *message, const void *bytes, size_t size)
{
  if (size > message->room - message->size)
    {
      const size_t room = 2 * (message->size + size) + 4096;
      char *data = allocate (room);
      if (message->size > 0)
        memcpy (data, message->data, message->size);
      free (message->data);
      message->data = data;
      message->room = room;
    }
  if (size > 0)
    memcpy (message->data + message->size, bytes, size);
  message->size += size;
}

void
message_put_number (struct message *message, uint64_t number)
{
  message_put_bytes (message, &number, sizeof number);
}

void
message_put_text (struct message *message, const char *text)
{
  const size_t length = strlen (text);
  message_put_number (message, length);
  message_put_bytes (message, text, length);
}

/* Return the next SIZE bytes of MESSAGE, or NULL if fewer bytes are left.  */
static const char *
message_take_bytes (struct message *message, size_t size)
{
  if (message->bad || size > message->size - message->at)
    {
      message->bad = true;
      return NULL;
    }
  message->at += size;
  return message->data + message->at - size;
}

void
message_get_bytes (struct message *message, void *bytes, size_t size)
{
  const char *from = message_take_bytes (message, size);
  if (from != NULL)
    memcpy (bytes, from, size);
  else
    memset (bytes, 0, size);
}

uint64_t
message_get_number (struct message *message, uint64_t most)
{
  uint64_t number;
  message_get_bytes (message, &number, sizeof number);
  if (number <= most)
    return number;
  message->bad = true;
  return 0;
}

bool
message_get_bool (struct message *message)
{
  return message_get_number (message, 1) != 0;
}

size_t
message_get_count (struct message *message, size_t each)
{
  const uint64_t count = message_get_number (message, UINT64_MAX);
  if (count <= (message->size - message->at) / each)
    return count;
  message->bad = true;
  return 0;
}

/* Return the next text of MESSAGE, which may have at most MOST bytes, and set
   LENGTH to its length.  The result does not end with a null byte.  If the
   text in the message is invalid, return "".  */
static const char *
take_text (struct message *message, size_t most, size_t *length)
{
  *length = message_get_number (message, most);
  const char *from = message_take_bytes (message, *length);
  if (from != NULL && memchr (from, '\0', *length) == NULL)
    return from;
  message->bad = true;
  *length = 0;
  return "";
}

void
message_get_text (struct message *message, char *text, size_t size)
{
  size_t length;
  const char *from = take_text (message, size - 1, &length);
  memcpy (text, from, length);
  text[length] = '\0';
}

void
message_get_printable (struct message *message, char *text, size_t size)
{
  message_get_text (message, text, size);
  printable_string (text);
}

char *
message_get_new_text (struct message *message, size_t most)
{
  size_t length;
  const char *from = take_text (message, most, &length);
  char *text = allocate (length + 1);
  memcpy (text, from, length);
  return text;
}

bool
message_is_done (const struct message *message)
{
  return !message->bad && message->at == message->size;
}

void
message_free (struct message *message)
{
  free (message->data);
  *message = (struct message){ 0 };
}

void
message_put_result (struct message *message, bool good,
                    const struct problem *problem)
{
  message_put_number (message, good);
  if (good)
    return;
  message_put_number (message, problem->code);
  message_put_text (message, problem->text);
}

bool
message_get_result (struct message *message, struct problem *problem)
{
  if (message_get_bool (message))
    return true;
  problem->code = message_get_number (message, PROBLEM_CODES - 1);
  message_get_printable (message, problem->text, sizeof problem->text);
  message->bad |= !problem_is (problem);
  return false;
}
