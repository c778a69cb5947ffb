import { findType } from '../api/resources.ts';
import { visible } from '../format.ts';
import { route, setQuery } from '../router.ts';
import { T } from '../texts.ts';
import { Field } from './fields.tsx';
import { useFeed } from './use-feed.ts';

/** Keeps its choice in the URL. */
export function NamespacePicker() {
  const feed = useFeed(findType('namespaces')!);
  const chosen = route.value.query.get('namespace') ?? '';
  const names = feed.rows.value.map(({ name }) => name).sort();
  // Who may not list namespaces can still open one by its URL.
  const options = chosen !== '' && !names.includes(chosen) ? [chosen, ...names] : names;
  return (
    <Field label={T.namespaces.label}>
      <select value={chosen} onChange={(event) => setQuery({ namespace: event.currentTarget.value })}>
        <option value="">{T.namespaces.all}</option>
        {options.map((name) => (
          <option key={name} value={name}>
            {visible(name)}
          </option>
        ))}
      </select>
    </Field>
  );
}
