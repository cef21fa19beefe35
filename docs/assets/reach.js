// Tables that scroll within themselves can be reached, and scrolled, by keyboard.
window.addEventListener("load", () =>
  document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code").forEach((box) => (box.tabIndex = 0)));

// On a phone a long reference page is the list of its sections, each of which unfolds.
const LONG_PX = 20_000, FEW_SECTIONS = 5;
window.addEventListener("load", () => {
  if (!matchMedia("(max-width: 44.9em)").matches || document.body.scrollHeight < LONG_PX) return;
  const article = document.querySelector("article");
  const level = article.querySelectorAll("h2").length > FEW_SECTIONS ? 2 : 3;
  for (const heading of article.querySelectorAll(`h${level}`)) {
    const fold = document.createElement("details"), summary = document.createElement("summary");
    fold.className = "fold";
    heading.querySelector(".headerlink")?.remove(); // A summary holds no link.
    heading.before(fold);
    summary.append(heading);
    fold.append(summary);
    const ends = (node) => /^H[1-6]$/.test(node.nodeName) && Number(node.nodeName[1]) <= level;
    while (fold.nextSibling && !ends(fold.nextSibling)) fold.append(fold.nextSibling);
  }
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target?.closest("details.fold");
    if (fold) { fold.open = true; target.scrollIntoView(); }
  };
  unfold();
  window.addEventListener("hashchange", unfold);
});
