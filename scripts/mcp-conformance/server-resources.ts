import { type Json, RpcFault } from './server.ts'

/** A red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** Silence. */
export const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

export const RESOURCES = [
  { uri: 'test://static-text', name: 'Text', description: 'A text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'Image', description: 'An image', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'Watched', description: 'May change', mimeType: 'text/plain' },
]

export const TEMPLATES = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'Data',
    description: 'Data by id',
    mimeType: 'application/json',
  },
]

/** The contents of a resource. */
export function readResource(uri: string): Json {
  const text = (mimeType: string, content: string) => ({ contents: [{ uri, mimeType, text: content }] })
  if (uri === 'test://static-text')
    return text('text/plain', 'This is the content of the static text resource.')
  if (uri === 'test://watched-resource') return text('text/plain', 'Watched resource content')
  if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] }
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
  if (id !== undefined)
    return text('application/json', JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }))
  throw new RpcFault(-32602, 'Resource not found', { uri })
}
