/* Tests of the function that finds the service of a control group.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE

#include "host/group.c"
#include "util/terminal.c"

static const struct
{
  const char *path, *name;
} cases[] = {
  { "/", "/" },
  { "/init.scope", "init.scope" },
  { "/system.slice", "system.slice" },
  { "/system.slice/cron.service", "cron.service" },
  { "/system.slice/system-postgresql.slice/postgresql@15-main.service",
    "postgresql@15-main.service" },
  { "/system.slice/my\\x2dapp.service", "my\\x2dapp.service" },
  { "/system.slice/containerd.service/pod/1", "containerd.service" },
  { "/system.slice/docker-0123.scope", "docker-0123.scope" },
  { "/machine.slice/libpod-0123.scope/container", "libpod-0123.scope" },
  { "/kubepods.slice/kubepods-pod1.slice/cri-containerd-2.scope",
    "cri-containerd-2.scope" },
  /* Each user counts once, no matter which sessions and services there
     are.  */
  { "/user.slice/user-1000.slice/session-3.scope", "user-1000.slice" },
  { "/user.slice/user-0.slice/user@0.service/app.slice/x.service",
    "user-0.slice" },
  /* Groups that are not units: the result is the whole path.  */
  { "/docker/0123", "/docker/0123" },
  { "/kubepods/burstable/pod1/2", "/kubepods/burstable/pod1/2" },
  { "/lxc.payload.web/system.slice/cron.service",
    "/lxc.payload.web/system.slice/cron.service" },
  { "/system.slice/no-unit/1", "/system.slice/no-unit/1" },
  /* Groups in another cgroup namespace.  */
  { "/..", "/.." },
  { "/../../system.slice/cron.service", "cron.service" },
  /* Unusual paths.  */
  { "//system.slice//cron.service/", "cron.service" },
  { "/.slice/.service", "/.slice/.service" },
  { "/a\tb\033[1m.service", "a?b?[1m.service" },
  { "/\xc3\xa9\xff\xed\xa0\x80\xc2\x9b.service", "\xc3\xa9?????"
                                                 "?.service" },
};

int
main (void)
{
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      char name[PATH_MAX];
      group_name (cases[i].path, name);
      if (strcmp (name, cases[i].name) != 0)
        {
          printf ("%s is %s, not %s\n", cases[i].path, name, cases[i].name);
          return 1;
        }
    }
  printf ("ok control groups: %zu cases\n", count);
  return 0;
}
