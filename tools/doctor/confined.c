/* The lines of "hugetext doctor" about security modules and other confinement.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The manual, "Confined programs", describes what security modules do to
   loader, index and store.  The rights of this process are tried, not asked
   for (start.h).  */

#include "doctor/confined.h"
#include "doctor/check.h"
#include "host/confinement.h"
#include "host/machine.h"
#include "host/unit.h"

#include <stdlib.h>
#include <string.h>

static void
check_apparmor (void)
{
  static const char what[] = "AppArmor";
  const char *enabled
      = machine_line ("/sys/module/apparmor/parameters/enabled");
  if (enabled == NULL || enabled[0] != 'Y')
    return;
  if (machine_has (CONFINEMENT_SNIPPET))
    check_line (LEVEL_OK, what, NULL,
                "profiles with abstractions/base of AppArmor 3 or later allow"
                " the index and the store");
  else
    check_line (LEVEL_LIMITED, what,
                "debian/ld-hugetext.apparmor as " CONFINEMENT_SNIPPET,
                "profiles do not allow the index and the store: what they"
                " confine has neither");
}

static void
check_fapolicyd (void)
{
  static const char what[] = "fapolicyd";
  if (!confinement_fapolicyd ())
    return;
  if (machine_has (CONFINEMENT_TRUST))
    check_line (LEVEL_OK, what, NULL,
                "images are trusted by " CONFINEMENT_TRUST);
  else
    check_line (LEVEL_LIMITED, what,
                "trust for images: hugetext store gc; for a loader: see the"
                " manual, Confined programs",
                "runs, and denies a loader and images that its trust does not"
                " have");
}

/* Since Linux 6.6 the setting makes memory files that do not ask for it, as
   ours, files that cannot be executed; they can still be mapped as text.  */
static void
check_memory_files (void)
{
  if (machine_number ("/proc/sys/vm/memfd_noexec") == 2
      && !machine_kernel_is (6, 6))
    check_line (LEVEL_LIMITED, "memory files", "sysctl vm.memfd_noexec=1",
                "the kernel refuses them (vm.memfd_noexec = 2): under"
                " MemoryDenyWriteExecute= there are no copies");
}

static void
check_lockdown (void)
{
  const char *lockdown = machine_choice ("/sys/kernel/security/lockdown");
  if (strcmp (lockdown, "confidentiality") == 0)
    check_line (LEVEL_LIMITED, "lockdown", "lockdown=integrity, or none",
                "%s: hugetext profile and survey cannot sample", lockdown);
}

/* Check the rights to look at processes and to change them.  */
static void
check_watching (void)
{
  struct filesystem proc;
  long scope = machine_number ("/proc/sys/kernel/yama/ptrace_scope");
  const char *hidden = NULL;
  if (scope >= 3)
    check_line (LEVEL_LIMITED, "Yama", "a boot with another value",
                "kernel.yama.ptrace_scope = %ld: attach can do nothing, and"
                " explain and list cannot read what the loader recorded",
                scope);
  else if (scope > 0)
    check_line (LEVEL_OK, "Yama", NULL,
                "kernel.yama.ptrace_scope = %ld: attach and explain take root",
                scope);
  if (machine_filesystem ("/proc", &proc))
    hidden = strstr (proc.options, "hidepid=");
  if (hidden != NULL && strncmp (hidden, "hidepid=off", 11) != 0
      && strncmp (hidden, "hidepid=0", 9) != 0)
    check_line (LEVEL_OK, "/proc", NULL,
                "%.*s: only root sees the processes of others",
                (int) strcspn (hidden, ","), hidden);
}

void
check_confined (void)
{
  check_apparmor ();
  check_fapolicyd ();
  check_memory_files ();
  check_lockdown ();
  check_watching ();
}

/* Check the AppArmor profile that UNIT names, or that its processes have.  */
static void
check_profile (const struct unit *unit)
{
  char name[CONFINEMENT_PROFILE];
  const char *profile = unit->profile;
  pid_t *list;
  size_t n = unit_processes (unit, &list);
  for (size_t i = 0; profile[0] == '\0' && i < n; ++i)
    if (confinement_profile (list[i], name))
      profile = name;
  free (list);
  if (profile[0] == '\0')
    return;
  bool allowed = machine_has (CONFINEMENT_SNIPPET);
  check_line (allowed ? LEVEL_OK : LEVEL_LIMITED, unit->id,
              "have the profile include debian/ld-hugetext.apparmor",
              "AppArmor confines it (profile %s): it has index and store only"
              " if that includes abstractions/base of AppArmor 3 or later%s",
              profile,
              allowed ? "" : ", and " CONFINEMENT_SNIPPET " is there");
}

void
check_service (const char *name)
{
  struct unit unit;
  const char *full = unit_name (name);
  const char *problem = full != NULL ? unit_read (full, &unit)
                                     : "a unit cannot have this name";
  if (problem != NULL)
    {
      check_line (LEVEL_MISSING, name, "give the name of a service", "%s",
                  problem);
      return;
    }
  check_profile (&unit);
  if (unit.no_exec)
    check_line (LEVEL_LIMITED, unit.id,
                "hugetext store add, or MemoryDenyWriteExecute=no",
                "MemoryDenyWriteExecute=: no copies of text, but huge pages of"
                " files and of the store");
  if (unit.filtered)
    check_line (
        LEVEL_LIMITED, unit.id,
        "hugetext = on+prctl, if the filter allows prctl",
        "SystemCallFilter=: its program stays where the kernel maps it");
  if (unit.thp[0] != '\0' && strcmp (unit.thp, "inherit") != 0)
    check_line (strcmp (unit.thp, "disable") == 0 ? LEVEL_LIMITED : LEVEL_OK,
                unit.id, "MemoryTHP=inherit", "MemoryTHP=%s", unit.thp);
  unit_free (&unit);
}
