// Something to compile or run for bench/heat.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <regex>
#include <string>
#include <iostream>
bool match (const std::string &a) { std::regex r("([a-z]+)(\\d*)[xyz]{2,3}"); std::smatch m; return std::regex_search (a, m, r) && m.size () > 2; }
int main (int c, char **v) { for (int i = 0; i < c; i++) std::cout << match (v[i]) << '\n'; }
