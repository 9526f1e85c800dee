// Functions that Mono compiles, for bench/code: code.exe FUNCTIONS ROUNDS
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

using System;
using System.Linq.Expressions;

class Code
{
  static Func<int, int> Make (int i)
  {
    ParameterExpression n = Expression.Parameter (typeof (int));
    Expression sum = n;
    for (int k = 0; k < 40; k++)
      sum = Expression.Add (Expression.Multiply (sum, Expression.Constant (31)),
                            Expression.Constant (i + k));
    return Expression.Lambda<Func<int, int>> (sum, n).Compile ();
  }

  static void Main (string[] args)
  {
    var list = new Func<int, int>[int.Parse (args[0])];
    for (int i = 0; i < list.Length; i++)
      list[i] = Make (i);
    int total = 0;
    for (int r = 0; r < int.Parse (args[1]); r++)
      foreach (var f in list)
        total = total * 31 + f (r);
    Console.WriteLine (total);
  }
}
