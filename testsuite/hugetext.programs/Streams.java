// Keep a JVM's interpreter, compilers and collector busy for a moment.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;

public class Streams
{
  static long collatz (long limit)
  {
    long longest = 0, best = 0;
    for (long n = 1; n < limit; ++n)
      {
        long steps = 0;
        for (long x = n; x != 1; x = x % 2 == 0 ? x / 2 : 3 * x + 1)
          ++steps;
        if (steps > longest)
          {
            longest = steps;
            best = n;
          }
      }
    return best * 1000 + longest;
  }

  static String fail (int depth)
  {
    if (depth == 0)
      {
        Object nothing = null;
        return nothing.toString ();
      }
    return fail (depth - 1);
  }

  public static void main (String[] arguments) throws Exception
  {
    System.out.println (collatz (200000));
    ExecutorService pool = Executors.newFixedThreadPool (3);
    List<Future<Long>> results
      = pool.invokeAll (List.of (() -> collatz (30000), () -> collatz (40000),
                                 () -> collatz (50000)));
    for (Future<Long> result : results)
      System.out.println (result.get ());
    pool.shutdown ();

    Map<String, Long> words = IntStream.range (0, 100000)
      .mapToObj (n -> "w" + (n * 7919L) % 997)
      .collect (Collectors.groupingBy (w -> w, TreeMap::new,
                                       Collectors.counting ()));
    String text = words.toString ();
    System.out.println (words.size () + " " + text.length ());
    System.out.println (Pattern.compile ("w(\\d)\\1").matcher (text)
                        .results ().count ());
    ByteArrayOutputStream packed = new ByteArrayOutputStream ();
    try (DeflaterOutputStream out = new DeflaterOutputStream (packed))
      {
        out.write (text.getBytes ());
      }
    System.out.println (packed.size () > 100);
    System.out.println (new BigInteger (1,
      MessageDigest.getInstance ("SHA-256").digest (text.getBytes ()))
                        .toString (16));
    System.out.println (BigInteger.TWO.pow (4423).subtract (BigInteger.ONE)
                        .isProbablePrime (5));
    try
      {
        fail (50);
      }
    catch (NullPointerException e)
      {
        System.out.println ("caught at depth " + e.getStackTrace ().length);
      }
    byte[][] garbage = new byte[100][];
    for (int i = 0; i < 20000; ++i)
      garbage[i % 100] = new byte[10000];
    System.gc ();
    System.out.println (garbage[99].length);
  }
}
