/* The lines of "hugetext doctor" about the machine and this process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "doctor/machine.h"
#include "doctor/check.h"
#include "doctor/confined.h"
#include "doctor/start.h"
#include "image/folder.h"
#include "object/loader.h"
#include "object/plan.h"
#include "service/service.h"
#include "store/place.h"
#include "host/machine.h"
#include "host/namespace.h"
#include "host/procmaps.h"
#include "tlb/tlb.h"

#include <dl-hugetext-ledger.h>
#include <dl-hugetext-limits.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define THP "/sys/kernel/mm/transparent_hugepage/"

static void
check_kernel (void)
{
  static const char what[] = "kernel";
  if (!machine_kernel_is (6, 1))
    check_line (LEVEL_LIMITED, what, "Linux 6.1 or later",
                "Linux %s: cannot gather small pages into huge ones on"
                " request (MADV_COLLAPSE)",
                machine_kernel ());
  else if (!machine_kernel_is (6, 7))
    check_line (LEVEL_LIMITED, what, "Linux 6.7 or later",
                "Linux %s: does not say which pages are huge (PAGEMAP_SCAN),"
                " so hugetext status has to guess at times",
                machine_kernel ());
  else
    check_line (LEVEL_OK, what, NULL, "Linux %s", machine_kernel ());
}

static void
check_thp (bool hugetlb)
{
  static const char what[] = "transparent huge pages";
  const enum level level = hugetlb ? LEVEL_LIMITED : LEVEL_MISSING;
  char enabled[64], path[128];
  snprintf (enabled, sizeof enabled, "%s", machine_choice (THP "enabled"));
  /* The switch for this size; "inherit" if it has no setting of its own (Linux
     6.8).  */
  snprintf (path, sizeof path, THP "hugepages-%zukB/enabled",
            (size_t) procmaps_block () / 1024);
  if (hugetext_geometry (getpagesize ()).block == 0)
    check_line (LEVEL_MISSING, "huge pages", "a kernel with pages of 4 KiB",
                "of %zu MiB, too large for text",
                (size_t) procmaps_block () >> 20);
  else if (enabled[0] == '\0')
    check_line (level, what, "a kernel with CONFIG_TRANSPARENT_HUGEPAGE",
                "this kernel has none");
  else if (strcmp (machine_choice (path), "never") == 0)
    check_line (level, what, "echo inherit >" THP "hugepages-2048kB/enabled",
                "those of this size are switched off");
  else if (strcmp (enabled, "never") == 0)
    check_line (level, what, "echo madvise >" THP "enabled",
                "switched off (never)");
  else if (machine_field ("/proc/self/status", "THP_enabled:") == 0)
    check_line (level, what, "start it without prctl PR_SET_THP_DISABLE",
                "switched off in this process");
  else
    check_line (LEVEL_OK, what, NULL, "%s", enabled);
}

static void
check_defrag (void)
{
  static const char what[] = "making room for them";
  const char *choice = machine_choice (THP "defrag");
  if (choice[0] == '\0'
      || strcmp (machine_choice (THP "enabled"), "never") == 0)
    return;
  choice = machine_choice (THP "defrag");
  if (strcmp (choice, "never") == 0 || strcmp (choice, "defer") == 0)
    check_line (LEVEL_LIMITED, what, "echo madvise >" THP "defrag",
                "%s: where memory is fragmented, text stays on small pages",
                choice);
  else
    check_line (LEVEL_OK, what, NULL, "%s", choice);
}

static void
check_pool (bool wanted)
{
  static const char what[] = "hugetlb pool";
  char path[128];
  size_t kib = procmaps_block () / 1024;
  snprintf (path, sizeof path,
            "/sys/kernel/mm/hugepages/hugepages-%zukB/nr_hugepages", kib);
  long all = machine_number (path);
  snprintf (path, sizeof path,
            "/sys/kernel/mm/hugepages/hugepages-%zukB/free_hugepages", kib);
  long unused = machine_number (path);
  if (wanted && !machine_moves_pool ())
    check_line (LEVEL_MISSING, what, "Linux 5.16 or later",
                "before Linux 5.16 its pages cannot be moved into place");
  else if (unused > 0)
    check_line (LEVEL_OK, what, NULL, "%ld of %ld huge pages free", unused,
                all);
  else if (wanted)
    check_line (LEVEL_MISSING, what, "sysctl vm.nr_hugepages=N", "%s",
                all > 0 ? "all in use" : "empty");
  else
    check_line (LEVEL_OK, what, NULL,
                "%s, but only --backing=hugetlb takes from it",
                all > 0 ? "all in use" : "empty");
}

static void
check_cpu (const struct settings *settings)
{
  static const char what[] = "CPU";
  struct settings none = { 0 };
  size_t entries = plan_cap (&none), cap = plan_cap (settings);
  if (cap == SIZE_MAX)
    check_line (LEVEL_OK, what, NULL,
                "its instruction TLB does not keep huge pages apart: no limit"
                " but %zu huge pages of copies to a process",
                plan_copies_cap (settings));
  else if (entries == SIZE_MAX)
    check_line (LEVEL_OK, what, NULL,
                "at most %zu huge pages of text to a process; its instruction"
                " TLB does not keep them apart",
                cap);
  else if (cap > entries)
    check_line (LEVEL_LIMITED, what, "a smaller --max, or measure",
                "its first-level instruction TLB holds %zu huge pages, fewer"
                " than --max=%zu",
                entries, cap);
  else
    check_line (LEVEL_OK, what, NULL,
                "at most %zu huge pages of text to a process; its first-level"
                " instruction TLB holds %zu",
                cap, entries);
}

/* Check whether the TLB takes huge pages whole: for a virtual machine its host
   must use them, too.  */
static void
check_tlb (void)
{
  struct tlb_finding finding = tlb_look ();
  check_line (finding.remedy == NULL ? LEVEL_OK : LEVEL_LIMITED, "TLB",
              finding.remedy, "%s", finding.words);
}

static void
check_memory (void)
{
  static const char what[] = "memory limit";
  char scratch[4096];
  size_t left = _dl_hugetext_memory_left (scratch, sizeof scratch);
  if (left == SIZE_MAX)
    {
      check_line (LEVEL_OK, what, NULL, "none");
      return;
    }
  /* Count by memory alone.  */
  struct hugetext_ledger ledger = { .used = { 0, 0 } };
  _dl_hugetext_ledger_open (&ledger, SIZE_MAX);
  size_t copies
      = _dl_hugetext_ledger_copies (&ledger, procmaps_block (), scratch);
  struct settings none = { 0 };
  bool enough = copies >= plan_copies_cap (&none);
  check_line (enough ? LEVEL_OK : LEVEL_LIMITED, what,
              "a higher limit (memory.max, memory.high), more memory, or the"
              " file's own huge pages",
              "its control group and the machine leave %zu MiB: at most %zu"
              " huge pages of copies",
              left >> 20, copies);
}

/* Return the setting that forbids namespaces to ordinary users, and set
   REMEDY; NULL if there is none.  */
static const char *
namespace_setting (const char **remedy)
{
  static const struct
  {
    const char *path;
    long bad;
    const char *words, *remedy;
  } settings[] = {
    { "/proc/sys/user/max_user_namespaces", 0,
      "user namespaces are switched off",
      "sysctl user.max_user_namespaces=N" },
    { "/proc/sys/user/max_mnt_namespaces", 0,
      "mount namespaces are switched off",
      "sysctl user.max_mnt_namespaces=N" },
    { "/proc/sys/kernel/unprivileged_userns_clone", 0,
      "user namespaces are for root only",
      "sysctl kernel.unprivileged_userns_clone=1" },
    { "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
      "AppArmor keeps user namespaces from unconfined programs",
      "sysctl kernel.apparmor_restrict_unprivileged_userns=0" },
  };
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i)
    if (machine_number (settings[i].path) == settings[i].bad)
      {
        *remedy = settings[i].remedy;
        return settings[i].words;
      }
  return NULL;
}

/* Return why no file can be bound over the system's loader for our processes;
   NULL if one can.  */
static const char *
namespace_problem (void)
{
  struct namespace held = NAMESPACE_NONE;
  const char *problem
      = namespace_hold (loader_system (), loader_system (), &held);
  namespace_release (&held);
  return problem;
}

static void
check_namespaces (const char *loader)
{
  static const char what[] = "namespaces";
  if (same_path (loader, loader_system ()))
    {
      check_line (LEVEL_OK, what, NULL,
                  "not needed: the loader is in the system's place");
      return;
    }
  const char *remedy = "as root, or PT_INTERP: see hugetext(1)";
  const char *setting = namespace_setting (&remedy);
  const char *problem = setting;
  if (!machine_is_simulated ())
    problem = namespace_problem ();
  if (problem == NULL)
    check_line (LEVEL_OK, what, NULL,
                "hugetext run can put the loader in the system's place");
  else
    check_line (LEVEL_LIMITED, what, remedy,
                "%s: hugetext run has to start programs as LOADER PROGRAM,"
                " and what they start gets no huge text",
                setting != NULL ? setting : problem);
}

static void
check_execution (void)
{
  static const char what[] = "executable copies";
  const struct start *start = start_look ();
  if (start->anonymous_text)
    check_line (LEVEL_OK, what, NULL, "allowed");
  else if (start->killed)
    check_line (LEVEL_MISSING, what, "--backing=file, or another filter",
                "%s, so the loader must not", start->refusal);
  else if (start_may_copy (start))
    check_line (LEVEL_LIMITED, what, start->remedy,
                "not of memory that was writable (%s): by way of a memory"
                " file, which costs more",
                start->refusal);
  else
    check_line (LEVEL_LIMITED, what, start->remedy,
                "none may be made in this process (%s): only the file's own"
                " huge pages%s",
                start->refusal,
                start->filtered ? ", and of libraries alone" : "");
}

/* Check the filter of system calls: under any filter the loader makes only the
   most common calls.  */
static void
check_filter (void)
{
  static const char what[] = "system calls";
  const struct start *start = start_look ();
  if (start->filtered)
    check_line (LEVEL_LIMITED, what,
                "start it without a filter (SystemCallFilter= and others)",
                "filtered in this process (seccomp): programs stay where the"
                " kernel maps them%s",
                start_may_copy (start) ? ", and are copied" : "");
  else
    check_line (LEVEL_OK, what, NULL, "not filtered");
}

static void
check_space (void)
{
  static const char what[] = "address space";
  if (start_look ()->no_slack)
    check_line (LEVEL_LIMITED, what, "ulimit -v unlimited",
                "limited (ulimit -v): what takes slack to be placed well is"
                " left where it is mapped");
  else
    check_line (LEVEL_OK, what, NULL, "not limited");
}

/* Check the limit for locked memory, if the settings ask for it.  */
static void
check_locking (const struct settings *settings)
{
  static const char what[] = "locked memory";
  struct rlimit64 limit;
  if (settings_value (settings, SETTING_LOCK) == 0
      || getrlimit64 (RLIMIT_MEMLOCK, &limit) < 0)
    return;
  /* Blocks that are no copies may be more, if no other limit says less.  */
  size_t cap = plan_copies_cap (settings);
  bool enough = (limit.rlim_cur / procmaps_block () >= cap
                 || limit.rlim_cur == RLIM64_INFINITY || geteuid () == 0);
  if (enough)
    check_line (LEVEL_OK, what, NULL, "not limited");
  else
    check_line (LEVEL_LIMITED, what, "ulimit -l, LimitMEMLOCK=",
                "%llu KiB (ulimit -l): fewer than %zu huge pages",
                (unsigned long long) limit.rlim_cur / 1024, cap);
}

/* Check the store, if it has any image.  */
static void
check_store (void)
{
  static const char what[] = "store";
  char path[PATH_MAX];
  struct store store;
  struct filesystem filesystem = { 0 };
  const char *problem, *remedy;
  store_path (INDEX_PATH, path);
  problem = store_read (&store, path);
  if (problem == NULL && store.count > 0)
    {
      problem = store_place_problem (path, &remedy);
      machine_filesystem (path, &filesystem);
      if (problem != NULL)
        check_line (LEVEL_LIMITED, what, remedy, "%zu images, of no use: %s",
                    store.count, problem);
      else
        check_line (LEVEL_OK, what, NULL, "%zu images, on %s%s", store.count,
                    filesystem.type,
                    strcmp (filesystem.type, "tmpfs") == 0
                        ? ", which takes memory and is gone at the next boot"
                        : "");
    }
  store_free (&store);
}

void
check_machine (const struct settings *settings, const char *loader)
{
  const bool hugetlb
      = hugetext_takes_pool (settings_value (settings, SETTING_BACKING));
  check_kernel ();
  check_thp (hugetlb);
  check_defrag ();
  check_pool (hugetlb);
  check_cpu (settings);
  if (!machine_is_simulated ())
    check_tlb ();
  check_memory ();
  if (!machine_is_simulated ())
    check_store ();
  check_namespaces (loader_wanted (loader));
  check_execution ();
  check_filter ();
  check_confined ();
  check_space ();
  check_locking (settings);
}

void
check_loader (const char *path)
{
  static const char what[] = "loader";
  struct loader loader;
  if (!loader_read (path, &loader))
    {
      check_line (LEVEL_MISSING, what, "install it, or --loader=FILE",
                  "%s: %s", path, strerror (errno));
      return;
    }
  struct problem problem;
  bool good = problem_take (&problem, loader_problem (&loader));
  /* The trial runs this command, whose path /proc has.  */
  if (good && !machine_is_simulated () && access ("/proc/self/exe", X_OK) == 0
      && !service_try (path, 0, &problem))
    good = problem_set (&problem, "%s: %s", path, problem.text);
  if (!good)
    check_line (LEVEL_MISSING, what,
                "the ld-hugetext of the glibc that is installed: its package,"
                " or build it again",
                "%s", problem.text);
  else
    check_line (LEVEL_OK, what, NULL, "%s%s, for glibc %s as is installed",
                loader.path,
                same_path (path, loader_system ()) ? ", the system's own" : "",
                loader.version);
}
