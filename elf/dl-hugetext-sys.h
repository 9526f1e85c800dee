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

/* The layouts of struct rlimit64 and struct iovec, whose headers would define
   more.  */
struct sys_limit
{
  uint64_t current, maximum;
};

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

/* mmap with a byte offset, as 64-bit targets have it; the project has no
   others.  */
static inline long int
sys_mmap (uintptr_t address, size_t length, int prot, int flags, int fd,
          uint64_t offset)
{
  return HUGETEXT_SYSCALL (mmap, address, length, prot, flags, fd, offset);
}

static inline long int
sys_munmap (uintptr_t address, size_t length)
{
  return HUGETEXT_SYSCALL (munmap, address, length);
}

static inline long int
sys_mprotect (uintptr_t address, size_t length, int prot)
{
  return HUGETEXT_SYSCALL (mprotect, address, length, prot);
}

static inline long int
sys_madvise (uintptr_t address, size_t length, int advice)
{
  return HUGETEXT_SYSCALL (madvise, address, length, advice);
}

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

/* Whether the kernel would gather pages of the mapping that has ADDRESS, where
   a huge page could begin.  LENGTH is less than a huge page, so that the
   kernel checks the mapping and gathers nothing.  */
static inline bool
sys_may_collapse (uintptr_t address, size_t length)
{
  return !sys_failed (sys_madvise (address, length, MADV_COLLAPSE));
}

/* Move LENGTH bytes of mapping at FROM over whatever is at TO.  */
static inline long int
sys_mremap_onto (uintptr_t from, size_t length, uintptr_t to)
{
  return HUGETEXT_SYSCALL (mremap, from, length, length,
                           MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

static inline long int
sys_mincore (uintptr_t address, size_t length, unsigned char *vector)
{
  return HUGETEXT_SYSCALL (mincore, address, length, vector);
}

static inline long int
sys_mlock (uintptr_t address, size_t length)
{
  return HUGETEXT_SYSCALL (mlock, address, length);
}

static inline long int
sys_ioctl (int fd, unsigned long int request, void *argument)
{
  return HUGETEXT_SYSCALL (ioctl, fd, request, argument);
}

static inline long int
sys_prlimit (int resource, struct sys_limit *limit)
{
  return HUGETEXT_SYSCALL (prlimit64, 0, resource, NULL, limit);
}

/* Open PATH for reading.  O_NONBLOCK has no effect on regular files, and
   prevents that open waits for a writer if PATH has become a FIFO.  */
static inline long int
sys_open (const char *path)
{
  return HUGETEXT_SYSCALL (openat, AT_FDCWD, path,
                           O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Open PATH for reading in the same way, unless PATH is a symbolic link.  */
static inline long int
sys_open_own (const char *path)
{
  return HUGETEXT_SYSCALL (openat, AT_FDCWD, path,
                           O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
                               | O_NOFOLLOW);
}

static inline long int
sys_close (int fd)
{
  return HUGETEXT_SYSCALL (close, fd);
}

static inline long int
sys_read (int fd, void *buffer, size_t length)
{
  return HUGETEXT_SYSCALL (read, fd, buffer, length);
}

static inline long int
sys_write (int fd, const void *buffer, size_t length)
{
  return HUGETEXT_SYSCALL (write, fd, buffer, length);
}

static inline void
sys_exit (int status)
{
  HUGETEXT_SYSCALL (exit_group, status);
}

static inline long int
sys_pread (int fd, uintptr_t buffer, size_t length, uint64_t offset)
{
  return HUGETEXT_SYSCALL (pread64, fd, buffer, length, offset);
}

static inline uintptr_t
sys_brk (void)
{
  return HUGETEXT_SYSCALL (brk, 0);
}

static inline long int
sys_prctl (int option, uintptr_t arg2, uintptr_t arg3, uintptr_t arg4)
{
  return HUGETEXT_SYSCALL (prctl, option, arg2, arg3, arg4, 0);
}

/* Write the resources that the calling thread has used to USAGE, a struct
   rusage.  */
static inline long int
sys_thread_usage (void *usage)
{
  return HUGETEXT_SYSCALL (getrusage, 1 /* RUSAGE_THREAD.  */, usage);
}

/* Make a memory file of LENGTH bytes, at most RLIMIT_FSIZE.  Returns its file
   descriptor or an error.  */
static inline long int
sys_memory_file (const char *name, size_t length)
{
  long int fd = HUGETEXT_SYSCALL (memfd_create, name, 1U /* MFD_CLOEXEC.  */);
  if (sys_failed (fd))
    return fd;
  long int result = HUGETEXT_SYSCALL (ftruncate, fd, length);
  if (!sys_failed (result))
    return fd;
  HUGETEXT_SYSCALL (close, fd);
  return result;
}

/* Have the kernel drop cached pages of a file that no process uses.  */
static inline long int
sys_evict (int fd, uint64_t offset, size_t length)
{
  return HUGETEXT_SYSCALL (fadvise64, fd, offset, length,
                           4 /* POSIX_FADV_DONTNEED.  */);
}

/* Have the kernel write the changes of a file to its disk.  */
static inline long int
sys_sync (int fd)
{
  return HUGETEXT_SYSCALL (fdatasync, fd);
}

static inline long int
sys_getpid (void)
{
  return HUGETEXT_SYSCALL (getpid);
}

/* Read from memory of this process, from COUNT places REMOTE to one place
   LOCAL.  The call fails where an access would raise a signal.  */
static inline long int
sys_read_memory (const struct sys_vector *local,
                 const struct sys_vector *remote, size_t count)
{
  return HUGETEXT_SYSCALL (process_vm_readv, sys_getpid (), local, 1, remote,
                           count, 0);
}

#endif /* dl-hugetext-sys.h */
