/* Compiled code without end, for bench/code: one class, loaded again and
   again, is compiled for each of its loaders.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: java Code COPIES ROUNDS  */

import java.io.InputStream;
import java.util.function.IntUnaryOperator;

public class Code
{
  static class Loader extends ClassLoader
  {
    IntUnaryOperator make (byte[] bytes) throws Exception
    {
      return (IntUnaryOperator) defineClass (null, bytes, 0, bytes.length)
        .getDeclaredConstructor ().newInstance ();
    }
  }

  /* Loops of some 25 turns, through much code: that is what the compiler
     takes for hot after 600 calls.  */
  public static class Work implements IntUnaryOperator
  {
    int[] a = new int[32];
    long[] b = new long[32];
    double[] c = new double[32];

    int first (int n)
    {
      int s = n;
      for (int i = 0; i < 25; ++i)
        switch ((s ^ i) & 15)
          {
          case 0: s += a[i] * 31; b[i] ^= s; break;
          case 1: s = Integer.rotateLeft (s, i) + n; a[i] += s; break;
          case 2: s -= (int) (b[i] >>> 17) ^ 0x55; c[i] += s; break;
          case 3: s ^= (int) Math.sqrt (Math.abs (c[i])); a[i & 7] = s; break;
          case 4: s = s * 17 + Integer.bitCount (n + s); b[i & 3] += n; break;
          case 5: s += s % 7 + n / (i + 1); a[31 - i] ^= n; break;
          case 6: s = ~s + (int) c[i]; c[i] = c[i] / 3 + n; break;
          case 7: s += (int) (b[i] * 6364136223846793005L >>> 33); break;
          case 8: s ^= a[i] << 3 | a[31 - i] >>> 29; b[i] = s * 3L; break;
          case 9: s += n > s ? a[i] : -a[i]; c[i] *= 0.5; break;
          case 10: s = Math.max (s, n) - Math.min (a[i], i); break;
          case 11: s += Long.numberOfTrailingZeros (b[i] | 1L << i); break;
          case 12: a[i] = s = s * 5 + (int) (c[i] * 2); break;
          case 13: s ^= (int) (b[i] % (n + 11)); b[i] -= s; break;
          case 14: s = Integer.reverse (s) ^ n; c[31 - i] = s; break;
          default: s += i * i - n; a[i] = ~a[i];
          }
      return s;
    }

    int second (int n)
    {
      long s = n;
      for (int i = 0; i < 25; ++i)
        switch ((int) (s >>> 3) & 7)
          {
          case 0: s += b[i] * 3; c[i] = s; a[i] -= (int) s; break;
          case 1: s = Long.rotateRight (s, i + 1) ^ n; b[i] ^= s; break;
          case 2: s -= a[i] * 7L; a[i] = (int) (s >> 5); break;
          case 3: s ^= Double.doubleToRawLongBits (c[i]); c[i] = i; break;
          case 4: s = s * 29 + Long.bitCount (s); b[31 - i] = s; break;
          case 5: s += s / (n + 13) - s % (i + 3); a[i] ^= 5; break;
          case 6: s = Long.reverse (s + b[i]); c[i] += Math.sqrt (i); break;
          default: s += Math.abs (a[i]) + i; b[i] += n;
          }
      return (int) (s ^ s >>> 32);
    }

    int third (int n)
    {
      double s = n;
      for (int i = 0; i < 25; ++i)
        {
          s = s * 0.75 + a[i] - b[31 - i] % 19;
          if (s > 1000)
            s = Math.sqrt (s) + (a[i] ^= n);
          else if (s < -1000)
            s = c[i] / 7 - (b[i] += (long) s);
          else
            c[i] = s + i * n;
        }
      return (int) s;
    }

    public int applyAsInt (int n)
    {
      return first (n) + 3 * second (n) + 5 * third (n);
    }
  }

  public static void main (String[] args) throws Exception
  {
    IntUnaryOperator[] tasks
      = new IntUnaryOperator[Integer.parseInt (args[0])];
    InputStream in = Code.class.getResourceAsStream ("Code$Work.class");
    byte[] bytes = in.readAllBytes ();
    for (int i = 0; i < tasks.length; ++i)
      tasks[i] = new Loader ().make (bytes);
    int sum = 0;
    for (int r = Integer.parseInt (args[1]); r > 0; --r)
      for (IntUnaryOperator task : tasks)
        sum = sum * 31 + task.applyAsInt (r);
    System.out.println (sum);
  }
}
