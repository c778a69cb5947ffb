import { useEffect, useRef } from 'preact/hooks';
import type { ManagedFields } from '../api/objects.ts';
import { T } from '../texts.ts';
import type { YamlEditor } from './yaml-editor.ts';

/** The editor's text changes only with the user, or when another `version` of the object is shown. */
export function Editor(props: {
  text: string;
  version: string;
  readOnly?: boolean;
  managedFields?: readonly ManagedFields[];
  onChange: (text: string) => void;
}) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<YamlEditor>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const showManagers = async (): Promise<void> => {
    const { managersByLine } = await import('./field-managers.ts');
    const shown = editor.current;
    if (shown) shown.setManagers(managersByLine(shown.text(), latest.current.managedFields ?? []));
  };
  useEffect(() => {
    let ended = false;
    void import('./yaml-editor.ts').then(({ createYamlEditor }) => {
      if (ended) return undefined;
      editor.current = createYamlEditor(parent.current!, {
        text: latest.current.text,
        label: T.edit.label,
        readOnly: latest.current.readOnly ?? false,
        onChange: (text) => latest.current.onChange(text),
      });
      return showManagers();
    });
    return () => {
      ended = true;
      editor.current?.destroy();
      editor.current = undefined;
    };
  }, []);
  useEffect(() => {
    editor.current?.setText(latest.current.text);
    void showManagers();
  }, [props.version]);
  return <div class="editor" ref={parent} />;
}
