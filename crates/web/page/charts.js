// Lines, bars and the picture of blocks, drawn on canvases in the page's own colours.
"use strict";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const rgb = (hex) => [1, 3, 5].map((at) => parseInt((hex.length === 4 ? hex.replace(/[0-9a-f]/gi, "$&$&") : hex).slice(at, at + 2), 16));
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** A canvas at the resolution of the screen, cleared; its context and its size. */
function surface(id) {
  const canvas = document.getElementById(id), scale = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = "11px 'Inter', 'Segoe UI', Arial, sans-serif";
  return { pen, width, height };
}

/** A round number at or above `value`. */
function roundUp(value) {
  const step = 10 ** Math.floor(Math.log10(value || 1));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((times) => times * step).find((round) => round >= value * 0.999) ?? value;
}

/** Axes: the place of a point on the canvas, after grid and numbers are drawn. */
function axes({ pen, width, height }, { end, most, least, log, unit }) {
  const [left, right, top, bottom] = [46, 8, 8, height - 20];
  const low = log ? Math.log10(least) : 0, high = log ? Math.log10(most) : most;
  const x = (value) => left + (width - left - right) * (end ? value / end : 0);
  const y = (value) => bottom - (bottom - top) * (((log ? Math.log10(Math.max(value, least)) : value) - low) / (high - low || 1));
  pen.strokeStyle = colour("--rule");
  pen.fillStyle = colour("--muted");
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  const marks = log ? [] : [0, 0.25, 0.5, 0.75, 1].map((part) => part * most);
  for (let power = Math.ceil(low); log && power <= high + 1e-9; power += 1) marks.push(10 ** power);
  for (const mark of marks) {
    pen.beginPath(); pen.moveTo(left, y(mark)); pen.lineTo(width - right, y(mark)); pen.stroke();
    pen.fillText(short.format(mark), left - 6, y(mark));
  }
  pen.textBaseline = "alphabetic";
  for (const part of [0, 0.5, 1]) {
    pen.textAlign = ["left", "center", "right"][part * 2];
    pen.fillText(`${short.format(end * part)}${part === 1 ? ` ${unit}` : ""}`, x(end * part), height - 5);
  }
  return { x, y };
}

/** Lines over simulated time: `[{ points: [[s, value]], colour, dashed }]`. */
function drawLines(id, lines, { log = false } = {}) {
  const on = surface(id), values = lines.flatMap((line) => line.points.map((point) => point[1]));
  const end = Math.max(...lines.flatMap((line) => line.points.map((point) => point[0])), 1e-9);
  if (!values.length) return;
  const top = Math.max(...values), least = log ? 10 ** Math.floor(Math.log10(Math.max(Math.min(...values), 1e-3))) : 0;
  const most = log ? 10 ** Math.ceil(Math.log10(Math.max(top, least * 1.01))) : roundUp(top);
  const { x, y } = axes(on, { end, most, least, log, unit: "s" });
  for (const { points, colour: name, dashed } of lines) {
    on.pen.strokeStyle = on.pen.fillStyle = colour(name);
    on.pen.lineWidth = 1.6;
    on.pen.setLineDash(dashed ? [5, 4] : []);
    on.pen.beginPath();
    points.forEach(([at, value], i) => on.pen[i ? "lineTo" : "moveTo"](x(at), y(value)));
    on.pen.stroke();
    if (points.length === 1) on.pen.fillRect(x(points[0][0]) - 2, y(points[0][1]) - 2, 4, 4);
  }
}

/** How many blocks have how many cycles. */
function drawWear(id, cycles) {
  const on = surface(id);
  if (!cycles.length) return;
  const most = Math.max(...cycles), least = Math.min(...cycles), count = Math.min(most - least + 1, 40);
  const bins = new Array(count).fill(0), step = (most - least + 1) / count;
  for (const value of cycles) bins[Math.floor((value - least) / step)] += 1;
  const top = roundUp(Math.max(...bins) / cycles.length);
  const { y } = axes(on, { end: 0, most: top, least: 0, log: false, unit: "" });
  const [left, right] = [46, 8], width = (on.width - left - right) / count;
  on.pen.fillStyle = colour("--paper");
  on.pen.fillRect(0, on.height - 18, on.width, 18);
  on.pen.fillStyle = colour("--cell");
  bins.forEach((bin, i) => on.pen.fillRect(left + i * width + 0.5, y(bin / cycles.length), Math.max(width - 1, 1), y(0) - y(bin / cycles.length)));
  on.pen.fillStyle = colour("--muted");
  on.pen.textAlign = "left"; on.pen.fillText(`${least}`, left, on.height - 5);
  on.pen.textAlign = "right"; on.pen.fillText(`${most} cycles`, on.width - right, on.height - 5);
}

/** Rows of cells, a die after the other, each in as many rows as make cells square. */
function drawBlocks(id, picture) {
  const { pen, width, height } = surface(id), count = picture.valid.length;
  const dies = picture.together === 1 ? picture.dies : 1, each = Math.ceil(count / dies);
  let rows = 1, best = Infinity;
  for (let tried = 1; tried <= each; tried += 1) {
    const odd = Math.abs(Math.log((width / Math.ceil(each / tried)) / (height / (dies * tried))));
    if (odd < best) [rows, best] = [tried, odd];
  }
  const across = Math.ceil(each / rows), gap = dies > 1 ? 3 : 0;
  const [w, h] = [width / across, (height - gap * (dies - 1)) / (dies * rows)];
  const [free, cell] = [rgb(colour("--free")), rgb(colour("--cell"))];
  const mixed = (share) => `rgb(${free.map((from, i) => Math.round(from + (cell[i] - from) * share)).join(",")})`;
  const shades = Array.from({ length: 256 }, (_, i) => mixed(i / 255));
  const [open, victim, lost] = [colour("--good"), colour("--gc"), colour("--ink")];
  for (let i = 0; i < count; i += 1) {
    const die = Math.floor(i / each), inside = i % each;
    const [x, y] = [(inside % across) * w, die * (rows * h + gap) + Math.floor(inside / across) * h];
    const state = picture.state[i], hit = state === 3 || picture.erased[i];
    pen.fillStyle = state === 4 ? lost : hit ? victim : shades[picture.valid[i]];
    pen.fillRect(x, y, Math.max(w - 1, 0.7), Math.max(h - 1, 0.7));
    if (state === 2 && w > 3) {
      pen.strokeStyle = open;
      pen.lineWidth = 1.5;
      pen.strokeRect(x + 0.75, y + 0.75, w - 2.5, h - 2.5);
    }
  }
}
