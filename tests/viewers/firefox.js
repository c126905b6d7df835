// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Is a file Firefox Profiler's processed format of version 60? Its columns are as long as their tables, numbers are in theirs, parents come
// first, times do not go back, each marker has its schema. usage: firefox.js FILE [EVENT]: own weights, of lanes whose name ends in EVENT
'use strict'
const fs = require('fs')
const zlib = require('zlib')
const { sums, add, print, check } = require('./heaviest')

const [file, event] = process.argv.slice(2)
const bytes = fs.readFileSync(file)
const p = JSON.parse(bytes[0] === 0x1f ? zlib.gunzipSync(bytes) : bytes)
const columns = {
	stackTable: ['frame', 'prefix'], frameTable: ['address', 'inlineDepth', 'category', 'subcategory', 'func', 'nativeSymbol', 'innerWindowID', 'line', 'column'],
	funcTable: ['name', 'isJS', 'relevantForJS', 'resource', 'source', 'lineNumber', 'columnNumber'], resourceTable: ['lib', 'name', 'host', 'type'],
	nativeSymbols: ['libIndex', 'address', 'name', 'functionSize'], sources: ['uuid', 'filename'],
}
const table = (t, names, what) => {
	check(Object.keys(t).filter(k => Array.isArray(t[k])).sort().join() === [...names].sort().join(), what, 'has', Object.keys(t))
	for (const name of names) check(t[name].length === t.length, what, name, t[name].length, 'of', t.length)
}
const within = (all, n, what, or) => all.forEach((v, i) => check(v === or || (Number.isInteger(v) && v >= 0 && v < n), what, i, v, 'of', n))
const text = (all, what) => all.forEach(v => check(typeof v === 'string', what, v))

const { shared, meta, libs } = p
check(meta.preprocessedProfileVersion === 60 && meta.categories.some(c => c.color === 'grey') && meta.categories.every(c => c.subcategories[0] === 'Other'), 'meta', meta)
check(typeof meta.interval === 'number' && typeof meta.startTime === 'number' && meta.interval > 0, 'meta', meta)
for (const name in columns) table(shared[name], columns[name], name)
const { stackTable, frameTable, funcTable, resourceTable, sources, stringArray } = shared
text(stringArray, 'stringArray')
check(new Set(stringArray).size === stringArray.length, 'a string twice')
within(stackTable.frame, frameTable.length, 'stackTable.frame')
stackTable.prefix.forEach((v, i) => check(v === null || (v >= 0 && v < i), 'stackTable.prefix', i, v))
within(frameTable.func, funcTable.length, 'frameTable.func')
within(frameTable.category, meta.categories.length, 'frameTable.category')
within(funcTable.name, stringArray.length, 'funcTable.name')
within(funcTable.resource, resourceTable.length, 'funcTable.resource', -1)
within(funcTable.source, sources.length, 'funcTable.source', null)
within(resourceTable.lib, libs.length, 'resourceTable.lib')
within(resourceTable.name, stringArray.length, 'resourceTable.name')
within(sources.filename, stringArray.length, 'sources.filename')
libs.forEach(l => text([l.arch, l.name, l.path, l.debugName, l.debugPath, l.breakpadId], 'lib'))
const schemas = new Map(meta.markerSchema.map(s => [s.name, s]))

const own = sums(), markers = sums()
const threads = new Set()
for (const t of p.threads) {
	const { samples: s, markers: m } = t
	check(!threads.has(`${t.pid}/${t.tid}/${t.name}`), 'a thread twice', t.pid, t.tid)
	threads.add(`${t.pid}/${t.tid}/${t.name}`)
	text([t.name, t.pid, t.processName], 'thread')
	table(s, ['stack', 'time', 'weight'], 'samples')
	table(m, ['data', 'name', 'startTime', 'endTime', 'phase', 'category'], 'markers')
	within(s.stack, stackTable.length, 'samples.stack', null)
	s.time.forEach((v, i) => check(v >= 0 && (!i || v >= s.time[i - 1]), 'samples.time', i, v))
	within(m.name, stringArray.length, 'markers.name')
	within(m.category, meta.categories.length, 'markers.category')
	m.phase.forEach((phase, i) => {
		check(phase === 0 || (phase === 1 && m.endTime[i] >= m.startTime[i]), 'marker', i, phase, m.startTime[i], m.endTime[i])
		const schema = schemas.get(m.data[i].type)
		check(schema, 'no schema for', m.data[i].type)
		const keys = new Set(schema.fields.map(f => f.key))
		for (const key in m.data[i]) check(key === 'type' || key === 'cause' || keys.has(key), 'no field', key, 'of', schema.name)
		if (m.data[i].cause) within([m.data[i].cause.stack], stackTable.length, 'cause')
		add(markers, stringArray[m.name[i]], 1)
	})
	if (event && !t.name.endsWith(` ${event}`)) continue
	for (let i = 0; i < s.length; i++)
		if (s.stack[i] !== null) add(own, stringArray[funcTable.name[frameTable.func[stackTable.frame[s.stack[i]]]]], s.weight[i] * (s.weightType === 'tracing-ms' ? 1e6 : 1))
}
for (const [name, n] of markers) console.error('markers', n, name)
print(own)
