/** Everything by name: pages, kinds, namespaces and objects. */
import { signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { api } from '../api/request.ts';
import { findType, pathOf, resourceTypes } from '../api/resources.ts';
import { visible } from '../format.ts';
import { go, link, listLink, objectLink } from '../router.ts';
import { T } from '../texts.ts';
import { nextTheme } from '../theme.ts';
import { Dialog } from './basics.tsx';

export const paletteOpen = signal(false);

interface Entry {
  readonly text: string;
  readonly kind: string;
  readonly run: () => void;
}

const SEARCHED = [
  'namespaces',
  'nodes',
  'pods',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'services',
  'ingresses.networking.k8s.io',
  'configmaps',
];
const MAX_OBJECTS_PER_KIND = 2000;
const MAX_SHOWN = 60;

const to = (hash: string) => (): void => go(hash);

function fixedEntries(): Entry[] {
  return [
    { text: T.pages.cluster, kind: 'Page', run: to(link(['cluster'])) },
    { text: T.pages.scheduling, kind: 'Page', run: to(link(['scheduling'])) },
    { text: T.pages.network, kind: 'Page', run: to(link(['network'])) },
    { text: T.pages.trace, kind: 'Page', run: to(link(['trace'])) },
    { text: T.pages.laboratory, kind: 'Page', run: to(link(['laboratory'])) },
    { text: T.theme.label, kind: 'Command', run: nextTheme },
    ...resourceTypes.value
      .filter(({ verbs }) => verbs.has('list'))
      .map(({ key, kind, shortNames }) => ({
        text: [kind, ...shortNames].join(' '),
        kind: 'Kind',
        run: to(listLink(key)),
      })),
  ];
}

async function objectEntries(signal: AbortSignal): Promise<Entry[]> {
  const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';
  const lists = SEARCHED.flatMap((key) => findType(key) ?? []).map(async (type) => {
    const list = await api<{ items: readonly { metadata: { name: string; namespace?: string } }[] }>(
      `${pathOf(type)}?limit=${MAX_OBJECTS_PER_KIND}`,
      { accept, signal },
    );
    return list.items.map(({ metadata }): Entry => {
      const { name, namespace } = metadata;
      return {
        text: namespace ? `${visible(namespace)}/${visible(name)}` : visible(name),
        kind: type.kind,
        run: to(objectLink(type.key, { name, namespace })),
      };
    });
  });
  // Kinds that the user may not list are left out.
  const read = await Promise.allSettled(lists);
  return read.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

export function Palette() {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [objects, setObjects] = useState<readonly Entry[]>();
  useEffect(() => {
    const ended = new AbortController();
    objectEntries(ended.signal).then(setObjects, () => setObjects([]));
    return () => ended.abort();
  }, []);
  const entries = useMemo(() => [...fixedEntries(), ...(objects ?? [])], [objects]);
  const shown = useMemo(() => {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    const found = entries.filter((entry) => {
      const name = `${entry.kind} ${entry.text}`.toLowerCase();
      return words.every((word) => name.includes(word));
    });
    // The shorter the name, the more of it was typed.
    return words.length === 0
      ? found.slice(0, MAX_SHOWN)
      : found.sort((a, b) => a.text.length - b.text.length).slice(0, MAX_SHOWN);
  }, [entries, text]);
  const close = (): void => void (paletteOpen.value = false);
  const current = Math.min(active, shown.length - 1);
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    close();
    entry.run();
  };
  return (
    <Dialog title={T.palette.open} onClose={close}>
      <div class="palette">
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-label={T.palette.placeholder}
          {...(shown.length > 0 ? { 'aria-activedescendant': `palette-${current}` } : {})}
          placeholder={T.palette.placeholder}
          autofocus
          spellcheck={false}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setActive(Math.min(shown.length - 1, current + 1));
            else if (event.key === 'ArrowUp') setActive(Math.max(0, current - 1));
            else if (event.key === 'Enter') choose(shown[current]);
            else return;
            event.preventDefault();
          }}
        />
        <ul id="palette-list" role="listbox" aria-label={T.palette.open}>
          {shown.map((entry, at) => (
            <li
              key={`${entry.kind} ${entry.text}`}
              id={`palette-${at}`}
              role="option"
              aria-selected={at === current}
              onClick={() => choose(entry)}
              ref={(element) => {
                if (at === current) element?.scrollIntoView({ block: 'nearest' });
              }}
            >
              <span>{entry.text}</span>
              <span class="dim">{entry.kind}</span>
            </li>
          ))}
        </ul>
        <p class="dim" role="status">
          {objects === undefined ? T.palette.loading : shown.length === 0 ? T.palette.none : ''}
        </p>
      </div>
    </Dialog>
  );
}
