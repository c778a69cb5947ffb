import { useState } from 'preact/hooks';
import { parse } from 'yaml';
import type { ApiObject } from '../api/objects.ts';
import { messageOf } from '../api/request.ts';
import { Editor } from '../edit/editor.tsx';
import { Review, yamlOf, type Edit } from '../edit/review.tsx';
import { Notice } from '../parts/basics.tsx';
import { pastRevision } from '../router.ts';
import { T } from '../texts.ts';
import type { TabProps } from './tab-props.ts';

export function YamlTab({ type, object }: TabProps) {
  /** The object that the text came from: an edit is compared with it, whatever happens meanwhile. */
  const [base, setBase] = useState(object);
  const [text, setText] = useState<string>();
  /** How often a text was shown in place of the user's. */
  const [shows, setShows] = useState(0);
  const [edit, setEdit] = useState<Edit>();
  const [problem, setProblem] = useState<string>();
  const isEdited = text !== undefined && text !== yamlOf(base);
  if (!isEdited && base.metadata.resourceVersion !== object.metadata.resourceVersion) {
    setBase(object);
    setText(undefined);
  }
  const review = (): void => {
    try {
      setEdit({ type, live: base, edited: parse(text!) as Record<string, unknown> });
      setProblem(undefined);
    } catch (error) {
      setProblem(`${T.edit.invalid}: ${messageOf(error)}`);
    }
  };
  const show = (shown: ApiObject): void => {
    setBase(shown);
    setText(undefined);
    setShows(shows + 1);
    setEdit(undefined);
  };
  const canEdit = type.verbs.has('patch') && pastRevision.value === 0;
  return (
    <>
      <div class="toolbar">
        <span class="dim">{T.edit.managersHint}</span>
        {isEdited && base.metadata.resourceVersion !== object.metadata.resourceVersion && (
          <span class="warn">{T.edit.changedMeanwhile}</span>
        )}
        <span class="grow" />
        <button type="button" disabled={!isEdited} onClick={() => show(object)}>
          {T.edit.reset}
        </button>
        <button type="button" class="primary" disabled={!isEdited} onClick={review}>
          {T.edit.review}
        </button>
      </div>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      <Editor
        text={text ?? yamlOf(base)}
        version={`${base.metadata.resourceVersion ?? ''} ${shows}`}
        readOnly={!canEdit}
        managedFields={base.metadata.managedFields ?? []}
        onChange={setText}
      />
      {edit && <Review edit={edit} onClose={() => setEdit(undefined)} onDone={show} />}
    </>
  );
}
