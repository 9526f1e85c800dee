# Methods that Ruby's YJIT compiles, for bench/code: code.rb METHODS ROUNDS
# This file is part of ld-hugetext.
# SPDX-License-Identifier: LGPL-2.1-or-later

methods = (0...ARGV[0].to_i).map do |i|
  method(eval("def f#{i}(n) s = #{i}; k = 0; while k < n do " \
              's = (s * 31 + k) & 0xffffff; ' \
              "if s % 3 == 0 then s += s.to_s.size else s ^= #{i} end; " \
              'k += 1 end; s end'))
end
sum = 0
ARGV[1].to_i.times do |r|
  methods.each { |f| sum = (sum * 31 + f.call(20)) & 0xffffff }
end
puts sum
