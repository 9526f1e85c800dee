/* The lines of "hugetext doctor" about obstacles to huge text on the machine
   and in this process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "doctor/doctor.h"
#include "doctor/fragments.h"
#include "doctor/bugreport.h"
#include "host/census.h"
#include "host/confinement.h"
#include "host/machine.h"
#include "host/memory.h"
#include "host/process.h"
#include "host/namespace.h"
#include "host/procmaps.h"
#include "index/entry.h"
#include "object/loader.h"
#include "object/plan.h"
#include "service/service.h"
#include "store/state.h"
#include "text/inspect.h"
#include "text/json.h"
#include "text/report.h"
#include "tlb/tlb.h"
#include "util/allocate.h"
#include "util/terminal.h"
#include "util/count.h"

#include <dl-hugetext-ledger.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static enum doctor_level worst;
static struct json_object *lines; /* The lines as JSON, or NULL if lines are
                                     printed as text.  */
static bool reporting;            /* True if the lines are for a bug report,
                                     which strangers will read.  */

const char *
doctor_word (enum doctor_level level)
{
  static const char *const words[] = { "OK", "limited", "missing" };
  return words[level];
}

struct json_object *
doctor_to_json (void)
{
  return lines = json_object_new_array ();
}

void
doctor_report (const struct settings *settings, const char *loader)
{
  reporting = true;
  bugreport_head (settings, loader_wanted (loader));
}

static void
doctor_print_line (enum doctor_level level, const char *what, const char *text,
                   const char *remedy)
{
  const int levels = 9; /* The width of the column with the words "OK",
                           "limited" and "missing".  */
  char *line;
  bool split = terminal_columns () > 0;
  if (level == LEVEL_OK)
    remedy = NULL;
  if (asprintf (&line, "%s: %s%s%s", what, text,
                remedy == NULL || split ? "" : "; remedy: ",
                remedy == NULL || split ? "" : remedy)
      < 0)
    return;
  printf ("%-*s", levels, doctor_word (level));
  terminal_fill (stdout, levels, levels, line);
  /* Do not wrap the remedy, because most remedies contain a shell
     command.  */
  if (remedy != NULL && split)
    printf ("%*sremedy: %s\n", levels, "", remedy);
  free (line);
}

void
doctor_say (enum doctor_level level, const char *what,
            struct remedies remedies, const char *format, ...)
{
  const char *remedy = remedies.by[where_own ()];
  char *text;
  va_list ap;
  va_start (ap, format);
  int length = vasprintf (&text, format, ap);
  va_end (ap);
  if (level > worst)
    worst = level;
  if (length < 0)
    return;
  if (reporting)
    bugreport_cut (text);
  if (lines != NULL)
    {
      struct json_object *line = json_object_new_object ();
      json_set_string (line, "level", doctor_word (level));
      json_set_string (line, "what", what);
      json_set_string (line, "finding", text);
      json_set_string (line, "remedy", level != LEVEL_OK ? remedy : NULL);
      json_object_array_add (lines, line);
    }
  else
    doctor_print_line (level, what, text, remedy);
  free (text);
}

/* Print a line about WHAT with LEVEL, which is not LEVEL_OK.  The line
   contains REASON, and its remedy for a program with SETTINGS, as
   "hugetext explain" prints them.  */
static void
say_reason (enum doctor_level level, const char *what,
            enum hugetext_reason reason, const struct settings *settings)
{
  const struct reason_about about = reason_about (settings, where_own ());
  char words[REASON_SIZE], remedy[REASON_SIZE];
  reason_describe (reason, &about, words);
  reason_remedy (reason, &about, remedy);
  doctor_say (level, what, remedies_chosen (remedy), "%s", words);
}

enum doctor_level
doctor_worst (void)
{
  return worst;
}

/* Check the security modules and Yama, which confine programs.  The section
   "Confined programs" of the manual describes how security modules affect the
   loader, the index and the store.  */
static void
check_confinement (void)
{
  const char *enabled
      = machine_line ("/sys/module/apparmor/parameters/enabled");
  if (enabled != NULL && enabled[0] == 'Y')
    doctor_say (
        access (CONFINEMENT_SNIPPET, F_OK) == 0 ? LEVEL_OK : LEVEL_LIMITED,
        "AppArmor",
        REMEDIES (HOST_CONTAINER (
            "install debian/ld-hugetext.apparmor as " CONFINEMENT_SNIPPET,
            "on the host, install debian/ld-hugetext.apparmor "
            "as " CONFINEMENT_SNIPPET)),
        "the loader can use its index and store only in programs whose "
        "AppArmor profiles include abstractions/base (AppArmor 3 or later) "
        "and the file " CONFINEMENT_SNIPPET);
  if (confinement_fapolicyd ())
    doctor_say (LEVEL_OK, "fapolicyd", NO_REMEDY,
                "fapolicyd denies a loader that belongs to no package "
                "(\"Confined programs\" in the manual)");
  if (strcmp (machine_choice ("/sys/kernel/security/lockdown"),
              "confidentiality")
      == 0)
    doctor_say (LEVEL_LIMITED, "lockdown",
                REMEDIES (ANYWHERE ("boot the kernel with lockdown=integrity, "
                                    "or without lockdown")),
                "the kernel is locked down (confidentiality), so hugetext "
                "profile and survey cannot sample");
  long scope = machine_number ("/proc/sys/kernel/yama/ptrace_scope");
  if (scope > 0)
    doctor_say (scope >= 3 ? LEVEL_LIMITED : LEVEL_OK, "Yama",
                REMEDIES (HOST_CONTAINER (
                    "in /etc/sysctl.d set kernel.yama.ptrace_scope to 2 or "
                    "less, and reboot",
                    "in /etc/sysctl.d of the host set "
                    "kernel.yama.ptrace_scope to 2 or less, and reboot")),
                "kernel.yama.ptrace_scope = %ld: %s can use hugetext attach, "
                "and see the loader's records with hugetext explain",
                scope, scope >= 3 ? "nobody" : "only root");
}

#define THP "/sys/kernel/mm/transparent_hugepage/"

static void
check_kernel (void)
{
  static const char what[] = "kernel";
  if (!machine_kernel_is (6, 1))
    doctor_say (LEVEL_LIMITED, what,
                REMEDIES (ANYWHERE ("use Linux 6.1 or later")),
                "Linux %s cannot collapse small pages into huge pages on "
                "request (MADV_COLLAPSE)",
                machine_kernel ());
  else if (!machine_kernel_is (6, 7))
    doctor_say (LEVEL_LIMITED, what,
                REMEDIES (ANYWHERE ("use Linux 6.7 or later")),
                "Linux %s does not say which pages are huge (PAGEMAP_SCAN), "
                "so hugetext status sometimes has to guess",
                machine_kernel ());
  else
    doctor_say (LEVEL_OK, what, NO_REMEDY, "Linux %s", machine_kernel ());
}

/* Return true if SETTINGS choose the reserved hugetlb pool.  */
static bool
takes_pool (const struct settings *settings)
{
  return hugetext_takes_pool (settings_value (settings, SETTING_BACKING));
}

/* Check whether transparent huge pages are available for SETTINGS.  */
static void
check_thp (const struct settings *settings)
{
  static const char what[] = "transparent huge pages";
  const enum doctor_level level
      = takes_pool (settings) ? LEVEL_LIMITED : LEVEL_MISSING;
  const size_t block = procmaps_block ();
  char enabled[32], defrag[32];
  snprintf (defrag, sizeof defrag, "%s", machine_choice (THP "defrag"));
  snprintf (enabled, sizeof enabled, "%s", machine_choice (THP "enabled"));
  if (hugetext_geometry (getpagesize ()).block == 0)
    doctor_say (LEVEL_MISSING, "huge pages",
                REMEDIES (ANYWHERE ("use a kernel with pages of 4 KiB")),
                "the huge pages of this kernel are too large for text: %zu "
                "MiB",
                block >> 20);
  else if (enabled[0] == '\0' && access ("/sys/kernel", F_OK) < 0)
    doctor_say (level, what, REMEDIES (ANYWHERE ("mount sysfs on /sys")),
                "/sys is not mounted, so it is not known whether this kernel "
                "has transparent huge pages");
  else if (enabled[0] == '\0')
    doctor_say (
        level, what,
        REMEDIES (ANYWHERE ("use a kernel with CONFIG_TRANSPARENT_HUGEPAGE")),
        "this kernel has no transparent huge pages");
  else if (machine_thp_off (block))
    say_reason (level, what, HUGETEXT_THP_OFF, settings);
  else if (process_thp_disabled (0))
    say_reason (level, what, HUGETEXT_THP_DISABLED, settings);
  else if (strcmp (defrag, "never") == 0 || strcmp (defrag, "defer") == 0)
    doctor_say (
        LEVEL_LIMITED, what,
        REMEDIES (HOST_CONTAINER ("echo madvise >" THP "defrag",
                                  "on the host, run: echo madvise >" THP
                                  "defrag")),
        "defrag is %s: text stays on small pages if free memory is fragmented",
        defrag);
  else
    doctor_say (LEVEL_OK, what, NO_REMEDY, "%s", enabled);
}

/* Check the hugetlb pool, which SETTINGS have chosen as backing.  */
static void
check_pool (const struct settings *settings)
{
  static const char what[] = "hugetlb pool";
  const size_t unused = machine_pool_free (procmaps_block ());
  if (!machine_kernel_is (5, 16))
    doctor_say (LEVEL_MISSING, what,
                REMEDIES (ANYWHERE ("use Linux 5.16 or later")),
                "before Linux 5.16 hugetlb pages cannot be moved over text");
  else if (unused > 0)
    doctor_say (LEVEL_OK, what, NO_REMEDY, "the pool has " COUNT_FORMAT,
                COUNT (unused, "free huge page"));
  else
    say_reason (LEVEL_MISSING, what, HUGETEXT_POOL_SHORT, settings);
}

static void
check_cpu (const struct settings *settings)
{
  static const char what[] = "CPU";
  const struct settings none = { 0 };
  size_t entries = plan_cap (&none), cap = plan_cap (settings);
  /* If no cap is set, the kernel may map more blocks by huge pages of their
     files.  */
  const char *maker
      = settings_value (settings, SETTING_MAX) == 0 ? "the loader makes " : "";
  if (entries == SIZE_MAX)
    doctor_say (
        LEVEL_OK, what, NO_REMEDY,
        "every entry of the instruction TLB can hold a huge page, so there is "
        "no cap on huge pages, except for copies: " COUNT_FORMAT
        " per process",
        COUNT (plan_copies_cap (settings), "huge page"));
  else if (!plan_cpu_says ())
    doctor_say (LEVEL_LIMITED, what,
                REMEDIES (HOST_CONTAINER (
                    "hugetext enable --max=N, with N from the CPU's manual "
                    "(instruction-TLB entries for 2 MiB pages); or try "
                    "several N: hugetext measure --with=on,max=N",
                    "set glibc.mem.hugetext_max=N in GLIBC_TUNABLES, with N "
                    "from the CPU's manual (instruction-TLB entries for 2 MiB "
                    "pages)")),
                "%sat most " COUNT_FORMAT " of text per process; the CPU or "
                "the hypervisor does not say how many the TLB holds",
                maker, COUNT (cap, "huge page"));
  else
    doctor_say (cap > entries ? LEVEL_LIMITED : LEVEL_OK, what,
                REMEDIES (ANYWHERE ("set a smaller --max; to see whether this "
                                    "helps: hugetext measure")),
                "%sat most " COUNT_FORMAT
                " of text per process; the first-level "
                "instruction TLB holds %zu",
                maker, COUNT (cap, "huge page"), entries);
}

/* Check whether a huge page takes one TLB entry.  In a virtual machine, a huge
   page takes one entry only if the host also uses huge pages.  */
static void
check_tlb (void)
{
  const struct tlb_finding finding = tlb_look ();
  char remedy[128];
  if (finding.remedy != NULL)
    snprintf (remedy, sizeof remedy, "%s%s", finding.remedy,
              tlb_measure (where_own () == WHERE_CONTAINER ? TLB_READER_COMMAND
                                                           : TLB_READER_ANY,
                           ""));
  doctor_say (finding.remedy == NULL ? LEVEL_OK : LEVEL_LIMITED, "TLB",
              remedies_chosen (finding.remedy == NULL ? NULL : remedy), "%s",
              finding.words);
}

static void
check_memory (void)
{
  static const char what[] = "memory limit";
  const struct settings none = { 0 };
  struct memory_room room;
  struct problem problem;
  if (!memory_ask (0, 0, &room, &problem))
    {
      doctor_say (LEVEL_LIMITED, what, NO_REMEDY, "%s", problem.text);
      return;
    }
  if (room.left == SIZE_MAX)
    {
      doctor_say (LEVEL_OK, what, NO_REMEDY, "none");
      return;
    }
  doctor_say (
      room.copies >= plan_copies_cap (&none) ? LEVEL_OK : LEVEL_LIMITED, what,
      REMEDIES (HOST_CONTAINER (
          "set a higher limit (memory.max, memory.high), add memory, "
          "or use huge pages of the objects' own files (hugetext "
          "prime)",
          "set a higher memory limit for the container, add memory, "
          "or, on the host, run hugetext prime for files in the "
          "layers of the container image")),
      "the control group and the machine have %zu MiB of memory left: "
      "at most " COUNT_FORMAT " of copies",
      room.left >> 20, COUNT (room.copies, "huge page"));
}

/* Check whether the machine has free memory for huge pages, for SETTINGS.  The
   line does not call this memory "free huge pages", because these are pages of
   the hugetlb pool (vm.nr_hugepages) to most readers.  */
static void
check_fragments (const struct settings *settings)
{
  static const char what[] = "memory for huge pages";
  const size_t block = procmaps_block ();
  const struct fragments found = fragments_read (block);
  if (found.free >= plan_copies_cap (settings) || found.failures == 0)
    doctor_say (LEVEL_OK, what, NO_REMEDY, COUNT_FORMAT " of %zu MiB",
                COUNT (found.free, "free block"), block >> 20);
  else
    doctor_say (
        LEVEL_LIMITED, what,
        REMEDIES (HOST_CONTAINER (
            "compact the memory (echo 1 >/proc/sys/vm/compact_memory); or, "
            "soon after each boot, prime files or make images (hugetext "
            "prime, hugetext store add)",
            "on the host, compact the memory (echo 1 "
            ">/proc/sys/vm/compact_memory) or, soon after each boot, prime "
            "files (hugetext prime)")),
        "free memory is fragmented: it has " COUNT_FORMAT
        " of %zu MiB, and the kernel's compaction has failed %ld "
        "of " COUNT_FORMAT,
        COUNT (found.free, "free block"), block >> 20, found.failures,
        COUNT (found.compactions, "time"));
}

/* Check whether LOADER can be bind-mounted over the system's loader for
   processes that "hugetext run" starts.  */
static void
check_namespaces (const char *loader)
{
  static const char what[] = "namespaces";
  if (same_path (loader, loader_system ()))
    {
      doctor_say (LEVEL_OK, what, NO_REMEDY,
                  "hugetext run needs no namespaces, because ld-hugetext.so "
                  "is the system's loader");
      return;
    }
  struct problem problem;
  bool good = namespace_try (loader_system (), loader_system (), &problem);
  if (good)
    doctor_say (
        LEVEL_OK, what, NO_REMEDY,
        "hugetext run can mount ld-hugetext.so over the system's loader");
  else
    doctor_say (
        LEVEL_LIMITED, what,
        REMEDIES (HOST_CONTAINER (
            "use one of three remedies: use hugetext run as root; make "
            "ld-hugetext.so the interpreter of the program (PT_INTERP, see "
            "hugetext(1)); or allow user namespaces with sysctl: "
            "user.max_user_namespaces=N, user.max_mnt_namespaces=N, "
            "kernel.unprivileged_userns_clone=1, "
            "kernel.apparmor_restrict_unprivileged_userns=0",
            "start the container with ld-hugetext.so mounted over the loader "
            "of its image, as examples/container.sh does")),
        "%s: hugetext run can start a program only by the command LOADER "
        "PROGRAM, so the processes that this program starts get no huge text",
        problem.text);
}

/* Find out whether a process may make its memory executable after writing to
   it.  Make the test in a child, because a seccomp filter may kill the
   process.  If there is no answer, set PROBLEM.  */
static struct truth
doctor_may_copy (struct problem *problem)
{
  const size_t page = getpagesize ();
  int status;
  pid_t pid = fork ();
  if (pid == 0)
    {
      void *text = mmap (NULL, page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      _exit (text != MAP_FAILED
             && mprotect (text, page, PROT_READ | PROT_EXEC) != 0);
    }
  if (pid >= 0 && waitpid (pid, &status, 0) == pid)
    return truth_of (status == 0);
  problem_system (problem, errno);
  return (struct truth){ TRUTH_UNKNOWN };
}

/* Check whether this process, and the processes that it starts, have the
   rights that SETTINGS require.  */
static void
check_process (const struct settings *settings)
{
  struct problem problem;
  const struct truth copies = doctor_may_copy (&problem);
  if (copies.is == TRUTH_UNKNOWN)
    doctor_say (LEVEL_LIMITED, "executable copies", NO_REMEDY,
                "it is unknown whether executable copies are allowed, "
                "because no process can be started to test this: %s",
                problem.text);
  else if (copies.is == TRUTH_YES)
    doctor_say (LEVEL_OK, "executable copies", NO_REMEDY, "allowed");
  else
    say_reason (LEVEL_LIMITED, "executable copies", HUGETEXT_PROTECT,
                settings);
  const bool filtered = process_is_filtered (0);
  if (filtered
      && (settings_value (settings, SETTING_MODE) & HUGETEXT_MODE_PRCTL) != 0)
    doctor_say (
        LEVEL_OK, "system calls", NO_REMEDY,
        "a seccomp filter is active; the loader nevertheless makes copies, "
        "because the value of glibc.mem.hugetext includes the flag 4");
  else if (filtered)
    say_reason (LEVEL_LIMITED, "system calls", HUGETEXT_FILTERED, settings);
  else
    doctor_say (LEVEL_OK, "system calls", NO_REMEDY, "not filtered");
  if (!_dl_hugetext_limit_allows (RLIMIT_AS, UINT64_MAX))
    say_reason (LEVEL_LIMITED, "address space", REASON_LEFT_LIMITED, settings);
}

/* Print that FOUND's process has switched transparent huge pages off for
   itself, and how its text can be huge nevertheless.  */
static void
say_disabled (const struct inspection *found)
{
  const struct reason_about about = inspect_about (found, &found->settings);
  char remedy[REASON_SIZE];
  reason_remedy (REASON_RECLAIMED, &about, remedy);
  doctor_say (LEVEL_LIMITED, "process", remedies_chosen (remedy), "%d %s %s",
              (int) found->process.pid, reporting ? "" : found->process.name,
              inspect_thp_disabled ());
}

/* If some of the processes in CENSUS, which were to be checked for WHAT, could
   not be checked, print a line that says so.  COUNT is the number of
   processes that could not be checked, and WHY the reason.  Only root may read
   all processes; if root cannot, nobody can.  */
static void
say_unchecked (size_t count, const char *what, const struct problem *why)
{
  if (count > 0)
    doctor_say (LEVEL_LIMITED, "processes",
                remedies_chosen (geteuid () == 0 ? NULL
                                                 : "run hugetext doctor as "
                                                   "root"),
                "for " COUNT_FORMAT " it is unknown whether %s: %s",
                COUNT_PLURAL (count, "process", "processes"), what, why->text);
}

/* Look for processes in CENSUS that run under ld-hugetext's loader, and have
   text on small pages because they have switched transparent huge pages off
   for themselves.  */
static void
check_disabled (const struct census *census)
{
  size_t unknown = 0;
  struct problem why = { 0 };
  for (size_t i = 0; i < census->count; ++i)
    {
      struct inspection found;
      const pid_t pid = census->list[i].pid;
      const struct truth disabled = process_ask_thp_disabled (pid, &why);
      unknown += disabled.is == TRUTH_UNKNOWN;
      if (disabled.is != TRUTH_YES || !inspect (pid, INSPECT_BRIEF, &found))
        continue;
      if (found.loader == INSPECTED_OURS && inspect_lacks_thp (&found))
        say_disabled (&found);
      inspect_free (&found);
    }
  say_unchecked (unknown, "huge pages are switched off", &why);
}

/* Return true if LIST, which has COUNT entries, contains the service NAME.  */
static bool
doctor_is_enabled (const struct entry *list, int count, const char *name)
{
  for (int i = 0; i < count; ++i)
    if (strcmp (list[i].name, name) == 0)
      return true;
  return false;
}

/* If FOUND's process runs under ld-hugetext.so, and could gain from huge
   pages, but huge text was off from its start, print the reason.  */
static void
say_off (const struct inspection *found)
{
  const struct reason_about about = inspect_about (found, &found->settings);
  struct inspected_off off;
  if (found->loader == INSPECTED_OURS && !found->small
      && inspect_describe_off (found, &about, &off))
    doctor_say (LEVEL_LIMITED, "process",
                remedies_chosen (
                    reporting || off.remedy[0] == '\0' ? NULL : off.remedy),
                "%d %s: %s", (int) found->process.pid,
                reporting ? "" : found->process.name, off.reason);
}

/* If PROCESS belongs to one of the COUNT enabled services ENTRIES, print why
   huge text was off from its start (say_off).  */
static void
check_process_off (const struct census_process *process,
                   const struct entry *entries, int count)
{
  static struct inspection found;
  if (!doctor_is_enabled (entries, count, process->service)
      || !inspect (process->pid, INSPECT_BRIEF, &found))
    return;
  say_off (&found);
  inspect_free (&found);
}

/* Look in CENSUS for processes of enabled services, and print why huge text
   was off from the start in some of them.  */
static void
check_off (const struct census *census)
{
  struct entry *entries;
  const int count = entry_list (&entries);
  for (size_t i = 0; count > 0 && i < census->count; ++i)
    check_process_off (&census->list[i], entries, count);
  if (count > 0)
    say_unchecked (census->unknown + census->no_group,
                   "their service is enabled", &census->why);
  for (int i = 0; i < count; ++i)
    entry_free (&entries[i]);
  if (count >= 0)
    free (entries);
}

/* Check the running processes of the machine.  */
static void
check_running (void)
{
  struct census census = { .taken = false };
  census_take (&census);
  check_disabled (&census);
  check_off (&census);
  census_free (&census);
}

/* Print whether the kernel caches images in huge pages, so that processes can
   share text (only root can find this out).  Also print the state of the
   store, unless it contains no image.  In a container, do not test how the
   kernel caches images, because processes in containers do not use the images
   of the store.  */
static void
check_store (void)
{
  static const char what[] = "store";
  struct store_state state;
  struct problem problem;
  bool huge = false;
  store_state_read (&state);
  const bool known = geteuid () == 0 && where_own () != WHERE_CONTAINER
                     && store_try (&huge, &problem);
  if (known && !huge)
    {
      char remedy[STORE_REMEDY];
      store_remedy (remedy, sizeof remedy);
      doctor_say (LEVEL_LIMITED, what, remedies_chosen (remedy),
                  "the kernel caches files in %s in small pages, so "
                  "processes have copies of text instead of sharing images",
                  store_directory ());
    }
  else if (state.images > 0)
    doctor_say (LEVEL_OK, what, NO_REMEDY, "%s", store_state_words (&state));
  else if (known)
    doctor_say (LEVEL_OK, what, NO_REMEDY,
                "%s: no images yet; processes would share images in this "
                "directory, because the kernel caches its files in huge pages",
                store_directory ());
}

/* Check whether hugetext-attach is installed.  A container does not need
   hugetext-attach, because the host's command changes the processes of
   containers.  */
static void
check_attach (void)
{
  struct problem problem;
  if (where_own () != WHERE_CONTAINER && !loader_check_attach (&problem))
    doctor_say (
        LEVEL_LIMITED, "attach",
        REMEDIES (ANYWHERE ("install the package ld-hugetext-attach")),
        "hugetext attach, hugetext adapt and hugetext measure --attach "
        "do not work: the program hugetext-attach cannot be executed");
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
      doctor_say (
          LEVEL_MISSING, what,
          REMEDIES (ANYWHERE ("install ld-hugetext, or use --loader=FILE")),
          "%s: %s", path, strerror (errno));
      return;
    }
  bool good = loader_check (&loader, &problem);
  /* To try a loader, service_try executes this command (/proc/self/exe) once
     more under the loader.  */
  if (good && access ("/proc/self/exe", X_OK) == 0
      && !service_try (path, &problem))
    good = problem_from (&problem, &problem, "%s: %s", path, problem.text);
  if (!good)
    doctor_say (LEVEL_MISSING, what,
                REMEDIES (HOST_CONTAINER (
                    "install the ld-hugetext package for the installed "
                    "glibc, or rebuild ld-hugetext",
                    "mount an ld-hugetext.so that was built for the glibc of "
                    "the container's image")),
                "%s", problem.text);
  else
    doctor_say (LEVEL_OK, what, NO_REMEDY,
                "%s%s, version %s for the installed glibc %s", loader.path,
                same_path (path, loader_system ()) ? ", the system's own" : "",
                loader.own, loader.version);
}

void
doctor_machine (const struct settings *settings, const char *loader)
{
  check_kernel ();
  check_thp (settings);
  if (takes_pool (settings))
    check_pool (settings);
  check_cpu (settings);
  check_tlb ();
  check_memory ();
  check_fragments (settings);
  check_store ();
  check_namespaces (loader_wanted (loader));
  check_process (settings);
  check_running ();
  check_confinement ();
  check_loader (loader_wanted (loader));
  check_attach ();
}
