/** The editor and the terminal add style elements; the Content-Security-Policy allows those with the page's nonce. */
export function allowStyles(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? '';
  const create = document.createElement.bind(document) as (
    name: string,
    options?: ElementCreationOptions,
  ) => HTMLElement;
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (name === 'style') element.nonce = nonce;
    return element;
  }) as typeof document.createElement;
}
