// The main function of program.c, called from Rust.
// This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

use std::ffi::CString;
use std::os::raw::{c_char, c_int};
use std::os::unix::ffi::OsStringExt;

extern "C" {
    fn hugetext_main(argc: c_int, argv: *mut *mut c_char) -> c_int;
}

fn main() {
    let words: Vec<CString> = std::env::args_os()
        .map(|word| CString::new(word.into_vec()).unwrap())
        .collect();
    let mut argv: Vec<*mut c_char> =
        words.iter().map(|word| word.as_ptr() as *mut c_char).collect();
    argv.push(std::ptr::null_mut());
    let status =
        unsafe { hugetext_main(words.len() as c_int, argv.as_mut_ptr()) };
    std::process::exit(status);
}
