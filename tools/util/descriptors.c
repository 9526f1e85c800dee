/* Send descriptors of open files from one process to another over a socket.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/descriptors.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* The part of a message that contains its descriptors.  */
union control
{
  char bytes[CMSG_SPACE (DESCRIPTORS_MAX * sizeof (int))];
  struct cmsghdr head;
};

bool
descriptors_send (int socket, const void *data, size_t size, const int *fds,
                  size_t count)
{
  union control control = { .bytes = { 0 } };
  struct iovec part = { (void *) data, size };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
  if (count > 0)
    {
      message.msg_control = control.bytes;
      message.msg_controllen = CMSG_SPACE (count * sizeof *fds);
      control.head.cmsg_level = SOL_SOCKET;
      control.head.cmsg_type = SCM_RIGHTS;
      control.head.cmsg_len = CMSG_LEN (count * sizeof *fds);
      memcpy (CMSG_DATA (&control.head), fds, count * sizeof *fds);
    }
  ssize_t n;
  while ((n = sendmsg (socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR)
    continue;
  return n == (ssize_t) size;
}

ssize_t
descriptors_receive (int socket, void *data, size_t size, int *fds,
                     size_t room, size_t *count)
{
  union control control = { .bytes = { 0 } };
  struct iovec part = { data, size };
  /* The kernel delivers as many descriptors as fit into a buffer of the length
     in msg_controllen.  CMSG_SPACE rounds the length up, so a buffer of
     CMSG_SPACE bytes might have space for one descriptor too many.  */
  struct msghdr message
      = { .msg_iov = &part,
          .msg_iovlen = 1,
          .msg_control = control.bytes,
          .msg_controllen = room > 0 ? CMSG_LEN (room * sizeof *fds) : 0 };
  ssize_t n;
  *count = 0;
  while ((n = recvmsg (socket, &message, MSG_CMSG_CLOEXEC)) < 0
         && errno == EINTR)
    continue;
  const struct cmsghdr *head = n >= 0 ? CMSG_FIRSTHDR (&message) : NULL;
  if (head != NULL && head->cmsg_level == SOL_SOCKET
      && head->cmsg_type == SCM_RIGHTS)
    {
      *count = (head->cmsg_len - CMSG_LEN (0)) / sizeof *fds;
      memcpy (fds, CMSG_DATA (head), *count * sizeof *fds);
    }
  return n;
}
