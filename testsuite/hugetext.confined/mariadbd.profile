# A profile for mariadbd of the shape that Ubuntu has for mysqld.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

include <tunables/global>

/usr/sbin/mariadbd {
  include <abstractions/base>
  include <abstractions/nameservice>

  capability dac_override,
  capability setgid,
  capability setuid,
  capability sys_resource,

  /usr/sbin/mariadbd mr,
  /usr/share/mysql/** r,
  /etc/mysql/** r,
  /var/lib/mysql/ rw,
  /var/lib/mysql/** rwk,
  /run/mysqld/** rwk,
  /tmp/ r,
  owner /tmp/** rwk,
  @{sys}/devices/system/node/{,**} r,
  @{sys}/block/{,**} r,
  @{PROC}/@{pid}/cgroup r,
  @{sys}/dev/block/ r,
  @{sys}/devices/**/block/** r,
}
