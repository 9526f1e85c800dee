/* Use objects made from text.S.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _TEXT_H
#define _TEXT_H 1

/* Use the object NAME: call every function in its text, read all its text
   unless it is EXECUTE_ONLY, read and write its data, and print the results.
   Also print what dladdr and _dl_find_object return for the object.  The
   output does not depend on the load address.  If the object has a function
   int NAME_test (void), print its result.  Exit if something is wrong.  HANDLE
   is a handle for dlsym.  */
extern void text_use (void *handle, const char *name, int execute_only);

/* Call the functions in the text of the object, without printing.  Return the
   number of wrong results.  */
extern int text_call (void *handle, const char *name);

#endif /* text.h */
