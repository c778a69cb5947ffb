import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, callSession, messageOf, session } from './api/request.ts';
import { loadResourceTypes, discoveryError, resourceTypes } from './api/resources.ts';
import { Dialog, Notice } from './parts/basics.tsx';
import { Palette, paletteOpen } from './parts/palette.tsx';
import { TimeMachine } from './parts/time-machine.tsx';
import { toast, Toasts } from './parts/toasts.tsx';
import { go, link, listLink, route } from './router.ts';
import { T } from './texts.ts';
import { nextTheme, theme } from './theme.ts';
import { ClusterPage } from './views/cluster.tsx';
import { LaboratoryPage } from './views/laboratory.tsx';
import { NetworkPage } from './views/network.tsx';
import { ObjectPage } from './views/object.tsx';
import { ObjectsPage } from './views/objects.tsx';
import { SchedulingPage } from './views/scheduling.tsx';
import { SignIn, signInProblem } from './views/sign-in.tsx';
import { TracePage } from './views/trace.tsx';

const user = signal('');
const helpOpen = signal(false);

async function start(): Promise<void> {
  const key = /^#key=(.+)$/.exec(location.hash)?.[1];
  try {
    if (key !== undefined) {
      history.replaceState(null, '', '#/cluster');
      route.value = { parts: ['cluster'], query: new URLSearchParams() };
    }
    const current = await callSession();
    // Somebody who is signed in does not use the link up.
    if (key === undefined || current.signedIn) session.value = current;
    else session.value = await callSession({ method: 'POST', body: { key } });
  } catch (error) {
    signInProblem.value = key === undefined ? messageOf(error) : T.signIn.used;
    session.value = { signedIn: false, server: '' };
  }
}

async function whoAmI(): Promise<void> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const answer = await api<{ status?: { userInfo?: { username?: string } } }>(path, { method: 'POST', body: review });
  user.value = answer.status?.userInfo?.username ?? '';
}

export function App() {
  useEffect(() => {
    void start();
  }, []);
  const signedIn = session.value?.signedIn;
  useEffect(() => {
    if (!signedIn) return;
    void loadResourceTypes();
    whoAmI().catch((error: unknown) => toast(messageOf(error), { bad: true }));
  }, [signedIn]);
  useKeys();
  if (session.value === undefined) return <Notice>{T.state.loading}</Notice>;
  if (!signedIn) return <SignIn />;
  return (
    <>
      <a class="skip" href="#content" onClick={focusContent}>
        {T.skip}
      </a>
      <TopBar />
      <TimeMachine />
      <div class="body">
        <main id="content" tabIndex={-1}>
          {discoveryError.value !== undefined && <Notice kind="error">{discoveryError.value}</Notice>}
          {resourceTypes.value.length > 0 ? (
            <Page />
          ) : (
            discoveryError.value === undefined && <Notice>{T.state.loading}</Notice>
          )}
        </main>
      </div>
      {paletteOpen.value && <Palette />}
      {helpOpen.value && <Help />}
      <Toasts />
    </>
  );
}

function focusContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function Page() {
  const [page = 'cluster', ...rest] = route.value.parts;
  const key = route.value.parts.join('/');
  useEffect(() => {
    // For measurements: from now on the page answers.
    performance.mark('interactive');
  }, []);
  useEffect(() => {
    document.title = [...rest].reverse().concat(T.product).join(' · ');
  }, [key]);
  if (page === 'objects') return <ObjectsPage key={rest[0]} resource={rest[0] ?? 'pods'} />;
  if (page === 'object' && rest.length >= 3)
    return <ObjectPage key={key} resource={rest[0]!} namespace={rest[1] === '-' ? '' : rest[1]!} name={rest[2]!} />;
  if (page === 'scheduling') return <SchedulingPage />;
  if (page === 'network') return <NetworkPage />;
  if (page === 'laboratory') return <LaboratoryPage />;
  if (page === 'trace') return <TracePage id={rest[0]} />;
  return <ClusterPage />;
}

const PAGES = [
  ['cluster', T.pages.cluster],
  ['objects', T.pages.objects],
  ['scheduling', T.pages.scheduling],
  ['network', T.pages.network],
  ['trace', T.pages.trace],
  ['laboratory', T.pages.laboratory],
] as const;

function TopBar() {
  const [current = 'cluster'] = route.value.parts;
  return (
    <header class="top">
      <span class="logo" aria-hidden="true">
        ⎈
      </span>
      <span class="brand">{T.product}</span>
      <nav aria-label={T.pagesLabel}>
        {PAGES.map(([page, title]) => (
          <a
            key={page}
            href={page === 'objects' ? listLink('pods') : link([page])}
            aria-current={page === current || (page === 'objects' && current === 'object') ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <button type="button" class="search" aria-label={T.palette.open} onClick={() => (paletteOpen.value = true)}>
        <span>{T.palette.button}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <span class="who" title={session.value?.server}>
        {user.value}
      </span>
      <button type="button" class="quiet" onClick={nextTheme} aria-label={`${T.theme.label}: ${T.theme[theme.value]}`}>
        {theme.value === 'dark' ? '☾' : theme.value === 'light' ? '☀' : '◐'}
      </button>
      <button type="button" class="quiet" onClick={() => (helpOpen.value = true)} aria-label={T.help.title}>
        ?
      </button>
      <button type="button" class="quiet" onClick={() => void signOut()}>
        {T.signIn.signOut}
      </button>
    </header>
  );
}

async function signOut(): Promise<void> {
  session.value = await callSession({ method: 'DELETE' });
  resourceTypes.value = [];
}

const Help = () => (
  <Dialog title={T.help.title} onClose={() => (helpOpen.value = false)}>
    <table class="plain">
      <tbody>
        {T.help.keys.map(([keys, meaning]) => (
          <tr key={keys}>
            <th scope="row">
              <kbd>{keys}</kbd>
            </th>
            <td>{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Dialog>
);

/** Where `g` and a letter lead. */
const GO: Readonly<Record<string, () => string>> = {
  c: () => link(['cluster']),
  o: () => listLink('pods'),
  s: () => link(['scheduling']),
  n: () => link(['network']),
  t: () => link(['trace']),
  l: () => link(['laboratory']),
};

function useKeys(): void {
  useEffect(() => {
    let afterG = 0;
    const pressed = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault();
        paletteOpen.value = true;
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || !session.value?.signedIn) return;
      const target = event.target as HTMLElement;
      const typing = target.closest('input, textarea, select, [contenteditable=true], .xterm, dialog');
      if (event.key === 'Escape' && typing instanceof HTMLElement && !target.closest('dialog, .xterm')) target.blur();
      if (typing) return;
      const wasG = Date.now() - afterG < 1200;
      afterG = event.key === 'g' ? Date.now() : 0;
      if (wasG && Object.hasOwn(GO, event.key)) go(GO[event.key]!());
      else if (event.key === ':') paletteOpen.value = true;
      else if (event.key === '?') helpOpen.value = true;
      else if (event.key === 't') nextTheme();
      else if (event.key === '/') document.querySelector<HTMLInputElement>('[data-filter]')?.focus();
      else if (/^[1-9]$/.test(event.key))
        document.querySelectorAll<HTMLElement>('[role=tab]')[Number(event.key) - 1]?.click();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}
