/* The lines of "hugetext doctor" about the machine and this process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "doctor/doctor.h"
#include "host/machine.h"
#include "host/namespace.h"
#include "host/procmaps.h"
#include "image/folder.h"
#include "object/loader.h"
#include "object/plan.h"
#include "service/service.h"
#include "store/place.h"
#include "tlb/tlb.h"

#include <dl-hugetext-ledger.h>
#include <dl-hugetext-limits.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define THP "/sys/kernel/mm/transparent_hugepage/"

static void
check_kernel (void)
{
  static const char what[] = "kernel";
  if (!machine_kernel_is (6, 1))
    doctor_say (LEVEL_LIMITED, what, "Linux 6.1 or later",
                "Linux %s: cannot gather small pages into huge ones on"
                " request (MADV_COLLAPSE)",
                machine_kernel ());
  else if (!machine_kernel_is (6, 7))
    doctor_say (LEVEL_LIMITED, what, "Linux 6.7 or later",
                "Linux %s: does not say which pages are huge (PAGEMAP_SCAN),"
                " so hugetext status has to guess at times",
                machine_kernel ());
  else
    doctor_say (LEVEL_OK, what, NULL, "Linux %s", machine_kernel ());
}

/* Check transparent huge pages; POOL: the reserved pool is to be used in their
   place.  */
static void
check_thp (bool pool)
{
  static const char what[] = "transparent huge pages";
  const enum doctor_level level = pool ? LEVEL_LIMITED : LEVEL_MISSING;
  const size_t block = procmaps_block ();
  char size[128], defrag[32];
  snprintf (size, sizeof size, THP "hugepages-%zukB/enabled", block / 1024);
  snprintf (defrag, sizeof defrag, "%s", machine_choice (THP "defrag"));
  const bool sized_off = strcmp (machine_choice (size), "never") == 0;
  const char *enabled = machine_choice (THP "enabled");
  if (hugetext_geometry (getpagesize ()).block == 0)
    doctor_say (LEVEL_MISSING, "huge pages", "a kernel with pages of 4 KiB",
                "of %zu MiB, too large for text", block >> 20);
  else if (enabled[0] == '\0')
    doctor_say (level, what, "a kernel with CONFIG_TRANSPARENT_HUGEPAGE",
                "this kernel has none");
  else if (sized_off)
    doctor_say (level, what, "echo inherit >" THP "hugepages-2048kB/enabled",
                "those of this size are switched off");
  else if (strcmp (enabled, "never") == 0)
    doctor_say (level, what, "echo madvise >" THP "enabled",
                "switched off (never)");
  else if (machine_field ("/proc/self/status", "THP_enabled:") == 0)
    doctor_say (level, what, "start it without prctl PR_SET_THP_DISABLE",
                "switched off in this process");
  else if (strcmp (defrag, "never") == 0 || strcmp (defrag, "defer") == 0)
    doctor_say (LEVEL_LIMITED, what, "echo madvise >" THP "defrag",
                "defrag is %s: where memory is fragmented, text stays on small"
                " pages",
                defrag);
  else
    doctor_say (LEVEL_OK, what, NULL, "%s", enabled);
}

/* Check the reserved pool, which is to be used.  */
static void
check_pool (void)
{
  static const char what[] = "hugetlb pool";
  char path[128];
  snprintf (path, sizeof path,
            "/sys/kernel/mm/hugepages/hugepages-%zukB/free_hugepages",
            procmaps_block () / 1024);
  long unused = machine_number (path);
  if (!machine_kernel_is (5, 16))
    doctor_say (LEVEL_MISSING, what, "Linux 5.16 or later",
                "before Linux 5.16 its pages cannot be moved into place");
  else
    doctor_say (unused > 0 ? LEVEL_OK : LEVEL_MISSING, what,
                "sysctl vm.nr_hugepages=N", "%ld huge pages free",
                unused > 0 ? unused : 0);
}

static void
check_cpu (const struct settings *settings)
{
  static const char what[] = "CPU";
  const struct settings none = { 0 };
  size_t entries = plan_cap (&none), cap = plan_cap (settings);
  if (entries == SIZE_MAX)
    doctor_say (LEVEL_OK, what, NULL,
                "its instruction TLB does not keep huge pages apart: at most"
                " %zu huge pages of copies to a process",
                plan_copies_cap (settings));
  else
    doctor_say (cap > entries ? LEVEL_LIMITED : LEVEL_OK, what,
                "a smaller --max, or measure",
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
  doctor_say (finding.remedy == NULL ? LEVEL_OK : LEVEL_LIMITED, "TLB",
              finding.remedy, "%s", finding.words);
}

static void
check_memory (void)
{
  static const char what[] = "memory limit";
  const struct settings none = { 0 };
  struct hugetext_ledger ledger = { .used = { 0, 0 } };
  char scratch[4096];
  size_t left = _dl_hugetext_memory_left (scratch, sizeof scratch);
  if (left == SIZE_MAX)
    {
      doctor_say (LEVEL_OK, what, NULL, "none");
      return;
    }
  /* Count by memory alone.  */
  ledger.cap = ledger.copies_cap = SIZE_MAX;
  size_t copies
      = _dl_hugetext_ledger_copies (&ledger, procmaps_block (), scratch);
  doctor_say (copies >= plan_copies_cap (&none) ? LEVEL_OK : LEVEL_LIMITED,
              what,
              "a higher limit (memory.max, memory.high), more memory, or the"
              " file's own huge pages",
              "its control group and the machine leave %zu MiB: at most %zu"
              " huge pages of copies",
              left >> 20, copies);
}

/* Check whether LOADER can be bound over the system's loader for processes
   that "hugetext run" starts.  */
static void
check_namespaces (const char *loader)
{
  static const char what[] = "namespaces";
  if (same_path (loader, loader_system ()))
    {
      doctor_say (LEVEL_OK, what, NULL,
                  "not needed: the loader is in the system's place");
      return;
    }
  const char *problem = namespace_problem (loader_system (), loader_system ());
  if (problem == NULL)
    doctor_say (LEVEL_OK, what, NULL,
                "hugetext run can put the loader in the system's place");
  else
    doctor_say (LEVEL_LIMITED, what,
                "as root, PT_INTERP (hugetext(1)), or by sysctl:"
                " user.max_user_namespaces=N, user.max_mnt_namespaces=N,"
                " kernel.unprivileged_userns_clone=1,"
                " kernel.apparmor_restrict_unprivileged_userns=0",
                "%s: hugetext run has to start programs as LOADER PROGRAM, and"
                " what they start gets no huge text",
                problem);
}

/* Whether a child of this process, or it itself, may make memory executable
   that was writable.  A filter may kill for that.  */
static bool
may_copy (void)
{
  const size_t page = getpagesize ();
  int status;
  fflush (NULL);
  pid_t pid = fork ();
  if (pid == 0)
    {
      void *text = mmap (NULL, page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      _exit (text != MAP_FAILED
             && mprotect (text, page, PROT_READ | PROT_EXEC) != 0);
    }
  return pid < 0 || waitpid (pid, &status, 0) != pid || status == 0;
}

/* Check what this process, and those that it starts, may do.  */
static void
check_process (void)
{
  if (may_copy ())
    doctor_say (LEVEL_OK, "executable copies", NULL, "allowed");
  else
    doctor_say (LEVEL_LIMITED, "executable copies",
                "MemoryDenyWriteExecute=no, allow execmem (SELinux), or"
                " hugetext store add",
                "memory that was writable may not be executed in this process:"
                " huge pages of files and of the store only");
  if (machine_field ("/proc/self/status", "Seccomp:") > 0)
    doctor_say (LEVEL_LIMITED, "system calls",
                "start it without a filter (SystemCallFilter= and others)",
                "filtered in this process (seccomp): programs stay where the"
                " kernel maps them");
  else
    doctor_say (LEVEL_OK, "system calls", NULL, "not filtered");
  if (!_dl_hugetext_limit_allows (RLIMIT_AS, UINT64_MAX))
    doctor_say (LEVEL_LIMITED, "address space", "ulimit -v unlimited",
                "limited (ulimit -v): what takes slack to be placed well is"
                " left where it is mapped");
}

/* Check the store, if it has any image.  */
static void
check_store (void)
{
  static const char what[] = "store";
  const char *path = store_folder ();
  struct store store;
  struct filesystem filesystem = { 0 };
  const char *problem, *remedy;
  if (store_read (&store) == NULL && store.count > 0)
    {
      problem = store_place_problem (path, &remedy);
      machine_filesystem (path, &filesystem);
      if (problem != NULL)
        doctor_say (LEVEL_LIMITED, what, remedy, "%zu images, of no use: %s",
                    store.count, problem);
      else
        doctor_say (LEVEL_OK, what, NULL, "%zu images, on %s%s", store.count,
                    filesystem.type,
                    strcmp (filesystem.type, "tmpfs") == 0
                        ? ", which takes memory and is gone at the next boot"
                        : "");
    }
  store_free (&store);
}

/* Check the loader at PATH.  */
static void
check_loader (const char *path)
{
  static const char what[] = "loader";
  struct loader loader;
  struct problem problem;
  if (!loader_read (path, &loader))
    {
      doctor_say (LEVEL_MISSING, what, "install it, or --loader=FILE",
                  "%s: %s", path, strerror (errno));
      return;
    }
  bool good = problem_take (&problem, loader_problem (&loader));
  /* The trial runs this command, whose path /proc has.  */
  if (good && access ("/proc/self/exe", X_OK) == 0
      && !service_try (path, &problem))
    good = problem_set (&problem, "%s: %s", path, problem.text);
  if (!good)
    doctor_say (LEVEL_MISSING, what,
                "the ld-hugetext of the glibc that is installed: its package,"
                " or build it again",
                "%s", problem.text);
  else
    doctor_say (LEVEL_OK, what, NULL, "%s%s, for glibc %s as is installed",
                loader.path,
                same_path (path, loader_system ()) ? ", the system's own" : "",
                loader.version);
}

void
doctor_machine (const struct settings *settings, const char *loader)
{
  const bool pool
      = hugetext_takes_pool (settings_value (settings, SETTING_BACKING));
  check_kernel ();
  check_thp (pool);
  if (pool)
    check_pool ();
  check_cpu (settings);
  check_tlb ();
  check_memory ();
  check_store ();
  check_namespaces (loader_wanted (loader));
  check_process ();
  doctor_confined ();
  check_loader (loader_wanted (loader));
}
