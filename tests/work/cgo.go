// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// Burns CPU in C that Go has called, and in Go that this has called, for so many seconds.
package main

/*
extern void called_back(int n);
static volatile int sink;

static __attribute__((noinline)) void in_c(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}

static __attribute__((noinline)) void through_c(int n)
{
	called_back(n);
	sink++;
}
*/
import "C"

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

var sink int

//go:noinline
func work(n int) {
	for i := 0; i < n; i++ {
		sink += i
	}
}

//export called_back
func called_back(n C.int) {
	work(int(n))
}

//go:noinline
func there() {
	C.in_c(100000)
}

//go:noinline
func back() {
	C.through_c(100000)
}

func main() {
	want, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		panic(err)
	}
	n := 0
	for begin := time.Now(); time.Since(begin).Seconds() < want; n++ {
		there()
		back()
	}
	fmt.Println(n)
}
