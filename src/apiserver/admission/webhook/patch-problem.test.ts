import { expect, it } from 'vitest';
import { patchProblem } from './patch-problem.ts';

const document = { data: { a: 'b', 'x/y': {} }, list: [1, 2], text: 'x' };

it.each([
  [
    { op: 'remove', path: '/no/such/place' },
    'remove operation does not apply: doc is missing path: "/no/such/place": missing value',
  ],
  [{ op: 'remove', path: '/text/a' }, 'remove operation does not apply: doc is missing path: "/text/a": missing value'],
  [
    { op: 'remove', path: '/data/none' },
    "error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
  ],
  [
    { op: 'remove', path: '/data/x~1y/z' },
    "error in remove for path: '/data/x~1y/z': Unable to remove nonexistent key: z: missing value",
  ],
  [
    { op: 'remove', path: '/list/5' },
    "error in remove for path: '/list/5': Unable to access invalid index: 5: invalid index referenced",
  ],
  [{ op: 'remove', path: '/list/-' }, `error in remove for path: '/list/-': strconv.Atoi: parsing "-": invalid syntax`],
  [
    { op: 'add', path: '/no/such', value: 1 },
    'add operation does not apply: doc is missing path: "/no/such": missing value',
  ],
  [
    { op: 'add', path: '/list/9', value: 1 },
    "error in add for path: '/list/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { op: 'add', path: '/list/a', value: 1 },
    `error in add for path: '/list/a': value was not a proper array index: 'a': strconv.Atoi: parsing "a": invalid syntax`,
  ],
  [
    { op: 'replace', path: '/no/such', value: 1 },
    'replace operation does not apply: doc is missing path: /no/such: missing value',
  ],
  [
    { op: 'replace', path: '/list/9', value: 1 },
    'replace operation does not apply: doc is missing key: /list/9: missing value',
  ],
  [
    { op: 'move', from: '/no/such', path: '/a' },
    'move operation does not apply: doc is missing from path: /no/such: missing value',
  ],
  [
    { op: 'move', from: '/data/none', path: '/a' },
    "error in move for path: 'none': Unable to remove nonexistent key: none: missing value",
  ],
  [
    { op: 'move', from: '/data/a', path: '/no/such' },
    'move operation does not apply: doc is missing destination path: /no/such: missing value',
  ],
  [
    { op: 'copy', from: '/list/7', path: '/a' },
    "error in copy for from: '/list/7': Unable to access invalid index: 7: invalid index referenced",
  ],
  [
    { op: 'copy', from: '/data/a', path: '/no/such' },
    'copy operation does not apply: doc is missing destination path: /no/such: missing value',
  ],
  [
    { op: 'copy', from: '/data/a', path: '/list/8' },
    'error while adding value during copy: Unable to access invalid index: 8: invalid index referenced',
  ],
  [
    { op: 'test', path: '/no/such', value: 1 },
    'test operation does not apply: is missing path: /no/such: missing value',
  ],
  [{ op: 'test', path: '/data/a', value: 1 }, 'testing value /data/a failed: test failed'],
  [
    { op: 'test', path: '/list/8', value: 1 },
    "error in test for path: '/list/8': Unable to access invalid index: 8: invalid index referenced",
  ],
  [{ op: 'nope', path: '/a' }, 'Unexpected kind: nope'],
])('%j', (operation, message) => expect(patchProblem(document, operation)).toBe(message));
