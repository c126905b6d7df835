// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// tests/work/probed.c in Rust: a function of C's name and two of Rust's own.
use std::hint::black_box;

mod math {
    #[inline(never)]
    pub fn thrice(x: i64) -> i64 {
        std::hint::black_box(x) * 3
    }
}

#[no_mangle]
#[inline(never)]
pub extern "C" fn plain_add(a: i32, b: u64) -> i64 {
    black_box(a) as i64 + black_box(b) as i64
}

#[inline(never)]
fn measure(s: &str) -> usize {
    black_box(s).len()
}

fn main() {
    for i in 0..4i32 {
        let sum = plain_add(black_box(-10 * i), black_box(7 + i as u64));
        println!("{{\"fn\":\"plain_add\",\"a\":{},\"b\":{},\"ret\":{}}}", -10 * i, 7 + i, sum);
        black_box(math::thrice(black_box(-(i as i64))));
        println!("{{\"fn\":\"thrice\",\"x\":{}}}", -i);
        let text = "x".repeat(i as usize + 1);
        println!("{{\"fn\":\"measure\",\"n\":{}}}", measure(black_box(&text)));
    }
}
