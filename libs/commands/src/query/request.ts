// Sends requests to the public API. Reads the trailers of streams, which `fetch` does not provide.
import { createHash } from 'node:crypto'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc-server/errors'
import { parseJson } from '@svc-server/json'
import { UsageError } from '../command.ts'

export interface Target {
  readonly url: URL
  readonly publicKey: string
  readonly secretKey: string
}

interface Asked {
  readonly path: string
  readonly params: URLSearchParams
  readonly accept: string
}

/** Maximum number of times that the command sends a request. The command sends it again only if the response has Retry-After. */
const mostTries = 3
/** The longest Retry-After that the command waits for. */
const mostWaitSeconds = 30

const retryAfterOf = ({ statusCode, headers }: IncomingMessage): number =>
  statusCode === 429 || statusCode === 503 ? Number(headers['retry-after'] ?? Number.NaN) : Number.NaN

/**
 * After a 429 or 503, waits for the time in Retry-After and sends the request again. Throws UsageError for an error of the client, and
 * `query_failed` for any other error.
 */
async function respond(target: Target, asked: Asked): Promise<IncomingMessage> {
  for (let tries = 1; ; tries++) {
    const response = await sent(target, asked)
    if (response.statusCode === 200) return response
    const message = messageOf(await text(response))
    if (response.statusCode === 400) throw new UsageError(message)
    const seconds = retryAfterOf(response)
    if (tries < mostTries && seconds <= mostWaitSeconds) {
      await sleep(seconds * 1_000)
      continue
    }
    const later = Number.isNaN(seconds) ? '' : ` Try again in ${seconds} s.`
    throw new AppError('query_failed', `${target.url.origin} responded ${response.statusCode}: ${message.replace(/\.?$/, '.')}${later}`)
  }
}

async function sent({ url, publicKey, secretKey }: Target, { path, params, accept }: Asked): Promise<IncomingMessage> {
  const address = URL.parse(`${url.pathname.replace(/\/+$/, '')}${path}?${params}`, url.origin)!
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  const request = url.protocol === 'https:' ? tlsRequest : plainRequest
  return new Promise<IncomingMessage>((resolve, reject) => {
    request(address, { headers: { authorization, accept } }, resolve).on('error', reject).end()
  }).catch((error: Error) => {
    throw new AppError('query_failed', `${url.origin} does not respond: ${error.message || error.name}.`, {}, { cause: error })
  })
}

function messageOf(body: string): string {
  try {
    const { message, error } = parseJson(body) as { readonly message?: unknown; readonly error?: unknown }
    const issues = Array.isArray(error)
      ? error.map(
          (issue: { readonly path?: readonly unknown[]; readonly message?: unknown }) => `${issue.path?.join('.')}: ${issue.message}`,
        )
      : []
    return [typeof message === 'string' ? message : body.slice(0, 500), ...issues].join(' ')
  } catch {
    return body.slice(0, 500)
  }
}

export async function getJson(target: Target, asked: Omit<Asked, 'accept'>): Promise<unknown> {
  const body = await text(await respond(target, { ...asked, accept: 'application/json' }))
  try {
    return parseJson(body)
  } catch (error) {
    throw new AppError('query_failed', `${target.url.origin} responded with a body that is not JSON.`, {}, { cause: error as Error })
  }
}

/** Prints lines as they arrive. A truncated stream is `query_failed`. */
export async function getLines(target: Target, asked: Asked, print: (line: string) => void): Promise<void> {
  const response = await respond(target, asked)
  const hash = createHash('sha256')
  const decoder = new TextDecoder()
  let rest = ''
  const cut = (why: string, cause?: unknown) => new AppError('query_failed', `The response ended early: ${why}.`, {}, { cause })
  try {
    for await (const bytes of response as AsyncIterable<Buffer>) {
      hash.update(bytes)
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) print(line)
    }
  } catch (error) {
    throw cut(error instanceof Error ? error.message : String(error), error)
  }
  if (rest !== '') print(rest)
  if (response.trailers['x-svc-sha256'] !== hash.digest('hex')) throw cut('its checksum is missing or does not match')
}
