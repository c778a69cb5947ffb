/** CodeMirror for YAML, with the fields' managers in the margin. Loaded when an editor is first shown. */
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, linter, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, RangeSet, StateEffect, StateField } from '@codemirror/state';
import {
  EditorView,
  gutter,
  GutterMarker,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { parseDocument } from 'yaml';
import { codeOf, CONTROLS, visible } from '../format.ts';
import { checkFields, completeFields } from './schema-support.ts';

export interface YamlEditor {
  text(): string;
  setText(text: string): void;
  setManagers(byLine: ReadonlyMap<number, string>): void;
  destroy(): void;
}

class ManagerMarker extends GutterMarker {
  readonly #name: string;

  constructor(name: string) {
    super();
    this.#name = name;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span');
    element.textContent = visible(this.#name, 40);
    element.title = visible(this.#name, 200);
    return element;
  }
}

const setManagers = StateEffect.define<ReadonlyMap<number, string>>();

const managers = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(markers, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setManagers)) continue;
      const { doc } = transaction.state;
      const lines = [...effect.value].filter(([line]) => line <= doc.lines).sort(([a], [b]) => a - b);
      return RangeSet.of(lines.map(([line, name]) => new ManagerMarker(name).range(doc.line(line).from)));
    }
    return markers.map(transaction.changes);
  },
});

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--dim)' },
]);

const syntax = linter((view): Diagnostic[] => {
  const text = view.state.doc.toString();
  return parseDocument(text).errors.map(({ pos: [from, to], message }) => ({
    from: Math.min(from, text.length),
    to: Math.min(Math.max(to, from), text.length),
    severity: 'error',
    message: message.split('\n')[0] ?? message,
  }));
});

function specialCharacter(code: number): HTMLElement {
  const element = document.createElement('span');
  element.className = 'cm-specialChar';
  element.textContent = codeOf(String.fromCharCode(code));
  return element;
}

const fields = linter((view) => checkFields(view.state.doc.toString()));

export function createYamlEditor(
  parent: HTMLElement,
  options: { text: string; label: string; readOnly: boolean; onChange: (text: string) => void },
): YamlEditor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        managers,
        gutter({ class: 'cm-managers', markers: (editor) => editor.state.field(managers) }),
        history(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSpecialChars({ specialChars: CONTROLS, render: specialCharacter }),
        highlightSelectionMatches(),
        autocompletion({ override: [completeFields] }),
        yaml(),
        syntaxHighlighting(COLOURS),
        lintGutter(),
        syntax,
        fields,
        keymap.of([
          ...completionKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...searchKeymap,
          ...foldKeymap,
          indentWithTab,
        ]),
        EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
        EditorState.readOnly.of(options.readOnly),
        EditorState.tabSize.of(2),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    setText(text) {
      if (text !== view.state.doc.toString())
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    setManagers: (byLine) => view.dispatch({ effects: setManagers.of(byLine) }),
    destroy: () => view.destroy(),
  };
}
