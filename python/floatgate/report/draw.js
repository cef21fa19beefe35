// Unpacks the plotting library and the figures, and draws each at its place, as wide as that is, in light or dark.
const NARROW = 560, PAPER = 680; // pixels: panels below each other; the width of a printed page
const dark = matchMedia("screen and (prefers-color-scheme: dark)");
const LETTERS = 16, ROW = 30; // of a name beside an upright axis of a narrow figure, where a row has room for two lines
let drawn = null, widths = {};

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

function draw(name, width, light) {
  const place = document.getElementById(name);
  const figure = drawn.figures[name];
  const text = JSON.stringify(figure.plot);
  const plot = JSON.parse(light ? text : text.replace(/#[0-9a-f]{6}\b/g, (colour) => drawn.dark[colour] ?? colour));
  let height = figure.height;
  if (width < NARROW && figure.columns > 1) {
    const rows = Math.ceil(plot.figures.length / figure.columns);
    height = (height / rows) * plot.figures.length;
    Object.assign(plot.layout, { ncol: 1, nrow: plot.figures.length });
    delete plot.layout.widths;
    delete plot.layout.heights;
  }
  if (width < NARROW) plot.figures.forEach((panel) => narrowed(panel, height));
  place.replaceChildren();
  place.style.height = `${height}px`;
  const sizing = { width_mode: "FIXED", height_mode: "FIXED", width, height };
  LetsPlot.buildPlotFromRawSpecs(plot, place, sizing);
  widths[name] = width;
}

function narrowed(panel, height) {
  for (const scale of panel.scales ?? []) {
    if (scale.aesthetic !== "y" || !scale.labels || height / scale.labels.length < ROW) continue;
    scale.labels = scale.labels.map((name) => name.replace(new RegExp(`(.{${LETTERS},}?) `, "g"), "$1\n"));
  }
}

function drawAll(all) {
  for (const name of Object.keys(drawn.figures)) {
    const width = Math.floor(document.getElementById(name).clientWidth);
    if (width && (all || width !== widths[name])) draw(name, width, !dark.matches);
  }
}

// The library gives the buttons of its tool bar handlers as text, which the page's policy forbids: style.css does what they would.
const setAttribute = Element.prototype.setAttribute;
Element.prototype.setAttribute = function (name, value) {
  if (!name.startsWith("on")) setAttribute.call(this, name, value);
};

async function start() {
  const library = document.createElement("script");
  library.textContent = await unpacked("library");
  document.head.append(library);
  drawn = JSON.parse(await unpacked("figures"));
  drawAll(true);
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => drawAll(false), 120);
  });
  dark.addEventListener("change", () => drawAll(true));
  // A printed page is white, and narrower than the window.
  addEventListener("beforeprint", () => {
    for (const name of Object.keys(drawn.figures)) {
      const width = document.getElementById(name).clientWidth;
      if (width) draw(name, Math.min(width, PAPER), true);
    }
  });
  addEventListener("afterprint", () => drawAll(true));
}
start();
