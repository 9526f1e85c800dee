// Something for a C++ compiler to do.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace
{
  template <std::size_t N> struct sequence
  {
    static constexpr std::size_t
    value ()
    {
      return sequence<N - 1>::value () * 3 % 1009 + N;
    }
  };
  template <> struct sequence<0>
  {
    static constexpr std::size_t
    value ()
    {
      return 1;
    }
  };

  using shape = std::variant<int, std::string, std::vector<double>>;

  struct visitor
  {
    std::size_t operator() (int i) const { return i; }
    std::size_t operator() (const std::string &s) const { return s.size (); }
    std::size_t
    operator() (const std::vector<double> &v) const
    {
      return std::accumulate (v.begin (), v.end (), 0.0);
    }
  };

  template <typename... T> auto
  sorted (T... t)
  {
    using common = std::common_type_t<T...>;
    std::vector<common> v { static_cast<common> (t)... };
    std::sort (v.begin (), v.end (), std::greater<> ());
    return v;
  }
}

std::map<std::string, std::size_t>
count (const std::string &text)
{
  std::istringstream stream (text);
  std::map<std::string, std::size_t> result;
  for (std::string word; stream >> word; )
    ++result[word];
  return result;
}

std::size_t
measure (const std::vector<shape> &shapes)
{
  std::size_t sum = sequence<400>::value ();
  for (const shape &s : shapes)
    sum += std::visit (visitor (), s);
  for (auto x : sorted (3, 1.5, 2L, 'c'))
    sum += static_cast<std::size_t> (x);
  return sum;
}

std::optional<std::tuple<int, std::string>>
find (const std::map<int, std::string> &names, const std::string &name)
{
  auto it = std::find_if (names.begin (), names.end (),
                          [&] (const auto &p) { return p.second == name; });
  if (it == names.end ())
    return std::nullopt;
  return std::make_tuple (it->first, it->second);
}
