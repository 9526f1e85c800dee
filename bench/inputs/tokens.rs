// Something to compile or run for bench/heat.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

use std::cell::RefCell;
use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::fmt;
use std::rc::Rc;
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Tok {
    Num(i64),
    Op(char),
    Id(String),
    Par(Vec<Tok>),
}
trait Visit {
    fn visit(&mut self, t: &Tok) -> usize;
}
struct Count(BTreeMap<String, usize>);
struct Depth(usize);
impl Visit for Count {
    fn visit(&mut self, t: &Tok) -> usize {
        match t {
            Tok::Par(v) => v.iter().map(|x| self.visit(x)).sum(),
            o => {
                *self.0.entry(format!("{:?}", o)).or_insert(0) += 1;
                1
            }
        }
    }
}
impl Visit for Depth {
    fn visit(&mut self, t: &Tok) -> usize {
        match t {
            Tok::Par(v) => 1 + v.iter().map(|x| self.visit(x)).max().unwrap_or(0),
            _ => self.0,
        }
    }
}
impl fmt::Display for Tok {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Tok::Num(n) => write!(f, "{}", n),
            Tok::Op(c) => write!(f, "{}", c),
            Tok::Id(s) => write!(f, "{}", s),
            Tok::Par(v) => {
                for x in v {
                    write!(f, "({})", x)?;
                }
                Ok(())
            }
        }
    }
}
fn lex(s: &str) -> Vec<Tok> {
    let mut st = vec![vec![]];
    for w in s.split_whitespace() {
        match w {
            "(" => st.push(vec![]),
            ")" => {
                let v = st.pop().unwrap();
                st.last_mut().unwrap().push(Tok::Par(v));
            }
            w => {
                let t = w.parse().map(Tok::Num).unwrap_or_else(|_| {
                    if w.len() == 1 {
                        Tok::Op(w.chars().next().unwrap())
                    } else {
                        Tok::Id(w.to_string())
                    }
                });
                st.last_mut().unwrap().push(t);
            }
        }
    }
    st.pop().unwrap()
}
fn main() {
    let t = lex("( a + 12 ( bc * 3 ) ) foo ( 7 )");
    let sh = Arc::new(Mutex::new(BinaryHeap::new()));
    let (tx, rx) = mpsc::channel();
    let hs: Vec<_> = t
        .iter()
        .cloned()
        .enumerate()
        .map(|(i, x)| {
            let sh = sh.clone();
            let tx = tx.clone();
            thread::spawn(move || {
                sh.lock().unwrap().push((i, x.clone()));
                tx.send(x.to_string()).unwrap();
            })
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
    drop(tx);
    let s: HashSet<String> = rx.iter().collect();
    let c = Rc::new(RefCell::new(Count(BTreeMap::new())));
    let n: usize = t.iter().map(|x| c.borrow_mut().visit(x)).sum();
    println!(
        "{} {} {:?} {}",
        n,
        t.iter().map(|x| Depth(1).visit(x)).max().unwrap(),
        c.borrow().0,
        s.len()
    );
}
