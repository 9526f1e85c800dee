/* The attempt (the current start or dlopen), and the system calls that the
   loader may make in an attempt.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions of this file query the kernel and change nothing.  The
   functions read a file in /proc or /sys only if no system call gives the
   answer.  If the program that is being started cannot have huge pages, the
   functions read no file at all.  */

#include "dl-hugetext-attempt.h"
#include "dl-hugetext-procfile.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-ways.h"

/* The lines of /proc/PID/status that the loader reads.  */
enum status_line
{
  TRACER,
  IDS,
  THP_ENABLED,
  THREADS,
  SECCOMP,
  FILTERS,
  STATUS_LINES
};

/* TEXT is the contents of /proc/PID/status.  Find in TEXT the lines that the
   loader needs.  For each enumerator of status_line, set the element of AFTER
   to the text after the key of this line, or to NULL if TEXT has no such line.
   One pass over the 1.4 KiB of /proc/PID/status finds all lines, because a
   pass for each line would take too long.  With images, a start executes more
   instructions than under the stock loader; a pass for each line would
   increase the difference by a tenth (budget.exp).  */
static void
find_lines (const char *text, const char *after[STATUS_LINES])
{
  static const char key[STATUS_LINES][sizeof "Seccomp_filters:"] = {
    [TRACER] = "TracerPid:",        [IDS] = "NSpid:",
    [THP_ENABLED] = "THP_enabled:", [THREADS] = "Threads:",
    [SECCOMP] = "Seccomp:",         [FILTERS] = "Seccomp_filters:",
  };
  memset (after, 0, STATUS_LINES * sizeof *after);
  for (; text != NULL; text = strchr (text, '\n'))
    {
      text += *text == '\n';
      for (size_t i = 0; i < STATUS_LINES; ++i)
        if (*text == *key[i] && after[i] == NULL
            && strncmp (text, key[i], strlen (key[i])) == 0)
          after[i] = text + strlen (key[i]);
    }
}

/* Return true if RESULT, the result of a call in a process with a filter, can
   only be an answer of the filter.  Any other error number comes from the
   kernel itself, for example if memory is short.  */
static bool
is_of_filter (long int result)
{
  return (sys_failed (result) && result != -EAGAIN && result != -EBUSY
          && result != -EFAULT && result != -EINVAL && result != -ENOMEM);
}

/* Call madvise and mremap on a page of new memory, with the arguments that a
   copy needs.  Note in FINDINGS whether a seccomp filter refuses madvise, and
   whether one refuses mremap.  */
static void
try_calls (struct hugetext_findings *findings, size_t page)
{
  const long int from = sys_map_memory (page), to = sys_map_memory (page);
  long int moved = -ENOMEM;
  if (!sys_failed (from) && !sys_failed (to))
    {
      findings->no_madvise
          = is_of_filter (sys_madvise (from, page, MADV_HUGEPAGE));
      moved = sys_mremap_onto (from, page, to);
      findings->no_mremap = is_of_filter (moved);
    }
  /* After mremap has moved the page, another thread may have mapped memory at
     FROM.  */
  if (!sys_failed (from) && sys_failed (moved))
    sys_munmap (from, page);
  if (!sys_failed (to))
    sys_munmap (to, page);
}

/* Return true if the filters with which the process was started refuse a call
   that each copy needs, and note the reason in STATE's attempt.  The caller
   has checked that the administrator has set "hugetext = on+prctl".  With this
   setting, the administrator declares that the filters do not kill the process
   for these calls.  In each process, the loader tests only once whether the
   seccomp filters allow madvise and mremap.  */
static bool
attempt_is_refused (struct hugetext_state *state)
{
  struct hugetext_findings *findings = &state->findings;
  if (!findings->tried)
    {
      _dl_hugetext_liberty = HUGETEXT_PRCTL;
      try_calls (findings, state->set.geo.page);
      _dl_hugetext_liberty = HUGETEXT_LIKE_STOCK;
      findings->tried = true;
    }
  /* During a start, copies in the hugetlb pool need no madvise.  After the
     start, copies in the hugetlb pool need madvise (MADV_DONTFORK), because
     another thread may fork while the loader fills a copy.  */
  const bool advises
      = (!hugetext_takes_pool (state->set.backing) || !state->attempt.start);
  state->attempt.refused
      = (findings->no_madvise && advises ? HUGETEXT_NO_MADVISE
         : findings->no_mremap           ? HUGETEXT_NO_MREMAP
                                         : HUGETEXT_NONE);
  return state->attempt.refused != HUGETEXT_NONE;
}

void
_dl_hugetext_note_madvise (struct hugetext_state *state, long int result)
{
  /* If the process has no filter, a failure can only mean that the kernel
     lacks madvise.  */
  if (state->attempt.told && !HUGETEXT_ALLOWED (HUGETEXT_ANY_ARGUMENT)
      && is_of_filter (result))
    state->attempt.refused = HUGETEXT_NO_MADVISE;
}

/* Return which calls the loader may make in a process whose number of seccomp
   filters is FILTERS.  If the administrator has set "hugetext = on+prctl", the
   filters that the process had at its start are known to allow prctl.  If the
   program has added a filter after its start, return HUGETEXT_LIKE_STOCK,
   because the new filter may check the flags of calls.  On kernels before
   Linux 5.9, which do not count filters, FILTERS is 0.  */
static enum hugetext_liberty
judge_filters (struct hugetext_state *state, unsigned int filters)
{
  if (state->attempt.start)
    state->findings.filters = filters;
  return (state->set.prctl && filters == state->findings.filters
                  && !attempt_is_refused (state)
              ? HUGETEXT_PRCTL
              : HUGETEXT_LIKE_STOCK);
}

/* Return true if a tool without ptrace, such as Valgrind, runs the process.
   Valgrind keeps its own list of the program's mappings.  Valgrind aborts if
   an object is mapped at an address where the loader has mapped the object's
   file before (dl-hugetext-trial.c).  Valgrind writes AT_IGNORE over those
   entries of the auxiliary vector that the program must not use, such as the
   entry of the vDSO.  The kernel never writes AT_IGNORE.  If the process has
   no vDSO, Valgrind may write no AT_IGNORE, so the result may be false
   although Valgrind runs the process.  */
static bool
is_run_by_another (void)
{
  const ElfW (auxv_t) *auxv = GLRO (dl_auxv);
  while (auxv->a_type != AT_NULL && auxv->a_type != AT_IGNORE)
    ++auxv;
  return auxv->a_type == AT_IGNORE;
}

/* Return the ID of the calling thread, or 0 before the program runs.  */
static int
self (void)
{
  return _dl_hugetext_program_runs () ? THREAD_SELF->tid : 0;
}

/* AT points to the thread IDs in the line "NSpid:" of
   /proc/thread-self/status, or is NULL if the file has no such line.  Return
   true if the status file describes the calling thread.  Some sandboxes, such
   as Firefox's, open files in a separate process on behalf of the thread.
   From the separate process, which has no filter, the loader would get the
   status of a thread of that process instead of the status of the calling
   thread.  */
static bool
is_about_self (const char *at)
{
  if (at == NULL || self () == 0)
    return true;
  /* The last number of the line of thread IDs is the thread's ID in its own
     PID namespace.  */
  int id = 0;
  for (; *at >= '\t' && *at != '\n'; ++at)
    id = *at == '\t' ? 0 : id * 10 + (*at - '0');
  return id == self ();
}

/* Read which tracer and filters the process has, and note them in STATE's
   attempt.  Return which system calls the loader may make in this attempt (the
   current start or dlopen).  */
static enum hugetext_liberty
ask_status (struct hugetext_state *state)
{
  state->attempt.traced = true;
  state->attempt.told = false;
  if (state->findings.no_status)
    return HUGETEXT_LIKE_STOCK;
  /* Each thread has its own filters.  A start has only one thread, so
     /proc/self shows the same facts as /proc/thread-self, and opening
     /proc/self takes less time.  */
  char *text = state->scratch.text;
  long int n = _dl_hugetext_read_short (
      state->attempt.start ? "/proc/self/status" : "/proc/thread-self/status",
      text, sizeof state->scratch.text);
  state->findings.no_status = n == -EACCES || n == -EPERM;
  /* If the status file cannot be read, assume a filter and a tracer.  (If the
     kernel is built without seccomp, the status file has no line about
     filters.)  */
  if (sys_failed (n))
    return HUGETEXT_LIKE_STOCK;
  const char *after[STATUS_LINES];
  find_lines (text, after);
  if (after[THREADS] == NULL)
    return HUGETEXT_LIKE_STOCK;
  state->attempt.foreign = !is_about_self (after[IDS]);
  if (state->attempt.foreign)
    return HUGETEXT_LIKE_STOCK;
  state->attempt.told = true;
  state->attempt.traced
      = _dl_hugetext_number_at (after[TRACER]) != 0 || is_run_by_another ();
  state->attempt.thp_disabled
      = (after[THP_ENABLED] != NULL
         && _dl_hugetext_number_at (after[THP_ENABLED]) == 0);
  /* A dry run has its own filter, which allows all calls that the loader
     needs.  */
  if (state->set.rehearsal ? state->set.filtered
                           : _dl_hugetext_number_at (after[SECCOMP]) != 0)
    return judge_filters (state, _dl_hugetext_number_at (after[FILTERS]));
  return (_dl_hugetext_number_at (after[THREADS]) != 1 ? HUGETEXT_ANY_ARGUMENT
                                                       : HUGETEXT_ANY_CALL);
}

/* Call ask_status unless it has already been called in the current
   attempt.  */
static void
find_out (struct hugetext_state *state)
{
  if (state->attempt.asked)
    return;
  state->attempt.asked = true;
  _dl_hugetext_liberty = ask_status (state);
}

const struct hugetext_attempt *
_dl_hugetext_ask (struct hugetext_state *state)
{
  _dl_hugetext_begin (state);
  find_out (state);
  state->attempt.mattered = true;
  return &state->attempt;
}

void
_dl_hugetext_ask_again (struct hugetext_state *state)
{
  if (state->attempt.begun && !state->attempt.start)
    state->attempt.asked &= _dl_hugetext_liberty != HUGETEXT_ANY_ARGUMENT;
  _dl_hugetext_ask (state);
}

/* Note in the findings whether the process's address space is limited.  If the
   loader may not call prlimit64, it reads /proc/self/limits, which also shows
   whether RLIMIT_DATA is set.  If /proc/self/limits cannot be read, keep the
   earlier finding.  If a sandbox makes another process open files on behalf of
   this thread, assume that address space and data are limited, because
   /proc/self/limits would show the limits of the other process.  */
static void
ask_space (struct hugetext_state *state)
{
  struct hugetext_findings *findings = &state->findings;
  bool unlimited, data;
  if (_dl_hugetext_may_ask_limits (state))
    unlimited = _dl_hugetext_limit_allows (RLIMIT_AS, UINT64_MAX);
  else
    {
      state->attempt.little_data = true;
      if (state->attempt.foreign)
        findings->space = HUGETEXT_NO;
      if (findings->no_limits || state->attempt.foreign)
        return;
      long int n = _dl_hugetext_read_limits (
          state->scratch.text, sizeof state->scratch.text, &unlimited, &data);
      findings->no_limits = n == -EACCES || n == -EPERM;
      if (sys_failed (n))
        return;
      state->attempt.little_data = !data;
    }
  findings->space = unlimited ? HUGETEXT_YES : HUGETEXT_NO;
}

/* If this process was forked while a thread of its parent was in STATE's
   attempt, forget the attempt.  In the child, the file descriptors that the
   loader opened during the attempt may be closed or reused.  In the child, an
   open descriptor of a file in /proc/self still leads to the file of the
   parent.  The child shares the memory of the execution profile (heat) with
   the parent, which may write to this memory.  After a fork, the child process
   does not hold the loader's lock.  */
void
_dl_hugetext_notice_fork (struct hugetext_state *state)
{
  struct hugetext_attempt *attempt = &state->attempt;
  if (attempt->begun && attempt->thread != self ())
    {
      attempt->begun = false;
      _dl_hugetext_liberty = HUGETEXT_LIKE_STOCK;
      _dl_hugetext_leave_index ();
      _dl_hugetext_leave_heat ();
    }
}

/* Return true if an attempt is in progress in STATE.  Ignore an attempt that
   began in the parent process before a fork.  */
static bool
has_begun (struct hugetext_state *state)
{
  _dl_hugetext_notice_fork (state);
  return state->attempt.begun;
}

void
_dl_hugetext_begin (struct hugetext_state *state)
{
  if (has_begun (state))
    return;
  state->attempt = (struct hugetext_attempt){
    .begun = true,
    .thread = self (),
    .start = (!_dl_hugetext_program_runs () && GLRO (dl_naudit) == 0),
    .pagemap = -1,
    .memory = -1
  };
  /* Memory limits may have changed since the last attempt.  */
  state->ledger.room_known = false;
  _dl_hugetext_liberty = HUGETEXT_LIKE_STOCK;
  find_out (state);
  state->attempt.mattered = !state->attempt.start;
  ask_space (state);
  state->attempt.no_slack = state->findings.space != HUGETEXT_YES;
}

void
_dl_hugetext_pause (struct hugetext_state *state)
{
  const bool begun = has_begun (state);
  if (begun && state->attempt.pagemap >= 0)
    sys_close (state->attempt.pagemap);
  if (begun && state->attempt.memory >= 0)
    sys_close (state->attempt.memory);
  state->attempt.pagemap = state->attempt.memory = -1;
}

void
_dl_hugetext_end (struct hugetext_state *state)
{
  _dl_hugetext_pause (state);
  /* Close the index even if no attempt has begun, because the loader may open
     the index earlier.  */
  _dl_hugetext_close_index ();
  _dl_hugetext_forget_heat ();
  state->attempt.begun = state->attempt.asked = false;
  _dl_hugetext_liberty = HUGETEXT_LIKE_STOCK;
}

/* Return HUGETEXT_YES if memory that was writable can become executable,
   otherwise HUGETEXT_NO.  To test this, map one page of memory.  If the page
   cannot be mapped, return HUGETEXT_YES, as if the test had succeeded.  */
static enum hugetext_answer
try_anonymous (size_t page)
{
  long int address = sys_map_memory (page);
  if (sys_failed (address))
    return HUGETEXT_YES;
  long int result = sys_mprotect (address, page, PROT_READ | PROT_EXEC);
  sys_munmap (address, page);
  return sys_failed (result) ? HUGETEXT_NO : HUGETEXT_YES;
}

bool
_dl_hugetext_may_anonymous (struct hugetext_state *state)
{
  enum hugetext_answer *may = &state->findings.anonymous_text;
  if (!_dl_hugetext_may (state, HUGETEXT_ANY_ARGUMENT))
    return false;
  if (*may == HUGETEXT_NOT_ASKED)
    *may = try_anonymous (state->set.geo.page);
  return *may == HUGETEXT_YES;
}

/* Return true if the switch for huge pages in the /sys file PATH is off.  */
static bool
attempt_is_switched_off (const char *path)
{
  char buffer[128];
  return (_dl_hugetext_read_start (path, buffer, sizeof buffer) > 0
          && _dl_hugetext_find_text (buffer, "[never]") != NULL);
}

bool
_dl_hugetext_thp_off (const struct hugetext_geometry *geo)
{
#define DIRECTORY "/sys/kernel/mm/transparent_hugepage/"
  /* Since Linux 6.8 each page size has its own switch
     (admin-guide/mm/transhuge.rst).  */
  return (
      attempt_is_switched_off (DIRECTORY "enabled")
      || attempt_is_switched_off (geo->block == HUGETEXT_BLOCK_MAX
                                      ? DIRECTORY "hugepages-32768kB/enabled"
                                      : DIRECTORY "hugepages-2048kB/enabled"));
}

void
_dl_hugetext_close_images (struct hugetext_state *state)
{
  struct hugetext_attempt *attempt = &state->attempt;
  const int first = attempt->first_open, end = first + (int) attempt->nopen;
  const bool all
      = (attempt->nopen > 1 && !sys_failed (sys_close_range (first, end - 1)));
  for (int fd = first; !all && fd < end; ++fd)
    sys_close (fd);
  attempt->nopen = 0;
}

bool
_dl_hugetext_may_collapse (struct hugetext_state *state)
{
  if (state->attempt.thp_off == HUGETEXT_NOT_ASKED)
    {
      /* Close the images, because they may use up the process's
         descriptors.  */
      _dl_hugetext_close_images (state);
      state->attempt.thp_off
          = (_dl_hugetext_thp_off (&state->set.geo) ? HUGETEXT_YES
                                                    : HUGETEXT_NO);
    }
  return state->attempt.thp_off == HUGETEXT_NO;
}
