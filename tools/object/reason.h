/* Reasons why text is on small pages, and remedies, in words.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJECT_REASON_H
#define OBJECT_REASON_H

#include "dl-hugetext-names.h"
#include "host/where.h"
#include "object/settings.h"
#include "util/filelist.h"
#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define REASON_SIZE 512

/* The ways in which the reader can change the settings in force.  */
enum reason_change
{
  REASON_AT_START,  /* The settings are those with which the program was
                       started.  */
  REASON_BY_RUN,    /* The settings are those with which "hugetext run" has
                       started the program; options of "hugetext run" can
                       change the settings.  */
  REASON_BY_ATTACH, /* Huge text was off from the start of the process, so only
                       "hugetext attach" can apply settings to the process.  */
  REASON_BY_OPTION, /* The user can change the settings with options of the
                       verb that prints the reason.  */
};

/* The verbs that remedies advise for a file, a service, a program or a
   process. A verb may refuse the file, service, program or process.  */
enum reason_verb
{
  REASON_STORE,       /* "hugetext store add", for a file.  */
  REASON_PRIME,       /* "hugetext prime", for a file.  */
  REASON_ENABLE,      /* "hugetext enable", for the service.  */
  REASON_ENABLE_ALSO, /* "hugetext enable", for the program in the service.  */
  REASON_ENABLE_PROGRAM, /* "hugetext enable", for the program.  */
  REASON_RESTART,        /* "systemctl restart", for the service.  */
  REASON_DISABLE,        /* "hugetext disable", for the service.  */
  REASON_ATTACH,         /* "hugetext attach", for the process.  */
  REASON_ADAPT,          /* "hugetext adapt", for the process.  */
  REASON_VERBS
};

/* The effects that a verb can have on a file, a service, a program or a
   process.  */
enum reason_answer
{
  REASON_TAKES,
  REASON_TAKES_LATER, /* The verb accepts the service, but refuses to restart
                         it.  */
  REASON_HAS, /* The verb has nothing to do: the store has an image of the
                 file, the file is cached in huge pages, or the service
                 is enabled and only has to be restarted.  */
  REASON_HAS_LATER, /* The service is enabled, and should not be
                       restarted.  */
  REASON_MAPPED,    /* The verb refuses the file, because processes have the
                       file mapped.  */
  REASON_UNKNOWN,
  REASON_REFUSES, /* The verb would refuse the file, or would make none of its
                     text huge.  */
};

/* A file that contains the text whose reason or remedy is described.  */
struct reason_file
{
  const char *path;
  dev_t device; /* The device number and the inode number of the file in
                   /proc/PID/maps.  INODE is 0 if the numbers are not
                   known.  */
  ino_t inode;
};

/* The facts about a process and its text that the text of a reason or remedy
   may contain.  Use the function reason_about to initialize struct
   reason_about.  */
struct reason_about
{
  const struct settings *settings; /* The settings in force.  */
  enum reason_change change;       /* The way in which the reader can change
                                      the settings.  */
  enum where where;                /* Whether the process runs in a container,
                                      in a service, or otherwise.  */
  pid_t pid;           /* The ID of the process, for use in a shell command,
                          or 0.  */
  pid_t process;       /* The ID of the process, for a question about "hugetext
                          attach".  The ID is 0 if there is no process, or if
                          this command cannot ask "hugetext attach" on the
                          host, which alone can change the process.  */
  const char *service; /* The name of the service, for use in a shell command,
                          or NULL.  */
  const char *program; /* The path of the program, for use in a shell command,
                          or NULL.  */
  const char *setting; /* A setting "KEY=VALUE" in a question about "hugetext
                          enable" or "hugetext attach", or NULL.  */
  const char *source;  /* The settings file that switches huge text on for the
                          next start of the program, or NULL.  */
  bool enabled;        /* True if "hugetext enable SERVICE" has enabled the
                          service.  */
  const char *others;  /* The names of the other enabled services and programs
                          that have a program in common with the service, and
                          so share the settings of the common program.  The
                          names are separated by spaces, for use in a shell
                          command.  The member is NULL if no other enabled
                          service or program has a program in common with the
                          service.  */
  const struct file_list *entries; /* The settings files by "hugetext enable"
                                      that apply to the process, or NULL.  */
  size_t cap;          /* The cap of the process if it is different from the
                          cap in SETTINGS, otherwise 0.  */
  size_t beyond;       /* The number of blocks that are not huge because of
                          the cap.  */
  size_t code;         /* The number of blocks of code made at run time that
                          would be huge if there were no cap.  */
  size_t candidates;   /* The number of blocks that would be huge without a
                          cap.  */
  size_t pooled;       /* The number of blocks that are pages of the hugetlb
                          pool.  */
  size_t text;         /* The number of bytes of text of the block.  */
  bool several;        /* True if several blocks have the same reason, and TEXT
                          is the number of bytes in the block with the most
                          text.  */
  const char *backing; /* The name of the block's backing, or NULL if it has
                          none.  */
  bool off;            /* True if huge text was off when the process started,
                          and stays off after a restart unless the service is
                          enabled first.  */
  bool running;        /* True if a process has the text mapped, and would have
                          to be restarted.  */
  bool later; /* True to keep all alternatives of the remedy, and the brackets
                 around some alternatives, because the caller calls
                 reason_advise later.  */
  const struct reason_file *files; /* The files of the text, the most important
                                      file first; NULL if they are not
                                      known.  */
  size_t nfiles;
};

/* A function that returns what VERB would do with FILE.  If VERB takes no
   file, the function returns what VERB would do with the service, program or
   process that ABOUT describes.  If the verb refuses the file, service,
   program or process, the function sets PROBLEM to the reason.  If "hugetext
   attach" or "hugetext adapt" accepts the process, but may find a problem
   later, the function sets PROBLEM to the later problem.  If the verb accepts,
   and no later problem is known, the function sets PROBLEM to "".  */
typedef enum reason_answer reason_asker (enum reason_verb verb,
                                         const struct reason_about *about,
                                         const struct reason_file *file,
                                         struct problem *problem);

/* Set the functions that decide whether a remedy contains an alternative:
   OF_FILES for alternatives that advise a verb for files, OF_ENABLE for
   "hugetext enable", and OF_ATTACH for "hugetext attach" and "hugetext adapt".
   If reason_ask_with has not been called, remedies contain all their
   alternatives.  */
extern void reason_ask_with (reason_asker *of_files, reason_asker *of_enable,
                             reason_asker *of_attach);

/* The size of the buffer for reason_restart.  */
#define REASON_RESTART_WORDS 320

/* Set WORDS to advice on how to restart SERVICE, so that the settings apply to
   its processes.  ANSWER says what "hugetext enable" would do with SERVICE.
   Return WORDS.  */
extern const char *reason_restart (enum reason_answer answer,
                                   const char *service,
                                   char words[static REASON_RESTART_WORDS]);

/* Return the facts about a process that has SETTINGS.  WHERE says whether the
   process runs in a container, in a service, or otherwise.  */
extern struct reason_about reason_about (const struct settings *settings,
                                         enum where where);

/* Return the word for REASON in JSON.  The word for a reason does not change
   in later releases of ld-hugetext.  */
extern const char *reason_code (enum hugetext_reason reason);

/* Return the text for REASON without figures.  */
extern const char *reason_words (enum hugetext_reason reason);

/* Set PROBLEM to the text for REASON, and return false.  */
extern bool reason_set (struct problem *problem, enum hugetext_reason reason);

/* Return true if a block that is small for REASON may be huge once its object
   is at an address that our loader chooses.  */
extern bool reason_is_of_address (enum hugetext_reason reason);

/* Return true if REASON is related to the object's address.  */
extern bool reason_has_address (enum hugetext_reason reason);

/* Return true if the text for REASON or its remedy contains the number of
   bytes of text in the block.  If neither the text nor the remedy contains the
   number of bytes, all blocks of an object with the reason REASON have the
   same text and remedy.  */
extern bool reason_counts_text (enum hugetext_reason reason);

/* The function reason_describe sets WORDS to the text for REASON, with
   figures.  The function reason_remedy sets WORDS to the remedy for REASON, or
   to "" if there is no remedy.  */
extern void reason_describe (enum hugetext_reason reason,
                             const struct reason_about *about,
                             char words[static REASON_SIZE]);
extern void reason_remedy (enum hugetext_reason reason,
                           const struct reason_about *about,
                           char words[static REASON_SIZE]);

/* Set WORDS to REMEDY, with figures instead of placeholders, and without the
   alternatives that are known to be refused.  REMEDY has the form of the
   remedies in dl-hugetext-reasons.def.  If no alternative is left, set WORDS
   to the reason, and return false.  */
extern bool reason_advise (const char *remedy,
                           const struct reason_about *about,
                           char words[static REASON_SIZE]);

/* Set WORDS to the command that enables SERVICE and restarts it, so that its
   processes get huge text with the present settings.  If "hugetext enable"
   would refuse SERVICE, or if a restart would not help, set WORDS to the
   reason and return false.  */
extern bool reason_advise_enable (const char *service,
                                  char words[static REASON_SIZE]);

/* Set PROBLEM to the text for REASON with figures, and its remedy.  Return
   false.  */
extern bool reason_problem (struct problem *problem,
                            enum hugetext_reason reason,
                            const struct reason_about *about);

#endif
