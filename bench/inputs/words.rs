// Something to compile or run for bench/heat.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

use std::collections::HashMap;
fn parse(s: &str) -> Result<HashMap<String, Vec<i64>>, std::num::ParseIntError> {
    let mut m: HashMap<String, Vec<i64>> = HashMap::new();
    for l in s.lines() {
        let mut it = l.split(':');
        let k = it.next().unwrap_or("");
        for v in it {
            m.entry(k.to_string()).or_default().push(v.trim().parse()?);
        }
    }
    Ok(m)
}
fn main() {
    let m = parse("a:1\nb:2:3").unwrap();
    let mut k: Vec<_> = m.iter().collect();
    k.sort();
    println!("{:?}", k);
}
