// Runs the steps of a request: credentials, parameters, body, slot, handler, response. Before these steps, `gate.ts` checks whether the
// operation is served. `respond.ts` turns errors into responses.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '@svc-server/api/operation'
import { streamTypeOf } from '@svc-server/api/streams'
import { AppError } from '@svc-server/errors'
import { createFairPlaces } from '@svc-server/fairness/places'
import { createRateLimits, type RateLimit } from '@svc-server/fairness/rate-limits'
import { type Answer, type Budget, ClientGone, createBudget, declaredBytes } from '@svc-server/http/bodies'
import type { BrandNames } from '@svc-server/schema/brand'
import { sdkOf } from '@svc-server/schema/svc-headers'
import type { Terms } from '../events/acceptance.ts'
import type { Held } from '../events/recorder.ts'
import { decodeWith } from '../validation/decode-with.ts'
import { receiveJson } from './body.ts'
import { completeness } from './completeness.ts'
import { compressed } from './compress.ts'
import type { Identify } from './credentials.ts'
import { decodeQuery } from './decode.ts'
import type { Dependencies } from './dependencies.ts'
import type { Handler, IncomingBytes, RequestOf, StreamTools, TailTools } from './handler.ts'
import { openBytes } from './incoming-bytes.ts'
import { isOfWebApp, type Mount } from './mounts.ts'
import { originOf } from './origin.ts'
import { type ByteAnswer, replyAnswer, tagsOf, unlessKnown } from './respond.ts'
import { createStreams } from './streams.ts'
import { createTails } from './tails.ts'
import { createWaitFor } from './wait-for.ts'

/**
 * Maximum concurrent reads. The column store's client has more connections than `places`. Probes and deletions use the other connections.
 */
const slots = { places: 6, mostOfOne: 3, mostWaiting: 100 }

export interface BindOptions {
  readonly deps: Dependencies
  readonly identify: Identify
  readonly rateLimits: readonly RateLimit[]
  readonly clock: () => number
  readonly brand: BrandNames
  readonly maxInflightBytes: number
  readonly bodyTimeoutMs: number
  /** Path prefix of every route. */
  readonly basePath?: string | undefined
}

interface Incoming {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly mount: Mount
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** True for a request with Expect: 100-continue. */
  readonly awaitsContinue: boolean
  readonly isDraining: boolean
  /** Called as soon as the request's owner is known. From then on, the API counts the unread bytes of the response for this owner. */
  readonly onOwner: (owner: string) => void
  readonly onRead: () => void
}

export interface Binding {
  readonly usedBytes: number
  readonly waitingReads: number
  /**
   * Throws the errors that `errorAnswer` turns into responses, and ClientGone when the client has disconnected. Any other error is a
   * defect.
   */
  serve(handler: Handler, incoming: Incoming): Promise<Answer | ByteAnswer>
  /** Ends streams and tails (long responses of server-sent events) early, so that their clients reconnect to another process. */
  cutStreams(): void
}

type AnyRequest = RequestOf<Handler['operation']>

export function createBinding(options: BindOptions): Binding {
  const { deps, identify, brand, maxInflightBytes, bodyTimeoutMs, basePath } = options
  const rateLimits = createRateLimits(options.rateLimits, options.clock)
  const budget: Budget = createBudget({ maxBytes: maxInflightBytes, maxBytesPerProject: Math.floor(maxInflightBytes / 2) })
  const reads = createFairPlaces(slots)
  const waitFor = createWaitFor(deps)
  const streams = createStreams({ reads, metrics: deps.metrics, idleMs: bodyTimeoutMs })

  const tails = createTails({ reads })

  async function serve(handler: Handler, incoming: Incoming): Promise<Answer | ByteAnswer> {
    const { operation } = handler
    const { raw, response } = incoming
    if (incoming.isDraining && operation.auth !== 'open') throw new AppError('draining', 'The public API is draining.')
    const identified = await identify(raw, { operation, mount: incoming.mount, params: incoming.params })
    const { who, owner } = identified
    incoming.onOwner(owner)
    const countRequest = ({ bucket, replacedBy }: Operation): void => {
      if ('limited' in identified) rateLimits.take({ organization: identified.limited, bucket, instead: replacedBy })
    }
    countRequest(operation)
    const params = decodeWith(operation.params, incoming.params)
    const isRead = handler.queue !== undefined && operation.method === 'GET'
    const awaited = isRead ? takeWaitFor(incoming.query) : undefined
    const { stream } = handler
    const type = stream && operation.streamQuery && streamTypeOf(raw.headers.accept)
    const query = decodeQuery(type === undefined ? operation.query : operation.streamQuery!, incoming.query)
    const left = new AbortController()
    response.once('close', () => left.abort())
    const terms = 'project' in who ? deps.termsOf(who.project, sdkOf(raw.headers, brand)) : undefined
    const request = {
      ...{ ...who, params, query, terms, signal: left.signal, ifMatch: tagsOf(raw.headers['if-match']) },
      countRequest,
      mcpVersion: raw.headers['mcp-protocol-version']?.toString(),
      get origin() {
        return originOf(raw, basePath)
      },
      get incoming() {
        return incomingBytes(incoming)
      },
    }
    const run = async (received: object) => {
      const whole = Object.assign(request, received) as unknown as AnyRequest
      const reply = await deps.receipts.around(owner, () => handler.run(whole, deps))
      const answer = replyAnswer(reply)
      if ('content' in answer) return answer
      const wanted = unlessKnown(answer, raw.headers['if-none-match'])
      // Only responses for the web app are compressed, because some proxies and SDKs do not handle compression.
      return isOfWebApp(incoming.mount.path) ? compressed(wanted, raw.headers['accept-encoding']) : wanted
    }
    const { tail } = handler
    if (tail !== undefined) {
      const open = (tools: TailTools) => tail(request as unknown as AnyRequest, tools, deps)
      return tails.run({ owner, raw, response, left: left.signal, open })
    }
    if (operation.body !== undefined) return withBody(handler, incoming, { owner, terms }, run)
    if (handler.queue === undefined) return run({})
    // A read with `waitFor` waits for the data that `waitFor` names, and only then takes a slot. `setHeaders` also applies to error
    // responses. The headers of a 404 therefore show whether the data may still arrive.
    const waited = awaited === undefined ? {} : await waitFor(owner, awaited, left.signal)
    const setHeaders = async () =>
      response.setHeaders(new Map(Object.entries({ ...(await completeness(deps, ...handler.data)), ...waited })))
    if (type !== undefined) {
      const open = async (tools: StreamTools) => {
        await setHeaders()
        return stream!(request as unknown as AnyRequest, tools, deps)
      }
      return streams.run({ owner, type, raw, response, left: left.signal, open })
    }
    return reads.run(owner, async () => {
      if (response.destroyed) throw new ClientGone()
      if (isRead) await setHeaders()
      return run({})
    })
  }

  /** Removes the `waitFor` parameter, which every read accepts but no schema contains. The last value counts. */
  function takeWaitFor(query: URLSearchParams): string | undefined {
    const id = query.getAll('waitFor').at(-1)
    query.delete('waitFor')
    return id
  }

  const incomingBytes = ({ raw, response, awaitsContinue, onRead }: Incoming): IncomingBytes => ({
    contentType: raw.headers['content-type'] ?? '',
    contentLength: declaredBytes(raw),
    open() {
      onRead()
      if (awaitsContinue) response.writeContinue()
      return openBytes(raw, bodyTimeoutMs)
    },
  })

  /** The memory of a body is released when the work has ended and no record refers to it. */
  async function withBody(
    { operation }: Handler,
    { raw, response, awaitsContinue, onRead }: Incoming,
    { owner, terms }: { readonly owner: string; readonly terms: Terms | undefined },
    run: (received: object) => Promise<Answer | ByteAnswer>,
  ): Promise<Answer | ByteAnswer> {
    const lease = budget.lease(owner)
    const settled: Promise<void>[] = []
    const held: Held = { lease, gone: () => response.destroyed, holdUntil: end => void settled.push(end) }
    onRead()
    try {
      const receiving = { raw, response, lease, awaitsContinue, maxBytes: operation.maxBodyBytes, timeoutMs: bodyTimeoutMs }
      const { bytes } = await receiveJson({ ...receiving, isOptional: operation.bodyOptional })
      lease.arrived()
      const body = await deps.payloads.parse({ kind: 'body', operationId: operation.id, body: bytes, terms }, owner)
      return await run({ body, held })
    } finally {
      void Promise.all(settled).then(lease.release)
    }
  }

  return {
    get usedBytes() {
      return budget.usedBytes
    },
    get waitingReads() {
      return reads.waiting
    },
    // After the client has disconnected, an AbortError is expected and is not a defect.
    serve: (handler, incoming) =>
      serve(handler, incoming).catch(error => {
        throw isAbort(error) && incoming.response.destroyed ? new ClientGone() : error
      }),
    cutStreams() {
      streams.cut()
      tails.end()
    },
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'
