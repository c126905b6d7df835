// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// Makes garbage for so many seconds: Go's runtime does much of its own work on another stack.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

type node struct {
	left, right *node
}

//go:noinline
func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func main() {
	want, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		panic(err)
	}
	n := 0
	for begin := time.Now(); time.Since(begin).Seconds() < want; n++ {
		if tree(16).left == nil {
			panic("no tree")
		}
	}
	fmt.Println(n)
}
