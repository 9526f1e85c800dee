/* Messages: plain data between processes that do not trust each other.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A message is a sequence of numbers and texts that writer and reader agree
   about; it has no pointers.  The reader gives the limit of each number and
   text.  What is beyond its limit, or behind the end, makes the message bad,
   and is read as 0 or "": so a reader goes on, and asks once whether all was
   good.  */

#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message
{
  char *data; /* Allocated, and the owner's to free.  */
  size_t size;
  size_t room; /* Bytes allocated, while the message is written.  */
  size_t at;   /* Bytes that have been read.  */
  bool bad;    /* Something that was read is not as it should be.  */
};

extern void message_put_number (struct message *message, uint64_t number);
extern void message_put_text (struct message *message, const char *text);
extern void message_put_bytes (struct message *message, const void *bytes,
                               size_t size);

/* Return the next number; 0 if it is larger than MOST.  */
extern uint64_t message_get_number (struct message *message, uint64_t most);

extern bool message_get_bool (struct message *message);

/* Return the next number, which says how many items follow, each of which
   takes EACH bytes or more; 0 if the message cannot have so many.  */
extern size_t message_get_count (struct message *message, size_t each);

/* Copy the next text to TEXT, which has SIZE bytes; "" if there is not room
   for it, or if it has a null byte.  */
extern void message_get_text (struct message *message, char *text,
                              size_t size);

/* The same for text that will be shown: what is not printable becomes
   "?".  */
extern void message_get_printable (struct message *message, char *text,
                                   size_t size);

/* Return an allocated copy of the next text, which has MOST bytes at most.  */
extern char *message_get_new_text (struct message *message, size_t most);

/* Copy the next SIZE bytes to BYTES; zeros if there are fewer.  */
extern void message_get_bytes (struct message *message, void *bytes,
                               size_t size);

/* Whether all that was read was good, and nothing is left.  */
extern bool message_is_done (const struct message *message);

/* Free what MESSAGE has.  */
extern void message_free (struct message *message);

#endif
