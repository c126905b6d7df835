// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// shares.c in Rust.

#[repr(C)]
struct Timespec { sec: i64, nsec: i64 }
extern "C" { fn clock_gettime(clock: i32, t: *mut Timespec) -> i32; }
const CLOCK_THREAD_CPUTIME_ID: i32 = 3;

fn cpu_s() -> f64 {
    let mut t = Timespec { sec: 0, nsec: 0 };
    unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.sec as f64 + t.nsec as f64 / 1e9
}

// What std::hint::black_box does, which the rustc of Debian 12 does not have.
#[inline(always)]
fn keep(x: u64) -> u64 { unsafe { std::ptr::read_volatile(&x) } }

mod hive {
    use super::keep;
    #[inline(never)]
    pub fn hot(n: u64) { for i in 0..n { keep(i); } }
    #[inline(never)]
    pub fn cold(n: u64) { for i in 0..n { keep(!i); } } // not hot's twin: LLVM would fold the two
}

fn main() {
    let want: f64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(2.0);
    let (mut hot, mut cold, mut seed) = (0.0, 0.0, 88172645463325252u64);
    while hot + cold < want {
        seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
        let n = 40000 + seed % 800000;
        let t0 = cpu_s();
        hive::hot(keep(n * 7 / 10));
        let t1 = cpu_s();
        hive::cold(keep(n * 3 / 10));
        hot += t1 - t0;
        cold += cpu_s() - t1;
    }
    println!("share shares::hive::hot {:.2}\nshare shares::hive::cold {:.2}", 100.0 * hot / (hot + cold), 100.0 * cold / (hot + cold));
}
