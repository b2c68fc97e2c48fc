// Sends scores from a web page, such as a user's feedback. With the public key, a client can only send scores. Never put a secret key into
// a web page.
import { type CreateScoreRequest, generateUUID, SVC_DEFAULT_BASE_URL, SVC_SDK_NAME, SVC_SDK_VERSION } from '@svc/core'
import { SvcBrowserError } from './error.ts'

export const SvcScoreDataType = {
  Numeric: 'NUMERIC',
  Boolean: 'BOOLEAN',
  Categorical: 'CATEGORICAL',
  Correction: 'CORRECTION',
  Text: 'TEXT',
} as const
export type SvcScoreDataType = (typeof SvcScoreDataType)[keyof typeof SvcScoreDataType]

export interface SvcBrowserClientOptions {
  readonly publicKey: string
  /** Address of the server. */
  readonly baseUrl?: string | undefined
  /** The environment of each score that names no environment itself. */
  readonly environment?: string | undefined
  /** Headers for every request, unless the client itself sets them. */
  readonly additionalHeaders?: Readonly<Record<string, string>> | undefined
  /** Function that is used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

export type SvcBrowserScoreBody = Omit<CreateScoreRequest, 'timestamp'>

export interface SvcBrowserScoreResult {
  readonly id: string
}

const reserved = /^(authorization|content-type|x-svc-(public-key|sdk-(name|version|variant|integration)))$/i

interface Reply {
  readonly rejected?: unknown
  readonly errors?: unknown
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function check(status: number, isOk: boolean, text: string): void {
  const body = parsed(text)
  const details = { status, response: body ?? text }
  if (!isOk) throw new SvcBrowserError(`The score was not accepted: the service responded with status ${status}.`, details)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new SvcBrowserError('The response is not a JSON object. Check the base URL.', details)
  }
  const { rejected, errors } = body as Reply
  if (status === 207 && typeof rejected !== 'number') {
    throw new SvcBrowserError('The response does not report whether the score was accepted.', details)
  }
  if (typeof rejected === 'number' && rejected > 0) throw new SvcBrowserError('The service rejected the score.', { ...details, errors })
}

export class SvcBrowserClient {
  private readonly url: string
  private readonly headers: Readonly<Record<string, string>>
  private readonly environment: string | undefined
  private readonly fetch: typeof fetch | undefined

  constructor({ publicKey, baseUrl = SVC_DEFAULT_BASE_URL, environment, additionalHeaders = {}, fetch }: SvcBrowserClientOptions) {
    if (!publicKey) throw new SvcBrowserError('The client has no public key. Give it as publicKey.')
    if (!fetch && typeof globalThis.fetch !== 'function') throw new SvcBrowserError('There is no fetch function. Give one as fetch.')
    this.url = `${baseUrl.replace(/\/+$/, '')}/api/public/scores`
    this.environment = environment
    this.fetch = fetch
    this.headers = {
      ...Object.fromEntries(Object.entries(additionalHeaders).filter(([name]) => !reserved.test(name))),
      Authorization: `Bearer ${publicKey}`,
      'Content-Type': 'application/json',
      'X-Svc-Public-Key': publicKey,
      'X-Svc-Sdk-Name': SVC_SDK_NAME,
      'X-Svc-Sdk-Version': SVC_SDK_VERSION,
      'X-Svc-Sdk-Integration': 'browser',
    }
  }

  /** Sends one score immediately. Rejects with SvcBrowserError if the service does not accept the score. */
  async score(body: SvcBrowserScoreBody): Promise<SvcBrowserScoreResult> {
    const id = body.id ?? generateUUID()
    const score = { ...body, id, environment: body.environment ?? this.environment, timestamp: new Date().toISOString() }
    // Some `fetch` implementations throw when called as a method of this client.
    const send = this.fetch ?? globalThis.fetch
    let response: Response
    let text: string
    try {
      response = await send(this.url, { method: 'POST', headers: this.headers, body: JSON.stringify([score]) })
      text = await response.text()
    } catch (originalError) {
      throw new SvcBrowserError('The service cannot be reached.', { originalError })
    }
    check(response.status, response.ok, text)
    return { id }
  }
}
