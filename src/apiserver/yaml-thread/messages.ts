/** The messages between the server and the thread that parses YAML. */
import type { CachedYaml } from '../../machinery/decode/index.ts';

export interface YamlRequest {
  readonly id: number;
  readonly text: string;
}

export interface YamlResponse {
  readonly id: number;
  readonly result?: CachedYaml;
  /** Why the thread could not parse the text, when that is not the text's fault. */
  readonly failure?: string;
}
