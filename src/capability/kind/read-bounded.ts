/** The text of an answer, up to `limitBytes`; a last line says if it was cut. The rest is not transferred. */
export async function readBounded(response: Response, limitBytes: number): Promise<string> {
  if (!response.body) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    bytes += value.length
    if (bytes <= limitBytes) continue
    await reader.cancel()
    const kept = Buffer.concat(chunks).subarray(0, limitBytes).toString('utf8')
    return `${kept}\n[cut: longer than ${limitBytes} bytes]`
  }
  return Buffer.concat(chunks).toString('utf8')
}
