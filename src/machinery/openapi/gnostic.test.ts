import { describe, expect, it } from 'vitest';
import { runSteps } from '../../base/index.ts';
import { OpenApiDocuments } from './documents.ts';
import { encodeGnosticDocument } from './gnostic.ts';

const hex = (text: string): string => Buffer.from(text).toString('hex');
/** A length-delimited field: tag, length, content. */
const delimited = (number: number, contentHex: string): string =>
  varint((number << 3) | 2) + varint(contentHex.length / 2) + contentHex;
const text = (number: number, value: string): string => delimited(number, hex(value));

function varint(value: number): string {
  const bytes: number[] = [];
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]).toString('hex');
}

const named = (name: string, contentHex: string): string => text(1, name) + delimited(2, contentHex);

describe('the protobuf form of version 2', () => {
  it('has the version and the title', () => {
    const bytes = encodeGnosticDocument({ swagger: '2.0', info: { title: 'T', version: 'V' } });
    expect(bytes.toString('hex')).toBe(text(1, '2.0') + delimited(2, text(1, 'T') + text(2, 'V')));
  });

  it('has definitions with their types, properties and extensions', () => {
    const bytes = encodeGnosticDocument({
      definitions: {
        D: {
          type: 'object',
          required: ['a'],
          properties: { a: { type: 'array', items: { $ref: '#/definitions/E' } }, b: { additionalProperties: true } },
          'x-k': [1],
        },
      },
    });
    const items = delimited(23, delimited(1, text(1, '#/definitions/E')));
    const a = delimited(22, text(1, 'array')) + items;
    const b = delimited(21, '1001');
    const properties = delimited(25, delimited(1, named('a', a)) + delimited(1, named('b', b)));
    const extension = delimited(31, named('x-k', text(2, '[1]\n')));
    const schema = text(19, 'a') + delimited(22, text(1, 'object')) + properties + extension;
    expect(bytes.toString('hex')).toBe(delimited(9, delimited(1, named('D', schema))));
  });

  it('has operations with parameters of every kind', () => {
    const bytes = encodeGnosticDocument({
      paths: {
        '/x': {
          patch: {
            operationId: 'o',
            parameters: [
              { in: 'body', name: 'body', required: true, schema: { type: 'string' } },
              { in: 'query', name: 'q', type: 'string', uniqueItems: true },
              { $ref: '#/parameters/p' },
            ],
            responses: { 200: { description: 'OK', schema: { type: 'string' } } },
          },
          parameters: [{ in: 'path', name: 'n', required: true, type: 'string' }],
        },
      },
    });
    const stringSchema = delimited(22, text(1, 'string'));
    const body = text(2, 'body') + text(3, 'body') + '2001' + delimited(5, stringSchema);
    const query = text(2, 'query') + text(4, 'q') + text(6, 'string') + 'a00101';
    const path = '0801' + text(2, 'path') + text(4, 'n') + text(5, 'string');
    const responses = delimited(
      1,
      named('200', delimited(1, text(1, 'OK') + delimited(2, delimited(1, stringSchema)))),
    );
    const operation =
      text(5, 'o') +
      delimited(8, delimited(1, delimited(1, body))) +
      delimited(8, delimited(1, delimited(2, delimited(3, query)))) +
      delimited(8, delimited(2, text(1, '#/parameters/p'))) +
      delimited(9, responses);
    const item = delimited(8, operation) + delimited(9, delimited(1, delimited(2, delimited(4, path))));
    expect(bytes.toString('hex')).toBe(delimited(8, delimited(2, named('/x', item))));
  });

  it('encodes the whole document', () => {
    const documents = new OpenApiDocuments({ version: 'v1.36.4' });
    const { bytes } = runSteps(documents.v2Protobuf());
    expect(bytes.length).toBeGreaterThan(500_000);
    expect(bytes.subarray(0, 5).toString('hex')).toBe(text(1, '2.0'));
    expect(bytes.includes('io.k8s.api.core.v1.PodSpec')).toBe(true);
  });
});
