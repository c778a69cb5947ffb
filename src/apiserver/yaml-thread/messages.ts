/** What the server and the thread that reads YAML say to each other. */
import type { CachedYaml } from '../../machinery/decode/index.ts';

export interface YamlQuestion {
  readonly id: number;
  readonly text: string;
}

export interface YamlAnswer {
  readonly id: number;
  readonly result?: CachedYaml;
  /** The thread could not say whether it is YAML. */
  readonly failure?: string;
}
