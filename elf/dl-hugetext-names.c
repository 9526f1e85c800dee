/* Types and words for the input of policy and for its decisions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The words are arrays of characters, or are returned by switches, because
   every start, with huge text or without, would have to relocate pointers to
   them.  */

#include <string.h>

#include "dl-hugetext-names.h"

static const char choices[HUGETEXT_CHOICES][8]
    = { "auto", "file", "thp", "hugetlb", "store" };

const char *
hugetext_choice_name (enum hugetext_choice choice)
{
  return choice < HUGETEXT_CHOICES ? choices[choice] : "?";
}

enum hugetext_choice
hugetext_choice_of (const char *value, size_t length)
{
  enum hugetext_choice choice = HUGETEXT_AUTO;
  while (choice < HUGETEXT_CHOICES
         && (length != strlen (choices[choice])
             || memcmp (value, choices[choice], length) != 0)
         && (length != 1 || *value != '0' + (int) choice))
    ++choice;
  return choice;
}

const char *
hugetext_reason_text (unsigned int reason)
{
  static const char texts[HUGETEXT_REASONS][80] = {
    [HUGETEXT_TAKE] = "it can be huge",
    [HUGETEXT_NO_TEXT] = "it holds no text",
    [HUGETEXT_OUTSIDE] = "it reaches beyond the object",
    [HUGETEXT_WRITABLE] = "it holds writable data",
    [HUGETEXT_RELRO] = "it holds data that relocation writes (RELRO)",
    [HUGETEXT_ZERO_FILL] = "it holds zero fill of a read-only segment",
    [HUGETEXT_EXECUTE_ONLY] = "its execute-only text would become readable",
    [HUGETEXT_BELOW_THRESHOLD]
    = "it holds too little text (glibc.mem.hugetext_pad_threshold)",
    [HUGETEXT_KEPT_FREE]
    = "the rest of the cap waits for fuller ones (glibc.mem.hugetext_max)",
    [HUGETEXT_OVER_CAP] = "it is over the cap (glibc.mem.hugetext_max)",
    [HUGETEXT_SMALL_PROGRAM]
    = "program and libraries have too little text to gain (below 2 MiB)",
    [HUGETEXT_NOT_CONGRUENT]
    = "its address does not suit its place in the file",
    [HUGETEXT_FILE_SMALL] = "its file is not cached in huge pages",
    [HUGETEXT_NOT_STORED] = "the store has no image of it",
    [HUGETEXT_STORE_SMALL]
    = "its image in the store is not cached in huge pages",
    [HUGETEXT_HOLE_TAKEN] = "something else is mapped in its hole",
    [HUGETEXT_NO_SPACE] = "no memory for a copy",
    [HUGETEXT_POOL_SHORT]
    = "the hugetlb pool has no free page (vm.nr_hugepages)",
    [HUGETEXT_UNREADABLE]
    = "the text cannot be read, or the file is too short",
    [HUGETEXT_MODIFIED] = "it was changed in memory (breakpoints?)",
    [HUGETEXT_NOT_HUGE] = "the kernel had no huge page",
    [HUGETEXT_THP_OFF]
    = "transparent huge pages are off (/sys/kernel/mm/transparent_hugepage)",
    [HUGETEXT_PROTECT] = "the copy may not become executable",
    [HUGETEXT_NOT_PLACED] = "the copy cannot be moved into place",
    [HUGETEXT_LOST] = "the kernel ran out of memory while it was moved",
    [HUGETEXT_TRACED] = "the process is traced",
    [HUGETEXT_NO_ROOM]
    = "a memory limit, or the end of the memory, is too near",
    [HUGETEXT_GAVE_UP] = "other blocks got no huge page before it",
    [HUGETEXT_NOT_WORTH]
    = "its profile has not seen it executed, and it would be a copy",
    [HUGETEXT_NOT_OPENED] = "its file could not be opened",
    [HUGETEXT_OVER_COPIES]
    = "all copies that there may be are in use (glibc.mem.hugetext_max)",
    [HUGETEXT_DATA_LIMIT] = "no memory for a copy by RLIMIT_DATA",
    [HUGETEXT_SIZE_LIMIT] = "no memory file for a copy by RLIMIT_FSIZE",
    [HUGETEXT_FORBIDDEN] = "its image in the store may not be executed",
  };
  return reason < HUGETEXT_REASONS ? texts[reason] : "";
}
