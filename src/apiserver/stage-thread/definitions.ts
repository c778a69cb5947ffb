/** The definitions of custom resources that the thread has, each sent once. */
import type { CustomResourceDefinitionSpec } from '../../api/generated/apiextensions-v1.ts';
import { parseJson } from '../../machinery/decode/index.ts';
import { type CustomKind, customKinds } from '../custom-kind/custom-kinds.ts';
import type { CustomReference } from './messages.ts';

export class Definitions {
  readonly #byNumber = new Map<number, ReadonlyMap<string, CustomKind>>();

  /** undefined where the definition has to be sent. */
  find({ definition, version, spec }: CustomReference): CustomKind | undefined {
    let kinds = this.#byNumber.get(definition);
    if (!kinds && spec !== undefined) {
      // Defaults may be integers that JSON.parse would round.
      kinds = customKinds(parseJson(spec).value as CustomResourceDefinitionSpec).byVersion;
      this.#byNumber.set(definition, kinds);
    }
    return kinds?.get(version);
  }

  forget(definition: number): void {
    this.#byNumber.delete(definition);
  }
}
