// An example that a C++ compiler needs a few seconds to compile: it
// instantiates much of the standard library.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

template class std::basic_regex<char>;
template class std::vector<std::string>;
template class std::vector<std::vector<double>>;
template class std::deque<std::string>;
template class std::map<std::string, std::vector<int>>;
template class std::unordered_map<std::string, std::string>;
template class std::basic_stringstream<char>;
template class std::mersenne_twister_engine<
    unsigned, 32, 624, 397, 31, 0x9908b0dfu, 11, 0xffffffffu, 7, 0x9d2c5680u,
    15, 0xefc60000u, 18, 1812433253u>;

// Count how often each word matches, the longest word first.
template <typename Char>
static void
count (std::basic_istream<Char> &in, std::basic_ostream<Char> &out,
       const std::basic_string<Char> &pattern)
{
  using text = std::basic_string<Char>;
  std::map<text, int, std::greater<text>> words;
  std::basic_regex<Char> regex (pattern);
  for (text line; std::getline (in, line);)
    for (std::regex_iterator<typename text::const_iterator> match
           (line.begin (), line.end (), regex), end; match != end; ++match)
      ++words[match->str ()];
  for (const auto &word : words)
    out << word.second << Char (' ') << word.first << Char ('\n');
}

int
main ()
{
  count<char> (std::cin, std::cout, "[a-z]+");
}
