/** The bundled pages, read into memory when a browser first asks for them. */
import fs from 'node:fs/promises';
import path from 'node:path';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

/** In the program's bundle, the pages are beside it. */
const BUNDLED = path.join(import.meta.dirname, 'console');

export class PageFiles {
  readonly #directory: string;
  #files: Promise<ReadonlyMap<string, PageFile>> | undefined;

  constructor(directory = BUNDLED) {
    this.#directory = directory;
  }

  /** By path: `/` is the page. Names that were not built are not found, so no path leads out of the directory. */
  async find(pathname: string): Promise<PageFile | undefined> {
    this.#files ??= this.#read();
    return (await this.#files).get(pathname === '/' ? '/index.html' : pathname);
  }

  async #read(): Promise<ReadonlyMap<string, PageFile>> {
    const names = await fs.readdir(this.#directory).catch((error: unknown) => {
      throw new Error(`the pages of the console are not in ${this.#directory}; build them with "npm run build"`, {
        cause: error,
      });
    });
    const files = names.flatMap((name) => {
      const type = TYPES.get(path.extname(name));
      return type === undefined ? [] : [{ name, type }];
    });
    return new Map(
      await Promise.all(
        files.map(async ({ name, type }) => {
          const body = await fs.readFile(path.join(this.#directory, name));
          return [`/${name}`, { type, body }] as const;
        }),
      ),
    );
  }
}
