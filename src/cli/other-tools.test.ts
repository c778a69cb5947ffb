import { expect, it } from 'vitest';
import { commands } from './commands.ts';
import { hintFor } from './other-tools.ts';

it.each([
  [['start'], 'k8ts up'],
  [['stop'], 'k8ts down'],
  [['create', 'cluster', '--name', 'x'], 'k8ts up'],
  [['get', 'clusters'], 'k8ts status'],
  [['delete', 'cluster', '--name', 'x'], 'k8ts delete'],
  [['delete'], undefined],
  [['toString'], undefined],
  [['what'], undefined],
])('%j is %s here', (argv, hint) => {
  expect(hintFor(argv)).toBe(hint);
});

it('hints name commands that there are', () => {
  for (const words of [['start'], ['stop'], ['rm'], ['ps'], ['node'], ['load'], ['images']]) {
    const [program, command] = hintFor(words)!.split(' ');
    expect(program).toBe('k8ts');
    expect(Object.keys(commands)).toContain(command);
  }
});
