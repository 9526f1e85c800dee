// What is hard on a JVM's compiled code: classes that come and go, a code
// cache that is too small, assumptions that turn out wrong, threads, who
// attaches.  What it prints does not depend on chance.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: java Torture GENERATIONS [FILE]    copies smaps to FILE at the end

import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

public class Torture
{
  static final int COPIES = 200, CALLS = 500;

  static class Loader extends ClassLoader
  {
    IntUnaryOperator make (byte[] bytes) throws Exception
    {
      return (IntUnaryOperator) defineClass (null, bytes, 0, bytes.length)
        .getDeclaredConstructor ().newInstance ();
    }
  }

  public static class Work implements IntUnaryOperator
  {
    int[] a = new int[32];

    int branches (int n)
    {
      int s = n;
      for (int i = 0; i < 25; ++i)
        switch ((s ^ i) & 15)
          {
          case 0: s += a[i] * 31; break;
          case 1: s = Integer.rotateLeft (s, i) + n; a[i] += s; break;
          case 2: s -= Long.bitCount (s * 0x55L); break;
          case 3: s ^= (int) Math.sqrt (Math.abs (s)); a[i & 7] = s; break;
          case 4: s = s * 17 + Integer.bitCount (n + s); break;
          case 5: s += s % 7 + n / (i + 1); a[31 - i] ^= n; break;
          case 6: s = ~s + (a[i] ^= i); break;
          case 7: s += (int) (s * 6364136223846793005L >>> 33); break;
          default: s += i * i - n; a[i] = ~a[i];
          }
      return s;
    }

    int strings (int n)
    {
      String text = n + "-" + Integer.toHexString (n);
      return text.hashCode () + text.indexOf ('-');
    }

    int traps (int n)
    {
      int s = 0;
      try
        {
          s = a[n & 63];
        }
      catch (ArrayIndexOutOfBoundsException e)
        {
          s = n;
        }
      Object o = n % 97 == 0 ? (Object) "text" : (Object) n;
      try
        {
          s += (Integer) o;
        }
      catch (ClassCastException e)
        {
          s ^= 5;
        }
      return s;
    }

    public int applyAsInt (int n)
    {
      return branches (n) + 3 * strings (n) + 5 * traps (n);
    }
  }

  /* Compiled code takes for granted that there is only one of these.  */
  static class One
  {
    int number ()
    {
      return 1;
    }
  }

  public static class Two extends One
  {
    int number ()
    {
      return 2;
    }
  }

  static int add (One[] list)
  {
    int sum = 0;
    for (One one : list)
      sum += one.number ();
    return sum;
  }

  static byte[] bytes;

  /* What is not to be unloaded yet, nor its code.  */
  static List<Object> kept = new ArrayList<> ();

  /* Use COPIES copies of Work; their loaders go to LOADERS.  */
  static int use (List<WeakReference<Loader>> loaders) throws Exception
  {
    IntUnaryOperator[] list = new IntUnaryOperator[COPIES];
    for (int i = 0; i < COPIES; ++i)
      {
        Loader loader = new Loader ();
        loaders.add (new WeakReference<> (loader));
        list[i] = loader.make (bytes);
      }
    synchronized (kept)
      {
        kept.add (list);
      }
    int sum = 0;
    for (int r = 0; r < CALLS; ++r)
      for (IntUnaryOperator f : list)
        sum = sum * 31 + f.applyAsInt (r);
    return sum;
  }

  static void classes (int generations) throws Exception
  {
    List<WeakReference<Loader>> loaders = new ArrayList<> ();
    for (int g = 0; g < generations; ++g)
      System.out.println ("generation " + use (loaders));
    kept.clear ();
    System.gc ();
    System.gc ();
    int gone = 0;
    for (WeakReference<Loader> loader : loaders)
      gone += loader.get () == null ? 1 : 0;
    System.out.println ("unloaded " + (gone > loaders.size () / 2));
  }

  static void assumptions ()
  {
    One[] list = new One[100];
    for (int i = 0; i < list.length; ++i)
      list[i] = new One ();
    int sum = 0;
    for (int r = 0; r < 20000; ++r)
      sum += add (list);
    list[50] = new Two ();
    for (int r = 0; r < 20000; ++r)
      sum += add (list);
    list[51] = null;
    for (int r = 0; r < 100; ++r)
      try
        {
          sum += add (list);
        }
      catch (NullPointerException e)
        {
          sum += 7;
        }
    System.out.println ("assumptions " + sum);
  }

  static void threads () throws Exception
  {
    int[] sums = new int[3];
    Thread[] threads = new Thread[sums.length];
    for (int i = 0; i < threads.length; ++i)
      {
        int n = i;
        threads[i] = new Thread (() ->
          {
            try
              {
                sums[n] = use (new ArrayList<> ());
              }
            catch (Exception e)
              {
                throw new RuntimeException (e);
              }
          });
        threads[i].start ();
      }
    for (int i = 0; i < threads.length; ++i)
      {
        threads[i].join ();
        System.out.println ("thread " + sums[i]);
      }
  }

  /* Whether what TOOL says of this process has EXPECTED in it.  */
  static void attach (String tool, String expected, String... words)
    throws Exception
  {
    Path path = Path.of (System.getProperty ("java.home"), "bin", tool);
    if (!Files.isExecutable (path))
      return;
    List<String> command = new ArrayList<> ();
    command.add (path.toString ());
    command.add (Long.toString (ProcessHandle.current ().pid ()));
    command.addAll (List.of (words));
    Process process
      = new ProcessBuilder (command).redirectErrorStream (true).start ();
    String said = new String (process.getInputStream ().readAllBytes (),
                              StandardCharsets.UTF_8);
    System.out.println (tool + " " + process.waitFor () + " "
                        + said.contains (expected));
  }

  public static void main (String[] words) throws Exception
  {
    try (InputStream in
           = Torture.class.getResourceAsStream ("Torture$Work.class"))
      {
        bytes = in.readAllBytes ();
      }
    assumptions ();
    classes (Integer.parseInt (words[0]));
    /* Without generations nothing of them, which takes long.  */
    if (!words[0].equals ("0"))
      threads ();
    attach ("jstack", "\"main\"");
    attach ("jcmd", "used=", "Compiler.codecache");
    if (words.length > 1)
      Files.write (Path.of (words[1]),
                   Files.readAllBytes (Path.of ("/proc/self/smaps")));
  }
}
