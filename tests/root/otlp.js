// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// otlp.js FILE: an ExportProfilesServiceRequest (opentelemetry-proto, profiles/v1development), gzip'ed: prints its host, and of each profile its
// type and the sum of values by thread name and leaf.
'use strict';
const fs = require('fs'), zlib = require('zlib');

// The fields of a message: number -> values
function fields(b) {
	const all = {};
	let at = 0;
	const varint = () => {
		let n = 0n, shift = 0n, byte;
		do { byte = b[at++]; n |= BigInt(byte & 0x7f) << shift; shift += 7n; } while (byte & 0x80);
		return n;
	};
	while (at < b.length) {
		const tag = Number(varint()), field = tag >> 3;
		let value;
		if ((tag & 7) === 0) value = varint();
		else if ((tag & 7) === 1) { value = b.readBigUInt64LE(at); at += 8; }
		else if ((tag & 7) === 2) { const n = Number(varint()); value = b.subarray(at, at + n); at += n; }
		else throw new Error(`wire type ${tag & 7}`);
		(all[field] = all[field] || []).push(value);
	}
	if (at !== b.length) throw new Error('too short');
	return all;
}
function packed(list) {
	const out = [];
	for (const b of list || []) {
		let n = 0n, shift = 0n;
		for (const byte of b) {
			n |= BigInt(byte & 0x7f) << shift;
			shift += 7n;
			if (!(byte & 0x80)) { out.push(n); n = shift = 0n; }
		}
	}
	return out;
}
const one = (m, f) => Number((m[f] || [0n])[0]);
const request = fields(zlib.gunzipSync(fs.readFileSync(process.argv[2])));
const dictionary = fields(request[2][0]);
const table = (f) => (dictionary[f] || []).map(fields);
const [mappings, locations, functions, , , attributes, stacks] = [1, 2, 3, 4, 5, 6, 7].map((f) => (f === 5 ? [] : table(f)));
const strings = dictionary[5].map(String);
for (const t of [mappings, locations, functions, attributes, stacks]) if (Object.keys(t[0]).length) throw new Error('entry 0 is not empty');
if (strings[0] !== '') throw new Error('string 0');
const any = (value) => String(value[1] ? value[1][0] : value[3][0]);
const attribute = (i) => [strings[one(attributes[i], 1)], any(fields(attributes[i][2][0]))];
for (const resource of request[1].map(fields)) {
	for (const a of fields(resource[1][0])[1].map(fields)) console.log(String(a[1][0]), String(fields(a[2][0])[1][0]));
	for (const profile of fields(resource[2][0])[2].map(fields)) {
		const type = fields(profile[1][0]), sums = {}, pids = {};
		if (profile[7][0].length !== 16 || !one(profile, 3)) throw new Error('profile_id, time');
		for (const s of profile[2].map(fields)) {
			const all = Object.fromEntries(packed(s[2]).map((i) => attribute(Number(i))));
			const leaf = locations[Number(packed(stacks[one(s, 1)][1])[0])];
			const name = strings[one(functions[one(fields(leaf[3][0]), 1)], 1)];
			const key = `${all['thread.name']},${name}`;
			if (leaf[1] && !strings[one(mappings[one(leaf, 1)], 4)]) throw new Error('mapping');
			sums[key] = (sums[key] || 0n) + packed(s[4])[0];
			pids[all['process.pid']] = (pids[all['process.pid']] || 0n) + packed(s[4])[0];
		}
		for (const [key, n] of Object.entries(pids)) console.log(`pid,${strings[one(type, 1)]},${key},${n}`);
		for (const [key, n] of Object.entries(sums)) console.log(`${strings[one(type, 1)]}/${strings[one(type, 2)]},${key},${n}`);
	}
}
