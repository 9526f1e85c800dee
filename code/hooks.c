/* The functions that hugetext-code.so intercepts: functions by which programs
   get memory for code, or install seccomp filters.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Most objects bind to the functions in this file instead of libc's.  But libc
   calls its own functions, and an object that is linked with -Bsymbolic or
   opened with RTLD_DEEPBIND may bind to functions of the same names in itself
   or in its dependencies.  Each function makes the same system call as libc's
   function, with the same result and errno, no matter what else
   hugetext-code.so does.  None of the intercepting functions is a cancellation
   point.

   A seccomp filter may kill the process for a system call that the program
   itself never makes.  The kernel does not tell which system calls a filter
   allows.  Therefore, once any thread is about to install a filter,
   hugetext-code.so only passes on the program's own system calls, and adds
   none.  A filter that was installed before the program was started has let
   the loader open files, so the filter also lets hugetext-code.so open
   files.  */

#define CODE_PASSES_ON

#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>

#include "dl-hugetext-sys.h"

#include "make.h"

/* The headers of kernels before Linux 5.7 do not define this flag.  */
#ifndef MREMAP_DONTUNMAP
#  define MREMAP_DONTUNMAP 4
#endif

#define EXPORT __attribute__ ((visibility ("default")))

/* libc's function that returns the address of errno, or NULL if the program
   has no libc and therefore no errno.  */
extern __typeof (__errno_location) __errno_location __attribute__ ((weak));

/* Convert the kernel's RESULT to what libc's function returns, and set
   errno.  */
long int
code_finish (long int result)
{
  if (!sys_failed (result))
    return result;
  if (__errno_location != NULL)
    *__errno_location () = -result;
  return -1;
}

/* Return the end of the last page of the LENGTH bytes at ADDRESS, or 0 if the
   range is empty or wraps around.  */
static uintptr_t
hooks_find_end (uintptr_t address, size_t length)
{
  uintptr_t page = hugetext_code.page, end;
  if (address % page != 0 || length == 0
      || __builtin_add_overflow (address, length, &end)
      || __builtin_add_overflow (end, page - 1, &end))
    return 0;
  return end & -page;
}

/* Record in the table of blocks that EVENT happens to the LENGTH bytes at
   ADDRESS.  */
static void
hooks_record_event (uintptr_t address, size_t length, enum code_event event)
{
  uintptr_t end = hooks_find_end (address, length);
  if (end != 0)
    code_forget (&code_blocks, address, end, event);
}

/* Record in the table of blocks that the LENGTH bytes at ADDRESS have become
   executable.  GROWN has the same meaning as for code_note.  */
static void
hooks_record_executable (uintptr_t address, size_t length, bool grown)
{
  uintptr_t end = hooks_find_end (address, length);
  if (end != 0)
    code_note (&code_blocks, address, end, grown);
}

/* The minimum number of blocks of a mapping that hugetext-code.so aligns.
   Runtimes reserve from 8 MiB (BEAM) to 240 MiB (HotSpot) for code.  A mapping
   of fewer than 4 blocks is usually a thread's stack or a heap, so
   hugetext-code.so does not align it.  */
#define BLOCKS_MIN 4

/* Return true if a new mapping of LENGTH bytes with PROT and FLAGS may be
   meant for code, and is long enough to be aligned.  Return false for a
   mapping whose address the program has chosen.  */
static bool
wants_place (size_t length, int prot, int flags)
{
  /* Align only a mapping whose flags are all in the list below, because a
     mapping with any other flag has a special use.  */
  if ((flags & ~(MAP_PRIVATE | MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE))
      != 0)
    return false;
  /* Accept mappings for code, and reservations of address space, which may
     become code.  Reject private mappings of files: they hold the text of
     programs and libraries.  */
  bool reserved = prot == PROT_NONE && (flags & MAP_ANONYMOUS) != 0;
  bool code = ((prot & PROT_EXEC) != 0
               && (flags & (MAP_ANONYMOUS | MAP_SHARED)) != 0);
  return length / hugetext_code.block >= BLOCKS_MIN && (reserved || code);
}

/* Move the new mapping at the address RESULT to a block boundary: reserve
   aligned address space, map the memory there, and unmap the first mapping.
   The program does not use the memory at RESULT yet, because the program's
   call of mmap has not returned.  */
static long int
move_mapping (long int result, size_t length, int prot, int flags, int fd,
              off_t offset)
{
  uintptr_t end = hooks_find_end (result, length), block = hugetext_code.block;
  if (code_is_placed (result, offset, block))
    return result;
  length = end - result;
  long int space
      = sys_mmap (0, length + block, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sys_failed (space))
    return result;
  uintptr_t better = code_place (space, offset, block);
  long int moved
      = sys_mmap (better, length, prot, flags | MAP_FIXED, fd, offset);
  if (sys_failed (moved))
    {
      sys_munmap (space, length + block);
      return result;
    }
  if (better > (uintptr_t) space)
    sys_munmap (space, better - space);
  sys_munmap (better + length, space + block - better);
  sys_munmap (result, length);
  return moved;
}

EXPORT void *
mmap (void *address, size_t length, int prot, int flags, int fd, off_t offset)
{
  bool on = code_is_on ();
  if (on && (flags & MAP_FIXED) != 0)
    hooks_record_event ((uintptr_t) address, length, CODE_UNMAPPED);
  long int result
      = sys_mmap ((uintptr_t) address, length, prot, flags, fd, offset);
  if (on && !sys_failed (result))
    {
      if (address == NULL && wants_place (length, prot, flags))
        result = move_mapping (result, length, prot, flags, fd, offset);
      if ((flags & MAP_FIXED) == 0)
        /* Remove old blocks at the addresses of the new mapping from the
           table: if libc unmapped them, hugetext-code.so did not notice,
           because libc calls its own munmap.  */
        hooks_record_event (result, length, CODE_UNMAPPED);
      if ((prot & PROT_EXEC) != 0
          && (flags & (MAP_ANONYMOUS | MAP_SHARED)) != 0
          && ((prot & PROT_WRITE) == 0
              || !code_is_heap (&code_blocks, length)))
        hooks_record_executable (result, length, true);
      code_make ();
    }
  return (void *) code_finish (result);
}

EXPORT void *mmap64 (void *address, size_t length, int prot, int flags, int fd,
                     off_t offset) __attribute__ ((alias ("mmap")));

EXPORT int
munmap (void *address, size_t length)
{
  bool on = code_is_on ();
  if (on)
    hooks_record_event ((uintptr_t) address, length, CODE_UNMAPPED);
  long int result = sys_munmap ((uintptr_t) address, length);
  if (on)
    code_make ();
  return code_finish (result);
}

/* Make the system call NUMBER (mprotect or pkey_mprotect), and record its
   effect in the table of blocks.  */
static long int
hooks_change_protection (long int number, void *address, size_t length,
                         int prot, int key)
{
  bool on = code_is_on ();
  if (on && (prot & PROT_EXEC) == 0)
    hooks_record_event ((uintptr_t) address, length, CODE_NOT_EXECUTABLE);
  long int result
      = code_syscall (number, (long int) address, length, prot, key, 0, 0);
  if (on && !sys_failed (result))
    {
      if ((prot & PROT_EXEC) != 0)
        hooks_record_executable ((uintptr_t) address, length, false);
      code_make ();
    }
  return code_finish (result);
}

EXPORT int
mprotect (void *address, size_t length, int prot)
{
  return hooks_change_protection (SYS_mprotect, address, length, prot, 0);
}

EXPORT int
pkey_mprotect (void *address, size_t length, int prot, int key)
{
  return hooks_change_protection (key == -1 ? SYS_mprotect : SYS_pkey_mprotect,
                                  address, length, prot, key);
}

EXPORT void *
mremap (void *address, size_t old_length, size_t new_length, int flags, ...)
{
  bool on = code_is_on (), code = false;
  uintptr_t to = 0;
  if ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) != 0)
    {
      va_list arguments;
      va_start (arguments, flags);
      to = (uintptr_t) va_arg (arguments, void *);
      va_end (arguments);
    }
  if (on)
    {
      uintptr_t end = hooks_find_end ((uintptr_t) address, old_length);
      code
          = (end != 0 && code_covers (&code_blocks, (uintptr_t) address, end));
      hooks_record_event ((uintptr_t) address, old_length, CODE_UNMAPPED);
      if ((flags & MREMAP_FIXED) != 0)
        hooks_record_event (to, new_length, CODE_UNMAPPED);
    }
  long int result = code_syscall (SYS_mremap, (long int) address, old_length,
                                  new_length, flags, to, 0);
  if (on)
    {
      if (code)
        {
          if (sys_failed (result))
            hooks_record_executable ((uintptr_t) address, old_length, false);
          else
            hooks_record_executable (result, new_length, true);
        }
      code_make ();
    }
  return (void *) code_finish (result);
}

/* Return true if ADVICE makes the kernel remove pages, or split huge
   pages.  */
static bool
empties (int advice)
{
  return (advice == MADV_DONTNEED || advice == MADV_FREE
          || advice == MADV_REMOVE || advice == MADV_NOHUGEPAGE
          || advice == 21 /* MADV_PAGEOUT.  */);
}

EXPORT int
madvise (void *address, size_t length, int advice)
{
  bool on = code_is_on ();
  long int result = sys_madvise ((uintptr_t) address, length, advice);
  if (on && empties (advice))
    {
      hooks_record_event ((uintptr_t) address, length, CODE_EMPTIED);
      code_make ();
    }
  return code_finish (result);
}

/* First call code_stop, then make system call NUMBER, which installs a
   filter.  */
extern long int code_install_filter (long int number, long int a, long int b,
                                     long int c, long int d, long int e,
                                     long int f);

long int
code_install_filter (long int number, long int a, long int b, long int c,
                     long int d, long int e, long int f)
{
  code_stop ();
  return code_finish (code_syscall (number, a, b, c, d, e, f));
}

EXPORT int
prctl (int option, ...)
{
  va_list arguments;
  va_start (arguments, option);
  long int a = va_arg (arguments, long int);
  long int b = va_arg (arguments, long int);
  long int c = va_arg (arguments, long int);
  long int d = va_arg (arguments, long int);
  va_end (arguments);
  if (option == PR_SET_SECCOMP)
    return code_install_filter (SYS_prctl, option, a, b, c, d, 0);
  return code_finish (code_syscall (SYS_prctl, option, a, b, c, d, 0));
}

/* hugetext-code.so intercepts syscall(), because libc has no function for
   seccomp(2).  Operations 0 and 1 of seccomp install filters.  */
CODE_SYSCALL_FUNCTION (SYS_seccomp, SYS_prctl, PR_SET_SECCOMP);
