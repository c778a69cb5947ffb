import { expect, it } from 'vitest';
import { describeBuild, describeTransfer } from './image.ts';

it.each([
  [describeTransfer({ node: 'node-1', doneBytes: 2_500_000 }), '2.5 MB on node-1'],
  [
    describeTransfer({ node: 'node-1', doneBytes: 2_500_000, totalBytes: 10_000_000 }),
    '█████░░░░░░░░░░░░░░░ 2.5 of 10.0 MB on node-1',
  ],
  [describeBuild({ step: 1, steps: 4, instruction: 'FROM a' }), '░░░░░░░░░░░░░░░░░░░░ step 1 of 4: FROM a'],
  [
    describeBuild({ step: 1, steps: 4, instruction: 'FROM a', pull: { received: 1_000_000 } }),
    '░░░░░░░░░░░░░░░░░░░░ step 1 of 4 (1.0 MB): FROM a',
  ],
  [describeBuild({ step: 3, steps: 4, instruction: 'RUN make' }), '██████████░░░░░░░░░░ step 3 of 4: RUN make'],
])('how far an image is: %s', (text, expected) => {
  expect(text).toBe(expected);
});
