/* The name of an error number.  (glibc has a function for this since release
   2.32.)
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ERROR_NAME_H
#define ERROR_NAME_H 1

#include <errno.h>
#include <features.h>
#include <string.h>

#if __GLIBC_PREREQ(2, 32)
#  define error_name strerrorname_np
#else
/* The errors that calls about memory return.  */
static inline const char *
error_name (int number)
{
  static const struct
  {
    int number;
    const char *name;
  } known[] = {
#  define KNOWN(name) \
    {                 \
      name, #name     \
    }
    KNOWN (EACCES), KNOWN (EAGAIN), KNOWN (EBADF),  KNOWN (EBUSY),
    KNOWN (EEXIST), KNOWN (EFAULT), KNOWN (EINVAL), KNOWN (EIO),
    KNOWN (ENODEV), KNOWN (ENOMEM), KNOWN (ENOSYS), KNOWN (EPERM),
#  undef KNOWN
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (known[i].number == number)
      return known[i].name;
  return strerror (number);
}
#endif

#endif /* error-name.h */
