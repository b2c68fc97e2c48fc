// A handler implements an operation of libs/api. A handler receives decoded values and does not deal with HTTP, JSON, keys or limits.
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
import type { Dependencies } from './dependencies.ts'
import type { Session } from './sessions.ts'

interface OfProject {
  readonly project: Caller
  /** Facts about the request that are written into each of its records. */
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

/** Type of the processed body: the result of the operation's preparation, or of its schema if the operation has no preparation. */
type BodyOf<O extends Operation> = O['id'] extends keyof Preparations ? ReturnType<Preparations[O['id']]> : z.output<NonNullable<O['body']>>

export type RequestOf<O extends Operation> = Who[O['auth']] & {
  readonly params: z.output<O['params']>
  readonly query: z.output<O['query']>
  readonly body: BodyOf<O>
  /** The body; present for a request with a body. */
  readonly held: Held
  /** The body as bytes; present for a request whose body is bytes. */
  readonly incoming: IncomingBytes
  /** The tags of the If-Match header. Undefined without the header If-Match: such a request applies to any state. */
  readonly ifMatch: readonly string[] | undefined
  /** The header MCP-Protocol-Version. */
  readonly mcpVersion: string | undefined
  /** Scheme and host by which the client reached this server, with the path prefix that all routes have. */
  readonly origin: string
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/** A body that is already JSON text, rendered by a worker thread. */
export class JsonText<Text extends string | Uint8Array = string> {
  readonly text: Text

  constructor(text: Text) {
    this.text = text
  }
}

/** A request body of bytes. */
export interface IncomingBytes {
  /** The media type; empty if the client did not name one. */
  readonly contentType: string
  /** The declared length; undefined for a chunked body. */
  readonly contentLength: number | undefined
  /** Starts reading. A body that ends before its declared length fails with ClientGone. */
  open(): Readable
}

/** A response body of bytes that is sent while its source is read. */
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

/** The value that a handler can return for a wire type: the wire type itself, or its read-only form. */
type Given<T> = T extends readonly (infer Element)[]
  ? readonly Given<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Given<T[Key]> }
    : T

/** One of the operation's responses: a status, with a body that matches the schema of that status. */
export type ReplyOf<O extends Operation> = {
  readonly [Status in keyof O['responses'] & number]: {
    readonly status: Status
    readonly headers?: Readonly<Record<string, string>>
  } & (O['responses'][Status] extends z.ZodType
    ? { readonly body: Given<z.input<O['responses'][Status]>> | JsonText<string | Uint8Array> }
    : { readonly body?: ByteStream | undefined })
}[keyof O['responses'] & number]

/** A response whose type depends on its status. */
export const reply = <const Status extends number, const Body = undefined>(
  status: Status,
  body?: Body,
  headers: Readonly<Record<string, string>> = {},
): { readonly status: Status; readonly body: Body; readonly headers: Readonly<Record<string, string>> } => ({
  status,
  body: body as Body,
  headers,
})

/** Tools that a handler uses to produce a stream. */
export interface StreamTools {
  readonly type: StreamType
  /** Runs a query of the column store as soon as this stream has a slot. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>
  /** Aborts when the client disconnects or the process ends. */
  readonly signal: AbortSignal
}

/** Tools that a handler uses to follow new rows. */
export interface TailTools {
  /** Runs a query of the column store as soon as its project has a free slot. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>
  /** Aborts when the client disconnects, the time limit of the tail is over, or the process ends. */
  readonly signal: AbortSignal
}

export interface RowStream {
  readonly headers: Readonly<Record<string, string>>
  readonly pieces: AsyncGenerator<Piece, void, undefined>
}

/** For `columnStore`, the request waits for a slot of its project, so that no single project occupies the whole column store. */
export type Queue = 'columnStore' | undefined

export interface Handler {
  readonly operation: Operation
  readonly queue: Queue
  run(request: RequestOf<Operation>, deps: Dependencies): Promise<Reply> | Reply
  /** The tools for streams; present for an operation whose response can be a stream. */
  readonly stream: ((request: RequestOf<Operation>, tools: StreamTools, deps: Dependencies) => Promise<RowStream>) | undefined
  /** The tools for tails; present for an operation that responds with server-sent events. */
  readonly tail:
    | ((request: RequestOf<Operation>, tools: TailTools, deps: Dependencies) => AsyncGenerator<object, void, undefined>)
    | undefined
}

export function handle<O extends Operation>(
  operation: O,
  run: (request: RequestOf<O>, deps: Dependencies) => Promise<ReplyOf<O>> | ReplyOf<O>,
  {
    queue,
    stream,
  }: {
    readonly queue?: Queue
    readonly stream?: (request: RequestOf<O>, tools: StreamTools, deps: Dependencies) => Promise<RowStream>
  } = {},
): Handler {
  return {
    ...{ operation, queue, tail: undefined },
    ...{ run: run as unknown as Handler['run'], stream: stream as unknown as Handler['stream'] },
  }
}

/** Handles an operation that responds with the events that `tail` yields. */
export function handleTail<O extends Operation>(
  operation: O,
  tail: (request: RequestOf<O>, tools: TailTools, deps: Dependencies) => AsyncGenerator<object, void, undefined>,
): Handler {
  const run = () => {
    throw new TypeError(`${operation.id} is served by its tail`)
  }
  return { operation, queue: undefined, run, stream: undefined, tail: tail as unknown as Handler['tail'] }
}
