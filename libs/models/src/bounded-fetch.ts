// `fetch` for one call. The responding server is not trusted, so the size of its response is limited.
import { CallProblem } from './problems.ts'

type Fetch = typeof globalThis.fetch

export interface Bounds {
  readonly fetch: Fetch
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Throws if the credentials must not be sent to this address. */
  readonly requireTarget: (url: string) => void
}

const urlOf = (input: Parameters<Fetch>[0]) => (input instanceof Request ? input.url : String(input))

function limited(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw new CallProblem('response_too_large', `The response has more than ${maxBytes} bytes.`)
      controller.enqueue(chunk)
    },
  })
}

export const createBoundedFetch =
  ({ fetch, maxBytes, signal, requireTarget }: Bounds): Fetch =>
  async (input, init) => {
    requireTarget(urlOf(input))
    const signals = init?.signal == null ? [signal] : [signal, init.signal]
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) })
    if (response.body === null) return response
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limited(maxBytes)), { status, statusText, headers: new Headers([...headers]) })
  }
