/* Send descriptors of open files from one process to another over a socket.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef HUGETEXT_UTIL_DESCRIPTORS_H
#define HUGETEXT_UTIL_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The maximum number of descriptors in a message.  */
enum
{
  DESCRIPTORS_MAX = 16
};

/* Send the SIZE bytes at DATA as one message over SOCKET (AF_UNIX,
   SOCK_SEQPACKET), together with the COUNT descriptors FDS, at most
   DESCRIPTORS_MAX.  On failure set errno and return false.  */
extern bool descriptors_send (int socket, const void *data, size_t size,
                              const int *fds, size_t count);

/* Receive a message of at most SIZE bytes from SOCKET into DATA.  Store the
   descriptors of the message in FDS, which has ROOM elements (at most
   DESCRIPTORS_MAX), and the number of descriptors in *COUNT.  The descriptors
   have the flag FD_CLOEXEC.  No matter what the sender sends, this process
   does not receive more than ROOM descriptors.  Return the number of bytes, or
   -1 with errno set if there is no message.  */
extern ssize_t descriptors_receive (int socket, void *data, size_t size,
                                    int *fds, size_t room, size_t *count);

#endif
