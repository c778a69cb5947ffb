/** Every kind of the cluster as a list that stays live. */
import { useState } from 'preact/hooks';
import type { Row } from '../api/feed.ts';
import { findType, resourceTypes, type ResourceType } from '../api/resources.ts';
import { visible } from '../format.ts';
import { Notice } from '../parts/basics.tsx';
import { CreateDialog } from '../parts/create-dialog.tsx';
import { Check, Field } from '../parts/fields.tsx';
import { NamespacePicker } from '../parts/namespaces.tsx';
import { RowTable } from '../parts/row-table.tsx';
import { filterSliced, useSliced, type Sliced } from '../parts/sliced.ts';
import { TimeMachineButton } from '../parts/time-machine.tsx';
import { useFeed } from '../parts/use-feed.ts';
import { go, listLink, objectLink, pastRevision, route, setQuery } from '../router.ts';
import { T } from '../texts.ts';

type Group = keyof typeof T.groups;

const GROUPS: readonly (readonly [Group, readonly string[]])[] = [
  [
    'workloads',
    [
      'pods',
      'deployments.apps',
      'statefulsets.apps',
      'daemonsets.apps',
      'replicasets.apps',
      'jobs.batch',
      'cronjobs.batch',
      'horizontalpodautoscalers.autoscaling',
    ],
  ],
  [
    'network',
    ['services', 'ingresses.networking.k8s.io', 'networkpolicies.networking.k8s.io', 'endpointslices.discovery.k8s.io'],
  ],
  ['config', ['configmaps', 'secrets', 'resourcequotas', 'limitranges', 'poddisruptionbudgets.policy']],
  ['storage', ['persistentvolumeclaims', 'persistentvolumes', 'storageclasses.storage.k8s.io']],
  [
    'access',
    [
      'serviceaccounts',
      'roles.rbac.authorization.k8s.io',
      'rolebindings.rbac.authorization.k8s.io',
      'clusterroles.rbac.authorization.k8s.io',
      'clusterrolebindings.rbac.authorization.k8s.io',
    ],
  ],
  [
    'cluster',
    ['nodes', 'namespaces', 'events', 'leases.coordination.k8s.io', 'customresourcedefinitions.apiextensions.k8s.io'],
  ],
];

/** Groups of Kubernetes itself have one label, or end with k8s.io. */
const isCustom = ({ group }: ResourceType): boolean => group.includes('.') && !/(?:^|\.)k8s\.io$/.test(group);

function kindGroups(): readonly (readonly [Group, readonly ResourceType[]])[] {
  const listed = new Set(GROUPS.flatMap(([, keys]) => keys));
  const rest = resourceTypes.value.filter(({ key, verbs }) => verbs.has('list') && !listed.has(key));
  return [
    ...GROUPS.map(
      ([group, keys]) =>
        [group, keys.map(findType).filter((type): type is ResourceType => type !== undefined)] as const,
    ),
    ['custom', rest.filter(isCustom)],
    ['other', rest.filter((type) => !isCustom(type))],
  ];
}

function Kinds({ current }: { current: string }) {
  const [search, setSearch] = useState('');
  const namespace = route.value.query.get('namespace') ?? undefined;
  const wanted = search.toLowerCase();
  const matches = ({ kind, key, shortNames }: ResourceType): boolean =>
    kind.toLowerCase().includes(wanted) || key.includes(wanted) || shortNames.includes(wanted);
  return (
    <nav class="kinds" aria-label={T.objects.kinds}>
      <input
        type="search"
        placeholder={T.objects.findKind}
        aria-label={T.objects.findKind}
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {kindGroups().map(([group, types]) => {
        const shown = types.filter(matches);
        if (shown.length === 0) return null;
        const list = (
          <ul>
            {shown.map(({ key, kind, group: apiGroup }) => (
              <li key={key}>
                <a
                  href={listLink(key, { namespace })}
                  aria-current={key === current ? 'page' : undefined}
                  title={apiGroup}
                >
                  {kind}
                </a>
              </li>
            ))}
          </ul>
        );
        if (group === 'other' && wanted === '' && !shown.some(({ key }) => key === current))
          return (
            <details key={group}>
              <summary>{T.groups[group]}</summary>
              {list}
            </details>
          );
        return (
          <section key={group} aria-label={T.groups[group]}>
            <h2>{T.groups[group]}</h2>
            {list}
          </section>
        );
      })}
    </nav>
  );
}

/** Where the page is too narrow for the list of kinds. */
function KindPicker({ current }: { current: string }) {
  return (
    <div class="kind-picker">
      <Field label={T.objects.kind}>
        <select value={current} onChange={(event) => go(listLink(event.currentTarget.value))}>
          {kindGroups().map(
            ([group, types]) =>
              types.length > 0 && (
                <optgroup key={group} label={T.groups[group]}>
                  {types.map(({ key, kind }) => (
                    <option key={key} value={key}>
                      {kind}
                    </option>
                  ))}
                </optgroup>
              ),
          )}
        </select>
      </Field>
    </div>
  );
}

export function ObjectsPage({ resource }: { resource: string }) {
  const type = findType(resource);
  return (
    <div class="with-kinds">
      <Kinds current={resource} />
      {type ? (
        <KindList key={resource} type={type} />
      ) : (
        <Notice kind="error">{T.objects.unknownKind(visible(resource, 200))}</Notice>
      )}
    </div>
  );
}

function KindList({ type }: { type: ResourceType }) {
  const { query } = route.value;
  const param = (name: string): string => query.get(name) ?? '';
  const namespace = type.namespaced ? param('namespace') : '';
  const feed = useFeed(type, { namespace, labelSelector: param('labels'), fieldSelector: param('fields') });
  const [creating, setCreating] = useState(false);
  const search = param('search').toLowerCase();
  const rows = useSliced(() => filterRows(feed.rows.value, search), [feed.rows.value, search], feed.rows.value);
  const sort =
    param('sort') === ''
      ? undefined
      : { column: param('sort').replace(/^-/, ''), descending: param('sort').startsWith('-') };
  const error = feed.error.value;
  return (
    <section class="list" aria-label={type.kind}>
      <div class="toolbar">
        <h1>
          {type.kind} <span class="count">{T.objects.count(rows.length, feed.rows.value.length)}</span>
        </h1>
        <span class={`live ${feed.state.value}`} role="status">
          {T.state[feed.state.value]}
        </span>
        <TimeMachineButton />
        <span class="grow" />
        {type.verbs.has('create') && pastRevision.value === 0 && (
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            {T.objects.create}
          </button>
        )}
      </div>
      <div class="toolbar filters">
        <KindPicker current={type.key} />
        {type.namespaced && <NamespacePicker />}
        <Filter name="search" label={T.objects.search} filter />
        <Filter name="labels" label={T.objects.labels} hint={T.objects.labelsHint} late />
        <Filter name="fields" label={T.objects.fields} hint={T.objects.fieldsHint} late />
        <Check
          label={T.objects.columns}
          checked={param('columns') === 'all'}
          onChange={(checked) => setQuery({ columns: checked ? 'all' : undefined })}
        />
      </div>
      {error !== undefined && <Notice kind="error">{error}</Notice>}
      {error === undefined && rows.length === 0 && ['live', 'past'].includes(feed.state.value) && (
        <Notice>{feed.rows.value.length === 0 ? T.objects.none : T.objects.noMatch}</Notice>
      )}
      <RowTable
        label={type.kind}
        rows={rows}
        columns={feed.columns.value}
        wide={param('columns') === 'all'}
        showNamespace={type.namespaced && namespace === ''}
        hrefOf={(row) => objectLink(type.key, row)}
        sort={sort}
        onSort={(column) => setQuery({ sort: sort?.column === column && !sort.descending ? `-${column}` : column })}
      />
      {creating && <CreateDialog type={type} namespace={namespace} onClose={() => setCreating(false)} />}
    </section>
  );
}

function* filterRows(rows: readonly Row[], search: string): Sliced<readonly Row[]> {
  if (search === '') return rows;
  const words = search.split(/\s+/).filter((word) => word !== '');
  return yield* filterSliced(rows, (row) => {
    const text = `${row.namespace}/${row.name} ${row.cells.join(' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** `late` filters ask the server, so they wait for Enter or the end of the editing. */
function Filter({
  name,
  label,
  hint,
  late,
  filter,
}: {
  name: string;
  label: string;
  hint?: string;
  late?: boolean;
  filter?: boolean;
}) {
  const value = route.value.query.get(name) ?? '';
  const take = (event: { currentTarget: HTMLInputElement }): void => setQuery({ [name]: event.currentTarget.value });
  return (
    <Field label={label}>
      <input
        type="search"
        value={value}
        placeholder={hint}
        spellcheck={false}
        {...(filter ? { 'data-filter': '' } : {})}
        {...(late ? { onChange: take } : { onInput: take })}
      />
    </Field>
  );
}
