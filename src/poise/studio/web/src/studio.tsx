// The studio: puts the parts together.
import { render } from "preact";
import { App } from "./app.tsx";
import { Store } from "./store.ts";

const store = new Store(`ws://${location.host}/socket`);
render(<App store={store} />, document.getElementById("studio")!);
// For tests of the page, which must not depend on pixels.
(window as unknown as { studio: Store }).studio = store;
