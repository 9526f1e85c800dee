/* Types and words for the input of policy and for its decisions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The words are arrays of characters, or are returned by switches, because
   every start, with huge text or without, would have to relocate pointers to
   them.  */

#include <string.h>

#include "dl-hugetext-names.h"

const char *
hugetext_key_name (enum hugetext_key key)
{
  static const char names[HUGETEXT_VALUES][24]
      = { "hugetext", "hugetext_backing", "hugetext_pad_threshold",
          "hugetext_max", "hugetext_lock" };
  return key < HUGETEXT_VALUES ? names[key] : "";
}

uint64_t
hugetext_key_max (enum hugetext_key key)
{
  switch (key)
    {
    case HUGETEXT_KEY_MODE:
      return HUGETEXT_MODES - 1;
    case HUGETEXT_KEY_BACKING:
      return HUGETEXT_CHOICES - 1;
    case HUGETEXT_KEY_PAD:
      return 2097151;
    case HUGETEXT_KEY_LOCK:
      return 1;
    default:
      return UINT64_MAX;
    }
}

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
hugetext_verdict_name (enum hugetext_verdict verdict)
{
  static const char names[HUGETEXT_VERDICTS][16]
      = { "take",      "no-text",   "outside",      "writable",
          "relro",     "zero-fill", "execute-only", "below-threshold",
          "kept-free", "over-cap" };
  return verdict < HUGETEXT_VERDICTS ? names[verdict] : "unknown";
}

const char *
hugetext_outcome_text (enum hugetext_outcome outcome)
{
  switch (outcome)
    {
    case HUGETEXT_NOT_CONGRUENT:
      return "its address does not suit its place in the file";
    case HUGETEXT_FILE_SMALL:
      return "its file is not cached in huge pages";
    case HUGETEXT_NOT_STORED:
      return "the store has no image of it";
    case HUGETEXT_STORE_SMALL:
      return "its image in the store is not cached in huge pages";
    case HUGETEXT_HOLE_TAKEN:
      return "something else is mapped in its hole";
    case HUGETEXT_NO_SPACE:
      return "no memory for a copy";
    case HUGETEXT_POOL_SHORT:
      return "the hugetlb pool has no free page (vm.nr_hugepages)";
    case HUGETEXT_UNREADABLE:
      return "the text cannot be read, or the file is too short";
    case HUGETEXT_MODIFIED:
      return "there are breakpoints in it";
    case HUGETEXT_NOT_HUGE:
      return "the kernel had no huge page";
    case HUGETEXT_THP_OFF:
      return ("transparent huge pages are off"
              " (/sys/kernel/mm/transparent_hugepage)");
    case HUGETEXT_PROTECT:
      return "the copy may not become executable";
    case HUGETEXT_NOT_PLACED:
      return "the copy cannot be moved into place";
    case HUGETEXT_LOST:
      return "the kernel ran out of memory while it was moved";
    case HUGETEXT_TRACED:
      return "the process is traced";
    case HUGETEXT_NO_ROOM:
      return "a memory limit, or the end of the memory, is too near";
    case HUGETEXT_GAVE_UP:
      return "other blocks got no huge page before it";
    case HUGETEXT_NOT_WORTH:
      return "its profile has not seen it executed, and it would be a copy";
    case HUGETEXT_NOT_OPENED:
      return "its file could not be opened";
    case HUGETEXT_OVER_COPIES:
      return "all copies that there may be are in use"
             " (glibc.mem.hugetext_max)";
    case HUGETEXT_DATA_LIMIT:
      return "no memory for a copy by RLIMIT_DATA";
    case HUGETEXT_SIZE_LIMIT:
      return "no memory file for a copy by RLIMIT_FSIZE";
    case HUGETEXT_FORBIDDEN:
      return "its image in the store may not be executed";
    case HUGETEXT_MADE:
      break;
    }
  return "";
}
