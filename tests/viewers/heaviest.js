// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the readers beside it print: "WEIGHT NAME" of each function's own weight, the heaviest first.
'use strict'

exports.sums = () => new Map()
exports.add = (sums, name, weight) => sums.set(name, (sums.get(name) || 0) + weight)
exports.print = sums => {
	for (const [name, weight] of [...sums].sort((a, b) => b[1] - a[1])) if (weight) process.stdout.write(`${Math.round(weight)} ${name}\n`)
}
// Ends the program with what is wrong.
exports.check = (ok, ...what) => {
	if (ok) return
	console.error('wrong:', ...what)
	process.exit(1)
}
