// Panic in a function below another one.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

extern "C" {
    fn big_text () -> i32;
    static big_rodata: u8;
}

#[inline(never)]
fn inner_frame (number: i32) -> i32 {
    if number == 0 {
        panic! ("on purpose")
    }
    number + 1
}

#[inline(never)]
fn outer_frame (number: i32) -> i32 {
    inner_frame (number) + 1
}

fn main () {
    // Not collected by the linker, since it is used.
    let zero = unsafe { std::ptr::read_volatile (&big_rodata) as i32 * 0 };
    println! ("{}", outer_frame (unsafe { big_text () } + zero));
}
