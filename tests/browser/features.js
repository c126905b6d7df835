/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the page can do with a tree, each against the truth of gen.c's "views" and "small". */
"use strict";
const fs = require("node:fs");
const path = require("node:path");

module.exports = ({ check, same, has, open, paint, page, dir, search, clickFrame }) => {
const near = (text, got, want, by) => check(text + ": " + want, Math.abs(got - want) <= by, got);
const percent = (b, name) => b.run("return skep.percent(arguments[0])", name);
const state = (b) => b.run("return skep.state");
const chips = (b) => b.run("return [...document.querySelectorAll('#chips li')].map((li) => li.textContent)");
const menu = async (b, name, item) => {
	const at = await b.run("return skep.locate(arguments[0])", name);
	await b.rightClickAt(at.x + Math.min(at.width / 2, 40), at.y + 9);
	await b.run("[...document.querySelectorAll('#menu [role=menuitem]')].find((x) => x.textContent === arguments[0]).id = 'chosen'", item);
	await b.click("#chosen");
	await paint(b);
};
const chooseOption = async (b, id, value) => {
	await b.run("const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))", id, value);
	await paint(b);
};
const box = (b, id) => b.run("const r = document.getElementById(arguments[0]).getBoundingClientRect(); return { x: r.left, y: r.top, w: r.width, h: r.height }", id);

const inverted = async (b) => {
	await open(b, page("small.html"));
	await b.keys("i");
	await paint(b);
	same("inverted: leaves are roots", await b.run("return skep.locate('compute').depth"), 1);
	near("inverted: with what ended in them", await b.run("return 100 * skep.locate('compute').width / document.getElementById('canvas').clientWidth"), 49, 0.1);
	const rows = await b.run("return [...document.querySelectorAll('#table tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))");
	check("inverted: the table says the same as before", rows[0][2] === "compute" && rows[0][0] === "49.00 %" && rows.find((r) => r[2] === "main")[1] === "89.00 %", rows[0]);
	check("inverted: a caller stands on its callee", await b.run("return skep.locate('main').depth") > 1);
	await b.call("POST", "/back", {});
	await b.until("history", "return skep.state.root === 'process'");
	check("and the browser's back turns it again", await b.run("return skep.locate('compute').depth") > 2);
};

const sandwich = async (b) => {
	await open(b, page("small.html"));
	await b.run("[...document.querySelectorAll('#table td.name button')].find((x) => x.textContent === 'compute').id = 'row'");
	await b.click("#row");
	await paint(b);
	const around = await b.text("#around");
	has("sandwich: the share of all", around, "69.00 % of all");
	has("sandwich: a caller", around, "main");
	has("sandwich: a callee", around, "helper");
	has("sandwich: the callee's share of it", around, "28.99 %");
	const at = await b.run("return [skep.locate('main').y, skep.locate('compute').y, skep.locate('helper').y]");
	check("sandwich: callers on top, callees below", at[0] < at[1] && at[1] < at[2], at);
	await b.run("document.getElementById('canvas').focus()");
	await b.keys("Up");
	same("sandwich: Up goes to the caller", await b.run("return document.getElementById('status').dataset.name"), "main");
	await b.keys("Down", "Down");
	same("sandwich: Down to the callee", await b.run("return document.getElementById('status').dataset.name"), "helper");
	has("sandwich: it is a chip", (await chips(b)).join(), "around compute");
	await b.click("#chips button");
	await paint(b);
	same("and the chip takes it off", (await state(b)).func, -1);
};

const filters = async (b) => {
	await open(b, page("small.html"));
	await menu(b, "compute", "Hide stacks with it");
	near("hide a function: its time is gone", await percent(b, "main"), 20, 0.01);
	same("and so is the frame", await b.run("return skep.locate('compute')"), null);
	await b.click("#chips button");
	await menu(b, "compute", "Only stacks with this function");
	near("only a function: what else there is, is gone", await b.run("return skep.percent('app (10)') + skep.percent('app (11)') + skep.percent('java (12)')"), 69, 0.01);
	await menu(b, "app (11)", "Hide thread app (11)");
	near("hide a thread on top of it", await b.run("return skep.percent('app (10)') + skep.percent('app (11)')"), 60, 0.01);
	same("both are chips", (await chips(b)).length, 2);
	const hash = await b.run("return location.hash");
	await open(b, page("small.html") + hash);
	near("the fragment brings filters back", await percent(b, "main"), 60, 0.01);
	await b.click("#chips li:nth-child(2) button");
	await b.click("#chips button");
	await paint(b);
	await menu(b, "compute", "Fold it into its callers");
	same("folded: no such frame", await b.run("return skep.locate('compute')"), null);
	near("folded: its time is its caller's", await b.run("return skep.percent('main')"), 89, 0.01);
	near("folded: its callees stay", await percent(b, "helper"), 26, 0.01);
	await b.click("#reset");
	await menu(b, "compute", "Only stacks with /bin/app");
	near("only an object", await b.run("return skep.percent('app (10)') + skep.percent('app (11)') + skep.percent('java (12)')"), 95, 0.01);
	await b.click("#reset");
	await b.click("#kernel");
	await paint(b);
	same("no kernel: no frame of it", await b.run("return skep.locate('vfs_read')"), null);
	near("no kernel: its time is the caller's", await percent(b, "main"), 89, 0.01);
	await b.click("#kernel");
	const deep = await b.run("return skep.nodes");
	await b.click("#recursion");
	await paint(b);
	check("no recursion: fewer frames", await b.run("return skep.nodes") === deep - 1, [deep, await b.run("return skep.nodes")]);
	near("no recursion: the same share", await percent(b, "helper"), 26, 0.01);
	await b.click("#reset");
};

const timeSpan = async (b) => {
	await open(b, page("views.html"));
	near("all of the time: compute", await percent(b, "compute"), 500 / 1600 * 100, 0.01);
	let r = await box(b, "strip");
	check("the strip is there", r.h >= 30 && r.w > 300, r);
	await b.drag(r.x + 1, r.y + 20, r.x + r.w / 2, r.y + 20);
	await paint(b);
	near("the first half by dragging: compute", await percent(b, "compute"), 500 / 700 * 100, 1);
	near("and the second thread", await percent(b, "worker"), 200 / 700 * 100, 1);
	same("nothing of what came later", await percent(b, "query"), 0);
	has("the span is said", await b.text("#span"), "of 9.99 s");
	await b.call("POST", "/back", {});
	await b.until("history", "return !skep.state.span");
	near("back: all of the time", await percent(b, "compute"), 500 / 1600 * 100, 0.01);
	await b.run("document.getElementById('strip').focus()");
	await b.keys("End");
	await paint(b);
	near("by keyboard: the last tenth, of db and app", await percent(b, "query"), 50, 3);
	await b.keys("Escape");
	same("Escape takes the span off", (await state(b)).span, null);
	await chooseOption(b, "who", "p20");
	near("one process", await percent(b, "query"), 100, 0.01);
	await chooseOption(b, "who", "t11");
	near("one thread", await percent(b, "worker"), 100, 0.01);
	await chooseOption(b, "who", "");
	await chooseOption(b, "cpu", "1");
	near("one CPU", await percent(b, "query"), 400 / 600 * 100, 0.01);
};

const events = async (b) => {
	await open(b, page("views.html"));
	same("a tab for each event", await b.run("return [...document.querySelectorAll('[role=tab]')].map((t) => t.textContent).join()"), "cpu-clock,page-faults,offcpu-time");
	await b.run("document.querySelector('[role=tab]').focus()");
	await b.keys("Right");
	await paint(b);
	same("the second one by keyboard", (await state(b)).tab, 1);
	near("page faults", await percent(b, "asm_exc_page_fault"), 100, 0.01);
	has("its head", await b.text("#facts"), "page-faults");
	await open(b, page("views.html") + "#t=2");
	near("off the CPUs: sleepers are left out of the shares", await percent(b, "read"), 2000 / 2200 * 100, 0.01);
	const idle = await b.run("return skep.locate('idle: 5 threads')");
	check("and stand in one frame", !!idle && idle.width > 50, idle);
	has("which is a chip, too", (await chips(b)).join(), "idle: 5 threads left out");
	await b.clickAt(idle.x + 20, idle.y + 9);
	await paint(b);
	near("opened: they have their part", await percent(b, "next_job"), 49760 / (49760 + 2200) * 100, 0.01);
	await open(b, page("views.html") + "#t=2&i=1&w=62-125");
	near("an off-CPU span lies where it was, not where it ended", await percent(b, "read"), 2000 / (2000 + 5 * 2016) * 100, 0.7);
};

const looking = async (b) => {
	await open(b, page("small.html"));
	const narrow = await b.run("return skep.locate('vfs_read')");
	await b.wheel(narrow.x + narrow.width / 2, narrow.y + 9, -120);
	await paint(b);
	const wider = await b.run("return skep.locate('vfs_read')");
	near("the wheel zooms by a fifth", wider.width / narrow.width, 1.2, 0.02);
	await b.click("#reset");
	await paint(b);
	const at = await b.run("return skep.locate('compute')");
	await b.drag(at.x + 10, at.y + 9, at.x + at.width / 2, at.y + 9);
	await paint(b);
	const s = await state(b);
	check("a drag over a span zooms to it", s.to - s.from < .5 && s.zoom === 0, s);
	await b.run("document.getElementById('canvas').focus()");
	await b.chord("Shift", "Right");
	check("Shift and an arrow move it", (await state(b)).from > s.from, await state(b));
	await b.keys("-", "-", "-", "-", "-", "-", "-");
	same("and - leads out", await b.run("return skep.state.to - skep.state.from"), 1);
	await b.keys("+", "+");
	const m = await box(b, "map");
	await b.clickAt(m.x + m.w - 3, m.y + 5);
	near("the small map moves to its end", (await state(b)).to, 1, 1e-9);
	await b.click("#reset");
	await b.chord("Control", "f");
	same("Ctrl-F is the page's search", await b.run("return document.activeElement.id"), "search");
	await b.keys(..."helper");
	await paint(b);
	await b.keys("Enter");
	has("Enter goes to the first match", await b.text("#found"), "1 of 3 frames");
	same("which is selected", await b.run("return document.getElementById('status').dataset.name"), "helper");
	await b.keys("Enter");
	await b.chord("Shift", "Enter");
	await b.chord("Shift", "Enter");
	has("Shift and Enter go back, around", await b.text("#found"), "3 of 3 frames");
	await b.run("document.getElementById('canvas').focus()");
	await b.keys("n");
	has("n is the next", await b.text("#found"), "1 of 3 frames");
	await b.keys("N");
	has("N the one before", await b.text("#found"), "3 of 3 frames");
};

const copies = async (b) => {
	await open(b, page("views.html") + "#w=0-156&o=p10");
	await menu(b, "compute", "Copy name");
	same("copied: the name", await b.run("return skep.copied"), "compute");
	await menu(b, "compute", "Copy stack");
	same("copied: the stack", await b.run("return skep.copied"), "app\nmain (/bin/app)\ncompute (/bin/app)");
	await menu(b, "compute", "Copy command");
	same("copied: the command, quoted", await b.run("return skep.copied"), "skep report -i 'it'\\''s a file.data' --event-index 0 --time 5.000000000,9.992000000 --pid 10 --percentage relative");
	await open(b, page("small.html") + "#z=3");
	const folded = await b.call("POST", "/execute/async", { script: "const done = arguments[0]; skep.exported('folded').then(done)", args: [] });
	same("exported: folded stacks of the zoomed frame", folded.trim().split("\n").sort().join("|"),
		"app (10);main;compute 400000000|app (10);main;compute;helper 150000000|app (10);main;compute;helper;helper 50000000");
	const svg = await b.call("POST", "/execute/async", { script: "const done = arguments[0]; skep.exported('svg').then((t) => { const d = new DOMParser().parseFromString(t, 'image/svg+xml');" +
		"done([d.querySelector('parsererror') ? t.slice(0, 300) : '', [...d.querySelectorAll('text')].map((x) => x.textContent).join('|')]); })", args: [] });
	check("exported: an SVG that parses", svg[0] === "" && svg[1].includes("compute") && !svg[1].includes("java"), svg);
	const png = await b.call("POST", "/execute/async", { script: "const done = arguments[0]; skep.exported('png').then(done)", args: [] });
	check("exported: a PNG", png > 2000, png);
	await b.cdp("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: path.join(dir, "saved") });
	await b.click("#export");
	await b.run("[...document.querySelectorAll('#menu [role=menuitem]')].find((x) => x.textContent === 'SVG picture').id = 'save'");
	await b.click("#save");
	let saved = [];
	for (let i = 0; i < 100 && !saved.length; i++) {
		saved = fs.existsSync(path.join(dir, "saved")) ? fs.readdirSync(path.join(dir, "saved")).filter((f) => f.endsWith(".svg")) : [];
		await new Promise((done) => setTimeout(done, 50));
	}
	check("the SVG's colours are #rrggbb", saved.length === 1 && (fs.readFileSync(path.join(dir, "saved", saved[0]), "utf8").match(/fill="[^"]*"/g) || []).every((f) => /^fill="#[0-9a-f]{6}"$/.test(f)), saved);
	check("the menu saves a file", saved.length === 1 && fs.readFileSync(path.join(dir, "saved", saved[0]), "utf8").includes("</svg>"), saved);
	await b.run("document.getElementById('canvas').focus()");
	await b.keys("m");
	same("m opens the menu", await b.run("return document.activeElement.getAttribute('role')"), "menuitem");
	await b.keys("Down", "Escape");
	same("Escape closes it and returns", await b.run("return document.activeElement.id + document.getElementById('menu').hidden"), "canvastrue");
};

const colours = async (b) => {
	/* from a copy: Chromium remarks on a canvas that is read more than once */
	const ink = "const c = document.getElementById('canvas'), at = skep.locate(arguments[0]), r = c.getBoundingClientRect(), k = c.width / r.width;" +
		"const copy = document.createElement('canvas'), to = copy.getContext('2d'); copy.width = copy.height = 1;" +
		"to.drawImage(c, (at.x - r.left + at.width - 6) * k, (at.y - r.top + 4) * k, 1, 1, 0, 0, 1, 1); return [...to.getImageData(0, 0, 1, 1).data].join()";
	const seen = new Set(), paper = () => b.run("return getComputedStyle(document.body).backgroundColor");
	await b.scheme("light");
	await open(b, page("small.html"));
	for (const by of ["kind", "object", "share"]) {
		await chooseOption(b, "colour", by);
		seen.add(await b.run(ink, "main"));
		check("coloured by " + by + ", with a legend", (await b.run("return document.querySelectorAll('#legend li').length")) >= 3);
	}
	same("three ways, three colours", seen.size, 3);
	const light = await paper();
	await b.click("#theme");
	same("theme: light", await paper(), light);
	await b.click("#theme");
	check("theme: dark", await paper() !== light, await paper());
	has("it says so", await b.text("#theme"), "dark");
	await open(b, page("small.html"));
	check("and is kept", await paper() !== light, await paper());
	await b.click("#theme");
	same("theme: as the system", await paper(), light);
};

/* small.html as name, with other data: change() has what there is. */
const writePage = (name, change) => {
	const text = fs.readFileSync(path.join(dir, "small.html"), "utf8"), from = text.indexOf('id="data">') + 10, end = text.indexOf("</script>", from);
	const d = JSON.parse(text.slice(from, end));
	change(d);
	fs.writeFileSync(path.join(dir, name), text.slice(0, from) + JSON.stringify(d).replaceAll("<", "\\u003c") + text.slice(end));
	return d;
};

/* What "Copy command" copies of a page with this fragment. */
const commands = async (b) => {
	const copied = async (name, fragment) => {
		await open(b, page(name) + fragment);
		await b.click("#export");
		await b.run("[...document.querySelectorAll('#menu [role=menuitem]')].find((x) => x.textContent === 'Copy command').id = 'copy'");
		await b.click("#copy");
		return b.run("return skep.copied");
	};
	const only = (thread) => "#f=" + encodeURIComponent("ot" + thread), offCpu = "'it'\\''s a file.data' --event-index 2 ";
	writePage("by.html", (d) => { d.input = "f.data"; d.by = "pid"; d.options = ["--inline", "--no-kernel"]; });
	writePage("wall.html", (d) => { d.input = "f.data"; d.options = ["--wall"]; });
	for (const [name, fragment, want] of [
		["small.html", "#q=help&r=merged", "skep flame </title><script>window.pwned=3</script>  # then in the page: merged; search help"],
		["by.html", "#v=icicle", "skep flame -i f.data --by pid --inline --no-kernel --icicle -o flame.html"],
		["by.html", "#r=inverted&q=help&c=0", "skep flame -i f.data --by pid --inline --no-kernel -o flame.html  # then in the page: without recursion; inverted; search help"],
		["by.html", only("app (11)"), "skep report -i f.data --pid 11 --inline  # the page also has: without kernel frames"],
		["by.html", only("app"), "skep flame -i f.data --by pid --inline --no-kernel -o flame.html  # then in the page: only thread app"],
		["wall.html", only("app"), "skep flame -i f.data --wall -o flame.html  # then in the page: only thread app"],
		["views.html", only("app") + "&r=inverted", "skep report -i 'it'\\''s a file.data' --event-index 0 --comms app --no-children -g"],
		["views.html", "#t=2", "skep flame -i " + offCpu + "-o flame.html"],
		["views.html", "#t=2&i=1", "skep flame -i " + offCpu + "-o flame.html  # then in the page: with idle threads"],
		["views.html", "#t=2&o=p10&f=" + encodeURIComponent("ofread"), "skep report -i " + offCpu + "--pid 10 --percentage relative  # the page also has: only function read"],
	])
		same("the command of " + name + fragment, await copied(name, fragment), want);
};

/* The columns that a comparison adds, in the file that a profile writes. */
const writeDiff = () => writePage("diff.html", (d) => {
	const unit = d.scale;
	/* helper was half as much, vfs_read twice: of 1000 samples before */
	d.before = d.count.map((c, i) => { const name = d.names[d.frames[3 * d.node[i]]]; return unit * (name === "helper" ? c / 2 : name === "vfs_read" ? 2 * c : c); });
	d.before_count = d.before.reduce((a, w) => a + w, 0) / unit;
	d.before_weight = d.before_count * unit;
	d.names_of_sides = ["old.data", "new.data"];
}).before_count;
const exported = (b, as) => b.call("POST", "/execute/async", { script: "const done = arguments[1]; skep.exported(arguments[0]).then(done)", args: [as] });
const difference = async (b) => {
	const before = writeDiff();
	/* what is exported of vfs_read: 100 samples of 1 ms after, 200 before */
	const seen = async () => [(await exported(b, "folded")).split("\n").find((l) => l.includes(";vfs_read ")), /<title>vfs_read\n([^<]*)</.exec(await exported(b, "svg"))?.[1]].join();
	const vfs = "app (10);main;do_syscall_64;vfs_read ";
	await open(b, page("diff.html"));
	const w = (name) => b.run("return skep.locate(arguments[0]).width / document.getElementById('canvas').clientWidth", name);
	near("diff: widths of after", await w("vfs_read"), .1, 0.005);
	same("diff: exported: after", await seen(), vfs + "100000000,10.00 %");
	await b.click("[data-to=before]");
	await paint(b);
	near("diff: widths of before", await w("vfs_read"), 200 / before, 0.005);
	same("diff: exported: before", await seen(), vfs + "200000000," + (20000 / before).toFixed(2) + " %");
	await b.click("[data-to=difference]");
	await paint(b);
	check("diff: as wide as the change", await w("vfs_read") > .2 && await b.run("return !skep.locate('java (12)') || skep.locate('java (12)').width < 400"));
	same("diff: exported: both sides of the difference", await seen(), vfs + "200000000 100000000,−" + (20000 / before - 10).toFixed(2) + " points");
	await b.click("[data-to=after]");
	await paint(b);
	const at = await b.run("return skep.locate('vfs_read')");
	await b.pointAt(at.x + 20, at.y + 9);
	const tip = await b.text("#tip");
	has("diff: the tooltip has the share before", tip, (20000 / before).toFixed(2) + " %");
	has("diff: and the change, with its sign", tip, "−" + (20000 / before - 10).toFixed(2) + " points");
	const rows = await b.run("return [...document.querySelectorAll('#table tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))");
	const helper = rows.find((r) => r[3] === "helper");
	same("diff: the table has it", helper && helper[2], "+" + (26 - 13000 / before).toFixed(2));
	has("diff: the sides have names", await b.run("return document.querySelector('[data-to=before]').title"), "old.data");
	has("diff: the legend", await b.text("#legend"), "points: grew");
	await b.click("[data-key=change]");
	same("diff: sorted by the change", await b.run("return document.querySelector('#table tbody tr').cells[2].textContent[0] !== '0'"), true);
};

const hostileNames = async (b) => {
	await open(b, page("hostile.html"));
	has("minutes and seconds are rounded together", await b.text("#facts"), "2 min 0 s");
	const long = await b.run("return skep.locate('n'.repeat(10000) + '_its_end')");
	await b.pointAt(long.x + 20, long.y + 9);
	await paint(b);
	const tip = await box(b, "tip");
	check("a name of 10,000 characters has a tooltip inside the window", tip.h > 0 && tip.y >= 0 && tip.y + tip.h <= 801, tip);
	await b.clickAt(long.x + 20, long.y + 9);
	await paint(b);
	const bar = await box(b, "status");
	check("and a status line that leaves room for the graph", bar.h < 120, bar);
	await b.click("#reset");
	for (const text of ["</script><script>window.pwned=5</script>", "\" onmouseover=\"window.pwned=6", "right\\u202e left", "tab\\u0009here\\u0001\\u001b[31m"])
		check("'" + text + "' is text", !!(await b.run("return skep.locate(arguments[0])", text)), text);
	await menu(b, "</script><script>window.pwned=5</script>", "Only stacks with this function");
	await menu(b, "</script><script>window.pwned=5</script>", "Copy command");
	has("a command has it in a comment only", await b.run("return skep.copied.split('#')[1]"), "</script>");
	same("nothing of it ran", await b.run("return window.pwned === undefined && !document.querySelector('img')"), true);
	const svg = await b.call("POST", "/execute/async", { script: "const done = arguments[0]; skep.exported('svg').then((t) => done(new DOMParser().parseFromString(t, 'image/svg+xml').querySelector('parsererror,script') ? t.slice(0, 300) : ''))", args: [] });
	same("and the exported SVG is well formed, without a script", svg, "");
};

const narrowTable = async (b) => {
	await b.size(400, 760, 1);
	await open(b, page("views.html"));
	const g = await box(b, "graph"), t = await box(b, "table");
	check("400 px: the table is below the graph", t.y >= g.y + g.h && t.w <= 400, [g, t]);
	same("400 px: nothing is wider", await b.run("return document.documentElement.scrollWidth <= 400"), true);
	await b.click("[data-to=table]");
	await paint(b);
	same("400 px: or alone", await b.run("return document.getElementById('picture').hidden"), true);
	await b.size(1280, 800, 1);
};

const huge = async (b) => {
	await open(b, page("huge.html"));
	const note = await b.text("#note"), m = /leaves out ([\d,]+) frames below ([\d.e-]+) % of all, with ([\d.]+) %/.exec(note);
	check("too many frames: the page says what it left out", !!m && Number(m[1].replaceAll(",", "")) > 100000, note);
	console.log("# " + (m && m[0]) + ", of " + (await b.run("return skep.nodes")) + " that are kept");
	near("and the sum is still all", await percent(b, "worker"), 100, 1e-6);
	await search(b, "left out");
	check("what is left out is a frame", Math.abs(Number.parseFloat(await b.text("#found")) - Number(m[3])) < 0.02, [await b.text("#found"), m && m[3]]);
};

return [inverted, sandwich, filters, timeSpan, events, looking, copies, commands, colours, difference, hostileNames, narrowTable, huge];
};
