/* The stand-in, a program that starts programs under the system's loader if
   they name ld-hugetext.so as their interpreter.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The package installs the stand-in as /lib/ld-hugetext.so if the trial
   program did not run under ld-hugetext.so.  The kernel then maps the
   stand-in, instead of our loader, for each program that names
   /lib/ld-hugetext.so as its interpreter.  The stand-in maps the system's
   loader in the same way as the kernel would map it, sets AT_BASE in the
   auxiliary vector, and jumps to the entry point of the system's loader.  If a
   user executes the stand-in with a program as its argument, the stand-in
   executes the system's loader.

   The stand-in needs no library and no relocation, because no loader prepares
   it.  */

#include "../elf/core/hugetext-note.h"

#include <code-syscall.h>
#include <stand-in-machine.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

HUGETEXT_NOTE (HUGETEXT_NOTE_STAND_IN, "");

enum
{
  ERRNO_MAX = 4095,
  PHDRS_MAX = 32,
  STATUS_FAILED = 127
};

/* The size of a page in bytes, from the auxiliary vector.  */
static uintptr_t page_size;

/* The entry point.  At this point the kernel has set up only the stack.  The
   stand-in passes the same stack to the system's loader.  */
STAND_IN_START ("take_over");

static int
failed (long int result)
{
  return result < 0 && result >= -ERRNO_MAX;
}

static void __attribute__ ((noreturn)) fail (const char *why)
{
  static const char before[]
      = "ld-hugetext.so: the program cannot start under " SYSTEM_LOADER ": ";
  size_t length = 0;
  while (why[length] != '\0')
    ++length;
  code_syscall (SYS_write, 2, (uintptr_t) before, sizeof before - 1, 0, 0, 0);
  code_syscall (SYS_write, 2, (uintptr_t) why, length, 0, 0, 0);
  code_syscall (SYS_write, 2, (uintptr_t) "\n", 1, 0, 0, 0);
  for (;;)
    code_syscall (SYS_exit_group, STATUS_FAILED, 0, 0, 0, 0, 0);
}

static uintptr_t
page_start (uintptr_t address)
{
  return address & -page_size;
}

static uintptr_t
page_end (uintptr_t address)
{
  return page_start (address + page_size - 1);
}

static int
protection (const Elf64_Phdr *phdr)
{
  return ((phdr->p_flags & PF_R ? PROT_READ : 0)
          | (phdr->p_flags & PF_W ? PROT_WRITE : 0)
          | (phdr->p_flags & PF_X ? PROT_EXEC : 0));
}

/* Map the segment PHDR of the file FD with the load bias BIAS, in address
   space that is already reserved.  */
static void
map_segment (int fd, const Elf64_Phdr *phdr, uintptr_t bias)
{
  uintptr_t start = bias + phdr->p_vaddr;
  uintptr_t file_end = start + phdr->p_filesz;
  uintptr_t end = start + phdr->p_memsz;

  if (phdr->p_filesz != 0
      && failed (code_syscall (SYS_mmap, page_start (start),
                               page_end (file_end) - page_start (start),
                               protection (phdr), MAP_PRIVATE | MAP_FIXED, fd,
                               page_start (phdr->p_offset))))
    fail ("the file cannot be mapped");
  if (end == file_end)
    return;
  uintptr_t zero
      = phdr->p_filesz != 0 ? page_end (file_end) : page_start (start);
  /* Clear the bytes after the segment in its last page.  */
  if (phdr->p_filesz != 0 && (phdr->p_flags & PF_W) != 0)
    for (volatile char *byte = (char *) file_end; (uintptr_t) byte < zero;
         ++byte)
      *byte = 0;
  if (page_end (end) > zero
      && failed (code_syscall (
          SYS_mmap, zero, page_end (end) - zero, protection (phdr),
          MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0)))
    fail ("out of memory");
}

static int
same_bytes (const void *a, const void *b, size_t size)
{
  const char *x = a, *y = b;
  while (size > 0 && *x == *y)
    ++x, ++y, --size;
  return size == 0;
}

extern const Elf64_Ehdr own_header __asm__("__ehdr_start")
    __attribute__ ((visibility ("hidden")));

/* Map the system's loader.  Set BIAS to the load bias of the system's loader,
   and return its entry point.  */
static uintptr_t
map_loader (uintptr_t *bias)
{
  union
  {
    Elf64_Ehdr file;
    char bytes[sizeof (Elf64_Ehdr) + PHDRS_MAX * sizeof (Elf64_Phdr)];
  } header;
  uintptr_t start = UINTPTR_MAX, end = 0;

  long int fd = code_syscall (SYS_openat, AT_FDCWD, (uintptr_t) SYSTEM_LOADER,
                              O_RDONLY | O_CLOEXEC, 0, 0, 0);
  if (failed (fd))
    fail ("the file cannot be opened");
  if (code_syscall (SYS_pread64, fd, (uintptr_t) &header, sizeof header, 0, 0,
                    0)
          != sizeof header
      || !same_bytes (header.file.e_ident, own_header.e_ident, EI_OSABI)
      || header.file.e_type != ET_DYN
      || header.file.e_machine != own_header.e_machine
      || header.file.e_phentsize != sizeof (Elf64_Phdr)
      || header.file.e_phoff > sizeof (Elf64_Ehdr)
      || header.file.e_phnum > PHDRS_MAX)
    fail ("the file is not a loader");
  if (same_bytes (&header.file, &own_header, sizeof own_header))
    fail ("the file is only the stand-in for ld-hugetext.so, which cannot "
          "load programs");

  const Elf64_Phdr *phdr = (const void *) (header.bytes + header.file.e_phoff);
  for (size_t i = 0; i < header.file.e_phnum; ++i)
    if (phdr[i].p_type == PT_LOAD)
      {
        if (phdr[i].p_vaddr < start)
          start = page_start (phdr[i].p_vaddr);
        if (phdr[i].p_vaddr + phdr[i].p_memsz > end)
          end = page_end (phdr[i].p_vaddr + phdr[i].p_memsz);
      }
  if (start >= end)
    fail ("the file is not a loader");
  long int address = code_syscall (SYS_mmap, 0, end - start, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed (address))
    fail ("out of memory");
  *bias = address - start;
  for (size_t i = 0; i < header.file.e_phnum; ++i)
    if (phdr[i].p_type == PT_LOAD)
      map_segment (fd, &phdr[i], *bias);
  code_syscall (SYS_close, fd, 0, 0, 0, 0, 0);
  return *bias + header.file.e_entry;
}

/* Map the system's loader, and return its entry point.  STACK is the stack
   that the kernel has set up: the number of arguments, the arguments, the
   environment and the auxiliary vector.  */
uintptr_t __attribute__ ((used, visibility ("hidden")))
take_over (uintptr_t *stack)
{
  char **argv = (char **) (stack + 1);
  char **envp = argv + stack[0] + 1;
  char **p = envp;
  while (*p != NULL)
    ++p;
  Elf64_auxv_t *base = NULL;
  for (Elf64_auxv_t *av = (Elf64_auxv_t *) (p + 1); av->a_type != AT_NULL;
       ++av)
    if (av->a_type == AT_PAGESZ)
      page_size = av->a_un.a_val;
    else if (av->a_type == AT_BASE && av->a_un.a_val != 0)
      base = av;
  if (base != NULL)
    {
      uintptr_t bias;
      uintptr_t entry = map_loader (&bias);
      base->a_un.a_val = bias;
      return entry;
    }
  code_syscall (SYS_execve, (uintptr_t) SYSTEM_LOADER, (uintptr_t) argv,
                (uintptr_t) envp, 0, 0, 0);
  fail ("the file cannot be executed");
}
