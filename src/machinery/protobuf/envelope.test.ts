import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { StatusError } from '../errors/status.ts';
import {
  decodeProtobuf,
  decodeProtobufObject,
  encodeProtobuf,
  encodeWatchFrame,
  WatchFrameParser,
  wrapProtobuf,
} from './index.ts';

const namespace = schema.message('io.k8s.api.core.v1.Namespace');
const namespaceBytes =
  '6b387300' + // "k8s" 0
  '0a0f' +
  '0a027631' +
  '12094e616d657370616365' + // typeMeta { "v1", "Namespace" }
  '1219' +
  '0a11' +
  '0a0161' +
  '1200' +
  '1a00' +
  '2200' +
  '2a00' +
  '3200' +
  '3800' +
  '4200' + // metadata { name: "a" }
  '1200' + // spec {}
  '1a02' +
  '0a00' + // status { phase: "" }
  '1a00' +
  '2200'; // contentEncoding, contentType

const failureOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'no failure';
};

describe('the envelope', () => {
  const object = { metadata: { name: 'a' }, spec: {}, status: {} };

  it('has the bytes of upstream', () => {
    expect(encodeProtobuf(namespace, object, { apiVersion: 'v1', kind: 'Namespace' }).toString('hex')).toBe(
      namespaceBytes,
    );
  });

  it('names its kind', () => {
    const decoded = decodeProtobufObject(schema, Buffer.from(namespaceBytes, 'hex'));
    expect(decoded).toEqual({ kind: 'Namespace', apiVersion: 'v1', ...object });
    expect(Object.keys(decoded).slice(0, 2)).toEqual(['kind', 'apiVersion']);
  });

  it('can be put around encoded bytes', () => {
    const { raw, apiVersion, kind } = decodeProtobuf(Buffer.from(namespaceBytes, 'hex'));
    expect(wrapProtobuf({ apiVersion, kind }, raw).toString('hex')).toBe(namespaceBytes);
  });

  it('applies defaults for absent fields', () => {
    const bytes = encodeProtobuf(namespace, object, { apiVersion: '', kind: '' });
    expect(decodeProtobufObject(schema, bytes, { apiVersion: 'v1', kind: 'Namespace' }).kind).toBe('Namespace');
  });

  it.each([
    { apiVersion: 'v1', kind: 'DeleteOptions' },
    { apiVersion: 'policy/v1', kind: 'DeleteOptions' },
    { apiVersion: 'v1', kind: 'Status' },
    { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' },
  ])('finds $kind in $apiVersion', (typeMeta) => {
    expect(decodeProtobufObject(schema, wrapProtobuf(typeMeta, Buffer.alloc(0)))).toMatchObject(typeMeta);
  });

  it.each([
    { name: 'nothing', bytes: '', failure: '400 empty data' },
    {
      name: 'something else',
      bytes: '7b7d',
      failure: '400 provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    },
    { name: 'nothing behind the prefix', bytes: '6b387300', failure: '400 empty body' },
    { name: 'a length beyond the end', bytes: '6b3873000aff', failure: '400 unexpected EOF' },
    {
      name: 'no kind',
      bytes: '6b3873001200',
      failure: `400 Object 'Kind' is missing in 'runtime.TypeMeta{APIVersion:"", Kind:""}'`,
    },
    {
      name: 'an unknown kind',
      bytes: `6b387300${'0a07' + '0a027631' + '120158'}`,
      failure: '400 no kind "X" is registered for version "v1"',
    },
    {
      name: 'another wire type than the field has',
      bytes: namespaceBytes.replace('12190a11', '12190811'),
      failure: '400 proto: wrong wireType = 0 for field metadata',
    },
  ])('refuses $name', ({ bytes, failure }) => {
    expect(failureOf(() => decodeProtobufObject(schema, Buffer.from(bytes, 'hex')))).toBe(failure);
  });
});

describe('watch frames', () => {
  const object = Buffer.from(namespaceBytes, 'hex');

  it('have their length in front', () => {
    expect(encodeWatchFrame('ADDED', Buffer.from('xy')).toString('hex')).toBe(
      '0000000d' + '0a054144444544' + '12040a027879',
    );
  });

  it('are found in a stream cut anywhere', () => {
    const stream = Buffer.concat([encodeWatchFrame('ADDED', object), encodeWatchFrame('DELETED', object)]);
    for (let cut = 1; cut < stream.length; cut++) {
      const parser = new WatchFrameParser();
      const frames = [...parser.push(stream.subarray(0, cut)), ...parser.push(stream.subarray(cut))];
      expect(frames.map((frame) => frame.type)).toEqual(['ADDED', 'DELETED']);
      expect(frames.every((frame) => frame.object.equals(object))).toBe(true);
      expect(parser.isIncomplete).toBe(false);
    }
  });

  it('are refused when they cannot be', () => {
    expect(failureOf(() => new WatchFrameParser().push(Buffer.from('ffffffff', 'hex')))).toBe(
      '400 a watch event of 4294967295 bytes is too large',
    );
  });
});
