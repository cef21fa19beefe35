// Draws every figure into the element of its name.
const figures = JSON.parse(document.getElementById("figures-data").textContent);
const font = getComputedStyle(document.body).fontFamily;
const config = {
  displaylogo: false,
  responsive: true,
  modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
};
for (const [name, figure] of Object.entries(figures)) {
  figure.layout.font.family = font;
  Plotly.newPlot(name, figure.data, figure.layout, config);
}
// A printed page is narrower than the window the figures were drawn for.
for (const moment of ["beforeprint", "afterprint"]) {
  window.addEventListener(moment, () => {
    for (const name of Object.keys(figures)) {
      Plotly.relayout(name, { width: document.getElementById(name).clientWidth });
    }
  });
}
