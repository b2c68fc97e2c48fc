// A handler implements an operation of libs/api. A handler gets decoded values, and does not deal with HTTP, JSON, keys or limits.
import type { Readable } from 'node:stream'
import type { Operation } from '@svc-server/api/operation'
import type { StreamType } from '@svc-server/api/streams'
import type { Piece } from '@svc-server/query/stream'
import type { z } from 'zod'
import type { Terms } from '../events/acceptance.ts'
import type { Held } from '../events/recorder.ts'
import type { Preparations } from '../work/preparations.ts'
import type { Browser } from './browser.ts'
import type { Administrator, Caller } from './callers.ts'
import type { Data } from './completeness.ts'
import type { Dependencies } from './dependencies.ts'
import type { Session } from './sessions.ts'

interface OfProject {
  readonly project: Caller
  /** Facts about the request. Each record that the request appends to the log contains them. */
  readonly terms: Terms
}

interface Who {
  readonly open: unknown
  readonly project: OfProject
  readonly projectOrPublicKey: OfProject
  readonly projectOrInstance: OfProject
  readonly organization: { readonly organization: Administrator }
  readonly instance: unknown
  readonly browser: { readonly browser: Browser }
  readonly session: { readonly session: Session; readonly browser: Browser }
}

/**
 * The type of the body that the handler gets: the result of the operation's function in `Preparations`, or, without such a function, the
 * output of the operation's schema.
 */
type BodyOf<O extends Operation> = O['id'] extends keyof Preparations ? ReturnType<Preparations[O['id']]> : z.output<NonNullable<O['body']>>

export type RequestOf<O extends Operation> = Who[O['auth']] & {
  readonly params: z.output<O['params']>
  readonly query: z.output<O['query']>
  readonly body: BodyOf<O>
  readonly held: Held
  readonly incoming: IncomingBytes
  /** The tags of If-Match. If there is no If-Match, the value is undefined, and the request applies to any state. */
  readonly ifMatch: readonly string[] | undefined
  /** From the header MCP-Protocol-Version. */
  readonly mcpVersion: string | undefined
  /**
   * Must be called when this request calls another operation. The rate limits then also count a request to the other operation.
   * Throws `rate_limited`.
   */
  readonly countRequest: (operation: Operation) => void
  /** Scheme, host and path prefix of this server. */
  readonly origin: string
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/** Rendered by a worker thread. */
export class JsonText<Text extends string | Uint8Array = string> {
  readonly text: Text

  constructor(text: Text) {
    this.text = text
  }
}

/** A request body of bytes. */
export interface IncomingBytes {
  /** Empty if the client sent no content type. */
  readonly contentType: string
  /** Undefined for a chunked body. */
  readonly contentLength: number | undefined
  /** Starts reading. If the body is truncated, the stream fails with ClientGone. */
  open(): Readable
}

export class ByteStream {
  readonly content: Readable
  readonly contentLength: number

  constructor(content: Readable, contentLength: number) {
    this.content = content
    this.contentLength = contentLength
  }
}

export interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Makes a wire type read-only, so that a handler can return either a mutable or a read-only value. */
type Given<T> = T extends readonly (infer Element)[]
  ? readonly Given<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Given<T[Key]> }
    : T

export type ReplyOf<O extends Operation> = {
  readonly [Status in keyof O['responses'] & number]: {
    readonly status: Status
    readonly headers?: Readonly<Record<string, string>>
  } & (O['responses'][Status] extends z.ZodType
    ? { readonly body: Given<z.input<O['responses'][Status]>> | JsonText<string | Uint8Array> }
    : { readonly body?: ByteStream | undefined })
}[keyof O['responses'] & number]

export const reply = <const Status extends number, const Body = undefined>(
  status: Status,
  body?: Body,
  headers: Readonly<Record<string, string>> = {},
): { readonly status: Status; readonly body: Body; readonly headers: Readonly<Record<string, string>> } => ({
  status,
  body: body as Body,
  headers,
})

export interface StreamTools {
  readonly type: StreamType
  /** Runs a query as soon as this stream has a slot. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>
  readonly signal: AbortSignal
}

export interface TailTools {
  /** Runs a query as soon as its project has a slot. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>
  /**
   * Aborts when the client disconnects, when the process stops, or when the maximum time of a tail (a long response of server-sent events)
   * is over.
   */
  readonly signal: AbortSignal
}

export type RowStream = AsyncGenerator<Piece, void, undefined>

/** For `columnStore`, the request waits for a slot, so that no project occupies the whole store. */
export type Queue = 'columnStore' | undefined

export interface Handler {
  readonly operation: Operation
  readonly queue: Queue
  /** The kinds of data in the response. The header `x-svc-complete-until` applies to these kinds. */
  readonly data: readonly Data[]
  run(request: RequestOf<Operation>, deps: Dependencies): Promise<Reply> | Reply
  readonly stream: ((request: RequestOf<Operation>, tools: StreamTools, deps: Dependencies) => Promise<RowStream> | RowStream) | undefined
  /** Present for server-sent events. */
  readonly tail:
    | ((request: RequestOf<Operation>, tools: TailTools, deps: Dependencies) => AsyncGenerator<object, void, undefined>)
    | undefined
}

export function handle<O extends Operation>(
  operation: O,
  run: (request: RequestOf<O>, deps: Dependencies) => Promise<ReplyOf<O>> | ReplyOf<O>,
  {
    queue,
    data = ['spans', 'scores'],
    stream,
  }: {
    readonly queue?: Queue
    readonly data?: readonly Data[]
    readonly stream?: (request: RequestOf<O>, tools: StreamTools, deps: Dependencies) => Promise<RowStream> | RowStream
  } = {},
): Handler {
  return {
    ...{ operation, queue, data, tail: undefined },
    ...{ run: run as unknown as Handler['run'], stream: stream as unknown as Handler['stream'] },
  }
}

export function handleTail<O extends Operation>(
  operation: O,
  tail: (request: RequestOf<O>, tools: TailTools, deps: Dependencies) => AsyncGenerator<object, void, undefined>,
): Handler {
  const run = () => {
    throw new TypeError(`${operation.id} is served by its tail`)
  }
  return { operation, queue: undefined, data: [], run, stream: undefined, tail: tail as unknown as Handler['tail'] }
}
