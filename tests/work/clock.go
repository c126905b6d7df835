// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// Reads clocks for so many seconds of wall time: Go's runtime calls the vDSO on another stack.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

//go:noinline
func wall() int64 {
	return time.Now().UnixNano()
}

//go:noinline
func mono(t time.Time) float64 {
	return time.Since(t).Seconds()
}

func main() {
	want, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		panic(err)
	}
	begin, n := time.Now(), int64(0)
	for mono(begin) < want {
		n += wall() & 1
	}
	fmt.Println(n)
}
