/* Messages: plain data between processes that do not trust each other.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A message is a sequence of numbers and texts in an order known to writer and
   reader, without pointers.  The reader gives the limit of each number and
   text.  An item beyond its limit, or after the end, is read as 0 or "" and
   makes the message bad, so that a reader can read everything and then check
   once.  */

#ifndef MESSAGE_H
#define MESSAGE_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message
{
  char *data; /* Allocated memory, which the owner frees.  */
  size_t size;
  size_t room; /* The bytes allocated while the message is written.  */
  size_t at;   /* The bytes that have been read.  */
  bool bad;    /* An item that was read is invalid.  */
};

extern void message_put_number (struct message *message, uint64_t number);
extern void message_put_text (struct message *message, const char *text);

/* Put GOOD, what a function has returned, and the PROBLEM that the function
   has set if GOOD is false.  */
extern void message_put_result (struct message *message, bool good,
                                const struct problem *problem);
extern void message_put_bytes (struct message *message, const void *bytes,
                               size_t size);

/* Return the next number, or 0 if it is larger than MOST.  */
extern uint64_t message_get_number (struct message *message, uint64_t most);

extern bool message_get_bool (struct message *message);

/* Return the next number, a count of items of at least EACH bytes each that
   follow, or 0 if the message is too short for that many.  */
extern size_t message_get_count (struct message *message, size_t each);

/* Copy the next text to TEXT, which has SIZE bytes; "" if it does not fit, or
   if it contains a null byte.  */
extern void message_get_text (struct message *message, char *text,
                              size_t size);

/* Copy the next text as message_get_text does, and replace characters that are
   not printable by "?".  */
extern void message_get_printable (struct message *message, char *text,
                                   size_t size);

/* Return an allocated copy of the next text, which has MOST bytes at most.  */
extern char *message_get_new_text (struct message *message, size_t most);

/* Copy the next SIZE bytes to BYTES; zeros if MESSAGE has fewer.  */
extern void message_get_bytes (struct message *message, void *bytes,
                               size_t size);

/* Whether all items read were valid, and no items are left.  */
extern bool message_is_done (const struct message *message);

/* Free the data of MESSAGE.  */
extern void message_free (struct message *message);

/* Take a result.  Return what was put as GOOD, and if that is false, set
   PROBLEM, with "?" for characters that are not printable.  */
extern bool message_get_result (struct message *message,
                                struct problem *problem);

#endif
