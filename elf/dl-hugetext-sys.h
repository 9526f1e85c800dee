/* System calls of ld-hugetext, without errno.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each returns what the kernel does: a negative error number on failure.
   They touch no thread-local storage (there may be none yet), and a failed
   call of ours never changes the errno that a program sees after dlopen.  */

#ifndef _DL_HUGETEXT_SYS_H
#define _DL_HUGETEXT_SYS_H 1

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sysdep.h>

/* Not in the headers of every release we build with.  */
#ifndef MAP_FIXED_NOREPLACE
# define MAP_FIXED_NOREPLACE 0x100000   /* Linux 4.17.  */
#endif
#ifndef MADV_POPULATE_READ
# define MADV_POPULATE_READ 22          /* Linux 5.14.  */
#endif
#ifndef MADV_COLLAPSE
# define MADV_COLLAPSE 25               /* Linux 6.1.  */
#endif

static inline bool
sys_failed (long int result)
{
  return INTERNAL_SYSCALL_ERROR_P (result);
}

/* 64-bit targets only, whose mmap takes a byte offset.  */
static inline long int
sys_mmap (uintptr_t address, size_t length, int prot, int flags, int fd,
          uint64_t offset)
{
  return INTERNAL_SYSCALL_CALL (mmap, address, length, prot, flags, fd,
                                offset);
}

static inline long int
sys_munmap (uintptr_t address, size_t length)
{
  return INTERNAL_SYSCALL_CALL (munmap, address, length);
}

static inline long int
sys_mprotect (uintptr_t address, size_t length, int prot)
{
  return INTERNAL_SYSCALL_CALL (mprotect, address, length, prot);
}

static inline long int
sys_madvise (uintptr_t address, size_t length, int advice)
{
  return INTERNAL_SYSCALL_CALL (madvise, address, length, advice);
}

/* Move LENGTH bytes of mapping at FROM over whatever is at TO.  */
static inline long int
sys_mremap_onto (uintptr_t from, size_t length, uintptr_t to)
{
  return INTERNAL_SYSCALL_CALL (mremap, from, length, length,
                                MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

static inline long int
sys_mincore (uintptr_t address, size_t length, unsigned char *vector)
{
  return INTERNAL_SYSCALL_CALL (mincore, address, length, vector);
}

static inline long int
sys_mlock (uintptr_t address, size_t length)
{
  return INTERNAL_SYSCALL_CALL (mlock, address, length);
}

static inline long int
sys_open (const char *path)
{
  return INTERNAL_SYSCALL_CALL (openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

static inline long int
sys_close (int fd)
{
  return INTERNAL_SYSCALL_CALL (close, fd);
}

static inline long int
sys_read (int fd, void *buffer, size_t length)
{
  return INTERNAL_SYSCALL_CALL (read, fd, buffer, length);
}

static inline long int
sys_pread (int fd, uintptr_t buffer, size_t length, uint64_t offset)
{
  return INTERNAL_SYSCALL_CALL (pread64, fd, buffer, length, offset);
}

#endif /* dl-hugetext-sys.h */
