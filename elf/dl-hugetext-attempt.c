/* An attempt: the present start or dlopen, and the calls that it may make.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions only ask the kernel and change nothing.  The functions read
   files in /proc and /sys only where no system call tells, and never at a
   start that has nothing to put on huge pages.  */

#include <string.h>

#include "dl-hugetext-attempt.h"
#include "dl-hugetext-limits.h"
#include "dl-hugetext-procfile.h"
#include "dl-hugetext-sys.h"

/* What watches the calling thread: a tracer, a filter.  */
struct watchers
{
  bool traced, filtered, thp_disabled;
};

/* Take LINE of /proc/thread-self/status; return true after the last line of
   interest.  A kernel without filters has no such last line.  */
static bool
take_status (void *closure, const char *line)
{
  struct watchers *watchers = closure;
  size_t value;
  if (_dl_hugetext_line_number (line, "TracerPid:", &value))
    watchers->traced = value != 0;
  else if (_dl_hugetext_line_number (line, "THP_enabled:", &value))
    watchers->thp_disabled = value == 0;
  else if (_dl_hugetext_line_number (line, "Threads:", &value))
    {
      watchers->filtered = value != 1;
      return watchers->filtered;
    }
  else if (_dl_hugetext_line_number (line, "Seccomp:", &value))
    {
      watchers->filtered = value != 0;
      return true;
    }
  return false;
}

/* Whether the program is being started: it is not relocated yet, mapped or
   not.  */
static bool
is_start (void)
{
  const struct link_map *program = GL (dl_ns)[LM_ID_BASE]._ns_loaded;
  return program == NULL || !program->l_relocated;
}

void
_dl_hugetext_ask (struct hugetext_attempt *attempt)
{
  if (attempt->asked)
    return;
  attempt->asked = true;
  /* A filter belongs to a thread.  At a start there is one thread, and
     /proc/self, which is the first one, costs less.  If the file cannot be
     read, the answer is that there are a tracer and a filter.  */
  struct watchers watchers = { true, true, false };
  char line[128];
  if (!attempt->lessons->no_status)
    {
      long int fd = sys_open (attempt->start ? "/proc/self/status"
                                             : "/proc/thread-self/status");
      attempt->lessons->no_status = fd == -EACCES || fd == -EPERM;
      if (!_dl_hugetext_read_opened (fd, line, sizeof line, take_status,
                                     &watchers))
        watchers = (struct watchers){ true, true, false };
    }
  attempt->traced = watchers.traced;
  attempt->thp_disabled = watchers.thp_disabled;
  if (watchers.filtered)
    attempt->can &= ~HUGETEXT_UNFILTERED;
}

void
_dl_hugetext_begin (struct hugetext_attempt *attempt)
{
  if (attempt->begun)
    return;
  *attempt = (struct hugetext_attempt){ .begun = true,
                                        .start = is_start (),
                                        .pagemap = -1,
                                        .index = attempt->index,
                                        .can = HUGETEXT_ABILITIES
                                               & ~attempt->lessons->refused,
                                        .geo = attempt->geo,
                                        .lessons = attempt->lessons,
                                        .scratch = attempt->scratch };
  if (!attempt->start)
    _dl_hugetext_ask (attempt);
  if (_dl_hugetext_may_ask_limits (attempt))
    attempt->lessons->space
        = (_dl_hugetext_space_limited () ? HUGETEXT_NO : HUGETEXT_YES);
  attempt->no_slack = attempt->lessons->space != HUGETEXT_YES;
}

void
_dl_hugetext_pause (struct hugetext_attempt *attempt)
{
  if (attempt->begun && attempt->pagemap >= 0)
    sys_close (attempt->pagemap);
  attempt->pagemap = -1;
}

void
_dl_hugetext_end (struct hugetext_attempt *attempt)
{
  _dl_hugetext_pause (attempt);
  /* The index may be open before the attempt begins.  */
  _dl_hugetext_close_index (&attempt->index);
  attempt->begun = false;
}

bool
_dl_hugetext_kernel_is (unsigned int major, unsigned int minor)
{
  const ElfW (Ehdr) *dso = GLRO (dl_sysinfo_dso);
  if (dso == NULL)
    return false;
  uintptr_t start = (uintptr_t) dso;
  const ElfW (Phdr) *phdr = (const ElfW (Phdr) *) (start + dso->e_phoff);
  for (size_t i = 0; i < dso->e_phnum; ++i)
    {
      if (phdr[i].p_type != PT_NOTE)
        continue;
      uintptr_t at = start + phdr[i].p_offset, end = at + phdr[i].p_filesz;
      const ElfW (Nhdr) *note = (const ElfW (Nhdr) *) at;
      while (at + sizeof *note < end)
        {
          /* The name and the contents of a note each fill whole words.  */
          const char *name = (const char *) (note + 1);
          const uint32_t *word = (const uint32_t *) (note + 1);
          size_t words = (note->n_namesz + 3) / 4;
          /* The version has one byte behind the minor version.  */
          if (note->n_type == 0 && note->n_descsz == 4
              && note->n_namesz == sizeof "Linux"
              && memcmp (name, "Linux", sizeof "Linux") == 0)
            return word[words] >= (major << 16) + (minor << 8);
          at = (uintptr_t) (word + words + (note->n_descsz + 3) / 4);
          note = (const ElfW (Nhdr) *) at;
        }
    }
  return false;
}

/* Whether a writable page can become executable: a page of anonymous memory by
   mprotect, a page of the memory file FD by a second mapping.  True if the
   trial is not possible.  */
static bool
may_execute (size_t page, int fd)
{
  int prot = fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC;
  int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;
  long int address = sys_mmap (0, page, prot, flags, fd, 0);
  if (sys_failed (address))
    return fd < 0;
  bool may
      = (fd >= 0
         || !sys_failed (sys_mprotect (address, page, PROT_READ | PROT_EXEC)));
  sys_munmap (address, page);
  return may;
}

void
_dl_hugetext_try_text (struct hugetext_attempt *attempt)
{
  if (attempt->lessons->tried_text)
    return;
  attempt->lessons->tried_text = true;
  if (may_execute (attempt->geo.page, -1))
    return;
  _dl_hugetext_refused (attempt, HUGETEXT_CAN_ANONYMOUS_TEXT);
  if (!_dl_hugetext_can (attempt, HUGETEXT_CAN_MAKE_FILE))
    return;
  /* The trial of a mapping needs no contents in the file.  */
  long int fd = sys_memory_file (HUGETEXT_MEMORY_FILE, 0);
  if (sys_failed (fd) || !may_execute (attempt->geo.page, fd))
    _dl_hugetext_refused (attempt, HUGETEXT_CAN_FILE_TEXT);
  if (!sys_failed (fd))
    sys_close (fd);
}

/* Write to PATH the file of sysfs with the switch for huge pages of SIZE
   KiB.  */
static void
size_switch (char path[96], size_t size)
{
  static const char head[] = "/sys/kernel/mm/transparent_hugepage/hugepages-";
  static const char tail[] = "kB/enabled";
  char digits[24], *d = digits + sizeof digits, *p = path;

  do
    *--d = '0' + size % 10;
  while ((size /= 10) != 0);
  for (const char *s = head; *s != '\0'; ++s)
    *p++ = *s;
  while (d < digits + sizeof digits)
    *p++ = *d++;
  for (const char *s = tail; *s != '\0'; ++s)
    *p++ = *s;
  *p = '\0';
}

bool
_dl_hugetext_thp_off (const struct hugetext_geometry *geo)
{
  static const char all[] = "/sys/kernel/mm/transparent_hugepage/enabled";
  char path[96], buffer[128];

  if (_dl_hugetext_read_start (all, buffer, sizeof buffer)
      && _dl_hugetext_find_text (buffer, "[never]") != NULL)
    return true;
  /* From Linux 6.8 on each size has a switch of its own
     (admin-guide/mm/transhuge.rst).  */
  size_switch (path, geo->block / 1024);
  return (_dl_hugetext_read_start (path, buffer, sizeof buffer)
          && _dl_hugetext_find_text (buffer, "[never]") != NULL);
}

bool
_dl_hugetext_may_collapse (struct hugetext_attempt *attempt)
{
  if (attempt->thp_off == HUGETEXT_NOT_ASKED)
    attempt->thp_off
        = (_dl_hugetext_thp_off (&attempt->geo) ? HUGETEXT_YES : HUGETEXT_NO);
  return attempt->thp_off == HUGETEXT_NO;
}

bool
_dl_hugetext_text_in_cores (struct hugetext_attempt *attempt)
{
  char buffer[16];
  if (attempt->text_in_cores == HUGETEXT_NOT_ASKED)
    {
      attempt->text_in_cores = HUGETEXT_NO;
      /* The file has eight hexadecimal digits; bit 2 is in the last one.  */
      if (_dl_hugetext_read_start ("/proc/self/coredump_filter", buffer,
                                   sizeof buffer))
        for (const char *p = buffer; *p != '\0'; ++p)
          if (*p != '\n' && (p[1] == '\n' || p[1] == '\0'))
            {
              int digit = *p <= '9' ? *p - '0' : *p - 'a' + 10;
              if ((digit & 4) != 0)
                attempt->text_in_cores = HUGETEXT_YES;
              break;
            }
    }
  return attempt->text_in_cores == HUGETEXT_YES;
}
