// Draws nodes in another place of the document.
import { html, render, useLayoutEffect } from "./vendor.js";

function Portal({ nodes, place }) {
  useLayoutEffect(() => {
    render(nodes, place);
  });
  useLayoutEffect(() => () => render(null, place), [place]);
  return null;
}

export const createPortal = (nodes, place) => html`<${Portal} nodes=${nodes} place=${place} />`;
