// The panel of any operation, drawn from its declaration: a section for each group of options,
// those that only experts need folded away at the end.
import { EDITORS, type EditorProps } from "../editors.tsx";
import type { Layer } from "../layer.ts";
import { cardOf, isGiven, matters } from "../operations.ts";
import type { Store } from "../store.ts";
import { Section } from "./fields.tsx";
import { OptionField } from "./option.tsx";

export function OperationPanel({ store, layer }: { store: Store; layer: Layer }) {
  const card = cardOf(store.cards.value, layer);
  if (!card) return null; // not told yet
  const uses = card.options.map((option): EditorProps => ({ store, layer, card, option })).filter(matters);
  const [main, ...rest] = grouped(uses.filter((u) => !u.option.expert));
  const usual = [...(main ? [main] : []), ...rest.filter(chosenFor), ...rest.filter((g) => !chosenFor(g))];
  const expert = grouped(uses.filter((u) => u.option.expert));
  const changed = expert.some(([, list]) => list.some(isGiven));
  return (
    <>
      {usual.map(([group, list], k) => (
        <Group key={group} group={group} list={list} first={k === 0} />
      ))}
      {expert.length > 0 && (
        <Section title="Expert" open={changed}>
          {expert.map(([group, list]) => (
            <div key={group}>
              <h4>{group}</h4>
              {list.map((use) => (
                <OptionField key={use.option.name} {...use} />
              ))}
            </div>
          ))}
        </Section>
      )}
    </>
  );
}

function Group({ group, list, first }: { group: string; list: EditorProps[]; first: boolean }) {
  const editors = list.map((use) => EDITORS[use.option.editor ?? ""]);
  return (
    <>
      <Section
        title={group}
        open={first || chosenFor([group, list]) || editors.some((e) => e?.open) || list.some(isGiven)}
      >
        {list.map((use) => (
          <OptionField key={use.option.name} {...use} />
        ))}
      </Section>
      {editors.map((editor, k) => {
        const Sections = editor?.sections;
        return Sections && <Sections key={list[k]!.option.name} {...list[k]!} />;
      })}
    </>
  );
}

/** Options that are there because of what was chosen before (a template takes them) come next, and open. */
const chosenFor = ([, list]: [string, EditorProps[]]): boolean =>
  list.some(({ option }) => Object.values(option.when ?? {}).some(Array.isArray));

/** In the order in which groups come first. */
function grouped(uses: readonly EditorProps[]): [string, EditorProps[]][] {
  const found = new Map<string, EditorProps[]>();
  for (const use of uses) found.set(use.option.group, [...(found.get(use.option.group) ?? []), use]);
  return [...found];
}
