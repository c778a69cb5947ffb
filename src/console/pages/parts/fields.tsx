/** Fields with their names above, choices to tick, and the forms that hold them in one line. */
import type { ComponentChildren } from 'preact';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'search' | 'number';
  readonly placeholder?: string;
  readonly required?: boolean;
  /** The id of a datalist. */
  readonly list?: string;
  readonly min?: number;
  readonly max?: number;
  readonly autofocus?: boolean;
  /** Whether `/` leads to it. */
  readonly isFilter?: boolean;
}

export const Field = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <label class="field">
    <span>{label}</span>
    {children}
  </label>
);

export const TextField = ({ label, onChange, type = 'text', isFilter = false, ...attributes }: FieldProps) => (
  <Field label={label}>
    <input
      type={type}
      spellcheck={false}
      onInput={(event) => onChange(event.currentTarget.value)}
      {...(isFilter ? { 'data-filter': '' } : {})}
      {...attributes}
    />
  </Field>
);

export const SearchField = (props: Pick<FieldProps, 'label' | 'value' | 'onChange'>) => (
  <TextField type="search" isFilter {...props} />
);

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

export const NumberField = ({ label, value, min, max, onChange }: NumberFieldProps) => (
  <TextField
    label={label}
    type="number"
    min={min}
    max={max}
    required
    value={String(value)}
    onChange={(text) => onChange(Number(text))}
  />
);

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export const Check = ({ label, checked, onChange }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
    {label}
  </label>
);

interface LineFormProps {
  /** What its button says. */
  readonly submit: string;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** Fields in a line, and the button that sends them. */
export const LineForm = ({ submit, onSubmit, children }: LineFormProps) => (
  <form
    class="toolbar filters"
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
    <button type="submit" class="primary">
      {submit}
    </button>
  </form>
);
