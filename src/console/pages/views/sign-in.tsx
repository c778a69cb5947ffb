import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { ApiError, callSession, messageOf, send, session } from '../api/request.ts';
import { Notice } from '../parts/basics.tsx';
import { T } from '../texts.ts';

export const signInProblem = signal<string | undefined>(undefined);

async function signInWithToken(token: string): Promise<void> {
  const opened = await callSession({ method: 'POST', body: { token } });
  try {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    await send('/k8s/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body: review });
  } catch (error) {
    await callSession({ method: 'DELETE' });
    throw error instanceof ApiError && error.code === 401 ? new Error(T.signIn.refused) : error;
  }
  signInProblem.value = undefined;
  session.value = opened;
}

export function SignIn() {
  const [token, setToken] = useState('');
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signInWithToken(token.trim()).catch((error: unknown) => (signInProblem.value = messageOf(error)));
        }}
      >
        <p class="logo" aria-hidden="true">
          ⎈
        </p>
        <h1>{T.product}</h1>
        {session.value?.server && <p class="dim">{session.value.server}</p>}
        {signInProblem.value !== undefined && <Notice kind="error">{signInProblem.value}</Notice>}
        <p>{T.signIn.hint}</p>
        <label>
          {T.signIn.token}
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <p class="dim">{T.signIn.tokenMaker}</p>
        <button type="submit" class="primary" disabled={token.trim() === ''}>
          {T.signIn.button}
        </button>
      </form>
    </main>
  );
}
