// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A trace of Perfetto's, read by npm's protobufjs with the schema beside this file, as its trace processor puts it together: ids by sequence,
// each written before what refers to it, no field that the schema does not have. usage: perfetto.js PACKAGE FILE [EVENT]: own weights of EVENT
'use strict'
const fs = require('fs')
const path = require('path')
const zlib = require('zlib')
const { sums, add, print, check } = require('./heaviest')

const [dir, file, event] = process.argv.slice(2)
const protobuf = require(dir)
const Trace = protobuf.loadSync(path.join(__dirname, 'perfetto.proto')).lookupType('Trace')
let bytes = fs.readFileSync(file)
if (bytes[0] === 0x1f) bytes = zlib.gunzipSync(bytes)
const trace = Trace.toObject(Trace.decode(bytes), { longs: String, bytes: Buffer })
// What was not read would be missing here
check(Trace.encode(Trace.fromObject(trace)).finish().length === bytes.length, 'fields that the schema does not have')

const utf8 = new TextDecoder('utf-8', { fatal: true })
const sequences = new Map(), own = sums(), counts = sums(), tracks = new Map(), counters = new Map()
const kinds = { functionNames: 'function', mappingPaths: 'path', buildIds: 'build', mappings: 'mapping', frames: 'frame', callstacks: 'stack' }
for (const packet of trace.packet) {
	const id = packet.trustedPacketSequenceId
	check(id > 0, 'a packet without a sequence', packet)
	if (packet.sequenceFlags & 1) sequences.set(id, { name: packet.tracePacketDefaults.perfSampleDefaults.timebase.name, of: {} })
	const seq = sequences.get(id)
	for (const kind in kinds)
		for (const one of packet.internedData?.[kind] || []) {
			const known = (seq.of[kinds[kind]] ||= new Map())
			check(!known.has(one.iid), kind, one.iid, 'twice')
			known.set(one.iid, one)
			if (kind === 'functionNames' || kind === 'mappingPaths') one.text = utf8.decode(one.str || Buffer.alloc(0))
			if (kind === 'mappings') check(one.pathStringIds.every(i => seq.of.path.has(i)) && (!one.buildId || seq.of.build.has(one.buildId)), 'mapping', one)
			if (kind === 'frames') check(seq.of.function.has(one.functionNameId) && seq.of.mapping.has(one.mappingId) && one.relPc !== undefined, 'frame', one)
			if (kind === 'callstacks') check(one.frameIds.every(i => seq.of.frame.has(i)), 'callstack', one)
		}
	if (packet.trackDescriptor) {
		const t = packet.trackDescriptor
		check(!t.thread || tracks.has(t.parentUuid), 'a thread without its process', t)
		tracks.set(t.uuid, t)
	}
	if (packet.trackEvent) {
		check(!packet.trackEvent.trackUuid || tracks.has(packet.trackEvent.trackUuid), 'an event of no track', packet.trackEvent)
		add(counts, `event ${packet.trackEvent.name}`, 1)
	}
	if (packet.ftraceEvents) add(counts, 'switches', packet.ftraceEvents.event.length)
	if (packet.clockSnapshot) add(counts, 'clocks', 1)
	if (!packet.perfSample) continue
	const s = packet.perfSample, of = `${id}/${s.cpu}`
	const weight = BigInt(s.timebaseCount) - (counters.get(of) || 0n)
	check(weight > 0n && BigInt(packet.timestamp) > 0n && packet.sequenceFlags === 2, 'a sample', packet)
	counters.set(of, BigInt(s.timebaseCount))
	check([...tracks.values()].some(t => t.thread) , 'a sample before its thread')
	add(counts, `samples ${seq.name}`, 1)
	if (event && seq.name !== event) continue
	const stack = s.callstackIid && seq.of.stack.get(s.callstackIid)
	check(!s.callstackIid || stack, 'no callstack', s)
	if (stack) add(own, seq.of.function.get(seq.of.frame.get(stack.frameIds.at(-1)).functionNameId).text, Number(weight))
}
for (const [name, n] of counts) console.error(n, name)
print(own)
