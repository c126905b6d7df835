/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A W3C WebDriver client over fetch, as small as the browser test needs. Starts and stops its own chromedriver. */
"use strict";
const { spawn } = require("node:child_process");
const { once } = require("node:events");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf"; /* the W3C element identifier */
const KEYS = { Enter: "\uE007", Backspace: "\uE003", Escape: "\uE00C", Tab: "\uE004", Up: "\uE013", Down: "\uE015", Left: "\uE012", Right: "\uE014", Home: "\uE011", End: "\uE010", Shift: "\uE008", Control: "\uE009" };
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

const freePort = async () => {
	const server = net.createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address();
	server.close();
	await once(server, "close");
	return port;
};

class Browser {
	static async open(options = {}) {
		const b = new Browser(), port = await freePort();
		b.dir = fs.mkdtempSync(path.join(os.tmpdir(), "skep-browser-"));
		b.process = spawn("chromedriver", ["--port=" + port, "--allowed-ips=127.0.0.1"], { stdio: "ignore" });
		b.base = "http://127.0.0.1:" + port;
		for (let i = 0; ; i++) {
			try { await fetch(b.base + "/status"); break; } catch (e) { if (i > 100) { b.process.kill(); throw e; } await sleep(50); }
		}
		const args = ["--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--user-data-dir=" + b.dir, "--window-size=1280,800",
			"--force-device-scale-factor=" + (options.scale || 1)];
		const made = await b.call("POST", "/session", { capabilities: { alwaysMatch: { browserName: "chrome",
			"goog:chromeOptions": { args, binary: process.env.CHROMIUM || undefined },
			"goog:loggingPrefs": { browser: "ALL", performance: "ALL" } } } });
		b.base += "/session/" + made.sessionId;
		return b;
	}
	async call(method, where, body) {
		const answer = await fetch(this.base + where, { method, body: body && JSON.stringify(body) });
		const { value } = await answer.json();
		if (!answer.ok) throw new Error(where + ": " + value.error + ": " + value.message);
		return value;
	}
	async close() {
		try { await this.call("DELETE", ""); } catch (e) { /* the process ends below in any case */ }
		this.process.kill();
		if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, "exit");
		fs.rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
	}
	go(url) { return this.call("POST", "/url", { url }); }
	run(script, ...args) { return this.call("POST", "/execute/sync", { script, args }); }
	log(type) { return this.call("POST", "/se/log", { type }); }
	cdp(cmd, params) { return this.call("POST", "/goog/cdp/execute", { cmd, params }); }
	scheme(value) { return this.cdp("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] }); }
	size(width, height, scale = 1) { return this.cdp("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: false }); }
	async element(css) { return (await this.call("POST", "/element", { using: "css selector", value: css }))[ELEMENT]; }
	async click(css) { await this.call("POST", "/element/" + await this.element(css) + "/click", {}); }
	async text(css) { return this.call("GET", "/element/" + await this.element(css) + "/text"); }
	async clickAt(x, y) {
		await this.pointAt(x, y);
		await this.call("POST", "/actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" },
			actions: [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }] }] });
	}
	pointAt(x, y) {
		return this.call("POST", "/actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" },
			actions: [{ type: "pointerMove", duration: 0, x: Math.round(x), y: Math.round(y) }] }] });
	}
	/* Named keys, or single characters. */
	keys(...list) {
		const actions = list.flatMap((k) => [{ type: "keyDown", value: KEYS[k] || k }, { type: "keyUp", value: KEYS[k] || k }]);
		return this.call("POST", "/actions", { actions: [{ type: "key", id: "keys", actions }] });
	}
	/* One key with others held down: chord("Shift", "Enter"). */
	chord(...list) {
		const values = list.map((k) => KEYS[k] || k);
		return this.call("POST", "/actions", { actions: [{ type: "key", id: "keys",
			actions: [...values.map((value) => ({ type: "keyDown", value })), ...values.reverse().map((value) => ({ type: "keyUp", value }))] }] });
	}
	drag(x0, y0, x1, y1) {
		const move = (x, y) => ({ type: "pointerMove", duration: 0, x: Math.round(x), y: Math.round(y) });
		return this.call("POST", "/actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" },
			actions: [move(x0, y0), { type: "pointerDown", button: 0 }, move((x0 + x1) / 2, (y0 + y1) / 2), move(x1, y1), { type: "pointerUp", button: 0 }] }] });
	}
	/* With Control held down, as browsers have it for zooming. */
	async wheel(x, y, deltaY) {
		await this.call("POST", "/actions", { actions: [
			{ type: "key", id: "keys", actions: [{ type: "keyDown", value: KEYS.Control }, { type: "pause" }, { type: "keyUp", value: KEYS.Control }] },
			{ type: "wheel", id: "wheel", actions: [{ type: "pause" }, { type: "scroll", x: Math.round(x), y: Math.round(y), deltaX: 0, deltaY, duration: 0, origin: "viewport" }, { type: "pause" }] }] });
	}
	async rightClickAt(x, y) {
		await this.pointAt(x, y);
		await this.call("POST", "/actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" },
			actions: [{ type: "pointerDown", button: 2 }, { type: "pointerUp", button: 2 }] }] });
	}
	async until(what, script, ...args) {
		for (let i = 0; i < 200; i++) {
			const value = await this.run(script, ...args);
			if (value) return value;
			await sleep(25);
		}
		throw new Error("waited in vain for " + what);
	}
	async shot(file) { fs.writeFileSync(file, Buffer.from(await this.call("GET", "/screenshot"), "base64")); }
}

module.exports = { Browser, sleep };
