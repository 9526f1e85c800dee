/* The rules of inject.c: which system calls fail, and how.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "inject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RULES_MAX 16

static struct rule rules[RULES_MAX];
static size_t nrules;

static const struct
{
  const char *name;
  int number;
} errors[]
    = { { "EPERM", EPERM },   { "ENOENT", ENOENT }, { "EINTR", EINTR },
        { "EIO", EIO },       { "EAGAIN", EAGAIN }, { "ENOMEM", ENOMEM },
        { "EACCES", EACCES }, { "EFAULT", EFAULT }, { "EBUSY", EBUSY },
        { "EEXIST", EEXIST }, { "EINVAL", EINVAL }, { "ENFILE", ENFILE },
        { "EMFILE", EMFILE }, { "ENOSYS", ENOSYS } };

static const struct
{
  const char *name;
  int number;
} syscalls[] = {
#define CALL(name)    \
  {                   \
#    name, SYS_##name \
  }
  CALL (brk),
  CALL (clock_gettime),
  CALL (close),
  CALL (exit_group),
  CALL (fadvise64),
  CALL (fcntl),
  CALL (fstat),
  CALL (fstatfs),
  CALL (ftruncate),
  CALL (futex),
  CALL (getcwd),
  CALL (getpid),
  CALL (getrandom),
  CALL (getrusage),
  CALL (ioctl),
  CALL (lseek),
  CALL (madvise),
  CALL (memfd_create),
  CALL (mincore),
  CALL (mlock),
  CALL (mmap),
  CALL (mprotect),
  CALL (mremap),
  CALL (munmap),
  CALL (newfstatat),
  CALL (openat),
  CALL (prctl),
  CALL (pread64),
  CALL (prlimit64),
  CALL (process_vm_readv),
  CALL (read),
  CALL (readahead),
  CALL (rseq),
  CALL (set_robust_list),
  CALL (set_tid_address),
  CALL (statfs),
  CALL (write),
  CALL (writev),
#ifdef SYS_access
  CALL (access),
  CALL (arch_prctl),
  CALL (readlink),
#endif
#undef CALL
};

const char *
syscall_name (int number)
{
  static char other[16];
  for (size_t i = 0; i < sizeof syscalls / sizeof syscalls[0]; ++i)
    if (syscalls[i].number == number)
      return syscalls[i].name;
  snprintf (other, sizeof other, "%d", number);
  return other;
}

/* Set RULE to the system call or the file that the text between TEXT and END
   names.  Return false if the text is neither.  */
static bool
by_name (struct rule *rule, const char *text, const char *end)
{
  size_t length = end - text;
  if (*text == '/' && length < sizeof rule->path)
    {
      rule->by = BY_PATH;
      memcpy (rule->path, text, length);
      return true;
    }
  for (size_t i = 0; i < sizeof syscalls / sizeof syscalls[0]; ++i)
    if (strlen (syscalls[i].name) == length
        && memcmp (syscalls[i].name, text, length) == 0)
      {
        rule->by = BY_SYSCALL;
        rule->which = syscalls[i].number;
        return true;
      }
  return false;
}

static int64_t
parse_value (enum action action, const char *text)
{
  if (action == ERROR || action == LOST || action == TAKEN)
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; ++i)
      if (strcmp (errors[i].name, text) == 0)
        return errors[i].number;
  char *end;
  int64_t value = strtoll (text, &end, 0);
  if (end == text || *end != '\0')
    die (2, "bad value: %s", text);
  return value;
}

void
add_rule (const char *text)
{
  static const struct
  {
    const char *name;
    enum action action;
  } actions[] = { { "error=", ERROR },
                  { "return=", RETURN },
                  { "short=", SHORT },
                  { "lost=", LOST },
                  { "taken=", TAKEN } };
  if (nrules == RULES_MAX)
    die (2, "too many rules");
  struct rule *rule = &rules[nrules++];
  char *end = strchr (text, ':');

  if (end == NULL)
    die (2, "bad rule: %s", text);
  if (strncmp (text, "exec", 4) == 0)
    rule->by
        = (strncmp (text, "execanon:", 9) == 0 ? BY_EXECANON : BY_EXECFILE);
  else if (!by_name (rule, text, end))
    {
      rule->by = *text == '@' ? BY_OFFSET : BY_NUMBER;
      rule->which = strtoull (text + (*text == '@'), &end, 0);
      if (*end == '#')
        rule->nth = strtoull (end + 1, &end, 10);
    }
  if (*end != ':')
    die (2, "bad rule: %s", text);
  rule->text = end + 1;
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; ++i)
    {
      size_t length = strlen (actions[i].name);
      if (strncmp (rule->text, actions[i].name, length) == 0)
        {
          rule->action = actions[i].action;
          rule->value = parse_value (rule->action, rule->text + length);
          return;
        }
    }
  die (2, "bad action: %s", text);
}

/* Return true if ACTION can be applied to system call NR.  */
static bool
applies (enum action action, int nr)
{
  if (action == SHORT)
    return (nr == SYS_read || nr == SYS_pread64 || nr == SYS_process_vm_readv);
  if (action == LOST || action == TAKEN)
    return nr == SYS_mremap;
  return true;
}

/* Return BY_EXECANON if the call DATA makes anonymous memory executable,
   BY_EXECFILE if it makes a memory file executable, otherwise BY_NUMBER.  The
   loader calls mprotect with PROT_EXEC only for anonymous memory.  */
static enum by
executes (const struct seccomp_data *data)
{
  char path[64], name[64] = "";
  if ((data->args[2] & PROT_EXEC) == 0)
    return BY_NUMBER;
  if (data->nr == SYS_mprotect)
    return BY_EXECANON;
  if (data->nr != SYS_mmap)
    return BY_NUMBER;
  if ((data->args[3] & MAP_ANONYMOUS) != 0)
    return BY_EXECANON;
  snprintf (path, sizeof path, "/proc/%d/fd/%d", (int) program.pid,
            (int) data->args[4]);
  if (readlink (path, name, sizeof name - 1) < 0)
    name[0] = '\0';
  return strncmp (name, "/memfd:", 7) == 0 ? BY_EXECFILE : BY_NUMBER;
}

bool
opens (const struct seccomp_data *data, const char *path)
{
  char name[64];
  size_t size = strlen (path) + 1;
  return (data->nr == SYS_openat && read_target (data->args[1], name, size)
          && memcmp (name, path, size) == 0);
}

const struct rule *
find_rule (uint64_t number, const struct seccomp_data *data, uint64_t offset,
           uint64_t nth)
{
  for (size_t i = nrules; i-- > 0;)
    {
      const struct rule *rule = &rules[i];
      bool same = (rule->by == BY_NUMBER ? rule->which == number
                   : rule->by == BY_OFFSET
                       ? (rule->which == offset
                          && (rule->nth == 0 || rule->nth == nth))
                   : rule->by == BY_SYSCALL ? (int) rule->which == data->nr
                   : rule->by == BY_PATH    ? opens (data, rule->path)
                                            : rule->by == executes (data));
      if (same && applies (rule->action, data->nr))
        return rule;
    }
  return NULL;
}
