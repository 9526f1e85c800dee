/* System calls of ld-hugetext, without errno.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each function returns the kernel's result, which on failure is a negative
   error number.  The functions do not use errno, so they work before
   thread-local storage exists.  Even a failed call does not change errno,
   which a program may read after dlopen.

   A filter of system calls (seccomp) may kill the process because of any call
   or any argument of a call, and the kernel does not report which calls a
   filter allows.  So by default the loader makes only system calls that the
   stock loader and malloc make in each process, and uses only the same flags
   as they do.  The functions of this file do not make any other call, but
   return -EPERM, unless the loader has found out in the current start or
   dlopen that no filter can kill the process for the call.  The test
   testsuite/hugetext.limits/stock.exp records the calls of the stock loader,
   and installs a filter that kills the process for any other call.  */

#ifndef _DL_HUGETEXT_SYS_H
#define _DL_HUGETEXT_SYS_H 1

#include <errno.h>
#include <fcntl.h>
#include <hugetext-glibc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

/* Constants missing from the headers of older releases.  */
#define SYS_MAP_FIXED_NOREPLACE 0x100000 /* Linux 4.17.  */
#ifndef __NR_close_range
#  define __NR_close_range 436 /* Linux 5.9, on all architectures.  */
#endif
#ifndef MADV_POPULATE_READ
#  define MADV_POPULATE_READ 22 /* Linux 5.14.  */
#endif
#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25 /* Linux 6.1.  */
#endif

/* The layout of struct rlimit64, whose header would define too much.  */
struct sys_limit
{
  uint64_t current, maximum;
};

/* The layout of struct iovec, whose header would define too much.  */
struct sys_vector
{
  uintptr_t base;
  size_t length;
};

/* The layout of struct pm_scan_arg and struct page_region (Linux 6.7,
   admin-guide/mm/pagemap.rst), which the headers of older releases lack.  */
struct sys_scan
{
  uint64_t size, flags;
  uint64_t start, end;
  uint64_t walk_end; /* The address at which the kernel has ended the scan.  */
  uint64_t regions, nregions;
  uint64_t most_pages;
  uint64_t inverted, all_of, any_of; /* The categories by which PAGEMAP_SCAN
                                        selects pages.  */
  uint64_t wanted;                   /* The categories that PAGEMAP_SCAN
                                        reports for each range of pages.  */
};

struct sys_region
{
  uint64_t start, end, categories;
};

/* The categories of pages in PAGEMAP_SCAN: a page of a file or of shared
   memory; a mapped page; a page in swap; a page in a huge page that one entry
   of the page table maps.  */
#define SYS_PAGE_IS_FILE 4
#define SYS_PAGE_IS_PRESENT 8
#define SYS_PAGE_IS_SWAPPED 16
#define SYS_PAGE_IS_HUGE 64

static inline bool
sys_failed (long int result)
{
  return (unsigned long int) result > -4096UL;
}

/* The system calls that the loader may make in addition to those of the stock
   loader and malloc.  */
enum hugetext_liberty
{
  HUGETEXT_LIKE_STOCK,   /* The loader may make only calls of the stock loader
                            and malloc, because there may be a filter.  */
  HUGETEXT_ANY_ARGUMENT, /* The loader may make the same calls as the stock
                            loader, but with other arguments.  The process has
                            no filter yet, but it has other threads, and each
                            of them may install a filter for all threads at any
                            moment.  */
  HUGETEXT_PRCTL,        /* The loader may also call prctl, because the
                            administrator has allowed this call.  */
  HUGETEXT_ANY_CALL /* The loader may make all calls, because there is neither
                       a filter nor another thread.  */
};

#ifndef HUGETEXT_ALLOWED
/* The system calls that the loader may make in the current start or dlopen.
   The value is HUGETEXT_LIKE_STOCK until the loader knows whether the process
   has filters.  Only dl-hugetext-attempt.c and dl-hugetext-rehearsal.c set the
   variable with the allowed calls.  */
extern enum hugetext_liberty _dl_hugetext_liberty attribute_hidden;
#  define HUGETEXT_ALLOWED(liberty) (_dl_hugetext_liberty >= (liberty))
#endif

/* If the stock loader also makes the system call CALL (IS_STOCK), or if the
   loader may make the calls of LIBERTY in the current start or dlopen, make
   CALL and give its result.  Otherwise make no system call, and give
   -EPERM.  */
#define SYS_IF(is_stock, liberty, call) \
  ((is_stock) || HUGETEXT_ALLOWED (liberty) ? (call) : -EPERM)

/* Return true if the stock loader, malloc or pthread_create maps memory with
   the same PROT and FLAGS.  */
static inline bool
sys_is_stock_map (int prot, int flags)
{
  switch (flags)
    {
    case MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE:
      return prot == PROT_NONE;
    case MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED:
    case MAP_PRIVATE | MAP_ANONYMOUS:
      return prot == (PROT_READ | PROT_WRITE);
    case MAP_PRIVATE | MAP_DENYWRITE:
      return prot == PROT_READ;
    case MAP_PRIVATE | MAP_DENYWRITE | MAP_FIXED:
      /* The stock loader maps a segment with the protection in its program
         header.  */
      return (prot & PROT_EXEC) == 0 || (prot & PROT_WRITE) == 0;
    default:
      return false;
    }
}

/* Macros and functions for system calls.  They have the parameters that the
   kernel expects.  If a macro or function has fewer parameters than the system
   call, it passes constants for the missing parameters.  */
#define sys_mmap(address, length, prot, flags, fd, offset)       \
  SYS_IF (sys_is_stock_map (prot, flags), HUGETEXT_ANY_ARGUMENT, \
          HUGETEXT_SYSCALL (mmap, address, length, prot, flags, fd, offset))
#define sys_munmap(address, length) HUGETEXT_SYSCALL (munmap, address, length)
#define sys_mprotect(address, length, prot)                \
  SYS_IF (((prot) &PROT_EXEC) == 0, HUGETEXT_ANY_ARGUMENT, \
          HUGETEXT_SYSCALL (mprotect, address, length, prot))
/* MADV_DONTNEED is always allowed, because malloc also uses it, to return the
   memory of threads to the kernel.  */
#define sys_madvise(address, length, advice)                \
  SYS_IF ((advice) == MADV_DONTNEED, HUGETEXT_ANY_ARGUMENT, \
          HUGETEXT_SYSCALL (madvise, address, length, advice))
#define sys_mincore(address, length, vector) \
  SYS_IF (false, HUGETEXT_ANY_CALL,          \
          HUGETEXT_SYSCALL (mincore, address, length, vector))
#define sys_close(fd) HUGETEXT_SYSCALL (close, fd)
#define sys_read(fd, buffer, length) \
  HUGETEXT_SYSCALL (read, fd, buffer, length)
#define sys_pread(fd, buffer, length, offset) \
  HUGETEXT_SYSCALL (pread64, fd, buffer, length, offset)
#define sys_readlink(path, buffer, length) \
  SYS_IF (false, HUGETEXT_ANY_CALL,        \
          HUGETEXT_SYSCALL (readlinkat, AT_FDCWD, path, buffer, length))
#define sys_getpid() HUGETEXT_SYSCALL (getpid)
/* Query the limit of RESOURCE.  The stock loader queries only the limit of the
   stack, and only during a program start.  */
#define sys_prlimit(resource, limit)    \
  SYS_IF (false, HUGETEXT_ANY_ARGUMENT, \
          HUGETEXT_SYSCALL (prlimit64, 0, resource, NULL, limit))
/* Call the ioctl PAGEMAP_SCAN with SCAN on FD, a descriptor of
   /proc/self/pagemap.  Return the number of regions that the kernel has
   written.  */
#define sys_scan_pages(fd, scan)    \
  SYS_IF (false, HUGETEXT_ANY_CALL, \
          HUGETEXT_SYSCALL (ioctl, fd, 0xc0606610UL, scan))
/* Move the mapping of LENGTH bytes at FROM to TO, and replace any mapping at
   TO.  */
#define sys_mremap_onto(from, length, to)                 \
  SYS_IF (false, HUGETEXT_ANY_ARGUMENT,                   \
          HUGETEXT_SYSCALL (mremap, from, length, length, \
                            MREMAP_MAYMOVE | MREMAP_FIXED, to))
/* Reserve LENGTH bytes of address space, at ADDRESS if nothing is mapped
   there.  If something is mapped at ADDRESS, the kernel chooses another
   address.  (With MAP_FIXED_NOREPLACE the reservation would fail instead.)  */
#define sys_reserve(address, length)    \
  sys_mmap (address, length, PROT_NONE, \
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
/* Map readable and writable memory.  */
#define sys_map_memory(length)                                              \
  sys_mmap (0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, \
            -1, 0)
/* Return the end of the heap.  */
#define sys_end_of_heap() HUGETEXT_SYSCALL (brk, 0)
#define sys_prctl(...) \
  SYS_IF (false, HUGETEXT_PRCTL, HUGETEXT_SYSCALL (prctl, __VA_ARGS__))
/* Write the resource usage of the calling thread to USAGE.  */
#define sys_thread_usage(usage)     \
  SYS_IF (false, HUGETEXT_ANY_CALL, \
          HUGETEXT_SYSCALL (getrusage, 1 /* RUSAGE_THREAD.  */, usage))
/* Make the kernel drop cached pages of a file from memory, except pages that
   a process has mapped.  */
#define sys_evict(fd, offset, length)                      \
  SYS_IF (false, HUGETEXT_ANY_CALL,                        \
          HUGETEXT_SYSCALL (fadvise64, fd, offset, length, \
                            4 /* POSIX_FADV_DONTNEED.  */))
#define sys_sync_data(fd) \
  SYS_IF (false, HUGETEXT_ANY_CALL, HUGETEXT_SYSCALL (fdatasync, fd))
#define sys_memory_file(name, flags)            \
  SYS_IF (false, HUGETEXT_ANY_CALL,             \
          HUGETEXT_SYSCALL (memfd_create, name, \
                            1U /* MFD_CLOEXEC.  */ | (flags)))
#define sys_fcntl(fd, command, argument) \
  SYS_IF (false, HUGETEXT_ANY_CALL,      \
          HUGETEXT_SYSCALL (fcntl, fd, command, argument))
#define sys_filesystem(fd, filesystem) \
  SYS_IF (false, HUGETEXT_ANY_CALL, HUGETEXT_SYSCALL (fstatfs, fd, filesystem))
/* Close the descriptors FIRST to LAST (Linux 5.9).  */
#define sys_close_range(first, last) \
  SYS_IF (false, HUGETEXT_ANY_CALL,  \
          HUGETEXT_SYSCALL (close_range, first, last, 0))
#define sys_truncate(fd, length) \
  SYS_IF (false, HUGETEXT_ANY_CALL, HUGETEXT_SYSCALL (ftruncate, fd, length))

/* Open PATH for reading.  PATH is an object that the stock loader has just
   opened, a file in /proc or /sys, or a file that root owns (the index or an
   image).  If the loader may use flags that the stock loader does not use,
   open PATH with O_NONBLOCK.  If PATH has become a FIFO, O_NONBLOCK prevents
   openat from waiting for a writer; O_NONBLOCK has no effect on regular
   files.  */
#define sys_open(path)                                                     \
  HUGETEXT_SYSCALL (                                                       \
      openat, AT_FDCWD, path,                                              \
      (O_RDONLY | O_CLOEXEC                                                \
       | (HUGETEXT_ALLOWED (HUGETEXT_ANY_ARGUMENT) ? O_NONBLOCK | O_NOCTTY \
                                                   : 0)))

/* Open the directory PATH only to query its device.  If the loader may use
   flags that the stock loader does not use, it adds O_PATH, so that the kernel
   only looks up the directory and does not open it.  */
#define sys_open_place(path)  \
  HUGETEXT_SYSCALL (          \
      openat, AT_FDCWD, path, \
      (O_RDONLY | O_CLOEXEC   \
       | (HUGETEXT_ALLOWED (HUGETEXT_ANY_ARGUMENT) ? O_PATH : 0)))

/* Ask the kernel to collapse the LENGTH bytes (one huge page) at ADDRESS into
   a huge page.  If the result is 0, a huge page now maps the LENGTH bytes.  (A
   huge page may already have mapped these bytes before the call.)  */
static inline long int
sys_collapse (uintptr_t address, size_t length)
{
  long int result = sys_madvise (address, length, MADV_COLLAPSE);
  /* The error EAGAIN means that the kernel or another process was using one of
     the pages at this moment, so try once more.  */
  if (result == -EAGAIN)
    result = sys_madvise (address, length, MADV_COLLAPSE);
  return result;
}

/* Read memory of this process, whose ID is SELF, from the COUNT ranges in
   REMOTE into LOCAL.  If a range cannot be accessed, process_vm_readv fails
   with an error, whereas a direct access to the range would raise a
   signal.  */
static inline long int
sys_read_memory (int self, const struct sys_vector *local,
                 const struct sys_vector *remote, size_t count)
{
  return SYS_IF (
      false, HUGETEXT_ANY_CALL,
      HUGETEXT_SYSCALL (process_vm_readv, self, local, 1, remote, count, 0));
}

#endif /* dl-hugetext-sys.h */
