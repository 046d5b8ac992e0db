// Wide tables scroll by themselves; let the keyboard reach them, too.
const reachable = () => {
  for (const each of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    each.tabIndex = 0;
    each.setAttribute("role", "region");
    each.setAttribute("aria-label", "Table");
  }
  // The menu of versions is named by what it shows.
  document.querySelector(".md-version__current[aria-label]")?.removeAttribute("aria-label");
};
reachable();
new MutationObserver(reachable).observe(document.body, { childList: true, subtree: true });
