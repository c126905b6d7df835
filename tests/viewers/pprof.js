// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// npm's pprof-format on a profile. usage: pprof.js PACKAGE FILE [TYPE]: own weights by TYPE, default the last
'use strict'
const fs = require('fs')
const zlib = require('zlib')
const { sums, add, print, check } = require('./heaviest')

const [dir, file, type] = process.argv.slice(2)
const { Profile } = require(dir)
const p = Profile.decode(zlib.gunzipSync(fs.readFileSync(file)))
const string = i => p.stringTable.strings[Number(i)]
const types = p.sampleType.map(t => string(t.type))
const at = type ? types.indexOf(type) : types.length - 1
check(at >= 0, 'no type', type, 'of', types)
const functions = new Map(p.function.map(f => [Number(f.id), f]))
const locations = new Map(p.location.map(l => [Number(l.id), l]))
const mappings = new Set(p.mapping.map(m => Number(m.id)))
const own = sums()
for (const s of p.sample) {
	check(s.value.length === types.length, 'values', s.value)
	for (const id of s.locationId) {
		const l = locations.get(Number(id))
		check(l && l.line.length && l.line.every(line => functions.has(Number(line.functionId))), 'location', id)
		check(!Number(l.mappingId) || mappings.has(Number(l.mappingId)), 'mapping of', id)
	}
	const leaf = locations.get(Number(s.locationId[0]))
	add(own, leaf ? string(functions.get(Number(leaf.line[0].functionId)).name) : '', Number(s.value[at]))
}
print(own)
