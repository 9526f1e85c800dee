/* Map in a shared object's segments, text on huge pages.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Wraps the stock implementation: where an object has a better place than
   the one the kernel would choose, that place is reserved as a whole and the
   stock code overlays it, as it does for a program at a fixed address.  */

#define _dl_map_segments _dl_map_segments_stock
#include_next <dl-map-segments.h>
#undef _dl_map_segments

#include <dl-hugetext.h>

static __always_inline const char *
_dl_map_segments (struct link_map *l, int fd,
                  const ElfW(Ehdr) *header, int type,
                  const struct loadcmd loadcmds[], size_t nloadcmds,
                  const size_t maplength, bool has_holes,
                  struct link_map *loader)
{
#if IS_IN (rtld)
  bool reserved = false;
  struct hugetext_object *object = _dl_hugetext_begin (loadcmds->mapalign);
  if (__glibc_unlikely (object != NULL))
    {
      for (size_t i = 0; i < nloadcmds; ++i)
        _dl_hugetext_add_segment (object, loadcmds[i].mapstart,
                                  loadcmds[i].dataend, loadcmds[i].allocend,
                                  loadcmds[i].mapoff, loadcmds[i].prot);
      reserved = _dl_hugetext_reserve (l, fd, type, object, maplength);
    }
  const char *error
    = _dl_map_segments_stock (l, fd, header, reserved ? ET_EXEC : type,
                              loadcmds, nloadcmds, maplength, has_holes,
                              loader);
  if (__glibc_unlikely (object != NULL))
    _dl_hugetext_mapped (l, reserved, error);
  return error;
#else
  return _dl_map_segments_stock (l, fd, header, type, loadcmds, nloadcmds,
                                 maplength, has_holes, loader);
#endif
}
