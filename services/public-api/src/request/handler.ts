// A handler: an operation of libs/api and what it does. It sees decoded values, never HTTP, JSON, keys or limits.
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
  /** What the records of this request say of it, and within what they are taken. */
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

/** What the body has become: by the operation's preparation where it has one, else by its schema. */
type BodyOf<O extends Operation> = O['id'] extends keyof Preparations ? ReturnType<Preparations[O['id']]> : z.output<NonNullable<O['body']>>

export type RequestOf<O extends Operation> = Who[O['auth']] & {
  readonly params: z.output<O['params']>
  readonly query: z.output<O['query']>
  readonly body: BodyOf<O>
  /** Of a request with a body. */
  readonly held: Held
  /** Of a request whose body is bytes. */
  readonly incoming: IncomingBytes
  /** The tags of If-Match; undefined: whatever state the thing is in. */
  readonly ifMatch: readonly string[] | undefined
  /** Scheme and host by which the client reached this server, with the path before that of every route. */
  readonly origin: string
  /** Aborts when the client has left. */
  readonly signal: AbortSignal
}

/** A body that is JSON text already, made by a view in a worker thread. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The body of a request that is bytes. */
export interface IncomingBytes {
  /** Empty: the client names none. */
  readonly contentType: string
  /** As it is announced; undefined for a chunked body. */
  readonly contentLength: number | undefined
  /** Asks for the bytes. One that ends before its announced length fails with ClientGone. */
  open(): Readable
}

/** A body of bytes, which is sent while it is read. */
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

/** What a handler may give for a type of the wire: the same, read-only or not. */
type Given<T> = T extends readonly (infer Element)[]
  ? readonly Given<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Given<T[Key]> }
    : T

/** One of the operation's responses: by its status, with what its schema says. */
export type ReplyOf<O extends Operation> = {
  readonly [Status in keyof O['responses'] & number]: {
    readonly status: Status
    readonly headers?: Readonly<Record<string, string>>
  } & (O['responses'][Status] extends z.ZodType
    ? { readonly body: Given<z.input<O['responses'][Status]>> | JsonText }
    : { readonly body?: ByteStream | undefined })
}[keyof O['responses'] & number]

/** A response, typed by its status. */
export const reply = <const Status extends number, const Body = undefined>(
  status: Status,
  body?: Body,
  headers: Readonly<Record<string, string>> = {},
): { readonly status: Status; readonly body: Body; readonly headers: Readonly<Record<string, string>> } => ({
  status,
  body: body as Body,
  headers,
})

/** What a handler makes a stream with. */
export interface StreamTools {
  readonly type: StreamType
  /** Does what asks the column store when it is this stream's turn. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>
  /** Aborts when the client has left, or the process ends. */
  readonly signal: AbortSignal
}

/** What a handler follows rows with. */
export interface TailTools {
  /** Does what asks the column store when its project's slot is free. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>
  /** Aborts when the client has left, time is up, or the process ends. */
  readonly signal: AbortSignal
}

export interface RowStream {
  readonly headers: Readonly<Record<string, string>>
  readonly pieces: AsyncGenerator<Piece, void, undefined>
}

/** `columnStore`: it waits for its project's slot, so that no project holds the column store. */
export type Queue = 'columnStore' | undefined

export interface Handler {
  readonly operation: Operation
  readonly queue: Queue
  run(request: RequestOf<Operation>, deps: Dependencies): Promise<Reply> | Reply
  /** Of an operation whose response may be a stream. */
  readonly stream: ((request: RequestOf<Operation>, tools: StreamTools, deps: Dependencies) => Promise<RowStream>) | undefined
  /** Of an operation whose response is server-sent events. */
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

/** Of an operation whose response is the events that `tail` yields. */
export function handleTail<O extends Operation>(
  operation: O,
  tail: (request: RequestOf<O>, tools: TailTools, deps: Dependencies) => AsyncGenerator<object, void, undefined>,
): Handler {
  const run = () => {
    throw new TypeError(`${operation.id} is served by its tail`)
  }
  return { operation, queue: undefined, run, stream: undefined, tail: tail as unknown as Handler['tail'] }
}
