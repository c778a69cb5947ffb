/** Which form of an answer the client asks for, and in which form it sends. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';

const META = 'g=meta.k8s.io;v=v1';
const ACCEPTS = [
  ...[
    '*/*',
    'application/*',
    'text/*',
    'text/plain',
    'text/html',
    'application/xml',
    'application/json;pretty=1',
    'application/json; charset=utf-8',
    'application/yaml',
    'application/cbor',
    'nonsense',
    'a/b/c',
    ';',
    ',',
  ],
  ...[
    'application/vnd.kubernetes.protobuf',
    'application/vnd.kubernetes.protobuf, application/json',
    'application/json;q=0.1,application/yaml',
    'application/xml,application/json',
    'application/yaml;q=0.5,application/json;q=0.5',
  ],
  ...[
    `application/json;as=Table;${META}`,
    'application/json;as=Table;g=meta.k8s.io;v=v1beta1',
    'application/json;as=Table;g=meta.k8s.io;v=v2',
    `application/json;as=Nope;${META}`,
    `application/yaml;as=Table;${META}`,
  ],
  ...[
    `application/vnd.kubernetes.protobuf;as=Table;${META}`,
    `application/json;as=Table;${META},application/json`,
    `application/json;as=PartialObjectMetadata;${META}`,
    `application/json;as=PartialObjectMetadataList;${META}`,
  ],
  ...[
    `application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;${META}`,
    `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;${META}`,
    `application/json;as=Table;${META};q=0.1`,
    'application/json;stream=watch',
  ],
  ...[
    `application/json;as=Table;${META};includeObject=None`,
    'application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2',
    'application/json;foo=bar',
    'APPLICATION/JSON',
  ],
];
const CONTENT_TYPES = [
  'application/json',
  'application/yaml',
  'text/plain',
  'application/json; charset=utf-8',
  'nonsense',
  'application/cbor',
  'application/vnd.kubernetes.protobuf',
  '',
  'application/x-www-form-urlencoded',
  'application/merge-patch+json',
];
const ENCODINGS = ['gzip', 'identity', 'br', 'gzip;q=0', 'deflate, gzip'];

export const negotiation: Area = { weight: 4, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(keptSamplesOf(options))) yield conversation(sample, random);
  }
}

function conversation({ resource, collection, path, object, topic }: KindSample, random: Random): Conversation {
  const labelled = { ...object, metadata: { ...(object['metadata'] as object), labels: { own: '$RUN' } } };
  const lists = `${collection}?labelSelector=own%3D$RUN`;
  const asked = (method: string, at: string, accept: string, body?: unknown): Step => ({
    method,
    path: at,
    headers: { accept },
    about: accept,
    ...(body === undefined ? {} : { body }),
  });
  const steps: Step[] = [
    { method: 'POST', path: collection, body: labelled, setup: true },
    ...random.some(ACCEPTS, 0.2).map((accept) => asked('GET', path, accept)),
    ...random.some(ACCEPTS, 0.2).map((accept) => asked('GET', lists, accept)),
    ...random.some(ACCEPTS, 0.12).map((accept) => asked('GET', `${path}-absent`, accept)),
    ...random.some(ACCEPTS, 0.1).map((accept) => asked('POST', `${collection}?dryRun=All`, accept, labelled)),
    ...random.some(ACCEPTS, 0.1).map((accept) => asked('DELETE', `${path}?dryRun=All`, accept)),
    ...random
      .some(ACCEPTS, 0.03)
      .map((accept) => ({ ...asked('GET', `${lists}&watch=true&timeoutSeconds=1`, accept), watch: true as const })),
    ...random.some(CONTENT_TYPES, 0.3).map((type): Step => ({
      method: 'POST',
      path: `${collection}?dryRun=All`,
      body: labelled,
      headers: { 'content-type': type },
      about: `content type ${type}`,
    })),
    ...random.some(ENCODINGS, 0.2).map((encoding): Step => ({
      method: 'GET',
      path,
      headers: { 'accept-encoding': encoding },
      about: `encoding ${encoding}`,
    })),
  ];
  return {
    topic,
    namespace: resource.namespaced,
    steps,
    cleanup: resource.namespaced ? [] : [{ method: 'DELETE', path }],
  };
}
