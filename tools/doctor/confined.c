/* The lines of "hugetext doctor" about security modules and other confinement.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The manual, "Confined programs", describes what security modules do to
   loader, index and store.  */

#include "doctor/doctor.h"
#include "host/confinement.h"
#include "host/machine.h"

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
    doctor_say (LEVEL_OK, "fapolicyd", NULL,
                "it denies a loader that is of no package (the manual,"
                " Confined programs)");
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
