/** The page's script: polls for changes every second, and sends faults. */
export const SCRIPT = `
const rows = document.getElementById('rows'), state = document.getElementById('state'), form = document.forms[0]
const token = new URLSearchParams(location.search).get('token')
const headers = token === null ? {} : { authorization: 'Bearer ' + token }
let version = rows.dataset.version

async function refresh() {
  const answer = await fetch('/_lab/rows?since=' + version, { headers })
  if (answer.status !== 200) return
  const open = new Set([...rows.querySelectorAll('details[open]')].map(row => row.id))
  version = answer.headers.get('x-lab-version')
  state.textContent = answer.headers.get('x-lab-state')
  rows.innerHTML = await answer.text()
  for (const id of open) document.getElementById(id)?.setAttribute('open', '')
}

async function loop() {
  try {
    await refresh()
  } catch {
    version = ''
    state.textContent = 'The lab does not answer; it may have stopped.'
  }
  setTimeout(loop, 1000)
}

async function change(method, path, body) {
  const init = { method, headers: { ...headers, 'content-type': 'application/json' }, ...(body ? { body: JSON.stringify(body) } : {}) }
  const answer = await fetch('/_lab/' + path, init)
  if (answer.ok) await refresh()
  else state.textContent = (await answer.json()).error.message
}

form.addEventListener('submit', event => {
  event.preventDefault()
  const act = event.submitter?.value
  const fault = form.fault.value
  if (act === 'next') change('POST', 'faults', { fault })
  else if (act === 'always') change('POST', 'faults', { fault, times: 'always' })
  else if (act === 'clear') change('DELETE', 'faults')
  else if (act === 'reset') change('POST', 'reset')
})
setTimeout(loop, 1000)
`
