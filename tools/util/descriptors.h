/* Open files that one process sends to another over a socket.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef HUGETEXT_UTIL_DESCRIPTORS_H
#define HUGETEXT_UTIL_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The most descriptors that one message has here.  */
enum
{
  DESCRIPTORS_MAX = 16
};

/* Send SIZE bytes of DATA as one message to SOCKET, of AF_UNIX and
   SOCK_SEQPACKET, with COUNT descriptors FDS, DESCRIPTORS_MAX at most.  Return
   false with errno set if this fails.  */
extern bool descriptors_send (int socket, const void *data, size_t size,
                              const int *fds, size_t count);

/* Receive a message of at most SIZE bytes from SOCKET to DATA, and *COUNT
   descriptors, closed on exec, to FDS, which has room for ROOM,
   DESCRIPTORS_MAX at most.  Whatever the sender sends, this process gets no
   others.  Return the number of bytes, -1 with errno set if there is no
   message.  */
extern ssize_t descriptors_receive (int socket, void *data, size_t size,
                                    int *fds, size_t room, size_t *count);

#endif
