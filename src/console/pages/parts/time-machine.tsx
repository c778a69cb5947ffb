/** A slider over the kept revisions: the pages show the cluster as it was then, and change nothing. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { KeptCommits } from '../../answers.ts';
import { ask, messageOf } from '../api/request.ts';
import { dateTime, pastTime, visible } from '../format.ts';
import { canShowPast, pastRevision, setQuery } from '../router.ts';
import { T } from '../texts.ts';
import { toast } from './toasts.tsx';

const kept = signal<KeptCommits | undefined>(undefined);
/** Moves of the slider become reads of the whole cluster, so they wait for a pause. */
const PAUSE_MS = 150;

async function load(): Promise<KeptCommits> {
  kept.value = await ask<KeptCommits>('commits');
  return kept.value;
}

const failed = (error: unknown): void => toast(`${T.past.failed}: ${messageOf(error)}`, { bad: true });

export function TimeMachineButton() {
  if (!canShowPast.value || pastRevision.value > 0) return null;
  return (
    <button
      type="button"
      class="small"
      onClick={() => void load().then(({ newest }) => setQuery({ at: String(newest) }), failed)}
    >
      {T.past.open}
    </button>
  );
}

export function TimeMachine() {
  const revision = canShowPast.value ? pastRevision.value : 0;
  const known = kept.value;
  useEffect(() => {
    if (revision > 0 && known === undefined) void load().catch(failed);
  }, [revision, known]);
  const commit = known?.commits.findLast((each) => each.revision <= revision);
  useEffect(() => {
    pastTime.value = revision > 0 ? (commit?.at ?? 0) : 0;
  }, [revision, commit]);
  if (revision === 0) return null;
  return (
    <section class="time-machine" aria-label={T.past.title}>
      <strong>{T.past.title}</strong>
      {known && <Slider known={known} revision={revision} />}
      <p role="status">
        {commit ? (
          <>
            <strong>{dateTime(new Date(commit.at).toISOString())}</strong> {T.past.revision(revision)}
            <span class="what">
              {visible(commit.title, 80)}
              {commit.user ? ` ${T.past.by} ${visible(commit.user, 60)}` : ''}
            </span>
          </>
        ) : (
          <>
            {T.past.revision(revision)}
            <span class="what">{known ? T.past.unrecorded : T.state.loading}</span>
          </>
        )}
      </p>
      <button type="button" class="primary" onClick={() => setQuery({ at: undefined })}>
        {T.past.back}
      </button>
    </section>
  );
}

/** Over the recorded writes; over all revisions where nothing is recorded. */
function Slider({ known: { oldest, newest, commits }, revision }: { known: KeptCommits; revision: number }) {
  const isRecorded = commits.length > 0;
  const place = isRecorded
    ? Math.max(
        0,
        commits.findLastIndex((each) => each.revision <= revision),
      )
    : revision;
  const [moved, setMoved] = useState<number>();
  const [min, max] = isRecorded ? [0, commits.length - 1] : [oldest, newest];
  const at = moved ?? place;
  const show = (to: number): void => {
    const next = Math.max(min, Math.min(max, to));
    setQuery({ at: String(isRecorded ? commits[next]!.revision : next) });
  };
  useEffect(() => {
    if (moved === undefined) return undefined;
    const timer = setTimeout(() => {
      show(moved);
      setMoved(undefined);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [moved]);
  return (
    <>
      <button type="button" onClick={() => show(at - 1)} disabled={at <= min} aria-label={T.past.earlier}>
        ◀
      </button>
      <input
        type="range"
        min={min}
        max={max}
        value={at}
        aria-label={T.past.slider}
        title={isRecorded ? T.past.reaches(dateTime(new Date(commits[0]!.at).toISOString())) : ''}
        onInput={(event) => setMoved(Number(event.currentTarget.value))}
      />
      <button type="button" onClick={() => show(at + 1)} disabled={at >= max} aria-label={T.past.later}>
        ▶
      </button>
    </>
  );
}
