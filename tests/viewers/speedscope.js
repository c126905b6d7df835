// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What speedscope's own importer (npm's package, of which the bundle is all that there is) makes of files.
// usage: speedscope.js PACKAGE FILE...: "WEIGHT NAME" of each function's own weight, of all profiles of all files; on stderr what they are
'use strict'
const fs = require('fs')
const path = require('path')
const vm = require('vm')
const { sums, add, print } = require('./heaviest')

// The bundle up to its importer, before it starts a page. Names in it are minified: what the function calls is not.
function load(dir) {
	const release = path.join(dir, 'dist/release')
	const bundle = fs.readFileSync(path.join(release, fs.readdirSync(release).find(f => /^speedscope-.*\.js$/.test(f))), 'utf8')
	const found = bundle.match(/async function ([\w$]+)\(\w+,\w+\)\{return\(await [\w$]+\)\.importProfileGroupFromText\(\w+,\w+\)\}/)
	if (!found) throw new Error('no importer in the bundle of speedscope')
	const end = found.index + found[0].length
	const wrapped = /^\s*(?:"use strict";)?\(\(\)=>\{/.test(bundle)
	const nothing = new Proxy(function () {}, { get: (t, key) => key === Symbol.toPrimitive ? () => '' : nothing, apply: () => nothing, construct: () => nothing })
	const context = vm.createContext({ self: nothing, console: { log() {}, warn: console.warn, error: console.error }, window: nothing, document: nothing, navigator: { userAgent: '' },
		location: nothing, localStorage: nothing, TextDecoder, TextEncoder, URL, setTimeout, performance, atob, btoa })
	vm.runInContext(bundle.slice(0, end) + `;globalThis.importText=${found[1]};` + (wrapped ? '})()' : ''), context)
	return context.importText
}

async function main([dir, ...files]) {
	const importText = load(dir)
	const own = sums()
	for (const file of files) {
		const group = await importText(path.basename(file), fs.readFileSync(file, 'utf8'))
		if (!group || !group.profiles.length) throw new Error(`${file}: speedscope makes nothing of it`)
		for (const p of group.profiles) {
			console.error(`${file}: ${p.getName()}: ${p.getTotalWeight()} ${p.getWeightUnit()}`)
			p.forEachFrame(f => add(own, f.name, f.getSelfWeight()))
		}
	}
	print(own)
}

main(process.argv.slice(2)).catch(e => { console.error(String(e)); process.exit(1) })
