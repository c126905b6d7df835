/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Drives the pages of gen.c in a real Chromium and compares what they say with what gen.c put in:
 * node drive.js DIR, with the pages that run.sh has gen make in DIR. "ok N - text" a check, exit 1 on a failure.
 */
"use strict";
const path = require("node:path");
const { Browser, sleep } = require("./driver.js");

const OPEN_MAX_MS = 5000; /* a figure to print; only this much is a failure */
const dir = path.resolve(process.argv[2]);
const page = (name) => "file://" + path.join(dir, name);
let n = 0, failed = 0;

const check = (text, good, got) => {
	if (!good) failed++;
	console.log((good ? "ok " : "not ok ") + ++n + " - " + text + (good ? "" : ": got " + JSON.stringify(got)));
};
const same = (text, got, want) => check(text + (typeof want === "number" ? ": " + want : ""), got === want, got);
const has = (text, got, want) => check(text + ": " + want, got.includes(want), got);

const status = (b) => b.text("#status");
const node = (b) => b.run("return { name: status.dataset.name, percent: Number(status.dataset.percent) };".replaceAll("status", "document.getElementById('status')"));
const found = (b) => b.text("#found");
const state = (b) => b.run("return skep.state");
const open = async (b, url) => {
	await b.go("about:blank");
	await b.go(url);
	await b.until("the picture", "return window.skep && skep.drawn");
};
const paint = (b) => b.call("POST", "/execute/async", { script: "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));", args: [] });
const clickFrame = async (b, name) => {
	const at = await b.run("return skep.locate(arguments[0])", name);
	if (!at) throw new Error("no frame " + name + " in the picture");
	await b.clickAt(at.x + at.width / 2, at.y + at.height / 2);
	await paint(b);
};
const search = async (b, text) => {
	await b.click("#search");
	await b.run("document.getElementById('search').select()");
	await b.keys(...text);
	await paint(b);
};

const mouse = async (b) => {
	await open(b, page("small.html"));
	has("the ledger shows lost samples", await b.text("#ledger"), "12 of 1,012 samples lost (1.19 %)");
	has("the ledger shows cut stacks", await b.text("#ledger"), "60 stacks cut at the depth limit");
	has("the header shows the event", await b.text("#facts"), "cpu-clock");
	has("the note is shown", await b.text("#note"), "no hardware cycles here");
	has("and a second one", await b.text("#note"), "a second note");
	same("the title is text", await b.text("#title"), "skep flame </title><script>window.pwned=3</script>");

	await clickFrame(b, "compute");
	let s = await status(b);
	same("a click zooms to the frame", (await node(b)).name, "compute");
	same("its share of all", (await node(b)).percent, 60);
	has("status: samples", s, "600 samples");
	has("status: share of the parent", s, "81.08 % of the parent");
	has("status: self", s, "40.00 % (400 samples) self");
	has("status: source line", s, "app.c:42");
	const wide = await b.run("return skep.locate('compute').width / document.getElementById('canvas').clientWidth");
	same("the zoomed frame is as wide as the picture", wide, 1);

	const at = await b.run("return skep.locate('helper')");
	await b.pointAt(at.x + 20, at.y + 9);
	has("the tooltip names the frame", await b.text("#tip"), "helper");
	has("the tooltip: of all", await b.text("#tip"), "20.00 %");
	has("the tooltip: of the view", await b.text("#tip"), "33.33 %");

	await b.run("[...document.querySelectorAll('#crumbs button')].find((x) => x.textContent === 'all').id = 'all'");
	await b.click("#all");
	await paint(b);
	same("the breadcrumb zooms out", (await state(b)).zoom, 0);
	await b.call("POST", "/back", {});
	await b.until("history", "return skep.state.zoom > 0");
	check("the browser's back returns to the zoom", (await node(b)).name === "compute", await node(b));
	await b.click("#reset");
	await paint(b);
	same("reset zooms out", (await state(b)).zoom, 0);
};

const searching = async (b) => {
	await open(b, page("small.html"));
	for (const [text, want] of [["^compute$", "69.00 %"], ["helper", "26.00 %"], ["^(compute|helper)$", "75.00 %"], ["nothing like it", "0.00 %"]]) {
		await search(b, text);
		same("search '" + text + "' matches " + want, (await found(b)).split(" matched")[0], want);
	}
	await search(b, "(");
	has("a broken regex is said", await found(b), "not a regular expression");
	await search(b, "^helper$");
	await clickFrame(b, "compute");
	has("matched of the view", await found(b), "33.33 % of the view");
	const hash = await b.run("return location.hash");
	await open(b, page("small.html") + hash);
	same("the fragment brings the zoom back", (await node(b)).name, "compute");
	same("the fragment brings the search back", await b.run("return document.getElementById('search').value"), "^helper$");
};

const views = async (b) => {
	const y = (name) => b.run("return skep.locate(arguments[0]).y", name);

	await open(b, page("small.html"));
	check("flame: the root is below", await y("all") > await y("main"));
	await b.click("[data-to=icicle]");
	await paint(b);
	check("icicle: the root is above", await y("all") < await y("main"));
	const before = await b.run("return skep.nodes");
	await b.click("[data-to=merged]");
	await paint(b);
	check("merged: fewer nodes", await b.run("return skep.nodes") < before);
	same("merged: no process level", await b.run("return skep.locate('app (10)')"), null);
	await clickFrame(b, "main");
	same("merged: main of both processes", (await node(b)).percent, 89);
	has("merged: several objects are said", await status(b), "in several objects");
	await search(b, "^(compute|helper)$");
	has("merged: the same matched share", await found(b), "75.00 % matched");
	await b.click("#reset");
	await b.click("[data-to=process]");
	const table = () => b.run("return [...document.querySelectorAll('#table tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))");
	let rows = await table();
	const helper = rows.find((r) => r[2] === "helper");
	check("table beside the graph: helper self 26 %, total 26 % though it recurses", helper && helper[0] === "26.00 %" && helper[1] === "26.00 %", helper);
	check("table: the heaviest self is first", rows[0][2] === "compute" && rows[0][0] === "49.00 %", rows[0]);
	check("table: markers are not functions", !rows.some((r) => r[2].startsWith("app (") || r[2].startsWith("[trunc")));
	await b.click("[data-key=total]");
	rows = await table();
	check("table: by total", rows[0][2] === "main" && rows[0][1] === "74.00 %", rows[0]);
	await b.click("[data-key=total]");
	rows = await table();
	same("table: once more turns the order", Number.parseFloat(rows[0][1]) <= Number.parseFloat(rows.at(-1)[1]), true);
	same("table: which is said", await b.run("return document.querySelector('[data-key=total]').parentNode.getAttribute('aria-sort')"), "ascending");
};

const keyboard = async (b) => {
	await open(b, page("small.html"));
	for (let i = 0; i < 30; i++) {
		await b.keys("Tab");
		if (await b.run("return document.activeElement.id") === "canvas") break;
	}
	same("Tab reaches the picture", await b.run("return document.activeElement.id"), "canvas");
	await b.keys("Up", "Up", "Up");
	same("Up three times", (await node(b)).name, "compute");
	await b.keys("Right");
	same("Right", (await node(b)).name, "do_syscall_64");
	await b.keys("Left", "Enter");
	same("Left and Enter zoom", await b.run("return document.querySelector('#crumbs [aria-current]').textContent"), "compute");
	await b.keys("Up", "Up");
	has("inside the zoom", await status(b), "25.00 % of the parent");
	await b.keys("Down");
	same("Down goes to the caller", (await node(b)).percent, 20);
	await b.keys("Backspace");
	await b.until("the way back", "return skep.state.zoom === 0");
	check("Backspace goes back", true);
	await b.keys("/");
	same("/ goes to the search", await b.run("return document.activeElement.id"), "search");
	await b.keys(..."helper", "Enter");
	await paint(b);
	has("searched by keys", await found(b), "26.00 % matched");
	await b.keys("Escape", "Escape");
	same("Escape empties the search, then returns to the picture", await b.run("return document.activeElement.id"), "canvas");
};

const hostile = async (b) => {
	const evil = "<img src=x onerror=\"window.pwned=1\">\\u202e";

	await open(b, page("small.html"));
	await clickFrame(b, evil);
	same("a name full of markup is text in the status", (await node(b)).name, evil);
	has("and in the breadcrumb", await b.text("#crumbs"), evil);
	has("an object full of markup is text", await status(b), "</script><script>window.pwned=2</script>");
	await b.click("[data-to=table]");
	check("and in the table", (await b.run("return document.getElementById('table').textContent")).includes(evil));
	same("nothing of it ran", await b.run("return window.pwned === undefined && !document.querySelector('img')"), true);
	await open(b, page("small.html") + "#z=99999&v=%3Cb%3E&q=%3Cimg%20src=x%20onerror=window.pwned=4%3E");
	same("a hostile fragment does nothing", await b.run("return window.pwned === undefined && skep.state.zoom === 0"), true);
};

const big = async (b) => {
	const times = [];

	for (let i = 0; i < 3; i++) {
		await open(b, page("big.html"));
		times.push(await b.run("return skep.drawn"));
	}
	const nodes = await b.run("return skep.nodes"), best = Math.round(Math.min(...times));
	console.log("# 10,000 stacks, " + nodes + " nodes: navigation to first full draw " + times.map(Math.round).join(", ") + " ms");
	check("10,000 stacks open within " + OPEN_MAX_MS + " ms (" + best + " ms)", best <= OPEN_MAX_MS, best);
	const spent = async (script) => Math.round(await b.run("const t = performance.now(); " + script + "; return performance.now() - t"));
	console.log("# merged root " + await spent("document.querySelector('[data-to=merged]').click()") + " ms, search " +
		await spent("const s = document.getElementById('search'); s.value = 'method_1'; s.dispatchEvent(new Event('input'))") + " ms, table " +
		await spent("document.querySelector('[data-to=table]').click()") + " ms");
	await b.click("[data-to=both]");
	const zoom = async (key) => {
		await b.run("document.getElementById('canvas').focus()");
		await b.keys(key, "Enter");
		await paint(b);
		return (await b.run("return skep.spent.layout + skep.spent.paint")).toFixed(1);
	};
	await b.click("#reset");
	console.log("# zoom: layout and paint " + (await zoom("Up")) + ", " + (await zoom("Up")) + ", " + (await zoom("Up")) + " ms; inverted " +
		await spent("document.querySelector('[data-to=inverted]').click()") + " ms");
	await b.click("[data-to=merged]");
	await search(b, "method_1");
	check("the search on the big tree has a figure", /^\d+\.\d\d % matched/.test(await found(b)), await found(b));
};

const narrow = async (b) => {
	await b.size(320, 640);
	await open(b, page("small.html"));
	same("nothing is wider than 320 px", await b.run("return document.documentElement.scrollWidth <= 320 && document.body.scrollWidth <= 320"), true);
	await b.cdp("Emulation.clearDeviceMetricsOverride", {});
};

const longNames = async (b) => {
	await b.size(700, 500, 1);
	await open(b, page("hostile.html"));
	const cells = await b.run("return [...document.querySelectorAll('td.name')].map((td) => { const n = td.querySelector('button'), back = n.querySelector('.back'), front = n.querySelector('.front'); " +
		"return { cut: front.scrollWidth > front.clientWidth, over: n.getBoundingClientRect().right - td.getBoundingClientRect().right, left: n.getBoundingClientRect().width, back: back ? back.textContent : '' } })");
	check("table: names too long for their cells are cut in their middle, not left out", cells.some((c) => c.cut && c.back.endsWith("_its_end")) && cells.every((c) => c.over <= 0 && c.left > 20),
		cells.filter((c) => c.over > 0 || c.left <= 20)[0] || cells);
	const figures = await b.run("return [...document.querySelectorAll('#table tbody tr')].map((r) => r.cells[0].getBoundingClientRect()).map((r) => [r.left, r.right])");
	check("table: the figures stay in sight beside a name of 10,000 characters", figures.length > 5 && figures.every(([l, r]) => l >= 0 && r < 200), figures);
	same("and the page is no wider than its window", await b.run("return document.documentElement.scrollWidth <= 700"), true);
	await b.size(1280, 800, 1);
};

const svg = async (b) => {
	await b.go(page("small.svg"));
	const text = (css) => b.run("return document.querySelector(arguments[0]).textContent", css);
	has("svg: the ledger is in the picture", await b.run("return document.documentElement.textContent"), "lost 12 of 1012 samples");
	same("svg: no markup from names", await b.run("return document.querySelectorAll('img').length + document.querySelectorAll('script').length"), 1);
	has("svg: a title says the share", await b.run("return [...document.querySelectorAll('title')].map((t) => t.textContent).find((t) => t.startsWith('compute'))"), "600 samples, 60.00 %");
	await b.run("[...document.querySelectorAll('#f > g')].find((g) => g.textContent.startsWith('compute')).dispatchEvent(new MouseEvent('click'))");
	const widths = await b.run("return [...document.querySelectorAll('#f > g')].filter((g) => g.textContent.startsWith('compute')).map((g) => g.style.display ? 0 : Math.round(g.querySelector('rect').getBoundingClientRect().width))");
	check("svg: a click zooms", widths[0] > 1000 && widths[1] === 0, widths);
	const asked = "window.prompt = () => arguments[0]; [...document.querySelectorAll('#b text')].find((t) => t.textContent === 'search').dispatchEvent(new MouseEvent('click')); return document.getElementById('found').textContent";
	for (const [regex, want] of [["^helper$", 26], ["^(compute|helper)$", 75], ["nothing like it", 0]]) {
		const got = await b.run(asked, regex);
		check("svg: '" + regex + "' matches " + want + " %", Math.abs(Number.parseFloat(got) - want) < 0.1 && got.endsWith("% matched"), got);
	}
	await b.run("[...document.querySelectorAll('#b text')].find((t) => t.textContent === 'reset').dispatchEvent(new MouseEvent('click'))");
	same("svg: reset empties it", await b.run("return document.getElementById('found').textContent"), "");
	await b.size(1280, 500, 1);
	await b.go(page("real.svg"));
	const seen = await b.run("const r = document.querySelector('#f > g').getBoundingClientRect(), t = document.querySelector('#b').getBoundingClientRect();" +
		"return { tall: document.documentElement.height.baseVal.value, root: r.top, buttons: t.top, left: t.left, right: t.right, wide: innerWidth, high: innerHeight }");
	check("svg: taller than the window, it opens at its root, with its buttons", seen.tall > seen.high && seen.root > 0 && seen.root < seen.high && seen.buttons >= 0 &&
		seen.buttons < 40 && seen.right <= seen.wide, seen);
	await b.size(640, 500, 1);
	await b.go(page("real.svg"));
	const narrow = await b.run("const t = document.querySelector('#b').getBoundingClientRect(); return { right: t.right, left: t.left, wide: innerWidth }");
	check("svg: narrower than the picture, the buttons are in sight", narrow.right <= narrow.wide && narrow.left > 0, narrow);
	await b.size(1280, 800, 1);
	await b.go(page("small.svg"));
	check("svg: the document's title", (await text("title")).startsWith("skep flame"), await text("title"));
};

/* Whatever the pages did: no console message, and nothing but the files themselves was asked for. */
const quiet = async (b) => {
	const said = (await b.log("browser")).map((e) => e.message);
	check("no console messages", said.length === 0, said);
	const asked = (await b.log("performance")).map((e) => JSON.parse(e.message).message)
		.filter((m) => m.method === "Network.requestWillBeSent" || m.method === "Network.webSocketCreated")
		.map((m) => (m.params.request ? m.params.request.url : m.params.url)).filter((u) => u !== "about:blank");
	const pages = ["small.html", "small.svg", "views.html", "diff.html", "by.html", "wall.html", "hostile.html", "big.html", "huge.html", "real.svg"].map(page), others = asked.filter((u) => !pages.includes(u.split("#")[0]) && !u.startsWith("blob:file:") && !u.startsWith("blob:null"));
	check("the log of requests has the pages", pages.every((p) => asked.some((u) => u.split("#")[0] === p)), asked);
	check("no network requests", others.length === 0, others);
};

(async () => {
	const b = await Browser.open();
	const end = async (code) => { await b.close(); process.exit(code); };

	for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => end(1));
	try {
		/* the browser's own start page is not ours to judge */
		await b.go("about:blank");
		await b.log("performance");
		const features = require("./features.js")({ check, same, has, open, paint, page, dir, search, clickFrame });
		for (const part of [mouse, searching, views, keyboard, hostile, narrow, longNames, ...features, svg, big, quiet]) {
			try { await part(b); } catch (e) { check(part.name + " ran to its end", false, String(e.stack)); }
			await sleep(0);
		}
	} finally {
		console.log("1.." + n);
		await end(failed ? 1 : 0);
	}
})();
