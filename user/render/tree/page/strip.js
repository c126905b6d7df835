/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The load over time, to select a span of it; and by process, thread and CPU: what the slices of the file allow. */
const strip = $("strip"), STRIP_HIGH = 44;
let stripDrag = null;

const hasTime = (v) => v.slices && v.slices.in_bin.length > 1;
/* What each bin has of the process, thread and CPU that are chosen. */
const loads = (v) => {
	const sl = v.slices, out = new Float64Array(sl.in_bin.length), want = wanted(v, { ...state, span: null });
	for (let i = 0; i < sl.node.length; i++) if (!want || want(i)) out[sl.bin[i]] += sl.weight[i];
	return out;
};
const stripX = (bin, bins) => bin / bins * strip.clientWidth;
const drawStrip = () => {
	const v = views[state.tab];
	$("when").hidden = !hasTime(v);
	if (!hasTime(v)) return;
	const load = loads(v), bins = load.length, dpr = devicePixelRatio || 1, wide = strip.clientWidth, c = strip.getContext("2d");
	let top = 0;
	for (const w of load) if (w > top) top = w;
	if (!wide) return;
	strip.width = Math.round(wide * dpr);
	strip.height = Math.round(STRIP_HIGH * dpr);
	c.setTransform(dpr, 0, 0, dpr, 0, 0);
	const span = stripDrag ? [stripDrag.a, stripDrag.b].sort((a, b) => a - b) : state.span, base = STRIP_HIGH - 1;
	c.fillStyle = inks.faint;
	c.fillRect(0, base, wide, 1);
	for (let b = 0; b < bins; b++) {
		const x = stripX(b, bins), w = stripX(b + 1, bins) - x, h = top ? load[b] / top * (STRIP_HIGH - 6) : 0;
		c.globalAlpha = span && (b < span[0] || b >= span[1]) ? .3 : 1;
		c.fillStyle = inks.honey;
		c.fillRect(x, base - h, Math.max(w - (w > 3 ? .6 : 0), .7), h);
	}
	c.globalAlpha = 1;
	if (span) {
		c.strokeStyle = inks.focus;
		c.lineWidth = 1.5;
		c.strokeRect(stripX(span[0], bins) + .75, .75, Math.max(stripX(span[1], bins) - stripX(span[0], bins) - 1.5, 2), STRIP_HIGH - 1.5);
	}
	const ns = v.slices.bin_ns, out = $("span");
	out.replaceChildren();
	if (span) out.append(el("b", time(span[0] * ns) + " – " + time(Math.min(span[1] * ns, v.slices.span_ns))), " of " + time(v.slices.span_ns));
	else out.append(time(v.slices.span_ns) + ", all of it");
};
const binAt = (ev) => {
	const bins = views[state.tab].slices.in_bin.length;
	return Math.max(0, Math.min(bins, Math.round((ev.clientX - strip.getBoundingClientRect().left) / strip.clientWidth * bins)));
};
strip.addEventListener("pointerdown", (ev) => {
	if (ev.button) return;
	strip.setPointerCapture(ev.pointerId);
	stripDrag = { a: binAt(ev), b: binAt(ev) };
});
strip.addEventListener("pointermove", (ev) => {
	if (!stripDrag) return;
	stripDrag.b = binAt(ev);
	drawStrip();
});
strip.addEventListener("pointerup", () => {
	if (!stripDrag) return;
	const [a, b] = [stripDrag.a, stripDrag.b].sort((x, y) => x - y);
	stripDrag = null;
	go({ span: a < b ? [a, b] : null });
});
strip.addEventListener("pointercancel", () => { stripDrag = null; drawStrip(); });
strip.addEventListener("keydown", (ev) => {
	const v = views[state.tab], bins = v.slices.in_bin.length, step = { ArrowLeft: -1, ArrowRight: 1 }[ev.key];
	if (ev.ctrlKey || ev.altKey || ev.metaKey) return;
	if (ev.key === "Escape" && state.span) { ev.preventDefault(); ev.stopPropagation(); go({ span: null }); return; }
	if (ev.key === "Home" || ev.key === "End") {
		const long = state.span ? state.span[1] - state.span[0] : Math.max(1, Math.round(bins / 10));
		ev.preventDefault();
		go({ span: ev.key === "Home" ? [0, long] : [bins - long, bins] }, true);
	}
	if (!step) return;
	ev.preventDefault();
	const long = Math.max(1, Math.round(bins / 10)), [a, b] = state.span || (step > 0 ? [-1, long - 1] : [bins - long + 1, bins + 1]);
	if (ev.shiftKey) go({ span: [Math.max(0, a), Math.max(Math.max(0, a) + 1, Math.min(bins, b + step))] }, !!state.span);
	else if (a + step >= 0 && b + step <= bins) go({ span: [a + step, b + step] }, !!state.span);
});

/* ---- controls of the second line ---- */
const option = (value, text, chosen) => { const o = el("option", text); o.value = value; o.selected = value === chosen; return o; };
const whoOptions = (sl) => {
	const pids = new Map();
	for (let i = 0; i < sl.pid.length; i++) {
		const p = pids.get(sl.pid[i]) || { comm: sl.comm[i], threads: [] };
		if (sl.tid[i] === sl.pid[i]) p.comm = sl.comm[i];
		p.threads.push(i);
		pids.set(sl.pid[i], p);
	}
	const list = [option("", "all processes", state.who)];
	for (const [pid, p] of [...pids].sort((a, b) => a[0] - b[0])) {
		const threads = new Map(p.threads.filter((i) => sl.tid[i]).map((i) => [sl.tid[i], sl.comm[i]]));
		list.push(option("p" + pid, clip(p.comm, 40) + " " + pid, state.who));
		if (threads.size > 1) for (const [tid, comm] of [...threads].sort((a, b) => a[0] - b[0])) list.push(option("t" + tid, "\u2003" + clip(comm, 40) + ", thread " + tid, state.who));
	}
	return list;
};
const controls = (v) => {
	const sl = v.slices, colours = Object.keys(COLOURS).filter((c) => c !== "change" || v.before);
	$("colour").replaceChildren(...colours.map((c) => option(c, COLOURS[c], state.colour)));
	$("who-label").hidden = $("cpu-label").hidden = true;
	if (sl) {
		const who = whoOptions(sl), cpus = [...new Set(sl.cpu)].filter((c) => c >= 0).sort((a, b) => a - b);
		$("who-label").hidden = who.length <= 2;
		$("who").replaceChildren(...who);
		$("cpu-label").hidden = cpus.length < 2;
		$("cpu").replaceChildren(option("", "all", state.cpu), ...cpus.map((c) => option(String(c), String(c), state.cpu)));
	}
	$("sides").hidden = !v.before;
	for (const b of $("sides").querySelectorAll("button")) {
		const names = v.names_of_sides || ["Before", "After"];
		if (b.dataset.to !== "difference") { b.textContent = b.dataset.to === "after" ? "After" : "Before"; b.title = clip(names[b.dataset.to === "after" ? 1 : 0], NAME_MAX); }
	}
	$("kernel").hidden = !frames.kind.includes(KIND.kernel);
	$("reset").disabled = !(state.zoom || state.query || state.from > 0 || state.to < 1 || state.chips.length || state.span || state.who || state.cpu !== "" || state.func >= 0 || !state.kernel || !state.recursion || state.idle);
};
for (const key of ["colour", "who", "cpu"]) $(key).addEventListener("change", () => go({ [key]: $(key).value }));
for (const key of ["kernel", "recursion"]) $(key).addEventListener("click", () => go({ [key]: !state[key] }));

const chipItem = (does, name, off, title) => {
	const li = el("li"), text = el("span", does ? does + " " : "", "text"), b = el("b");
	b.append(...shortened(name));
	text.append(b);
	li.title = clip(title || does + " " + name, NAME_MAX);
	const x = button("×", "", off);
	x.setAttribute("aria-label", "Take off: " + clip(does + " " + name, 200));
	li.append(text, x);
	return li;
};
const chips = () => {
	const list = state.chips.map((c, k) => chipItem(DOES[c.does] + " " + TO[c.to], c.name, () => go({ chips: state.chips.filter((_, i) => i !== k) }))), idle = views[state.tab].idle;
	if (state.func >= 0) list.unshift(chipItem("around", data.names[state.func], () => go({ func: -1 }), "callers and callees of " + data.names[state.func]));
	if (idle) {
		const li = el("li"), text = el("span", undefined, "text");
		text.append(state.idle ? idleText() + " shown" : idleText() + " left out");
		li.title = "threads that were off the CPUs in one and the same stack for " + 100 * IDLE_SHARE + " % of the run or more";
		li.append(text, button(state.idle ? "fold" : "open", "open", () => go({ idle: !state.idle })));
		list.push(li);
	}
	$("chips").replaceChildren(...list);
};
