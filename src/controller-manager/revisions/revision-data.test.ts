import { expect, it } from 'vitest';
import { goJsonText } from '../../base/index.ts';
import { revisionData, templateOf } from './revision-data.ts';

const TEMPLATE = {
  spec: { containers: [{ name: 'c', image: 'i', args: ['a && b'] }], nodeSelector: { z: '', '10': '', '9': '' } },
  metadata: { labels: { b: '2', a: '1' } },
};

it("is Go's encoding of a map", () => {
  expect(goJsonText(revisionData(TEMPLATE))).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"a":"1","b":"2"}},' +
      '"spec":{"containers":[{"args":["a \\u0026\\u0026 b"],"image":"i","name":"c"}],' +
      '"nodeSelector":{"10":"","9":"","z":""}}}}}',
  );
});

it('holds the template', () => {
  expect(templateOf({ metadata: {}, revision: 1, data: revisionData(TEMPLATE) as never })).toEqual(TEMPLATE);
});
