// Downloads media contents from the storage. A large download may take long, but a stalled download is aborted.
import { bytesToBase64 } from '@svc/core'

async function read(response: Response, arrived: () => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for (const reader = response.body!.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) break
    arrived()
    chunks.push(value)
    length += value.length
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Returns the content at a signed URL as base64. Rejects if no data arrives for `idleTimeoutMs`. */
export async function downloadBase64(url: string, idleTimeoutMs: number): Promise<string> {
  const controller = new AbortController()
  const giveUp = (): void => controller.abort(new Error(`No data arrived for ${idleTimeoutMs} ms.`))
  let timer = setTimeout(giveUp, idleTimeoutMs)
  try {
    const response = await fetch(url, { signal: controller.signal })
    if (response.status !== 200) throw new Error(`The storage responded with status ${response.status}.`)
    const bytes = await read(response, () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, idleTimeoutMs)
    })
    return bytesToBase64(bytes)
  } finally {
    clearTimeout(timer)
  }
}
