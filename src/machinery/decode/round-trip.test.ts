import { describe, expect, it } from 'vitest';
import { packages, schema } from '../../api/index.ts';
import { apiVersionOf, type GroupVersionKind } from '../../api/schema.ts';
import { encodeJson, stringifyJson } from '../../base/index.ts';
import { objectGenerator } from '../testing/index.ts';
import { conformDocument } from './conform-value.ts';
import { readDocument } from './document.ts';
import { decodeObject, parseYaml } from './index.ts';

const kinds = packages.flatMap(({ group, version, messages }): GroupVersionKind[] =>
  Object.entries(messages).flatMap(([kind, { object }]) => (object ? [{ group, version, kind }] : [])),
);

describe('decoding an encoded object returns the same object', () => {
  it.each(kinds.map((gvk) => [`${apiVersionOf(gvk)} ${gvk.kind}`, gvk] as const))('%s', (_, gvk) => {
    const message = schema.kind(gvk)!;
    const generate = objectGenerator(kinds.indexOf(gvk) + 1);
    for (let i = 0; i < 20; i++) {
      const object = generate.object(message, gvk);
      const body = encodeJson(object);
      const decoded = decodeObject({ body, contentType: 'json', expected: gvk });
      expect(decoded.strictErrors).toEqual([]);
      expect(decoded.object).toStrictEqual(object);
      expect(encodeJson(decoded.object).equals(body)).toBe(true);

      // The exact decoder agrees with the fast path.
      expect(conformDocument(message, readDocument(body.toString())).object).toStrictEqual(object);
      // JSON is YAML.
      if (i === 0) expect(stringifyJson(parseYaml(body.toString()).value)).toBe(body.toString());
    }
  });
});
