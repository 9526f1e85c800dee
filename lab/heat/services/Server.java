// Does one kind of work for each request, and answers with a hash of its
// result: /KIND?NUMBER.
// This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
import com.sun.net.httpserver.HttpServer;
import java.io.*;
import java.lang.invoke.MethodHandles;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.*;
import java.util.zip.*;

public class Server
{
  /** A class of which each request defines copies. */
  public static class Sample implements Serializable
  {
    public int value = 1;
    public String name = "x";

    public int twice (int x)
    {
      int sum = 0;
      for (int i = 0; i < 4; ++i)
        sum += x % 2 == 0 ? value * i : x - i;
      return sum + name.length ();
    }
  }

  static byte[] code;

  static byte[] text (int n, int length)
  {
    var out = new StringBuilder ();
    for (long x = n + 1; out.length () < length;)
      {
        x = (x * 1103515245L + 12345) % 2147483648L;
        out.append (Long.toString (x, 36)).append (' ');
      }
    return out.toString ().getBytes ();
  }

  /** Much garbage, of which a part survives some collections. */
  static String garbage (int n)
  {
    var kept = new ArrayList<Object[]> ();
    long sum = n;
    for (int i = 0; i < 40000; ++i)
      {
        var made = new Object[] { new byte[60], "s" + i, new long[] { i } };
        if (i % 4 == 0)
          kept.add (made);
        sum = sum * 31 + ((long[]) made[2])[0];
      }
    System.gc ();
    return sum + " " + kept.size ();
  }

  /** New classes, which the machine parses, verifies and links. */
  static String classes (int n) throws Exception
  {
    int sum = 0;
    for (int i = 0; i < 60; ++i)
      {
        Class<?> made = MethodHandles.lookup ()
          .defineHiddenClass (code, true).lookupClass ();
        Object object = made.getDeclaredConstructor ().newInstance ();
        sum += (int) made.getMethod ("twice", int.class)
          .invoke (object, n + i);
      }
    return "" + sum;
  }

  static String zlib (int n) throws Exception
  {
    var text = text (n, 120000);
    var packed = new ByteArrayOutputStream ();
    try (var out = new GZIPOutputStream (packed)) { out.write (text); }
    var back = new GZIPInputStream (
      new ByteArrayInputStream (packed.toByteArray ())).readAllBytes ();
    return back.length + " " + Arrays.equals (text, back);
  }

  static int deep (int depth, int n)
  {
    if (depth == 0)
      throw new IllegalStateException ("" + n);
    return deep (depth - 1, n) + 1;
  }

  /** Exceptions, and walks over their stacks. */
  static String exceptions (int n)
  {
    long sum = 0;
    for (int i = 0; i < 400; ++i)
      try
        {
          deep (60, n + i);
        }
      catch (IllegalStateException e)
        {
          sum += Integer.parseInt (e.getMessage ())
            + (i % 8 == 0 ? e.getStackTrace ().length > 60 ? 1 : 0 : 0);
        }
    return "" + sum;
  }

  /** Fonts and pictures, in libraries of their own. */
  static String paint (int n)
  {
    var picture = new java.awt.image.BufferedImage (
      300, 300, java.awt.image.BufferedImage.TYPE_INT_ARGB);
    var pen = picture.createGraphics ();
    pen.setRenderingHint (java.awt.RenderingHints.KEY_ANTIALIASING,
                          java.awt.RenderingHints.VALUE_ANTIALIAS_ON);
    for (int i = 0; i < 150; ++i)
      {
        pen.setColor (new java.awt.Color (i, n, 255 - i));
        pen.rotate (0.01 * (n + i), 150, 150);
        pen.fillOval (i, n, 200, 100);
        pen.drawArc (n, i, 250, 120, i, 200);
      }
    pen.dispose ();
    return "" + Arrays.hashCode (picture.getRGB (0, 0, 300, 300, null, 0, 300));
  }

  static String work (String kind, int n) throws Exception
  {
    switch (kind)
      {
      case "garbage": return garbage (n);
      case "classes": return classes (n);
      case "zlib": return zlib (n);
      case "exceptions": return exceptions (n);
      default: return paint (n);
      }
  }

  public static void main (String[] words) throws Exception
  {
    code = Server.class.getResourceAsStream ("Server$Sample.class")
      .readAllBytes ();
    var server = HttpServer.create (
      new InetSocketAddress ("127.0.0.1", Integer.parseInt (words[0])), 16);
    server.createContext ("/", request -> {
      try
        {
          var uri = request.getRequestURI ();
          var result = work (uri.getPath ().substring (1),
                             Integer.parseInt (uri.getQuery ()));
          var hash = HexFormat.of ().formatHex (
            MessageDigest.getInstance ("SHA-256").digest (result.getBytes ()));
          request.sendResponseHeaders (200, hash.length ());
          request.getResponseBody ().write (hash.getBytes ());
        }
      catch (Exception e)
        {
          e.printStackTrace ();
          request.sendResponseHeaders (500, -1);
        }
      request.close ();
    });
    server.start ();
  }
}
