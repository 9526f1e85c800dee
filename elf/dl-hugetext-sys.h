/* System calls of ld-hugetext, without errno.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each function returns what the kernel returns: a negative error number on
   failure.  The functions touch no thread-local storage (there may be none
   yet), and a failed call of the loader never changes the errno that a program
   sees after dlopen.  */

#ifndef _DL_HUGETEXT_SYS_H
#define _DL_HUGETEXT_SYS_H 1

#include <errno.h>
#include <fcntl.h>
#include <hugetext-glibc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

/* Constants that the headers of older releases lack.  */
#ifndef MAP_FIXED_NOREPLACE
#  define MAP_FIXED_NOREPLACE 0x100000 /* Linux 4.17.  */
#endif
#ifndef MADV_POPULATE_READ
#  define MADV_POPULATE_READ 22 /* Linux 5.14.  */
#endif
#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25 /* Linux 6.1.  */
#endif

/* The layout of struct rlimit64, whose header would define more.  */
struct sys_limit
{
  uint64_t current, maximum;
};

/* The layout of struct iovec, likewise.  */
struct sys_vector
{
  uintptr_t base;
  size_t length;
};

static inline bool
sys_failed (long int result)
{
  return (unsigned long int) result > -4096UL;
}

/* The kernel's calls, with the kernel's parameters.  The functions further
   down choose some of the parameters.  */
#define sys_mmap(address, length, prot, flags, fd, offset) \
  HUGETEXT_SYSCALL (mmap, address, length, prot, flags, fd, offset)
#define sys_munmap(address, length) HUGETEXT_SYSCALL (munmap, address, length)
#define sys_mprotect(address, length, prot) \
  HUGETEXT_SYSCALL (mprotect, address, length, prot)
#define sys_madvise(address, length, advice) \
  HUGETEXT_SYSCALL (madvise, address, length, advice)
#define sys_mincore(address, length, vector) \
  HUGETEXT_SYSCALL (mincore, address, length, vector)
#define sys_close(fd) HUGETEXT_SYSCALL (close, fd)
#define sys_read(fd, buffer, length) \
  HUGETEXT_SYSCALL (read, fd, buffer, length)
#define sys_pread(fd, buffer, length, offset) \
  HUGETEXT_SYSCALL (pread64, fd, buffer, length, offset)
#define sys_getpid() HUGETEXT_SYSCALL (getpid)
#define sys_prlimit(resource, limit) \
  HUGETEXT_SYSCALL (prlimit64, 0, resource, NULL, limit)
/* Move LENGTH bytes of mapping at FROM over whatever is at TO.  */
#define sys_mremap_onto(from, length, to)         \
  HUGETEXT_SYSCALL (mremap, from, length, length, \
                    MREMAP_MAYMOVE | MREMAP_FIXED, to)

/* Open PATH for reading, with FLAGS.  O_NONBLOCK has no effect on regular
   files, and prevents that open waits for a writer if PATH has become a
   FIFO.  */
#define sys_open_with(path, flags)          \
  HUGETEXT_SYSCALL (openat, AT_FDCWD, path, \
                    (flags) | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define sys_open(path) sys_open_with (path, 0)
#define sys_open_own(path) sys_open_with (path, O_NOFOLLOW)

/* Ask the kernel to gather the LENGTH bytes at ADDRESS, a huge page in size,
   into one huge page.  Returns 0 only if they are on one huge page, by this
   call or before it.  */
static inline long int
sys_collapse (uintptr_t address, size_t length)
{
  long int result = sys_madvise (address, length, MADV_COLLAPSE);
  /* EAGAIN: the kernel or a process held one of the pages for a moment.  */
  if (result == -EAGAIN)
    result = sys_madvise (address, length, MADV_COLLAPSE);
  return result;
}

/* Read from memory of this process, from COUNT places REMOTE to one place
   LOCAL.  The call fails where an access would raise a signal.  */
static inline long int
sys_read_memory (const struct sys_vector *local,
                 const struct sys_vector *remote, size_t count)
{
  long int self = sys_getpid ();
  return HUGETEXT_SYSCALL (process_vm_readv, self, local, 1, remote, count, 0);
}

#endif /* dl-hugetext-sys.h */
