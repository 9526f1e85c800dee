/* The lines of "hugetext doctor" about security modules and other confinement.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The manual, "Confined programs", describes what security modules do to
   loader, index and store.  */

#include "doctor/doctor.h"
#include "host/confinement.h"
#include "host/machine.h"
#include "host/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
doctor_confined (void)
{
  const char *enabled
      = machine_line ("/sys/module/apparmor/parameters/enabled");
  if (enabled != NULL && enabled[0] == 'Y')
    doctor_say (
        access (CONFINEMENT_SNIPPET, F_OK) == 0 ? LEVEL_OK : LEVEL_LIMITED,
        "AppArmor", "debian/ld-hugetext.apparmor as " CONFINEMENT_SNIPPET,
        "index and store are for programs whose profiles include"
        " abstractions/base of AppArmor 3 or later, and "
        "that " CONFINEMENT_SNIPPET);
  if (confinement_fapolicyd ())
    doctor_say (
        access (CONFINEMENT_TRUST, F_OK) == 0 ? LEVEL_OK : LEVEL_LIMITED,
        "fapolicyd",
        "trust for images: hugetext store gc; for a loader: see the"
        " manual, Confined programs",
        "it denies a loader and images that its trust, " CONFINEMENT_TRUST
        " and others, does not have");
  if (strcmp (machine_choice ("/sys/kernel/security/lockdown"),
              "confidentiality")
      == 0)
    doctor_say (LEVEL_LIMITED, "lockdown", "lockdown=integrity, or none",
                "confidentiality: hugetext profile and survey cannot sample");
  long scope = machine_number ("/proc/sys/kernel/yama/ptrace_scope");
  if (scope > 0)
    doctor_say (scope >= 3 ? LEVEL_LIMITED : LEVEL_OK, "Yama",
                "a boot with another value",
                "kernel.yama.ptrace_scope = %ld: %s may attach, and explain"
                " what the loader recorded",
                scope, scope >= 3 ? "nobody" : "only root");
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
  if (profile[0] != '\0')
    doctor_say (
        access (CONFINEMENT_SNIPPET, F_OK) == 0 ? LEVEL_OK : LEVEL_LIMITED,
        unit->id, "have the profile include debian/ld-hugetext.apparmor",
        "AppArmor confines it (profile %s): it has index and store"
        " only if that includes abstractions/base of AppArmor 3 or"
        " later, and " CONFINEMENT_SNIPPET " is there",
        profile);
}

void
doctor_service (const char *name)
{
  struct unit unit;
  const char *full = unit_name (name);
  const char *problem = full != NULL ? unit_read (full, &unit)
                                     : "a unit cannot have this name";
  if (problem != NULL)
    {
      doctor_say (LEVEL_MISSING, name, "give the name of a service", "%s",
                  problem);
      return;
    }
  check_profile (&unit);
  if (unit.no_exec)
    doctor_say (LEVEL_LIMITED, unit.id,
                "hugetext store add, or MemoryDenyWriteExecute=no",
                "MemoryDenyWriteExecute=: no copies of text, but huge pages of"
                " files and of the store");
  if (unit.filtered)
    doctor_say (LEVEL_LIMITED, unit.id,
                "hugetext = on+prctl, if the filter allows prctl",
                "SystemCallFilter=: its program stays where the kernel maps"
                " it");
  if (unit.thp[0] != '\0' && strcmp (unit.thp, "inherit") != 0)
    doctor_say (strcmp (unit.thp, "disable") == 0 ? LEVEL_LIMITED : LEVEL_OK,
                unit.id, "MemoryTHP=inherit", "MemoryTHP=%s", unit.thp);
  unit_free (&unit);
}
