// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// shares.c in Go. A second argument has its own profiler interrupt it so many times a second.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

var sink int

//go:noinline
func hot(n int) {
	for i := 0; i < n; i++ {
		sink += i
	}
}

//go:noinline
func cold(n int) {
	for i := 0; i < n; i++ {
		sink += i
	}
}

// The CPU time of the process: nothing else of it runs beside main for long.
func cpu() time.Duration {
	const clockProcessCPUTimeID = 2
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockProcessCPUTimeID, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

func main() {
	want := 2.0
	if len(os.Args) > 1 {
		want, _ = strconv.ParseFloat(os.Args[1], 64)
	}
	if len(os.Args) > 2 {
		hz, _ := strconv.Atoi(os.Args[2])
		runtime.SetCPUProfileRate(hz)
	}
	var inHot, inCold time.Duration
	for (inHot + inCold).Seconds() < want {
		n := 40000 + rand.Intn(800000)
		t0 := cpu()
		hot(n * 7 / 10)
		t1 := cpu()
		cold(n * 3 / 10)
		inHot += t1 - t0
		inCold += cpu() - t1
	}
	all := float64(inHot+inCold) / 100
	fmt.Printf("share main.hot %.2f\nshare main.cold %.2f\n", float64(inHot)/all, float64(inCold)/all)
}
