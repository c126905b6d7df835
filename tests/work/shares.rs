// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// shares.c in Rust: single-threaded, so wall time of a busy loop is close to CPU time.
use std::hint::black_box;
use std::time::Instant;

mod hive {
    #[inline(never)]
    pub fn hot(n: u64) { for i in 0..n { std::hint::black_box(i); } }
    #[inline(never)]
    pub fn cold(n: u64) { for i in 0..n { std::hint::black_box(!i); } } // not hot's twin: LLVM would fold the two
}

fn main() {
    let want: f64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(2.0);
    let (mut hot, mut cold, mut seed) = (0.0, 0.0, 88172645463325252u64);
    while hot + cold < want {
        seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
        let n = 40000 + seed % 800000;
        let t0 = Instant::now();
        hive::hot(black_box(n * 7 / 10));
        let t1 = Instant::now();
        hive::cold(black_box(n * 3 / 10));
        hot += (t1 - t0).as_secs_f64();
        cold += t1.elapsed().as_secs_f64();
    }
    println!("share shares::hive::hot {:.2}\nshare shares::hive::cold {:.2}", 100.0 * hot / (hot + cold), 100.0 * cold / (hot + cold));
}
