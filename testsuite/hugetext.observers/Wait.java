/* Wait to be looked at.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

public class Wait
{
  public static void main (String[] arguments) throws Exception
  {
    System.out.println ("up");
    Thread.sleep (60000);
  }
}
