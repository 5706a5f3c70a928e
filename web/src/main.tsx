import { render } from 'preact'
import './style/main.css'
import { App } from './app.tsx'

render(<App />, document.getElementById('app') as HTMLElement)
