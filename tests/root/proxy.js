// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// proxy.js PORT TARGET MODE COUNT [MATCH]: passes requests to 127.0.0.1:TARGET, but of the first COUNT whose URL has MATCH: "lose" passes them and
// drops the answer, "refuse" says 503, "bad" 400, "garbage" answers 200 with a page, "error" 200 with a server's error, "hang" says nothing, "slow" waits 3 seconds.
// TARGET 0: it is a server itself, which takes all, and prints "METHOD URL TYPE BYTES", the body to body.N.
'use strict';
const http = require('http'), fs = require('fs');
const [port, target, mode, count, match] = process.argv.slice(2);
let left = Number(count || 0), bodies = 0;

function take(req, res, body) {
	if (target === '0') {
		fs.writeFileSync(`body.${++bodies}`, body);
		console.log(req.method, req.url, req.headers['content-type'], body.length);
	}
	const chosen = left > 0 && (!match || decodeURIComponent(req.url).includes(match));
	if (chosen) {
		left--;
		console.log(mode, decodeURIComponent(req.url).slice(0, 200));
		if (mode === 'refuse') return res.writeHead(503).end('go away\n');
		if (mode === 'bad') return res.writeHead(400).end('not so\n');
		if (mode === 'garbage') return res.writeHead(200).end('<html>welcome</html>\n');
		if (mode === 'error') return res.writeHead(200).end('Code: 241, e.displayText() = DB::Exception: Memory limit exceeded\n');
		if (mode === 'hang') return undefined;
		if (mode === 'slow') return setTimeout(() => pass(req, res, body, false), 3000);
	}
	return pass(req, res, body, chosen);
}

function pass(req, res, body, chosen) {
	if (target === '0') return res.writeHead(200).end();
	const headers = { ...req.headers, host: `127.0.0.1:${target}` };
	const to = http.request({ host: '127.0.0.1', port: target, method: req.method, path: req.url, headers }, (answer) => {
		const parts = [];
		answer.on('data', (d) => parts.push(d));
		answer.on('end', () => {
			if (chosen && mode === 'lose') return req.socket.destroy();
			res.writeHead(answer.statusCode, { 'content-type': 'text/plain' });
			return res.end(Buffer.concat(parts));
		});
	});
	to.on('error', () => req.socket.destroy());
	return to.end(body);
}
http.createServer((req, res) => {
	const parts = [];
	req.on('data', (d) => parts.push(d));
	req.on('end', () => take(req, res, Buffer.concat(parts)));
}).listen(Number(port), '127.0.0.1');
