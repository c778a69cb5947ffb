import { useState } from 'preact/hooks';
import { parse } from 'yaml';
import { messageOf } from '../api/request.ts';
import { typeOfKind, type ResourceType } from '../api/resources.ts';
import { Editor } from '../edit/editor.tsx';
import { Review, type Edit } from '../edit/review.tsx';
import { templateOf } from '../edit/templates.ts';
import { visible } from '../format.ts';
import { go, objectLink } from '../router.ts';
import { T } from '../texts.ts';
import { Dialog, Notice } from './basics.tsx';

export function CreateDialog({
  type,
  namespace,
  onClose,
}: {
  type: ResourceType;
  namespace: string;
  onClose: () => void;
}) {
  const [text, setText] = useState(() => templateOf(type, namespace));
  const [edit, setEdit] = useState<Edit>();
  const [problem, setProblem] = useState<string>();
  const [leaving, setLeaving] = useState(false);
  const isWritten = text !== templateOf(type, namespace);
  const review = (): void => {
    try {
      const edited = parse(text) as Record<string, unknown>;
      const of = typeOfKind(String(edited['kind']), String(edited['apiVersion']));
      if (of === undefined)
        throw new Error(
          T.objects.unknownKind(visible(`${String(edited['apiVersion'])} ${String(edited['kind'])}`, 200)),
        );
      setProblem(undefined);
      setEdit({ type: of, live: undefined, edited });
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  if (edit)
    return (
      <Review
        edit={edit}
        onClose={() => setEdit(undefined)}
        onDone={({ metadata }) => {
          onClose();
          go(objectLink(edit.type.key, metadata));
        }}
      />
    );
  return (
    // Escape closes hints and completions, too: pressed once too often, it must not lose what was written.
    <Dialog title={T.edit.newTitle} onClose={() => (isWritten ? setLeaving(true) : onClose())} wide>
      {leaving && (
        <div class="notice error leaving" role="alert">
          <span>{T.edit.leaving}</span>
          <button type="button" class="danger" onClick={onClose}>
            {T.edit.leave}
          </button>
          <button type="button" onClick={() => setLeaving(false)}>
            {T.edit.stay}
          </button>
        </div>
      )}
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      <Editor text={text} version="" onChange={setText} />
      <footer>
        <button type="button" onClick={() => (isWritten ? setLeaving(true) : onClose())}>
          {T.actions.cancel}
        </button>
        <button type="button" class="primary" onClick={review}>
          {T.edit.review}
        </button>
      </footer>
    </Dialog>
  );
}
