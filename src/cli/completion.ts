/** `k8ts completion bash|zsh|fish`: a completion script for all commands and their flags. */
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { outputFlag, type Commands } from './command.ts';
import { describeCommand, type CommandDescription } from './describe-command.ts';
import { print } from './output.ts';

export const flags = { ...outputFlag } as const satisfies FlagTable;

export const verbs = ['bash', 'zsh', 'fish'] as const;

const USAGE = `k8ts completion bash|zsh|fish: print a completion script

  bash: source <(k8ts completion bash)
  zsh:  source <(k8ts completion zsh)
  fish: k8ts completion fish | source`;

export async function run(argv: readonly string[], commands: Commands): Promise<number> {
  const { values, positional, help } = parseFlags(argv, flags, { positional: true });
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [shell, ...rest] = positional;
  if (shell === undefined || rest.length > 0) throw new UsageError(`usage: k8ts completion ${verbs.join('|')}`);
  const write = SCRIPTS.has(shell) ? SCRIPTS.get(shell) : undefined;
  if (!write) throw new UsageError(`unknown shell ${shell}; use bash, zsh or fish`);
  const described = await Promise.all(
    Object.entries(commands).map(([name, command]) => describeCommand(name, command)),
  );
  print(values.output, { shell, script: write(described) }, ({ script }) => script);
  return 0;
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
