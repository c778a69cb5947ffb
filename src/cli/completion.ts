/** `k8ts completion bash|zsh|fish`: a script made from the commands and their flags. */
import { parseFlags, UsageError } from '../kernel/index.ts';
import type { CommandModule } from './command.ts';
import { commands } from './commands.ts';

export const verbs = ['bash', 'zsh', 'fish'] as const;

interface Words {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly string[];
  readonly flags: readonly { readonly name: string; readonly summary: string }[];
}

export async function run(argv: readonly string[]): Promise<number> {
  const { positional, help } = parseFlags(argv, {}, { positional: true });
  const [shell] = positional;
  if (help || shell === undefined) {
    console.log('k8ts completion bash|zsh|fish: print a completion script\n\n  bash: source <(k8ts completion bash)\n  zsh:  source <(k8ts completion zsh)\n  fish: k8ts completion fish | source');
    return help ? 0 : 1;
  }
  const write = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (!write) throw new UsageError(`there is no completion for ${shell}; there is one for bash, zsh and fish`);
  console.log(write(await words()));
  return 0;
}

async function words(): Promise<Words[]> {
  return Promise.all(
    Object.entries(commands).map(async ([name, { summary, load }]) => {
      const module: CommandModule = await load();
      const flags = Object.entries(module.flags ?? {}).flatMap(([flag, { summary: text }]) => (text === undefined ? [] : [{ name: `--${flag}`, summary: text }]));
      return { name, summary, verbs: module.verbs ?? [], flags: [...flags, { name: '--help', summary: 'Tell the flags' }] };
    }),
  );
}

const SCRIPTS: Readonly<Record<string, (all: readonly Words[]) => string>> = {
  bash: (all) => `_k8ts() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=( $(compgen -W "${all.map(({ name }) => name).join(' ')} help" -- "$current") ); return; fi
  case "\${COMP_WORDS[1]}" in
${all.map(({ name, verbs: known, flags }) => `    ${name}) COMPREPLY=( $(compgen -W "${[...known, ...flags.map((flag) => flag.name)].join(' ')}" -- "$current") ) ;;`).join('\n')}
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
${all.map(({ name, verbs: known, flags }) => `    ${name}) _arguments ${[...(known.length > 0 ? [quoted(`1: :(${known.join(' ')})`)] : []), ...flags.map((flag) => quoted(`${flag.name}[${flag.summary.replaceAll(/[[\]]/g, '')}]`))].join(' ')} '*: :_files' ;;`).join('\n')}
  esac
}
compdef _k8ts k8ts`,
  fish: (all) =>
    all
      .flatMap(({ name, summary, verbs: known, flags }) => [
        `complete -c k8ts -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
        ...known.map((verb) => `complete -c k8ts -n '__fish_seen_subcommand_from ${name}' -a ${verb}`),
        ...flags.map((flag) => `complete -c k8ts -n '__fish_seen_subcommand_from ${name}' -l ${flag.name.slice(2)} -d ${quoted(flag.summary)}`),
      ])
      .join('\n'),
};

const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`;
