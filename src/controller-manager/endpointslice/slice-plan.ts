/** From the endpoints that there should be and the slices that there are: which slices to make, change and delete. */
import type { Endpoint, EndpointPort, EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { deepEqual } from '../../base/index.ts';

/** Endpoints that share a family and ports, and so may share slices. */
export interface EndpointGroup {
  readonly addressType: string;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SlicePlan {
  readonly create: readonly SliceContent[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly content: SliceContent }[];
  readonly delete: readonly EndpointSlice[];
}

export interface SliceContent {
  readonly addressType: string;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface PlanOptions {
  readonly groups: readonly EndpointGroup[];
  readonly existing: readonly EndpointSlice[];
  readonly maxPerSlice: number;
  /** Address types that get an empty slice when they have no endpoints. */
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
  for (const group of groups) {
    const own = [...left].filter(
      (slice) => slice.addressType === group.addressType && portsKey(slice.ports) === portsKey(group.ports),
    );
    own.forEach((slice) => left.delete(slice));
    const { kept, emptied, added } = fillGroup(group, own, options);
    kept.forEach((draft) => drafts.push({ draft, group }));
    emptied.forEach((slice) => left.add(slice));
    create.push(...added);
  }
  /** A slice that is no longer needed becomes one that is: an update costs those who watch less than two changes. */
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
  return { create: created, update, delete: spare };
}

function withPlaceholders({ groups, placeholders }: PlanOptions): EndpointGroup[] {
  const filled = groups.filter((group) => group.endpoints.length > 0);
  const empty = placeholders.filter((addressType) => !filled.some((group) => group.addressType === addressType));
  return [...filled, ...empty.map((addressType) => ({ addressType, ports: [], endpoints: [] }))];
}

/** Endpoints stay in the slice that they are in; new ones go where something changes anyway, then where there is room. */
function fillGroup(
  group: EndpointGroup,
  slices: readonly EndpointSlice[],
  { maxPerSlice }: PlanOptions,
): { kept: Draft[]; emptied: EndpointSlice[]; added: SliceContent[] } {
  const wanted = new Map(group.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const drafts: Draft[] = slices.map((slice) => {
    const endpoints: Endpoint[] = [];
    for (const endpoint of slice.endpoints ?? []) {
      const key = endpointKey(endpoint);
      const now = wanted.get(key);
      if (now === undefined || endpoints.length >= maxPerSlice) continue;
      wanted.delete(key);
      endpoints.push(now);
    }
    return { slice, endpoints };
  });
  const rest = [...wanted.values()];
  const isChanged = ({ slice, endpoints }: Draft): boolean => !deepEqual(endpoints, slice.endpoints ?? []);
  const byUse = [...drafts].sort(
    (a, b) => Number(isChanged(b)) - Number(isChanged(a)) || b.endpoints.length - a.endpoints.length,
  );
  for (const draft of byUse) draft.endpoints.push(...rest.splice(0, maxPerSlice - draft.endpoints.length));
  const added: SliceContent[] = [];
  while (rest.length > 0)
    added.push({ addressType: group.addressType, ports: group.ports, endpoints: rest.splice(0, maxPerSlice) });
  const isPlaceholder = group.endpoints.length === 0;
  const kept = drafts.filter((draft, index) => draft.endpoints.length > 0 || (isPlaceholder && index === 0));
  if (isPlaceholder && kept.length === 0)
    added.push({ addressType: group.addressType, ports: group.ports, endpoints: [] });
  return { kept, emptied: drafts.filter((draft) => !kept.includes(draft)).map(({ slice }) => slice), added };
}
