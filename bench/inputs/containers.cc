// Something to compile or run for bench/heat.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <map>
#include <vector>
#include <algorithm>
#include <functional>
#include <random>
#include <sstream>
#include <memory>
#include <unordered_map>
struct node { std::shared_ptr<node> l, r; std::string k; std::map<int, std::vector<double>> v; };
double f (std::vector<node> &n, std::function<double (double)> g) {
  std::mt19937_64 e (n.size ()); std::normal_distribution<> d; std::unordered_map<std::string, double> s;
  std::stable_sort (n.begin (), n.end (), [] (const node &a, const node &b) { return a.k < b.k; });
  for (auto &x : n) { std::ostringstream o; o << x.k << d (e); for (auto &p : x.v) { int i = p.first; auto &w = p.second; std::shuffle (w.begin (), w.end (), e); for (double &y : w) s[o.str ()] += g (y) * i; } }
  double t = 0; for (auto &p : s) t += p.second; return t; }
