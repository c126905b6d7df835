// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// shares.c in Go.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"time"
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

func main() {
	want := 2.0
	if len(os.Args) > 1 {
		want, _ = strconv.ParseFloat(os.Args[1], 64)
	}
	var inHot, inCold time.Duration
	for (inHot + inCold).Seconds() < want {
		n := 40000 + rand.Intn(800000)
		t0 := time.Now()
		hot(n * 7 / 10)
		t1 := time.Now()
		cold(n * 3 / 10)
		inHot += t1.Sub(t0)
		inCold += time.Since(t1)
	}
	all := float64(inHot+inCold) / 100
	fmt.Printf("share main.hot %.2f\nshare main.cold %.2f\n", float64(inHot)/all, float64(inCold)/all)
}
