/* System calls for the object that follows code.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Stands in for elf/dl-hugetext-sys.h, which cannot be had outside of glibc.
   Each returns what the kernel does: a negative error number on failure.  */

#ifndef _DL_HUGETEXT_SYS_H
#define _DL_HUGETEXT_SYS_H 1

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <code-syscall.h>

/* Not in the headers of every release we build with.  */
#ifndef MADV_COLLAPSE
# define MADV_COLLAPSE 25               /* Linux 6.1.  */
#endif
#ifndef MAP_FIXED_NOREPLACE
# define MAP_FIXED_NOREPLACE 0x100000   /* Linux 4.17.  */
#endif
#ifndef MADV_WIPEONFORK
# define MADV_WIPEONFORK 18             /* Linux 4.14.  */
#endif
#ifndef MREMAP_DONTUNMAP
# define MREMAP_DONTUNMAP 4             /* Linux 5.7.  */
#endif

struct sys_limit
{
  uint64_t current, maximum;
};

static inline bool
sys_failed (long int result)
{
  return (unsigned long int) result > -4096UL;
}

static inline long int
sys_mmap (uintptr_t address, size_t length, int prot, int flags, int fd,
          uint64_t offset)
{
  return code_syscall (SYS_mmap, address, length, prot, flags, fd, offset);
}

static inline long int
sys_munmap (uintptr_t address, size_t length)
{
  return code_syscall (SYS_munmap, address, length, 0, 0, 0, 0);
}

static inline long int
sys_madvise (uintptr_t address, size_t length, int advice)
{
  return code_syscall (SYS_madvise, address, length, advice, 0, 0, 0);
}

static inline long int
sys_mincore (uintptr_t address, size_t length, unsigned char *vector)
{
  return code_syscall (SYS_mincore, address, length, (long int) vector, 0, 0,
                       0);
}

static inline long int
sys_open (const char *path)
{
  return code_syscall (SYS_openat, AT_FDCWD, (long int) path,
                       O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0);
}

static inline long int
sys_read (int fd, void *buffer, size_t length)
{
  return code_syscall (SYS_read, fd, (long int) buffer, length, 0, 0, 0);
}

static inline long int
sys_pread (int fd, uintptr_t buffer, size_t length, uint64_t offset)
{
  return code_syscall (SYS_pread64, fd, buffer, length, offset, 0, 0);
}

static inline long int
sys_close (int fd)
{
  return code_syscall (SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long int
sys_prlimit (int resource, struct sys_limit *limit)
{
  return code_syscall (SYS_prlimit64, 0, resource, 0, (long int) limit, 0, 0);
}

#endif /* dl-hugetext-sys.h */
