import { describe, expect, it } from 'vitest';
import { isStatusError } from '../../machinery/errors/index.ts';
import { negotiate, type Negotiated, type NegotiationOptions } from './negotiate.ts';

const PLAIN = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const STREAMS = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
const ONLY = `only the following media types are accepted: ${PLAIN}`;
const ONLY_STREAMS = `only the following media types are accepted: ${STREAMS}`;
const UNROUTABLE = `406: Not Acceptable\n\nAvailable representations: ${PLAIN}`;

function outcome(accept: string | undefined, options: NegotiationOptions, query = ''): Negotiated | string {
  try {
    return negotiate(accept, new URLSearchParams(query), 'test', options);
  } catch (error) {
    if (isStatusError(error)) return error.message;
    throw error;
  }
}

const json = { mediaType: 'application/json', pretty: false };
const yaml = { mediaType: 'application/yaml', pretty: false };
const protobuf = { mediaType: 'application/vnd.kubernetes.protobuf', pretty: false };
const TABLE = 'as=Table;g=meta.k8s.io;v=v1';
const resource: NegotiationOptions = { transforms: true };
const status: NegotiationOptions = {};
const watch: NegotiationOptions = { transforms: true, stream: true };
const custom: NegotiationOptions = { transforms: true, protobuf: false, routed: false };
const plainHandler: NegotiationOptions = { routed: false };

describe('the form of an answer', () => {
  const cases: [string | undefined, NegotiationOptions, object | string][] = [
    [undefined, resource, json],
    ['*/*', resource, json],
    ['application/yaml', resource, yaml],
    ['application/json;q=0.1,application/yaml', resource, yaml],
    ['text/html,application/vnd.kubernetes.protobuf', resource, protobuf],
    [`application/json;${TABLE}`, resource, { ...json, as: { kind: 'Table', version: 'v1' } }],
    [`application/vnd.kubernetes.protobuf;${TABLE},application/json`, resource, json],
    ['application/json;pretty=1', resource, { ...json, pretty: true }],
    ['application/json;pretty=true', resource, json],
    // Compared as they are written.
    ['APPLICATION/JSON', resource, UNROUTABLE],
    ['text/html', resource, UNROUTABLE],
    ['text/html', { ...resource, list: true }, `${UNROUTABLE}, ${STREAMS}`],
    ['text/html', plainHandler, ONLY],
    // Half a transformation is one that nobody has.
    ['application/json;g=meta.k8s.io', resource, ONLY],
    ['application/json;v=v1', resource, ONLY],
    ['application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2', resource, ONLY],
    ['application/json;sv=v1', resource, ONLY],
    ['application/json;stream=nope', resource, ONLY],
    ['application/yaml;stream=watch', resource, ONLY],
    // A Status has no other form: it is sent as JSON then.
    [`application/yaml;${TABLE}`, status, ONLY],
    ['application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', status, ONLY],
    // Streams.
    ['application/json;stream=watch', watch, json],
    ['application/vnd.kubernetes.protobuf;stream=watch', watch, protobuf],
    ['application/yaml', watch, ONLY_STREAMS],
    [`application/yaml;${TABLE}`, watch, ONLY_STREAMS],
    ['application/json;q=0.1,application/yaml', watch, ONLY_STREAMS],
    ['application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2', watch, ONLY],
    ['text/html', watch, `${UNROUTABLE}, ${STREAMS}`],
    // Custom resources have no router before them, and no protobuf.
    ['application/vnd.kubernetes.protobuf', custom, ONLY],
    ['application/vnd.kubernetes.protobuf,application/json', custom, json],
    ['text/html', custom, ONLY],
  ];
  it.each(cases)('%s %j', (accept, options, wanted) => expect(outcome(accept, options)).toEqual(wanted));

  it.each([
    ['pretty=1', true],
    ['pretty=True', true],
    ['pretty=0', false],
    ['pretty=yes', false],
    ['pretty=', false],
    ['', false],
  ])('is indented for ?%s: %j', (query, pretty) =>
    expect(outcome('application/json', resource, query)).toEqual({ ...json, pretty }),
  );
});
