-- Functions that LuaJIT compiles, for bench/code: code.lua FUNCTIONS ROUNDS
-- This file is part of ld-hugetext.
-- SPDX-License-Identifier: LGPL-2.1-or-later

local list, sum = {}, 0
for i = 1, arg[1] do
  list[i] = loadstring("return function(n) local s = " .. i .. [[
    for k = 1, n do
      s = (s * 31 + k) % 16777213
      if s % 3 == 0 then s = s + 1 else s = s - k end
    end
    return s
  end]])()
end
for r = 1, arg[2] do
  for i = 1, #list do sum = (sum * 31 + list[i](100)) % 16777213 end
end
print(sum)
