/* Inspect a process: find out its identity, its objects and its loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INSPECT_H
#define INSPECT_H

#include "object/elfobject.h"
#include "object/loader.h"
#include "object/reason.h"
#include "object/settings.h"
#include "host/inspector.h"
#include "host/process.h"
#include "host/procmaps.h"
#include "text/cost.h"
#include "text/objtext.h"
#include "text/record.h"
#include "util/problem.h"

#include <limits.h>
#include <stdio.h>

/* The loader that has loaded a process's libraries.  */
enum inspected_loader
{
  INSPECTED_UNKNOWN, /* The file of the loader cannot be read.  */
  INSPECTED_NONE,
  INSPECTED_OTHER,   /* A loader other than ld-hugetext.so.  */
  INSPECTED_CLAIMED, /* A file with the note of ld-hugetext.so that root does
                        not trust (identity_is_of_root).  INSPECTED_CLAIMED is
                        possible only if root runs the command.  */
  INSPECTED_OURS
};

/* Flags of an inspection: what to find out in addition to a process's
   objects, loader and settings.  */
enum
{
  INSPECT_BRIEF = 0,
  INSPECT_COST = 1,   /* Find out how much memory the process's copies and
                         images of text use.  */
  INSPECT_RECORD = 2, /* Read the record of the process's loader.  */
  INSPECT_ADVICE = 4, /* Read the settings that the index contains for the
                         program, even if its loader is not ld-hugetext.so.  */
  INSPECT_DIRECT = 8, /* Collect facts only about the objects, and bypass the
                         page cache when reading the objects' files.  Use
                         INSPECT_DIRECT to inspect a process that is just
                         starting.  Without INSPECT_DIRECT, the inspector might
                         make the kernel cache text in small pages just before
                         the loader of the process needs the text in huge
                         pages.  */
  INSPECT_FILES = 16, /* Describe the files of the process's objects.  */
  INSPECT_ELF = 32,   /* Find out the facts that attach needs: the files of the
                         process's objects with their ELF descriptions, and
                         whether this machine's ld-hugetext.so can load its
                         program.  */
  INSPECT_PATHS = 64, /* With INSPECT_ELF, also set the members of struct
                         elf_object that maps_reader_describe sets.  */
  INSPECT_AS_ROOT = 128, /* The caller is root, and accepts only root's files
                            as ld-hugetext.so.  Callers of the function
                            "inspect" need not set this flag.  */
  INSPECT_ALL = 255
};

/* The file of an object.  */
struct inspected_file
{
  char problem[160];          /* The reason why the loader skips the whole
                                 object, or "".  */
  enum hugetext_reason alone; /* The number of the reason that PROBLEM
                                 describes, or HUGETEXT_NONE if the loader does
                                 not skip the object.  */
  bool fixed;                 /* The value of the member of struct elf_object
                                 with the same name.  */
  struct elf_object *elf;     /* The ELF description of the file.  The member
                                 is NULL without INSPECT_ELF, and if the file
                                 is not an ELF file.  */
  /* If the loader's record does not contain the object, an array with the
     policy's result for each block of the object, otherwise NULL.  */
  enum hugetext_reason *verdicts;
};

struct inspection
{
  unsigned int flags;
  struct process process;
  char group[PATH_MAX]; /* The service of the process (group_name).  */
  char exe[PATH_MAX];
  enum inspected_loader loader;
  char version[32]; /* The version of the process's ld-hugetext.so, or "" if
                       the process has another loader.  */
  /* The build of this ld-hugetext.so (member BUILD of struct loader).  */
  char build[LOADER_BUILD + 1];
  struct object_list objects;
  /* The settings for the process.  SETTINGS are valid if the loader of the
     process is ld-hugetext.so, or if the process has no loader.  SETTINGS come
     from the loader's record, or from GLIBC_TUNABLES and the current
     index.  */
  struct settings settings;
  char code_left[256]; /* The reason why code made at run time stays on small
                          pages although the settings ask for huge code.  The
                          text is "" if no reason applies.  */
  size_t code_beyond_cap; /* The number of blocks of code made at run time that
                             are on small pages because the cap is used up.  */
  bool outdated;          /* True if the settings for the program have changed
                             since the process was started.  */
  enum hugetext_reason off; /* The reason why huge text was off in the process
                               from its start, or HUGETEXT_NONE if it was
                               on.  */
  bool small; /* True if the program is too small to gain from huge pages.  */
  char since[HUGETEXT_SOURCE_MAX]; /* The source of the setting that has
                                      switched huge text on for the program
                                      since the process was started, or "" if
                                      there is none.  */
  int index_error;   /* The error number if the process's loader could not open
                        the index, or 0.  */
  int image_error;   /* The error number if the loader could not open or map an
                        image in the store, or 0.  */
  bool thp_disabled; /* The result of process_thp_disabled.  */
  bool secure;       /* True if the process gained rights when it executed its
                        program (AT_SECURE).  */
  size_t beyond_cap; /* The number of blocks that are on small pages because
                        the cap is used up.  The number comes from the loader's
                        record, which forked processes inherit.  BEYOND_CAP
                        cannot be computed from the number of huge blocks: a
                        part of the cap may be reserved, or the process may
                        have exactly as many blocks as the cap allows.  */
  size_t not_made_for_cap; /* The number of blocks in BEYOND_CAP, plus the
                              blocks beyond the cap that the process has not
                              accessed.  */
  enum hugetext_reason cap_reason; /* The reason why the cap was used up
                                      (record_cap_reason).  */
  size_t attached_cap; /* The cap of the last change by "hugetext attach" or
                          "hugetext adapt", if huge blocks have used up the
                          cap.  The member is 0 if attach and adapt have not
                          changed the process, or if huge blocks have not used
                          up the cap.  If ATTACHED_CAP is not 0, BEYOND_CAP,
                          NOT_MADE_FOR_CAP and CAP_REASON are about
                          ATTACHED_CAP.  */
  size_t candidates;   /* The number of blocks that would be huge without a cap
                          and without failures of the loader
                          (record_candidates).  */
  size_t reclaimed; /* The number of bytes of text that are now on small pages
                       in blocks that, according to its record, the loader had
                       made huge.  The kernel has since reclaimed or split the
                       huge pages of the blocks.  */
  struct cost cost; /* The cost of the text; valid only with INSPECT_COST.  */
  /* An inspection with INSPECT_RECORD sets RECORD if the loader is
     ld-hugetext.so.  If the record cannot be read, RECORD_PROBLEM says why.
     An inspection with INSPECT_FILES sets FILES to the files of all
     objects.  */
  bool recorded;
  struct record record;
  struct problem record_problem;
  struct inspected_file *files;
  char foreign[160]; /* The reason why this machine's ld-hugetext.so cannot
                        load the program, or "".  Only an inspection with
                        INSPECT_ELF sets this member.  */
  bool loading;      /* True, with INSPECT_DIRECT, if no text of the program
                        has been used yet, because the loader is still
                        running.  */
  bool elsewhere;    /* True if the process has a root directory other than
                        that of the command, so that its paths lead to other
                        files.  */
  bool contained;    /* True if the process's root directory is in another
                        mount namespace than that of the command, for example
                        in a container.  (A chroot is in the command's mount
                        namespace.)  */
  struct problem problem; /* The reason why the process cannot be
                             inspected.  */
  int error;              /* The inspector's error number if an error of the
                             inspector is the cause of PROBLEM, otherwise
                             0.  */
  bool unread;   /* True if some of the process's memory could not be read.  */
  bool left_out; /* True if the inspection was ended early because it would
                    have exceeded its budget (budget.h).  */
};

/* Return WORD as a process ID, or -1 if WORD is not a number.  If the number
   is too large for a process ID, return INT_MAX, which no process has as its
   ID.  */
extern pid_t inspect_pid (const char *word);

/* Inspect process PID with FLAGS.  If the process cannot be inspected, set the
   problem in FOUND, and return false.  If the function returns false, the
   caller need not free FOUND.  */
extern bool inspect (pid_t pid, unsigned int flags, struct inspection *found);

/* Inspect PROCESS, which has been inspected or read before.  Fail if PROCESS
   has ended, even if another process has its ID now.  */
extern bool inspect_again (const struct process *process, unsigned int flags,
                           struct inspection *found);

/* Set MAPS to the mappings of process PID, without details.  Set EXE to the
   path of the program that PID was running when its mappings were read,
   without the kernel's suffix for deleted files.  If the process has ended, or
   has executed another program during the inspection, MAPS and EXE are empty.
   The caller frees MAPS.  If the mappings are unknown, MAPS and EXE are empty,
   and the function returns false.  */
extern bool inspect_maps (pid_t pid, char exe[static PATH_MAX],
                          struct procmaps *maps) MAY_BE_UNKNOWN;

/* Set MAPS to the mappings of PROCESS, with details.  The caller frees MAPS.
   On failure set PROBLEM and return false.  */
extern bool inspect_details (const struct process *process,
                             struct procmaps *maps, struct problem *problem);

enum
{
  INSPECT_MANY = INSPECTOR_MANY,
};

/* Inspect the processes in PIDS, and read the costs of their text
   (INSPECT_COST).  PIDS has COUNT elements; one call inspects at most
   INSPECT_MANY processes.  A call for many processes is faster than a call for
   each process.  Return how many processes were inspected.  */
extern size_t inspect_many (const pid_t *pids, size_t count,
                            struct inspection *found);

extern void inspect_free (struct inspection *found);

/* If the inspection of FOUND was ended because the budget was exceeded, say so
   in a line on standard error.  */
extern void inspect_say_left_out (const struct inspection *found);

/* Find out whether blocks of object I of FOUND's process may be huge,
   according to FOUND and SETTINGS.  If blocks may be huge, return
   HUGETEXT_NONE.  If no block may be huge, return the number of the reason,
   and set PROBLEM to the text of the reason.  FOUND must come from an
   inspection with INSPECT_RECORD, and with INSPECT_FILES or INSPECT_ELF.  */
extern enum hugetext_reason inspect_alone (const struct inspection *found,
                                           size_t i,
                                           const struct settings *settings,
                                           struct problem *problem);

/* Return the facts about FOUND's process that are needed to describe reasons
   and remedies.  The result contains pointers to FOUND.  SETTINGS are the
   settings of the process.  */
extern struct reason_about inspect_about (const struct inspection *found,
                                          const struct settings *settings);

/* Return the same facts as inspect_about, for a process that the user of this
   command has started, so that the remedies say how to start the program.  */
extern struct reason_about inspect_about_own (const struct inspection *found,
                                              const struct settings *settings);

/* Return the same facts as inspect_about, for a process that this command,
   "hugetext run", has started.  */
extern struct reason_about inspect_about_run (const struct inspection *found,
                                              const struct settings *settings);

/* Return the reason why BLOCK of OBJECT in FOUND's process is on small pages
   (record_reason_now).  */
extern enum hugetext_reason inspect_reason (const struct inspection *found,
                                            const struct object_text *object,
                                            const struct text_block *block);

#define INSPECT_CAP_WORDS (2 * REASON_SIZE + 64)

/* If blocks of FOUND's process are on small pages because of the cap, set
   WORDS to a sentence with their number, the reason and the remedy, and return
   true.  */
extern bool inspect_describe_cap (const struct inspection *found,
                                  const struct reason_about *about,
                                  char words[static INSPECT_CAP_WORDS]);

/* Return the reason why huge text was off in FOUND's process from its start,
   or HUGETEXT_NONE if it was on.  Only the inspector calls this function,
   after it has read the record and the settings of the process.  The inspector
   stores the result in FOUND's member OFF, which all other code uses.  */
extern enum hugetext_reason inspect_find_off (const struct inspection *found);

/* Return true if the process with OBJECTS is too small to gain from huge pages
   (plan_is_small).  Only the inspector calls this function; the inspector
   stores the result in the member SMALL of struct inspection, which all other
   code uses.  */
extern bool inspect_find_small (const struct object_list *objects);

/* Return true if WHY, the result of inspect_why_off for FOUND, is not worth a
   remedy: the program is so small that our loader leaves it on small pages
   even with huge text on.  */
extern bool inspect_is_too_small (const struct inspection *found,
                                  enum hugetext_reason why);

/* Return true if the kernel has refused to let the loader of FOUND's process
   open the index.  */
extern bool inspect_is_refused (const struct inspection *found);

/* Return true if the loader of FOUND's process has made nothing huge because
   the list of programs in the settings of the process does not contain the
   program.  */
extern bool inspect_is_unnamed (const struct inspection *found);

/* Return the reason why huge text was off in FOUND's process from its start,
   or HUGETEXT_NONE.  The reason is FOUND's member OFF, with one exception: if
   no setting has switched huge text on, but a settings file is newer than the
   index, the reason is REASON_NOT_INDEXED.  Add to ABOUT the program and the
   source of the setting, because the text of the reason contains the program
   and the source.  ABOUT describes FOUND's process.  */
extern enum hugetext_reason inspect_why_off (const struct inspection *found,
                                             struct reason_about *about);

/* Set WORDS to the names of the files that the loader of FOUND's process was
   not allowed to open, and the remedy, or to "" if the loader was allowed to
   open all files.  Because the kernel does not report which security module
   refused access, WORDS contain the name of the AppArmor profile that confines
   the process, or fapolicyd if fapolicyd runs.  */
#define INSPECT_REFUSAL 512
extern void inspect_describe_refusal (const struct inspection *found,
                                      char words[static INSPECT_REFUSAL]);

/* The reason why huge text was off in a process from its start, and the
   remedy, or "".  */
struct inspected_off
{
  char reason[2 * REASON_SIZE];
  char remedy[REASON_SIZE];
};

/* If huge text was off in FOUND's process from its start, set OFF to the
   reason and the remedy, and return true.  ABOUT describes the process.  */
extern bool inspect_describe_off (const struct inspection *found,
                                  const struct reason_about *about,
                                  struct inspected_off *off);

/* If huge text was off in FOUND's process from its start, set PROBLEM to the
   reason and the remedy as one text, and return true.  ABOUT describes the
   process.  */
extern bool inspect_set_off (const struct inspection *found,
                             const struct reason_about *about,
                             struct problem *problem);

#define INSPECT_CODE_WORDS INSPECT_CAP_WORDS

/* If code made at run time stays on small pages in FOUND's process although
   the settings ask for huge code, set WORDS to the reason and its remedy.  If
   the code made at run time is huge, or the settings do not ask for huge code,
   set WORDS to "" and return false.  */
extern bool inspect_describe_code (const struct inspection *found,
                                   const struct reason_about *about,
                                   char words[static INSPECT_CODE_WORDS]);

/* Return the word for FOUND's loader in JSON: "ld-hugetext", "other", "none",
   or NULL if it is unknown.  */
extern const char *inspect_loader (const struct inspection *found);

/* Return a sentence without its subject that says what thp_disabled means for
   the text of a process.  The caller prints a subject, such as "the process",
   before the sentence.  */
extern const char *inspect_thp_disabled (void);

/* Return true if FOUND's process has switched transparent huge pages off, and
   more than a few per cent of its text are on small pages (report_is_low).  If
   the process takes huge pages from the hugetlb pool, return false, because
   the pool works without transparent huge pages.  */
extern bool inspect_lacks_thp (const struct inspection *found);

/* Return the path of the program of FOUND's process, and what the loader of
   the process is, in words.  The result is in BUFFER.  */
#define INSPECT_WORDS (PATH_MAX + 64)
extern const char *inspect_words (const struct inspection *found,
                                  char buffer[static INSPECT_WORDS]);

/* Print a heading with the name of FOUND's process.  */
extern void inspect_heading (FILE *stream, const struct inspection *found);

#endif
