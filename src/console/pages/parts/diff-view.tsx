import { diffLines } from '../edit/diff.ts';
import { visible } from '../format.ts';
import { T } from '../texts.ts';

const SIGNS = { added: '+ ', removed: '- ', same: '  ', gap: '  ' } as const;

export function DiffView({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = diffLines(before, after);
  if (lines.length === 0) return <p class="dim">{T.history.same}</p>;
  return (
    <pre class="diff" tabIndex={0} aria-label={label}>
      {lines.map(({ kind, text }, at) => (
        <div key={at} class={kind}>
          {SIGNS[kind]}
          {visible(text, 500)}
        </div>
      ))}
    </pre>
  );
}
