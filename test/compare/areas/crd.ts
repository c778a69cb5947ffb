/** CustomResourceDefinitions with generated schemas, good and bad, and the objects that they let in. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { CRD, CRDS, crd, objectFor, schemaOf } from '../custom-resources.ts';
import { Random } from '../random.ts';
import { withoutDescriptions } from './openapi.ts';

const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

export const crds: Area = { weight: 7, conversations };

function* conversations({ seed, kinds }: AreaOptions): Generator<Conversation> {
  if (kinds.length > 0 && !kinds.includes('customresourcedefinitions')) return;
  for (let round = 0; ; round++) {
    const random = new Random(`${seed}/${round}`);
    yield random.chance(0.4) ? definitions(random) : objects(random);
  }
}

/** Definitions alone: what may stand in one. */
function definitions(random: Random): Conversation {
  const steps = Array.from({ length: 10 }, (): Step => ({
    method: 'POST',
    path: `${CRDS}?dryRun=All${random.pick(['', '', '&fieldValidation=Strict'])}`,
    body: crd(random, schemaOf(random, 0, 0.12), { odd: true }),
    about: 'definition',
  }));
  return { topic: 'definitions', namespace: false, steps: [...steps] };
}

function objects(random: Random): Conversation {
  const schema = schemaOf(random, 0, 0);
  const definition = crd(random, schema, { odd: false });
  const collection = '/apis/$RUN.example.com/v1/namespaces/$NS/things';
  const body = (name: string, wrong: number): object => ({
    apiVersion: '$RUN.example.com/v1',
    kind: 'Thing',
    metadata: { name },
    ...(objectFor(random, schema, wrong) as object),
  });
  const first = body('first', 0);
  const creates = Array.from({ length: 6 }, (): Step => ({
    method: 'POST',
    path: `${collection}?dryRun=All${random.pick(['', '&fieldValidation=Strict', '&fieldValidation=Ignore'])}`,
    body: body('other', 0.15),
    about: 'create',
  }));
  const updates = Array.from({ length: 3 }, (): Step => ({
    method: 'PATCH',
    path: `${collection}/first?dryRun=All`,
    body: objectFor(random, schema, 0.1),
    headers: MERGE,
    about: 'merge patch',
  }));
  const applies = Array.from({ length: 2 }, (): Step => ({
    method: 'PATCH',
    path: `${collection}/first?fieldManager=m&force=true`,
    body: body('first', 0.05),
    headers: APPLY,
    about: 'apply',
  }));
  const reads: Step[] = [
    { method: 'GET', path: `${collection}/first` },
    { method: 'GET', path: collection, headers: TABLE },
    { method: 'GET', path: `${collection}?fieldSelector=spec.color%3Dred`, about: 'a selectable field' },
    { method: 'GET', path: `${collection}/first/status`, about: 'status' },
    { method: 'GET', path: `${collection}/first/scale`, about: 'scale' },
    {
      method: 'PUT',
      path: `${collection}/first/status`,
      body: { ...first, metadata: { name: 'first', labels: { x: 'y' } }, status: { phase: 'x', replicas: 3 } },
      about: 'status',
    },
    {
      method: 'PUT',
      path: `${collection}/first/status`,
      body: { ...first, metadata: { name: 'first', resourceVersion: '$VERSION' }, status: { phase: 'x', replicas: 3 } },
      about: 'status',
    },
    {
      method: 'PUT',
      path: `${collection}/first/scale`,
      body: { metadata: { name: 'first' }, spec: { replicas: 4 } },
      about: 'scale',
    },
    { method: 'GET', path: '/apis/$RUN.example.com/v2/namespaces/$NS/things/first', about: 'another version' },
    { method: 'GET', path: '/apis/$RUN.example.com/v1', about: 'discovery', until: 200 },
    {
      method: 'PATCH',
      path: `${collection}/first`,
      body: [{ op: 'add', path: '/spec/added', value: 1 }],
      headers: { 'content-type': 'application/json-patch+json' },
      about: 'JSON patch',
    },
    {
      method: 'PATCH',
      path: `${collection}/first`,
      body: {},
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      about: 'strategic patch',
    },
    {
      method: 'GET',
      path: `${collection}/first`,
      headers: { accept: 'application/vnd.kubernetes.protobuf' },
      about: 'protobuf',
    },
    { method: 'PUT', path: `${collection}/first`, body: first, about: 'no version' },
    { method: 'DELETE', path: `${collection}/first` },
  ];
  return {
    topic: 'objects',
    namespace: true,
    steps: [
      { method: 'POST', path: CRDS, body: definition, only: withoutStatus },
      { method: 'GET', path: collection, until: 200 },
      { method: 'POST', path: collection, body: first, save: { VERSION: 'metadata.resourceVersion' } },
      ...creates,
      ...updates,
      ...applies,
      ...reads,
      {
        method: 'GET',
        path: '/openapi/v3/apis/$RUN.example.com/v1',
        until: 200,
        about: 'OpenAPI',
        only: withoutDescriptions,
      },
    ],
    cleanup: [{ method: 'DELETE', path: CRD }],
  };
}

/** Conditions come a moment later. */
function withoutStatus(body: unknown): unknown {
  const { status: _, ...rest } = (body ?? {}) as { status?: unknown; kind?: string };
  return rest.kind === 'Status' ? body : rest;
}
