import { useState } from 'preact/hooks';
import { parse } from 'yaml';
import { messageOf } from '../api/request.ts';
import { typeOfKind, type ResourceType } from '../api/resources.ts';
import { Editor } from '../edit/editor.tsx';
import { Review, type Edit } from '../edit/review.tsx';
import { templateOf } from '../edit/templates.ts';
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
  const review = (): void => {
    try {
      const edited = parse(text) as Record<string, unknown>;
      const of = typeOfKind(String(edited['kind']), String(edited['apiVersion']));
      if (of === undefined)
        throw new Error(T.objects.unknownKind(`${String(edited['apiVersion'])} ${String(edited['kind'])}`));
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
    <Dialog title={T.edit.newTitle} onClose={onClose} wide>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      <Editor text={text} version="" onChange={setText} />
      <footer>
        <button type="button" onClick={onClose}>
          {T.actions.cancel}
        </button>
        <button type="button" class="primary" onClick={review}>
          {T.edit.review}
        </button>
      </footer>
    </Dialog>
  );
}
