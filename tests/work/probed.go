// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// tests/work/probed.c in Go: arguments in Go's own registers, and a string.
package main

import (
	"fmt"
	"os"
	"strings"
)

var sink int

//go:noinline
func Add(a, b int) int {
	sink = a
	if a == 2 {
		return b
	}
	return a + b
}

//go:noinline
func Greet(name string) int {
	sink = len(name)
	return len(name)
}

func main() {
	for i := 0; i < 5; i++ {
		sum := Add(i, -i*10)
		fmt.Fprintf(os.Stdout, "{\"fn\":\"Add\",\"a\":%d,\"b\":%d,\"ret\":%d}\n", i, -i*10, sum)
		name := "go-" + strings.Repeat("o", i)
		n := Greet(name)
		fmt.Fprintf(os.Stdout, "{\"fn\":\"Greet\",\"n\":%d,\"s\":\"%s\"}\n", n, name)
	}
}
