/* The lines of LD_DEBUG=files and LD_DEBUG=statistics.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions print nothing unless LD_DEBUG asks for it.  L is the object.
   The lines about blocks are what the record says of them.  */

#ifndef _DL_HUGETEXT_REPORT_H
#define _DL_HUGETEXT_REPORT_H 1

#include "dl-hugetext-backing.h"
#include "dl-hugetext-install.h"
#include "dl-hugetext-plan.h"
#include "hugetext-code.h"

extern void _dl_hugetext_report_settings (const struct hugetext_settings *set)
    attribute_hidden;
/* Report that code made at run time is left alone because of WHY.  */
extern void _dl_hugetext_report_no_code (const char *why) attribute_hidden;
extern void
_dl_hugetext_report_code (struct hugetext_code *code) attribute_hidden;

extern void _dl_hugetext_report_skipped (const struct link_map *l,
                                         const char *why) attribute_hidden;
extern void
_dl_hugetext_report_object (const struct hugetext_job *job) attribute_hidden;
extern void
_dl_hugetext_report_totals (const struct hugetext_totals *totals,
                            struct hugetext_ledger *ledger) attribute_hidden;

#endif /* dl-hugetext-report.h */
