// Tables that scroll within themselves can be reached, and scrolled, by keyboard.
window.addEventListener("load", () =>
  document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code").forEach((box) => (box.tabIndex = 0)));
