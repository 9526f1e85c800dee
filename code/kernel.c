/* Queries to the kernel about the state of a block of code.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions that query the kernel change nothing in the process.  Only
   the thread that is making blocks huge calls the functions of this file.
   The functions have no buffers on the stack, because the calling thread may
   be in a signal handler or a coroutine with a small stack.  */

#include <string.h>

#include "dl-hugetext-procfile.h"
#include "dl-hugetext-sys.h"

#include "make.h"

struct search
{
  uintptr_t start, end;
  bool found;
};

/* Return the number at the beginning of *TEXT, which is written in base BASE.
   Advance *TEXT past the number and the separator after the number.  */
static size_t
kernel_take_field (const char **text, unsigned int base)
{
  size_t value = _dl_hugetext_take_number (text, base);
  if (**text != '\0')
    ++*text;
  return value;
}

/* If RESULT means that a security module such as AppArmor refuses a file, set
   REFUSED.  If REFUSED is set, hugetext-code.so does not try again, because
   each refusal is logged.  */
static void
kernel_note_refusal (long int result, bool *refused)
{
  if (result == -EACCES || result == -EPERM)
    *refused = true;
}

static long int
kernel_read_lines (const char *path, bool (*take) (void *, const char *),
                   void *closure)
{
  static char buffer[1024];
  return _dl_hugetext_read_lines (path, buffer, sizeof buffer, take, closure);
}

/* Parse LINE of /proc/self/maps.  Return true if LINE describes a mapping that
   contains the range of the search CLOSURE.  */
static bool
take_mapping (void *closure, const char *line)
{
  struct search *search = closure;
  uintptr_t start = kernel_take_field (&line, 16);
  uintptr_t end = kernel_take_field (&line, 16);
  if (end <= search->start)
    return false;
  for (int i = 0; i < 5; ++i)
    if (line[i] == '\0')
      return true;
  bool executable = line[2] == 'x', shared = line[3] == 's';
  line += 5;
  kernel_take_field (&line, 16); /* Skip the offset and the device.  */
  kernel_take_field (&line, 16);
  kernel_take_field (&line, 16);
  bool file = kernel_take_field (&line, 10) != 0;
  search->found = (start <= search->start && search->end <= end && executable
                   && (shared || !file));
  return true;
}

bool
code_ask_kind (uintptr_t start, uintptr_t end)
{
  static bool refused;
  struct search search = { start, end, false };
  if (!refused)
    kernel_note_refusal (
        kernel_read_lines ("/proc/self/maps", take_mapping, &search),
        &refused);
  return search.found;
}

/* Do the work of code_ask_used under a seccomp filter.  Do not call mincore:
   libc never calls mincore, so the filter may kill the process for this
   call.  */
static size_t
ask_touched (uintptr_t start, size_t n, uintptr_t page, uint64_t entry[512])
{
  static bool refused;
  size_t touched = 0;
  long int fd = refused ? -EACCES : sys_open ("/proc/self/pagemap");
  kernel_note_refusal (fd, &refused);
  if (sys_failed (fd))
    return 0;
  for (size_t i = 0; i < n; i += 512)
    {
      size_t size = 512 * sizeof *entry;
      if (sys_pread (fd, (uintptr_t) entry, size,
                     (start / page + i) * sizeof *entry)
          != (long int) size)
        break;
      for (size_t k = 0; k < 512; ++k)
        touched += entry[k] >> 63;
    }
  sys_close (fd);
  return touched;
}

size_t
code_ask_used (uintptr_t start, size_t n, uintptr_t page, bool filtered,
               char scratch[4096])
{
  /* Prefer mincore to reading a file, because mincore needs no descriptor.
     The program could close a descriptor of hugetext-code.so, and open another
     file with the same number.  */
  if (filtered)
    return ask_touched (start, n, page, (uint64_t *) scratch);
  size_t used = 0;
  if (!sys_failed (sys_mincore (start, n * page, (unsigned char *) scratch)))
    for (size_t i = 0; i < n; ++i)
      used += scratch[i] & 1;
  return used;
}

/* Parse LINE of /proc/thread-self/status.  Return true if LINE is the line
   about seccomp filters.  */
static bool
take_status (void *closure, const char *line)
{
  if (strncmp (line, "Seccomp:", 8) != 0)
    return false;
  *(bool *) closure = _dl_hugetext_number_after (line, "Seccomp:") != 0;
  return true;
}

bool
code_ask_filtered (void)
{
  static bool refused;
  bool filtered = true;
  if (!refused)
    kernel_note_refusal (
        kernel_read_lines ("/proc/thread-self/status", take_status, &filtered),
        &refused);
  return filtered;
}
