// A part of the page, drawn for a test and taken away after it.
import { type ComponentType, h, render } from "preact";
import { afterEach } from "vitest";

/** Where the last one was drawn. */
export let root: HTMLElement;

export function shown<P extends object>(part: ComponentType<P>, props: P): HTMLElement {
  root = document.createElement("div");
  document.body.append(root);
  render(h(part, props), root);
  return root;
}

afterEach(() => root && render(null, root));
