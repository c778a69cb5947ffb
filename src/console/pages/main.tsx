/** The pages of the console: signs in, then shows the page that the URL's fragment names. */
import { render } from 'preact';
import './style.css';
import { App } from './app.tsx';
import { allowStyles } from './parts/allow-styles.ts';

allowStyles();
render(<App />, document.getElementById('app')!);
