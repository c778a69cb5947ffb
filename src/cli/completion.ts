/** `k8ts completion bash|zsh|fish`: a completion script for all commands and their flags. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { makeDirectorySync } from '../kernel/index.ts';
import { outputFlag, type Commands } from './command.ts';
import { describeCommand, type CommandDescription } from './describe-command.ts';
import { print } from './output.ts';

export const flags = {
  install: { kind: 'switch', summary: 'Write it to where the shell looks for it' },
  ...outputFlag,
} as const satisfies FlagTable;

export const verbs = ['bash', 'zsh', 'fish'] as const;

const USAGE = `k8ts completion bash|zsh|fish: print a completion script, or install it with --install

  k8ts completion --install         for the shell that $SHELL names
  k8ts completion bash --install
  source <(k8ts completion zsh)`;

export async function run(argv: readonly string[], commands: Commands): Promise<number> {
  const { values, positional, help } = parseFlags(argv, flags, { positional: true });
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [shell = values.install ? loginShell(process.env) : undefined, ...rest] = positional;
  if (shell === undefined || rest.length > 0) throw new UsageError(`usage: k8ts completion ${verbs.join('|')}`);
  const write = SCRIPTS.has(shell) ? SCRIPTS.get(shell) : undefined;
  if (!write) throw new UsageError(`unknown shell ${shell}; use bash, zsh or fish`);
  const described = await Promise.all(
    Object.entries(commands).map(([name, command]) => describeCommand(name, command)),
  );
  const script = write(described);
  if (!values.install) {
    print(values.output, { shell, script }, () => script);
    return 0;
  }
  const { file, hint } = installation(shell, process.env, os.homedir());
  makeDirectorySync(path.dirname(file), { mode: 0o755 });
  fs.writeFileSync(file, `${script}\n`);
  print(values.output, { shell, file }, () => `wrote ${file}; ${hint}`);
  return 0;
}

/** Undefined where that is none of which there are completions. */
export function loginShell({ SHELL = '' }: NodeJS.ProcessEnv): string | undefined {
  const name = path.basename(SHELL);
  return SCRIPTS.has(name) ? name : undefined;
}

/** Where a shell looks for the completions of a user. */
export function installation(
  shell: string,
  environment: NodeJS.ProcessEnv,
  home: string,
): { file: string; hint: string } {
  const { XDG_DATA_HOME, XDG_CONFIG_HOME, BASH_COMPLETION_USER_DIR, ZDOTDIR } = environment;
  const data = XDG_DATA_HOME || path.join(home, '.local', 'share');
  switch (shell) {
    case 'bash':
      return {
        file: path.join(BASH_COMPLETION_USER_DIR || path.join(data, 'bash-completion'), 'completions', 'k8ts'),
        hint: 'new shells have it, where the package bash-completion is installed',
      };
    case 'zsh': {
      const folder = path.join(ZDOTDIR || home, '.zfunc');
      return {
        file: path.join(folder, '_k8ts'),
        hint: `new shells have it, if ~/.zshrc has: fpath+=(${folder}); autoload -Uz compinit && compinit`,
      };
    }
    default:
      return {
        file: path.join(XDG_CONFIG_HOME || path.join(home, '.config'), 'fish', 'completions', 'k8ts.fish'),
        hint: 'new shells have it',
      };
  }
}

const SCRIPTS: ReadonlyMap<string, (all: readonly CommandDescription[]) => string> = new Map(
  Object.entries<(all: readonly CommandDescription[]) => string>({
    bash: (all) => `_k8ts() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=( $(compgen -W "${all.map(({ name }) => name).join(' ')} help" -- "$current") ); return; fi
  case "\${COMP_WORDS[1]}" in
${all.map(({ name, verbs: known, flags: those }) => `    ${name}) COMPREPLY=( $(compgen -W "${[...known, ...those.map((flag) => flag.name)].join(' ')}" -- "$current") ) ;;`).join('\n')}
  esac
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=( $(compgen -f -- "$current") )
}
complete -o filenames -F _k8ts k8ts`,
    zsh: (all) => `#compdef k8ts
_k8ts() {
  local -a commands
  commands=(${all.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ')})
  if (( CURRENT == 2 )); then _describe 'command' commands; return; fi
  case "$words[2]" in
${all.map(({ name, verbs: known, flags: those }) => `    ${name}) _arguments ${[...(known.length > 0 ? [quoted(`1: :(${known.join(' ')})`)] : []), ...those.map((flag) => quoted(`${flag.name}[${flag.summary.replaceAll(/[[\]]/g, '')}]`))].join(' ')} '*: :_files' ;;`).join('\n')}
  esac
}
compdef _k8ts k8ts`,
    fish: (all) =>
      all
        .flatMap(({ name, summary, verbs: known, flags: those }) => [
          `complete -c k8ts -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
          ...known.map((verb) => `complete -c k8ts -n '__fish_seen_subcommand_from ${name}' -a ${verb}`),
          ...those.map(
            (flag) =>
              `complete -c k8ts -n '__fish_seen_subcommand_from ${name}' -l ${flag.name.slice(2)} -d ${quoted(flag.summary)}`,
          ),
        ])
        .join('\n'),
  }),
);

const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`;
