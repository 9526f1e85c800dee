/* Messages: plain data between processes that do not trust each other.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   A message is a sequence of numbers and texts, without pointers.  The writer
   and the reader of a message both know the order of its items.  For each
   item, the reader specifies a limit.  If an item exceeds its limit, or is
   beyond the end of the message, it is read as 0 or "", and the message is
   marked as bad.  Therefore a reader can read all items first, and then check
   once whether the message is bad.  */

#ifndef MESSAGE_H
#define MESSAGE_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message
{
  char *data; /* Allocated memory, which the owner of the message frees.  */
  size_t size;
  size_t room; /* The number of allocated bytes, while the message is being
                  written.  */
  size_t at;   /* The number of bytes that have been read.  */
  bool bad;    /* True if an invalid item has been read.  */
};

extern void message_put_number (struct message *message, uint64_t number);
extern void message_put_text (struct message *message, const char *text);

/* Append to MESSAGE the result of a function: GOOD, the function's return
   value, and, if GOOD is false, the PROBLEM that the function has set.  */
extern void message_put_result (struct message *message, bool good,
                                const struct problem *problem);
extern void message_put_bytes (struct message *message, const void *bytes,
                               size_t size);

/* Read and return the next number.  Return 0 if the number is larger than
   MOST.  */
extern uint64_t message_get_number (struct message *message, uint64_t most);

extern bool message_get_bool (struct message *message);

/* Read and return the next number, which says how many items of at least EACH
   bytes follow.  Return 0 if the rest of the message is too short for this
   number of items.  */
extern size_t message_get_count (struct message *message, size_t each);

/* Read the next text into TEXT, a buffer of SIZE bytes, and end TEXT with a
   null byte.  If the text in the message does not fit, or contains a null
   byte, set TEXT to "".  */
extern void message_get_text (struct message *message, char *text,
                              size_t size);

/* Read the next text into TEXT like message_get_text, and replace unprintable
   characters by "?".  */
extern void message_get_printable (struct message *message, char *text,
                                   size_t size);

/* Read the next text, of at most MOST bytes, and return it in allocated
   memory.  */
extern char *message_get_new_text (struct message *message, size_t most);

/* Read the next SIZE bytes into BYTES.  If fewer than SIZE bytes are left in
   MESSAGE, set BYTES to zeros.  */
extern void message_get_bytes (struct message *message, void *bytes,
                               size_t size);

/* Define the functions put_NAME and get_NAME, which write a struct of TYPE to
   a message and read it.  MEMBERS is a macro with the parameters NUMBER and
   FLAG.  MEMBERS lists the members in the order of the message.  MEMBERS
   contains NUMBER (MEMBER, MOST) for each member that is a number, whose
   maximum is MOST, and FLAG (MEMBER) for each member that is a bool.  */
#define MESSAGE_MEMBERS(name, type, members)                       \
  static void put_##name (struct message *message, const type *it) \
  {                                                                \
    members (MESSAGE_PUT_NUMBER, MESSAGE_PUT_FLAG)                 \
  }                                                                \
  static void get_##name (struct message *message, type *it)       \
  {                                                                \
    members (MESSAGE_GET_NUMBER, MESSAGE_GET_FLAG)                 \
  }
#define MESSAGE_PUT_NUMBER(member, most) \
  message_put_number (message, it->member);
#define MESSAGE_PUT_FLAG(member) message_put_number (message, it->member);
#define MESSAGE_GET_NUMBER(member, most) \
  it->member = message_get_number (message, most);
#define MESSAGE_GET_FLAG(member) it->member = message_get_bool (message);

/* Return true if all items read so far were valid, and nothing is left to
   read.  */
extern bool message_is_done (const struct message *message);

/* Free the data of MESSAGE.  */
extern void message_free (struct message *message);

/* Read what message_put_result has appended to MESSAGE.  Return GOOD.  If GOOD
   is false, set PROBLEM, with unprintable characters replaced by "?".  */
extern bool message_get_result (struct message *message,
                                struct problem *problem);

#endif
