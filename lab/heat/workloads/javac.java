// Compilation of small classes with javac in one JVM, for ever.
// This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
import java.net.URI;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

class Compile
{
  static class Source extends SimpleJavaFileObject
  {
    final String text;

    Source (String name, String text)
    {
      super (URI.create ("string:///" + name + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent (boolean ignored)
    {
      return text;
    }
  }

  public static void main (String[] arguments) throws Exception
  {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler ();
    Path directory = Files.createTempDirectory ("heat");
    long warm = System.nanoTime () + 4_000_000_000L;
    boolean ready = false;
    for (int turn = 0;; turn = (turn + 1) % 20)
      {
        StringBuilder text = new StringBuilder ("class C" + turn + " {\n");
        for (int i = 0; i < 40; ++i)
          text.append ("  int f" + i + " (int x) { int s = 0; for (int i = 0;"
                       + " i < x; ++i) s += i * " + i + "; return s; }\n");
        compiler.getTask (null, null, null,
                          List.of ("-d", directory.toString ()), null,
                          List.of (new Source ("C" + turn, text + "}\n")))
                .call ();
        if (!ready && System.nanoTime () > warm)
          {
            ready = true;
            Files.writeString (Path.of (System.getenv ("READY")),
                               "" + ProcessHandle.current ().pid ());
          }
      }
  }
}
