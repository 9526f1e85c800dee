/* The hook at the beginning of a program start.  The hook examines the program
   before the rest of the loader does.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each architecture's dl-sysdep.c includes this header at its end.
   dl-sysdep.c renames glibc's own _dl_sysdep_start to _dl_sysdep_start_stock
   before it includes this header.  */

#if IS_IN(rtld)

#  include <dl-hugetext.h>
#  include <dl-hugetext-settings.h>
#  include <string.h>
#  include <unistd.h>
#  include <version.h>

typedef void main_function (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                            ElfW (Addr) * user_entry, ElfW (auxv_t) * auxv);

/* The loader's own ELF header.  */
extern const ElfW (Ehdr) __ehdr_start attribute_hidden;

static main_function *stock_main;

/* Write zeros to the part of the stack where dl_main will have its variables.
   The array STACK is large enough to cover all variables of dl_main.  In glibc
   2.36, dl_main does not initialize its variable mode_trace_program, which the
   code for the option --list reads.  If the hook did not zero the rest,
   mode_trace_program would have a value that was left on the stack.  */
static void __attribute_noinline__
wipe_stack (void)
{
  char stack[768];
  memset (stack, 0, sizeof stack);
  /* No code reads the array STACK; prevent the compiler from removing the
     array.  */
  asm volatile("" : : "r"(stack) : "memory");
}

/* If the user has executed "ld.so --version", print the line with the versions
   from version.h, and exit. glibc has the option --version from 2.33 on.  */
static void
say_version (void)
{
#  if !__GLIBC_PREREQ(2, 33)
  if (_dl_argc != 2 || strcmp (_dl_argv[1], "--version") != 0)
    return;
  _dl_printf ("ld.so %s%s release version %s.\n", PKGVERSION, RELEASE,
              VERSION);
  _exit (0);
#  endif
}

static void
main_with_hugetext (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                    ElfW (Addr) * user_entry, ElfW (auxv_t) * auxv)
{
  ElfW (Addr) delta = 0;
  /* If the program headers are the loader's own, the user executed the loader
     as a command, and the kernel has mapped no program.  */
  const bool mapped
      = (uintptr_t) phdr != (uintptr_t) &__ehdr_start + __ehdr_start.e_phoff;
  _dl_hugetext_read_settings (mapped ? phdr : NULL, mapped ? auxv : NULL);
  if (!mapped && _dl_argc > 1 && _dl_argv[1][0] == '-')
    {
      say_version ();
      wipe_stack ();
    }
  if (mapped && __glibc_unlikely (_dl_hugetext_settings () != NULL))
    delta = _dl_hugetext_program (phdr, phnum, auxv);
  *user_entry += delta;
  stock_main ((const void *) ((uintptr_t) phdr + delta), phnum, user_entry,
              auxv);
}

ElfW (Addr) _dl_sysdep_start (void **start_argptr, main_function *dl_main)
{
  stock_main = dl_main;
  return _dl_sysdep_start_stock (start_argptr, main_with_hugetext);
}

#endif
