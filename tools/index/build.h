/* The compilation of a configuration to an index, in memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INDEX_BUILD_H
#define INDEX_BUILD_H

#include "image/folder.h"
#include "index/config.h"

/* The heat of an object by a profile: the members of its record, except those
   that have constant values (hugetext_index_heat), and its weights.  */
struct index_heat
{
  struct hugetext_identity object;
  uint64_t digest;
  uint64_t first;
  int64_t time;
  unsigned char build_id[HUGETEXT_BUILD_ID_MAX];
  uint32_t build_id_length;
  uint32_t granules; /* At most HUGETEXT_HEAT_GRANULES.  */
  const uint16_t *weight;
};

struct index_heats
{
  const struct index_heat *list;
  size_t count;
};

/* Set *IMAGE to the *SIZE bytes of an index of CONFIG, STORE and HEATS; the
   caller frees them.  Return NULL, or why there is none.  */
extern const char *index_build (const struct config *config,
                                const struct store *store,
                                const struct index_heats *heats, char **image,
                                size_t *size);

#endif
