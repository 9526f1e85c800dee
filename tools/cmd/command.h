/* The verbs of hugetext, one function each.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COMMAND_H
#define COMMAND_H

#include "util/exit-status.h"

/* Each function gets its verb as argv[0], and returns an exit status.  */
extern int command_run (int argc, char **argv);
extern int command_separate (int argc, char **argv);
extern int command_status (int argc, char **argv);
extern int command_explain (int argc, char **argv);
extern int command_doctor (int argc, char **argv);
extern int command_index (int argc, char **argv);
extern int command_enable (int argc, char **argv);
extern int command_disable (int argc, char **argv);
extern int command_list (int argc, char **argv);
extern int command_guard (int argc, char **argv);
extern int command_complete (int argc, char **argv);
extern int command_perf_map (int argc, char **argv);
extern int command_prime (int argc, char **argv);
extern int command_store (int argc, char **argv);
extern int command_profile (int argc, char **argv);
extern int command_measure (int argc, char **argv);
extern int command_report (int argc, char **argv);
extern int command_survey (int argc, char **argv);

/* The verbs adapt and attach, in the program hugetext-attach.  */
extern int command_adapt (int argc, char **argv);
extern int command_attach (int argc, char **argv);

#endif
