/** Plans which EndpointSlices to create, update and delete. */
import type { Endpoint, EndpointPort, EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { deepEqual } from '../../base/index.ts';

/** Endpoints of one address type with equal ports, which can share slices. */
export interface EndpointGroup {
  readonly addressType: string;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SlicePlan {
  readonly create: readonly SliceContent[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly content: SliceContent }[];
  readonly delete: readonly EndpointSlice[];
  readonly endpointsAdded: number;
  readonly endpointsUpdated: number;
  readonly endpointsRemoved: number;
}

interface SliceContent {
  readonly addressType: string;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

interface PlanOptions {
  readonly groups: readonly EndpointGroup[];
  readonly existing: readonly EndpointSlice[];
  readonly maxPerSlice: number;
  /** Address types that get a placeholder slice when they have no endpoints. */
  readonly placeholders: readonly string[];
  /** Whether a slice's metadata is as it should be. */
  isCurrent(slice: EndpointSlice): boolean;
}

const portsKey = (ports: readonly EndpointPort[] | undefined): string =>
  JSON.stringify(
    (ports ?? [])
      .map(({ name = '', protocol = 'TCP', port, appProtocol }) => [name, protocol, port, appProtocol])
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  );

const endpointKey = ({ addresses, targetRef, hostname }: Endpoint): string =>
  JSON.stringify([[...addresses].sort(), targetRef?.uid ?? targetRef?.name, targetRef ? undefined : hostname]);

interface Draft {
  readonly slice: EndpointSlice;
  endpoints: Endpoint[];
}

export function planSlices(options: PlanOptions): SlicePlan {
  const groups = withPlaceholders(options);
  const left = new Set(options.existing);
  const create: SliceContent[] = [];
  const drafts: { draft: Draft; group: EndpointGroup }[] = [];
  const counts = { endpointsAdded: 0, endpointsUpdated: 0, endpointsRemoved: 0 };
  for (const group of groups) {
    const own = [...left].filter(
      (slice) => slice.addressType === group.addressType && portsKey(slice.ports) === portsKey(group.ports),
    );
    own.forEach((slice) => left.delete(slice));
    const { remaining, emptied, added, changes } = fillGroup(group, own, options);
    counts.endpointsAdded += changes.added;
    counts.endpointsUpdated += changes.updated;
    counts.endpointsRemoved += changes.removed;
    remaining.forEach((draft) => drafts.push({ draft, group }));
    emptied.forEach((slice) => left.add(slice));
    create.push(...added);
  }
  // An unneeded slice is reused for a new one: one update is cheaper for watchers than a deletion and a creation.
  const spare = [...left];
  const update: { slice: EndpointSlice; content: SliceContent }[] = drafts
    .filter(({ draft }) => !options.isCurrent(draft.slice) || !deepEqual(draft.endpoints, draft.slice.endpoints ?? []))
    .map(({ draft, group }) => ({ slice: draft.slice, content: { ...group, endpoints: draft.endpoints } }));
  const created: SliceContent[] = [];
  for (const content of create) {
    const index = spare.findIndex((slice) => slice.addressType === content.addressType);
    if (index < 0) created.push(content);
    else update.push({ slice: spare.splice(index, 1)[0]!, content });
  }
  return { create: created, update, delete: spare, ...counts };
}

function withPlaceholders({ groups, placeholders }: PlanOptions): EndpointGroup[] {
  const filled = groups.filter((group) => group.endpoints.length > 0);
  const empty = placeholders.filter((addressType) => !filled.some((group) => group.addressType === addressType));
  return [...filled, ...empty.map((addressType) => ({ addressType, ports: [], endpoints: [] }))];
}

/** Endpoints stay in their slice. New ones go to slices that change anyway, then to slices with room. */
function fillGroup(
  group: EndpointGroup,
  slices: readonly EndpointSlice[],
  { maxPerSlice }: PlanOptions,
): {
  remaining: Draft[];
  emptied: EndpointSlice[];
  added: SliceContent[];
  changes: { added: number; updated: number; removed: number };
} {
  const changes = { added: 0, updated: 0, removed: 0 };
  const wanted = new Map(group.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const drafts: Draft[] = slices.map((slice) => {
    const endpoints: Endpoint[] = [];
    for (const endpoint of slice.endpoints ?? []) {
      const key = endpointKey(endpoint);
      const now = wanted.get(key);
      if (now === undefined || endpoints.length >= maxPerSlice) {
        changes.removed++;
        continue;
      }
      if (!deepEqual(now, endpoint)) changes.updated++;
      wanted.delete(key);
      endpoints.push(now);
    }
    return { slice, endpoints };
  });
  const rest = [...wanted.values()];
  changes.added = rest.length;
  const isChanged = ({ slice, endpoints }: Draft): boolean => !deepEqual(endpoints, slice.endpoints ?? []);
  const byUse = [...drafts].sort(
    (a, b) => Number(isChanged(b)) - Number(isChanged(a)) || b.endpoints.length - a.endpoints.length,
  );
  for (const draft of byUse) draft.endpoints.push(...rest.splice(0, maxPerSlice - draft.endpoints.length));
  const added: SliceContent[] = [];
  while (rest.length > 0)
    added.push({ addressType: group.addressType, ports: group.ports, endpoints: rest.splice(0, maxPerSlice) });
  const isPlaceholder = group.endpoints.length === 0;
  const remaining = drafts.filter((draft, index) => draft.endpoints.length > 0 || (isPlaceholder && index === 0));
  if (isPlaceholder && remaining.length === 0)
    added.push({ addressType: group.addressType, ports: group.ports, endpoints: [] });
  const emptied = drafts.filter((draft) => !remaining.includes(draft)).map(({ slice }) => slice);
  return { remaining, emptied, added, changes };
}
