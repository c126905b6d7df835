/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The data, and what every part needs of words and elements. */
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
$("data").remove();

const KIND = { user: 0, kernel: 1, jit: 2, inlined: 3, unknown: 4, mark: 5 };
const KIND_TEXT = ["user", "kernel", "JIT", "inlined", "no symbol", "marker"];
const SEVERAL = -2, SMALL = -1, IDLE = -3;
const NAME_MAX = 2000, BACK_CHARS = 14, WHOLE_CHARS = 28;

const count = (n) => n.toLocaleString("en-US");
const plural = (n, word) => count(n) + " " + word + (n === 1 ? "" : "s");
const percent = (part, all) => (all > 0 ? 100 * part / all : 0).toFixed(2) + " %";
/* of shares that may be far below 0.01 % */
const few = (part, all) => Number((all > 0 ? 100 * part / all : 0).toPrecision(2)) + " %";
const scaled = (n, base, units) => {
	let i = 0;
	while (n >= base && i < units.length - 1) { n /= base; i++; }
	return (i && n < 100 ? n.toFixed(2) : Math.round(n).toString()) + " " + units[i];
};
const time = (ns) => {
	const s = Math.round(ns / 1e9);
	return ns >= 60e9 ? Math.floor(s / 60) + " min " + s % 60 + " s" : scaled(ns, 1000, ["ns", "µs", "ms", "s"]);
};
const bytes = (n) => scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
/* "+1.20": in points of the share; the minus is the sign, not a hyphen */
const points = (x) => { const text = Math.abs(100 * x).toFixed(2); return Number(text) ? (x > 0 ? "+" : "−") + text : "0.00"; };
const el = (tag, text, cls) => {
	const e = document.createElement(tag);
	if (text !== undefined) e.textContent = text;
	if (cls) e.className = cls;
	return e;
};
const button = (text, cls, action) => {
	const b = el("button", text, cls);
	b.type = "button";
	if (action) b.addEventListener("click", action);
	return b;
};
const pairs = (dl, list) => {
	dl.replaceChildren(...list.flatMap(([k, v]) => [el("dt", k), el("dd", v)]));
};
const clip = (text, most) => text.length > most ? text.slice(0, most) + "…" : text;
/* A name that gives way in its middle: its front shrinks, its back stays. */
const shortened = (text) => {
	if (text.length <= WHOLE_CHARS) return [el("span", text, "front")];
	const cut = text.length - BACK_CHARS;
	return [el("span", clip(text.slice(0, cut), 400), "front"), el("span", text.slice(cut), "back")];
};

/* Names are any bytes: what would reorder, hide or break a line is shown as a code instead. */
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const visible = (text) => text.replace(hidden, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
for (const key of ["names", "objs", "files"]) if (data[key]) data[key] = data[key].map(visible);
