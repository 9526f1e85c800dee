/* Python as a library.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

/* <Python.h> is in a package of its own.  */
extern int Py_BytesMain (int argc, char **argv);

int
main (int argc, char **argv)
{
  return Py_BytesMain (argc, argv);
}
