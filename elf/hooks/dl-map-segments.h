/* Map a shared object's segments so that its text can be on huge pages.
   Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   This header wraps glibc's header of the same name.  If an address other
   than the kernel's choice is better for an object, the loader first reserves
   the whole range at this address.  The stock code then maps the segments
   over the reserved range, in the same way in which it maps a program at a
   fixed address.  The header also defines DL_AFTER_LOAD, to which glibc
   passes each object that it has mapped.  */

/* For each object, the stock code subtracts MAP_BASE_ADDR from the link-time
   address, and passes the result to the kernel as a hint.  L's load bias is 0
   unless _dl_hugetext_hint or _dl_hugetext_reserve has set it.  */
#include <dl-load.h>
#undef MAP_BASE_ADDR
#define MAP_BASE_ADDR(l) (-(l)->l_addr)

#define _dl_map_segments _dl_map_segments_stock
#include_next <dl-map-segments.h>
#undef _dl_map_segments

#include <dl-hugetext.h>
#include <dl-hugetext-state.h>
#include <hugetext-machine.h>

/* The list of an object's segments as glibc's functions pass it: as a
   parameter declaration, and as an argument.  */
#if __GLIBC_PREREQ(2, 44)
#  define _DL_LOADCMDS_DECL struct dl_pt_load_iterator *it
#  define _DL_LOADCMDS it
#else
#  define _DL_LOADCMDS_DECL const struct loadcmd loadcmds[], size_t nloadcmds
#  define _DL_LOADCMDS loadcmds, nloadcmds
#endif

#if IS_IN(rtld)
#  if !__GLIBC_PREREQ(2, 44)
/* Return what is known about the file FD before glibc maps it.  BUFFER is the
   beginning of the file.  */
static struct hugetext_mapping
_dl_mapping_of (int fd, const struct filebuf *buffer)
{
  const ElfW (Ehdr) *header = (const void *) buffer->buf;
  struct hugetext_mapping mapping = { .fd = fd, .header = header };
  if (header->e_phoff % __alignof(ElfW (Phdr)) == 0
      && header->e_phoff <= buffer->len
      && (header->e_phnum * sizeof (ElfW (Phdr))
          <= buffer->len - header->e_phoff))
    mapping.phdr = (const void *) (buffer->buf + header->e_phoff);
  return mapping;
}

/* The stock loader calls _dl_get_file_id for each library before it maps the
   library.  Between the call of _dl_get_file_id and the mapping, glibc before
   2.44 puts two copies of the program headers on the stack, 1.5 KiB for libc.
   No other part of a program start needs so much stack.  Therefore the loader
   examines a library earlier, in _dl_get_file_id, so that small programs do
   not need one more page of stack.  FBP is the stock loader's name for the
   buffer with the beginning of the file.  */
static void __attribute_noinline__
_dl_examine_file (int fd, const struct filebuf *buffer)
{
  if (hugetext_address_taken ())
    return;
  const struct hugetext_mapping mapping = _dl_mapping_of (fd, buffer);
  _dl_hugetext_examine (&mapping);
}

static __always_inline bool
_dl_get_file_id_and_examine (int fd, struct r_file_id *id,
                             const struct filebuf *buffer)
{
  if (!_dl_get_file_id (fd, id))
    return false;
  if (__glibc_unlikely (_dl_hugetext_settings () != NULL)
      && !_dl_hugetext_program_runs ())
    _dl_examine_file (fd, buffer);
  return true;
}
#    define _dl_get_file_id(fd, id) _dl_get_file_id_and_examine (fd, id, fbp)
#  endif

/* If this function were inline, its variables would also take stack space in
   programs without huge text.  */
static bool __attribute_noinline__
_dl_reserve_segments (struct link_map *l, int fd, const ElfW (Ehdr) * header,
                      int type, _DL_LOADCMDS_DECL, size_t maplength)
{
  if (hugetext_address_taken ())
    return false;
#  if __GLIBC_PREREQ(2, 44)
  struct hugetext_mapping mapping = { .fd = fd, .header = header };
  /* In glibc 2.44, HEADER is a copy of the ELF header.  If the iterator's
     CACHED is set, the buffer has all program headers.  If CACHED is not set,
     the iterator overwrites the buffer while it reads the headers.  */
  if (it->cached && it->phoff % __alignof(ElfW (Phdr)) == 0)
    mapping.phdr = (const void *) (it->fbp->buf + it->phoff);
  mapping.start = it->first_mapstart;
  mapping.align = it->p_align_max;
#  else
  /* Before glibc 2.44, HEADER points to the buffer into which glibc has read
     the beginning of the file.  */
  struct hugetext_mapping mapping
      = _dl_mapping_of (fd, (const void *) ((const char *) header
                                            - offsetof (struct filebuf, buf)));
  mapping.start = loadcmds->mapstart;
#    if __GLIBC_PREREQ(2, 35)
  mapping.align = loadcmds->mapalign;
#    endif
#  endif
  mapping.length = maplength;
  /* The stock loader passes the kernel the link-time address of a library as a
     hint.  Some programs share pointers into such a library with other
     processes, so the library must have its link-time address in each process.
     Before glibc 2.36, the stock loader passes the link-time address as a hint
     only if the program itself is at its link-time address.  */
  ElfW (Addr) wanted = mapping.start;
#  if !__GLIBC_PREREQ(2, 36)
  wanted &= GLRO (dl_use_load_bias);
#  endif
  mapping.fixed = type != ET_DYN || wanted != 0;
  return _dl_hugetext_reserve (l, &mapping);
}

/* Return true if the loader has examined L and lets the stock loader's code
   map L at the address that the kernel chooses.  While a small program is
   being started, the stack is fullest at the call of this function.  */
static __always_inline bool
_dl_hint_segments (struct link_map *l, int fd, _DL_LOADCMDS_DECL,
                   size_t maplength)
{
#  if __GLIBC_PREREQ(2, 44)
  return false;
#  else
#    if __GLIBC_PREREQ(2, 35)
  const ElfW (Addr) align = loadcmds->mapalign;
#    else
  const ElfW (Addr) align = 0;
#    endif
  return (!_dl_hugetext_program_runs ()
          && _dl_hugetext_hint (l, fd, loadcmds->mapstart, maplength, align));
#  endif
}
#endif

static __always_inline const char *
_dl_map_segments (struct link_map *l, int fd, const ElfW (Ehdr) * header,
                  int type, _DL_LOADCMDS_DECL, const size_t maplength,
                  bool has_holes, struct link_map *loader)
{
  bool reserved = false;
#if IS_IN(rtld)
  if (__glibc_unlikely (_dl_hugetext_settings () != NULL))
    reserved = (!_dl_hint_segments (l, fd, _DL_LOADCMDS, maplength)
                && _dl_reserve_segments (l, fd, header, type, _DL_LOADCMDS,
                                         maplength));
#endif
  const char *error
      = _dl_map_segments_stock (l, fd, header, reserved ? ET_EXEC : type,
                                _DL_LOADCMDS, maplength, has_holes, loader);
#if IS_IN(rtld)
  if (__glibc_unlikely (_dl_hugetext_settings () != NULL))
    _dl_hugetext_mapped (l, reserved, error);
#endif
  return error;
}

#undef _DL_LOADCMDS_DECL
#undef _DL_LOADCMDS

#if IS_IN(rtld)
#  define DL_AFTER_LOAD(l) _dl_hugetext_match_loaded (l)
#endif
