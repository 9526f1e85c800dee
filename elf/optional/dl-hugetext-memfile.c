/* The backing memfd: copies of text in a memory file, for processes whose
   anonymous memory cannot become executable.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader puts copies in a memfd if the kernel does not let memory that was
   writable become executable (PR_SET_MDWE, set by systemd's
   MemoryDenyWriteExecute=).  The loader writes the copies through one mapping
   of the memfd, and the process executes them through another mapping.  If
   anonymous memory may become executable, the loader uses anonymous memory,
   because its pages cost less than those of a memfd.  Another advantage of
   anonymous memory is that perf finds the names of functions in
   /tmp/perf-PID.map; for functions in a memfd, perf does not read this file.

   The loader seals a finished memfd, because all child processes share its
   pages.  Without the seals, a process could open the memfd through
   /proc/PID/map_files.  The process could then write to the text of all
   processes that share the memfd, despite PR_SET_MDWE.  The process could also
   truncate the memfd, which would kill all processes that share it.  */

#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* A flag of memfd_create, a command of fcntl, and the seals, from
   <linux/memfd.h> and <linux/fcntl.h>.  The seals mean: no more seals, no
   change of size, no future writes (Linux 5.1).  The loader does not use
   F_SEAL_WRITE, which the kernel refuses while any page of the memfd is
   briefly in use.  */
#define MAY_BE_SEALED 2U
#define ADD_SEALS 1033
#define SEALS (0x1 | 0x2 | 0x4 | 0x10)

/* The name of the memfd; /proc/PID/maps shows "/memfd:NAME".  */
#define NAME "ld-hugetext"

/* Make a memfd of LENGTH bytes, which must not exceed RLIMIT_FSIZE.  Return
   the descriptor of the memfd, or a negative error number.  */
static long int
memory_file (size_t length)
{
  long int fd = sys_memory_file (NAME, MAY_BE_SEALED);
  if (sys_failed (fd))
    return fd;
  long int result = sys_truncate (fd, length);
  if (!sys_failed (result))
    return fd;
  sys_close (fd);
  return result;
}

bool
_dl_hugetext_may_memory_file (struct hugetext_state *state)
{
  return (state->findings.file_text != HUGETEXT_NO
          && _dl_hugetext_unfiltered (state));
}

/* If the error RESULT means that the kernel will always refuse memfds, note
   the refusal in STATE.  */
static void
memfile_note_refusal (struct hugetext_state *state, long int result)
{
  if (result == -EACCES || result == -EPERM)
    state->findings.file_text = HUGETEXT_NO;
}

/* Return true if the kernel lets the process map the memfd FD executable.  The
   loader tries to map the memfd executable before it copies text, and only
   once in a process, because security modules log each refusal.  */
static bool
memfile_may_execute (struct hugetext_state *state, int fd)
{
  struct hugetext_findings *findings = &state->findings;
  if (findings->file_text == HUGETEXT_NOT_ASKED)
    {
      const size_t page = state->set.geo.page;
      long int address = 0;
      if (findings->anonymous_text == HUGETEXT_NO)
        address
            = sys_mmap (0, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
      findings->file_text = sys_failed (address) ? HUGETEXT_NO : HUGETEXT_YES;
      if (address > 0)
        sys_munmap (address, page);
    }
  return findings->file_text == HUGETEXT_YES;
}

enum hugetext_reason
_dl_hugetext_map_memory_file (struct hugetext_run *run)
{
  struct hugetext_state *state = run->state;
  size_t length = run->nblocks * state->set.geo.block;
  if (!_dl_hugetext_limit_allows (RLIMIT_FSIZE, length))
    return HUGETEXT_SIZE_LIMIT;
  long int fd = memory_file (length);
  memfile_note_refusal (state, fd);
  long int staging = fd;
  if (!sys_failed (fd) && memfile_may_execute (state, fd))
    staging = _dl_hugetext_map_aligned (
        &state->set.geo, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const bool refused = state->findings.file_text == HUGETEXT_NO;
  if (refused || sys_failed (staging))
    {
      if (!sys_failed (fd))
        sys_close (fd);
      return refused ? HUGETEXT_PROTECT : HUGETEXT_NO_SPACE;
    }
  run->staging = staging;
  run->memory_file = fd;
  run->evidence = HUGETEXT_IS_FILE;
  return HUGETEXT_MADE;
}

/* Replace the writable mapping of the memfd with an executable mapping.
   Touch the new mapping, so that the kernel maps huge pages in it now.  */
enum hugetext_reason
_dl_hugetext_seal_memory_file (struct hugetext_run *run, size_t first,
                               size_t last)
{
  uintptr_t from = _dl_hugetext_staged (run, first);
  size_t block = run->state->set.geo.block;
  long int result
      = sys_mmap (from, (last - first) * block, run->prot,
                  MAP_PRIVATE | MAP_FIXED, run->memory_file, first * block);
  if (sys_failed (result))
    {
      memfile_note_refusal (run->state, result);
      return HUGETEXT_PROTECT;
    }
  for (size_t i = first; i < last; ++i)
    _dl_hugetext_touch (run->state, _dl_hugetext_staged (run, i));
  return (_dl_hugetext_probe (run->state, from, last - first, HUGETEXT_IS_FILE,
                              true, run->huge + first)
                  == last - first
              ? HUGETEXT_MADE
              : HUGETEXT_NOT_HUGE);
}

void
_dl_hugetext_close_memory_file (const struct hugetext_run *run)
{
  /* If the kernel refuses the seals, use the memfd without them.  */
  sys_fcntl (run->memory_file, ADD_SEALS, SEALS);
  sys_close (run->memory_file);
}
