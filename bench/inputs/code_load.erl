%% The modules of the compiler, all of them, for bench/code: what BEAM makes of
%% them is its code.  The argument is how often it compiles itself.
%% This file is part of ld-hugetext.
%% SPDX-License-Identifier: LGPL-2.1-or-later

-module (code_load).
-export ([main/1]).

main ([Rounds]) ->
  [code:ensure_loaded (list_to_atom (filename:rootname (File)))
   || Library <- [compiler, stdlib, kernel],
      File <- element (2, file:list_dir (code:lib_dir (Library, ebin))),
      filename:extension (File) == ".beam"],
  Forms = [form (I) || I <- lists:seq (1, 60)],
  Head = [{attribute, 1, module, made}, {attribute, 1, compile, export_all}],
  [{ok, made, _} = compile:forms (Head ++ Forms, [])
   || _ <- lists:seq (1, list_to_integer (Rounds))],
  io:format ("~p modules~n", [length (code:all_loaded ()) div 100 * 100]),
  halt ().

form (I) ->
  X = {var, 1, 'X'},
  Clauses = [{clause, 1, [{integer, 1, N}], [],
              [{op, 1, '+', {integer, 1, N * I}, {integer, 1, I}}]}
             || N <- lists:seq (1, 20)],
  {function, 1, list_to_atom ("f" ++ integer_to_list (I)), 1,
   [{clause, 1, [X], [], [{'case', 1, X, Clauses}]}]}.
