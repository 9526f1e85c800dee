/* Find the heat of a file among the sampled files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/attach.h"

struct hugetext_heat
attach_heat_of (const struct attach_heats *heats, dev_t device, ino_t inode)
{
  static const uint16_t none;
  for (size_t i = 0; heats != NULL && i < heats->count; ++i)
    if (heats->list[i].inode == inode && heats->list[i].device == device)
      return heats->list[i].heat;
  return (struct hugetext_heat){ .weight = &none };
}
