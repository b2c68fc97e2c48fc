// Makes one API call. The generated methods describe an operation and pass it to sendApiRequest.
import { base64Encode } from '../../base64.ts'
import { type ApiErrorClasses, type RawResponse, SvcAPIError, SvcAPITimeoutError } from './errors.ts'
import { delay, isRetried, retryDelayMs } from './retry.ts'
import { baseUrlProblem, urlOf } from './url.ts'

/** A value, a promise of a value, or a function that returns a value or a promise. */
export type Supplier<T> = T | Promise<T> | (() => T | Promise<T>)

type HeaderSuppliers = Readonly<Record<string, Supplier<string | null | undefined> | null | undefined>>

export interface ApiClientOptions {
  /** Takes precedence over `environment`. */
  readonly baseUrl?: Supplier<string | undefined> | undefined
  /** Address of the server. */
  readonly environment: Supplier<string>
  /** Public key. */
  readonly username?: Supplier<string | undefined> | undefined
  /** Secret key. */
  readonly password?: Supplier<string | undefined> | undefined
  readonly xSvcSdkName?: Supplier<string | undefined> | undefined
  readonly xSvcSdkVersion?: Supplier<string | undefined> | undefined
  readonly xSvcPublicKey?: Supplier<string | undefined> | undefined
  readonly headers?: HeaderSuppliers | undefined
}

export interface RequestOptions {
  /** Number of seconds in which the response headers of each attempt must arrive (default 60). */
  readonly timeoutInSeconds?: number | undefined
  /** Number of retries after responses that allow a retry (default 2). */
  readonly maxRetries?: number | undefined
  readonly abortSignal?: AbortSignal | undefined
  readonly queryParams?: Readonly<Record<string, unknown>> | undefined
  /** Additional headers. The value null removes the header of that name. */
  readonly headers?: HeaderSuppliers | undefined
  readonly xSvcSdkName?: string | undefined
  readonly xSvcSdkVersion?: string | undefined
  readonly xSvcPublicKey?: string | undefined
}

/** The request of an operation without parameters. It has no keys, so passing options in place of the request is a type error. */
export type EmptyRequest = Record<string, never>

export interface ApiOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with encoded path parameters. */
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  /** Documented errors of the operation. Other statuses cause a SvcAPIError. */
  readonly errors: ApiErrorClasses
}

export interface WithRawResponse<T> {
  readonly data: T
  readonly rawResponse: RawResponse
}

/** A promise of the body, with access to the response. */
export class HttpResponsePromise<T> extends Promise<T> {
  private response: Promise<WithRawResponse<T>> | undefined

  // `then` and `catch` return ordinary promises, because only the original promise has a response.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of<T>(response: Promise<WithRawResponse<T>>): HttpResponsePromise<T> {
    const promise = new HttpResponsePromise<T>((resolve, reject) => {
      response.then(({ data }) => resolve(data), reject)
    })
    promise.response = response
    return promise
  }

  withRawResponse(): Promise<WithRawResponse<T>> {
    // The caller gets a failure from the returned promise (`this.response`). `this` is a promise too. Without this handler, the runtime
    // would report the failure a second time, as an unhandled rejection.
    this.catch(() => undefined)
    return this.response as Promise<WithRawResponse<T>>
  }
}

const defaultTimeoutSeconds = 60
/** Longest possible delay of a timer. A timer with a longer delay fires immediately. */
const longestTimerMs = 2_147_483_647
const defaultRetries = 2

async function supplied<T>(supplier: Supplier<T>): Promise<T> {
  return typeof supplier === 'function' ? (supplier as () => T | Promise<T>)() : supplier
}

async function headersOf(client: ApiClientOptions, operation: ApiOperation, options: RequestOptions): Promise<Record<string, string>> {
  const headers: Record<string, string> = {}
  const [username, password] = [await supplied(client.username), await supplied(client.password)]
  if (username !== undefined && password !== undefined) headers['Authorization'] = `Basic ${base64Encode(`${username}:${password}`)}`
  if (operation.body !== undefined) headers['Content-Type'] = 'application/json'
  const own: HeaderSuppliers = {
    'X-Svc-Sdk-Name': options.xSvcSdkName ?? client.xSvcSdkName,
    'X-Svc-Sdk-Version': options.xSvcSdkVersion ?? client.xSvcSdkVersion,
    'X-Svc-Public-Key': options.xSvcPublicKey ?? client.xSvcPublicKey,
  }
  for (const [name, supplier] of Object.entries(own)) {
    const value = await supplied(supplier)
    if (value !== undefined && value !== null) headers[name] = value
  }
  for (const given of [client.headers, options.headers]) {
    for (const [name, supplier] of Object.entries(given ?? {})) {
      const value = await supplied(supplier)
      if (value === undefined) continue
      // Removes the earlier header, because fetch would join the values of headers whose names differ only in case.
      const same = Object.keys(headers).find(each => each.toLowerCase() === name.toLowerCase())
      if (same !== undefined) delete headers[same]
      if (value !== null) headers[name] = value
    }
  }
  return headers
}

const rawResponseOf = (response: Response): RawResponse => ({
  headers: response.headers,
  redirected: response.redirected,
  status: response.status,
  statusText: response.statusText,
  type: response.type,
  url: response.url,
})

const withoutResponse = (status: number, url: string): RawResponse => ({
  headers: new Headers(),
  redirected: false,
  status,
  statusText: '',
  type: 'error',
  url,
})

const aborted = (url: string, cause: unknown): SvcAPIError =>
  new SvcAPIError({ message: 'The user aborted a request', rawResponse: withoutResponse(499, url), cause })

interface Try {
  readonly url: string
  readonly init: RequestInit
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly name: string
}

/**
 * `fetch` puts the reason, such as an unknown host, only into the error's `cause`. A cause that combines several errors has a code but no
 * message.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, code } = (error.cause ?? {}) as { readonly message?: string; readonly code?: string }
  return [error.message, message || code].filter(Boolean).join(': ')
}

/** Sends the request once. Resolves when the response headers arrive. */
async function attempt({ url, init, timeoutMs, signal, name }: Try): Promise<Response> {
  const controller = new AbortController()
  let isTimeout = false
  const timer = setTimeout(() => {
    isTimeout = true
    controller.abort()
  }, timeoutMs)
  const abort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await fetch(url, { ...init, signal: controller.signal })
  } catch (error) {
    if (isTimeout) throw new SvcAPITimeoutError(`Timeout exceeded when calling ${name} (${timeoutMs} ms).`)
    if (signal?.aborted) throw aborted(url, error)
    const message = `${reasonOf(error)} (${init.method} ${url.split('?')[0]})`
    throw new SvcAPIError({ message, rawResponse: withoutResponse(0, url), cause: error })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

async function attempts(each: Try, maxRetries: number): Promise<Response> {
  for (let retry = 0; ; retry++) {
    const response = await attempt(each)
    if (!isRetried(response.status) || retry >= maxRetries) return response
    await response.body?.cancel()
    try {
      await delay(retryDelayMs(response.headers, retry), each.signal)
    } catch (error) {
      throw aborted(each.url, error)
    }
  }
}

type Body = { readonly isJson: true; readonly value: unknown } | { readonly isJson: false; readonly text: string }

function parse(text: string): Body {
  if (text === '') return { isJson: true, value: undefined }
  try {
    return { isJson: true, value: JSON.parse(text) }
  } catch {
    return { isJson: false, text }
  }
}

async function resultOf<T>(response: Response, errors: ApiErrorClasses): Promise<WithRawResponse<T>> {
  const rawResponse = rawResponseOf(response)
  const statusCode = response.status
  let body: Body
  try {
    body = parse(await response.text())
  } catch (error) {
    throw new SvcAPIError({ message: `The response ended before its body did: ${String(error)}`, statusCode, rawResponse, cause: error })
  }
  if (statusCode >= 200 && statusCode < 400) {
    if (body.isJson) return { data: body.value as T, rawResponse }
    return { data: { ok: false, error: { reason: 'non-json', statusCode, rawBody: body.text } } as T, rawResponse }
  }
  if (!body.isJson) throw new SvcAPIError({ statusCode, body: body.text, rawResponse })
  const ErrorClass = errors[statusCode]
  throw ErrorClass ? new ErrorClass(body.value, rawResponse) : new SvcAPIError({ statusCode, body: body.value, rawResponse })
}

async function call<T>(client: ApiClientOptions, operation: ApiOperation, options: RequestOptions): Promise<WithRawResponse<T>> {
  const base = (await supplied(client.baseUrl)) ?? (await supplied(client.environment))
  const problem = baseUrlProblem(base)
  if (problem !== undefined) throw new SvcAPIError({ message: `${problem}.`, rawResponse: withoutResponse(0, base) })
  const headers = await headersOf(client, operation, options)
  const seconds = options.timeoutInSeconds
  const init: RequestInit = { method: operation.method, headers }
  if (operation.body !== undefined) init.body = JSON.stringify(operation.body)
  const each: Try = {
    url: urlOf(base, operation.path, { ...operation.query, ...options.queryParams }),
    init,
    timeoutMs: Math.min((seconds !== undefined && seconds > 0 ? seconds : defaultTimeoutSeconds) * 1000, longestTimerMs),
    signal: options.abortSignal,
    name: `${operation.method} ${operation.path}`,
  }
  return resultOf<T>(await attempts(each, options.maxRetries ?? defaultRetries), operation.errors)
}

/**
 * Calls an operation immediately. Rejects with the operation's error class for the status, SvcAPITimeoutError after the time limit, and
 * SvcAPIError for all other failures.
 */
export function sendApiRequest<T>(client: ApiClientOptions, operation: ApiOperation, options: RequestOptions = {}): HttpResponsePromise<T> {
  return HttpResponsePromise.of(call<T>(client, operation, options))
}
