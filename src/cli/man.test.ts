import { expect, it } from 'vitest';
import { commands } from './commands.ts';
import { installation, loginShell } from './completion.ts';
import { describeCommand } from './describe-command.ts';
import { manualPage } from './man.ts';

it('the manual page has every command, and no line that roff would take for its own', async () => {
  const described = await Promise.all(
    Object.entries(commands).map(([name, command]) => describeCommand(name, command)),
  );
  const lines = manualPage(described).split('\n');
  for (const name of Object.keys(commands))
    expect(
      lines.some((line) => line.startsWith(`.SS k8ts ${name.replaceAll('-', '\\-')}`)),
      name,
    ).toBe(true);
  const requests = new Set(lines.filter((line) => line.startsWith('.')).map((line) => line.split(' ')[0]));
  expect([...requests].toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    '.B',
    '.I',
    '.SH',
    '.SS',
    '.TH',
    '.TP',
  ]);
  expect(manualPage([{ name: 'x', summary: '.k8ts is a \\ folder', verbs: [], flags: [] }])).toContain(
    String.raw`\&.k8ts is a \e folder.`,
  );
});

it.each([
  ['bash', {}, '/home/me/.local/share/bash-completion/completions/k8ts'],
  ['bash', { XDG_DATA_HOME: '/data' }, '/data/bash-completion/completions/k8ts'],
  ['zsh', {}, '/home/me/.zfunc/_k8ts'],
  ['fish', { XDG_CONFIG_HOME: '/config' }, '/config/fish/completions/k8ts.fish'],
])('the completions of %s are looked for in their place', (shell, environment, file) => {
  expect(installation(shell, environment, '/home/me').file).toBe(file);
});

it.each([
  ['/usr/bin/zsh', 'zsh'],
  ['/bin/bash', 'bash'],
  ['/bin/dash', undefined],
  ['constructor', undefined],
  [undefined, undefined],
])('the shell of SHELL=%s gets the completions', (SHELL, shell) => {
  expect(loginShell(SHELL === undefined ? {} : { SHELL })).toBe(shell);
});
