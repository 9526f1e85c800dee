/* Use objects made from text.S.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _TEXT_H
#define _TEXT_H 1

/* Call every function in the text of the object NAME, read all of it unless
   it is EXECUTE_ONLY, read and write its data, and print what came out, and
   what dladdr and _dl_find_object say of it: the same whatever the load
   address.  If it has a function int NAME_test (void), print what that
   returns.  Exits if something is wrong.  HANDLE as for dlsym.  */
extern void text_use (void *handle, const char *name, int execute_only);

/* Only call the functions, and print nothing.  Returns the number of
   wrong results.  */
extern int text_call (void *handle, const char *name);

#endif /* text.h */
